#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "common/errors.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"
#include "sim/network/collectives.hpp"
#include "topologies/cluster.hpp"

namespace stepcast::testing_network {

using Ranks = std::vector<std::uint32_t>;

inline Ranks first_ranks(std::uint32_t count) {
  Ranks ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

// Ranks begin, begin + step, ...: one a node when step is the node's size.
inline Ranks strided(std::uint32_t begin, std::uint32_t step, std::uint32_t count) {
  Ranks ranks;
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(begin + i * step);
  return ranks;
}

// A device with no measured constant: everything from published values and link rates.
inline Profile bare_profile(double compute_capability, double nvlink_GBps) {
  Profile profile;
  profile.name = "bare";
  profile.device.compute_capability = compute_capability;
  profile.device.nvlink_bandwidth = BytesPerSecond{nvlink_GBps * 1e9};
  return profile;
}

// Knows collectives in a node as floor + factor * size / rate, or nothing.
class FakeCosts final : public CostModel {
 public:
  struct Line {
    Seconds floor;
    BytesPerSecond busbw;
  };
  std::map<CollectiveOp, Line> measured;

  Estimate gemm(const GemmShape&, DataType, GemmPass) const override { return {}; }
  Estimate batched_gemm(std::int64_t, const GemmShape&, DataType) const override { return {}; }
  Estimate attention(const AttentionShape&, AttentionPass, AttentionKernel) const override {
    return {};
  }
  Estimate memory_bound(Bytes, MemoryKernel) const override { return {}; }
  Seconds kernel_gap() const override { return {}; }
  std::optional<Estimate> node_collective(CollectiveOp op, std::int64_t ranks,
                                          Bytes size) const override {
    const auto found = measured.find(op);
    if (found == measured.end()) return std::nullopt;
    const Bytes wire = size * bus_bandwidth_factor(op, ranks);
    return Estimate{found->second.floor + wire / found->second.busbw, 0.02, Basis::measured};
  }
};

inline double rate_of(const std::vector<TierUse>& use, LinkTier tier) {
  for (const TierUse& candidate : use)
    if (candidate.tier == tier) return 1.0 / candidate.seconds_per_byte;
  return 0.0;
}

}  // namespace stepcast::testing_network
