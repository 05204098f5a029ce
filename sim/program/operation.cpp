#include "sim/program/operation.hpp"

#include <utility>

namespace stepcast {

void BlockBuilder::compute(Kernel kernel) {
  if (!open_ || !pending_.empty() || gather_) {
    Operation operation;
    operation.name = kernel.name;
    operation.work = Compute{{}, recompute_};
    operation.after = std::exchange(pending_, {});
    operation.after_gather = std::exchange(gather_, {});
    last_compute_ = {static_cast<std::uint32_t>(block_.operations.size())};
    block_.operations.push_back(std::move(operation));
    open_ = true;
  }
  std::get<Compute>(block_.operations[last_compute_.front()].work)
      .kernels.push_back(std::move(kernel));
}

BlockBuilder::Handle BlockBuilder::launch(const std::string& name, Lane lane,
                                          const Communication& communication) {
  Operation operation;
  operation.name = name;
  operation.lane = lane;
  operation.work = communication;
  // What the next kernel would wait for is what this one builds on.
  operation.after = pending_;
  operation.after.insert(operation.after.end(), last_compute_.begin(), last_compute_.end());
  block_.operations.push_back(std::move(operation));
  open_ = false;
  return static_cast<Handle>(block_.operations.size() - 1);
}

void BlockBuilder::wait(Handle handle) { pending_.push_back(handle); }

void BlockBuilder::issue(Seconds time) {
  for (const Handle earlier : last_issue_) wait(earlier);
  Operation operation;
  operation.name = "host issue";
  operation.lane = Lane::host;
  operation.work = HostIssue{time};
  operation.after = last_issue_;
  last_issue_ = {static_cast<std::uint32_t>(block_.operations.size())};
  block_.operations.push_back(std::move(operation));
}

void BlockBuilder::wait_for_gather(std::uint32_t gather) { gather_ = gather; }

void BlockBuilder::mark_recompute(bool recompute) {
  if (recompute != recompute_) open_ = false;
  recompute_ = recompute;
}

Block BlockBuilder::take() {
  block_.exits = std::exchange(pending_, {});
  block_.exits.insert(block_.exits.end(), last_compute_.begin(), last_compute_.end());
  block_.exits.insert(block_.exits.end(), last_issue_.begin(), last_issue_.end());
  last_compute_.clear();
  last_issue_.clear();
  open_ = false;
  return std::exchange(block_, {});
}

}  // namespace stepcast
