#pragma once

#include <vector>

#include "sim/network/placement.hpp"
#include "topologies/topology.hpp"

namespace stepcast {

// Adds up what flows put on every link of a topology.
class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology);

  // `amount` bytes from one GPU to another along their route, shares of equal-cost paths included.
  void add(GpuId from, GpuId to, double amount);

  // The largest load over bandwidth of each tier that carries anything, in tier order.
  [[nodiscard]] std::vector<TierUse> busiest() const;

 private:
  const Topology& topology_;
  std::vector<double> bytes_;    // by link
  std::vector<LinkId> touched_;  // links with a load
};

}  // namespace stepcast
