#include "sim/plan/unit_costs.hpp"

#include <algorithm>

#include "sim/program/framework_rules.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {
namespace {

std::vector<std::uint32_t> ranks_of_stage(const ParallelConfig& parallel, std::int64_t stage) {
  std::vector<std::uint32_t> ranks;
  RankCoordinates where;
  where.pipeline = stage;
  for (where.data = 0; where.data < parallel.data; ++where.data)
    for (where.context = 0; where.context < parallel.context; ++where.context)
      for (where.tensor = 0; where.tensor < parallel.tensor; ++where.tensor)
        ranks.push_back(rank_of(parallel, where));
  return ranks;
}

bool costs_the_same(const Placement& a, const Placement& b) {
  return a.nodes == b.nodes && a.nvlink_domains == b.nvlink_domains &&
         a.network_latency == b.network_latency && a.domain_latency == b.domain_latency &&
         std::equal(a.ring.begin(), a.ring.end(), b.ring.begin(), b.ring.end(),
                    [](const TierUse& x, const TierUse& y) {
                      return x.tier == y.tier && x.seconds_per_byte == y.seconds_per_byte;
                    });
}

bool sharded(const Run& run) { return run.parallel.sharding != Sharding::none; }

}  // namespace

UnitCosts::UnitCosts(const Run& run, const Profile& profile, const CostModel& costs)
    : costs_(costs),
      collectives_(run.cluster, profile, costs),
      data_(place_groups(run.cluster,
                         rank_groups_of_stage(run.parallel, GroupKind::data_context, 0))),
      replicas_(run.parallel.data * run.parallel.context) {
  const std::int64_t p = run.parallel.pipeline;
  const bool alike = stages_are_placed_alike(run.cluster, run.parallel);
  for (std::int64_t stage = 0; p > 1 && stage < p; ++stage) {
    if (alike && stage > 0) {
      boundary_of_.push_back(0);
      continue;
    }
    const Placement here = place_pairs(run.cluster, ranks_of_stage(run.parallel, stage),
                                       ranks_of_stage(run.parallel, (stage + 1) % p));
    std::size_t known = 0;
    while (known < boundaries_.size() && !costs_the_same(boundaries_[known], here)) ++known;
    if (known == boundaries_.size()) boundaries_.push_back(here);
    boundary_of_.push_back(known);
  }
}

double UnitCosts::collective(CollectiveOp op, double bytes) const {
  return collectives_.estimate(op, Bytes{bytes}, data_).time().value();
}

std::vector<double> UnitCosts::transfers(const Run& run) const {
  const FrameworkRules& rules = framework_rules(run.framework, run.framework_release);
  const Bytes size = boundary_size(run, rules);
  std::vector<double> times;
  for (const Placement& boundary : boundaries_)
    times.push_back(collectives_.estimate(CollectiveOp::send_recv, size, boundary).time().value());
  std::vector<double> by_stage;
  for (const std::size_t boundary : boundary_of_) by_stage.push_back(times[boundary]);
  return by_stage;
}

double UnitCosts::reduce(const Run& run, std::int64_t parameters) const {
  if (replicas_ == 1) return 0.0;
  return collective(sharded(run) ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce,
                    size_of(run.training.gradient_dtype).value() * static_cast<double>(parameters));
}

double UnitCosts::gather(const Run& run, std::int64_t parameters) const {
  if (replicas_ == 1 || !sharded(run)) return 0.0;
  return collective(CollectiveOp::all_gather, size_of(run.training.parameter_dtype).value() *
                                                  static_cast<double>(parameters));
}

double UnitCosts::update(const Run& run, std::int64_t parameters) const {
  const FrameworkRules& rules = framework_rules(run.framework, run.framework_release);
  const auto count = static_cast<double>(parameters);
  const double owned = sharded(run) ? count / static_cast<double>(replicas_) : count;
  const auto pass = [&](double bytes) {
    return bytes > 0.0 ? costs_.memory_bound(Bytes{bytes}, MemoryKernel::fused).time.value() : 0.0;
  };
  return pass(rules.gradient_passes * count * size_of(run.training.gradient_dtype).value()) +
         pass(rules.optimizer_bytes_per_parameter * owned);
}

}  // namespace stepcast
