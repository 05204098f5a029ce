#include "cli/collective_input.hpp"

#include <vector>

#include "common/errors.hpp"
#include "sim/cost/names.hpp"

namespace stepcast::cli {

CollectiveOp parse_op(const std::string& text) {
  if (const auto op = named(all_collective_ops, text)) return *op;
  std::vector<std::string> names;
  std::string listed;
  for (const CollectiveOp op : all_collective_ops) {
    names.emplace_back(name_of(op));
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest(text, names);
  throw InputError(Problem{"", "--op",
                           "must be one of " + listed + ", found \"" + text + "\"" +
                               (near.empty() ? "" : " (did you mean \"" + near + "\"?)")});
}

std::int64_t ranks_on(const Cluster& cluster, std::int64_t asked) {
  const auto gpus = static_cast<std::int64_t>(cluster.topology.gpu_count());
  if (asked > gpus)
    throw InputError(Problem{"", "--ranks",
                             "must be at most the " + std::to_string(gpus) + " GPUs of " +
                                 cluster.name + ", found " + std::to_string(asked)});
  const std::int64_t ranks = asked == 0 ? gpus : asked;
  if (ranks < 2)
    throw InputError(Problem{
        "", "--cluster",
        "a collective needs at least 2 GPUs, " + cluster.name + " has " + std::to_string(gpus)});
  return ranks;
}

}  // namespace stepcast::cli
