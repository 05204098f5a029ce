#pragma once

#include <string_view>
#include <vector>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"
#include "sim/network/placement.hpp"

namespace stepcast {

// nvls: reduction in the NVLink switches (one domain); nvls_tree: the same in each domain, a tree
// over the network between them.
enum class Algorithm { ring, tree, nvls, nvls_tree, point_to_point };
enum class Protocol { ll, ll128, simple };
[[nodiscard]] std::string_view name_of(Algorithm algorithm);
[[nodiscard]] std::string_view name_of(Protocol protocol);

// One collective of one group, alone but with its sibling groups: latency + transfer seconds.
struct CollectiveEstimate {
  Seconds latency;
  Seconds transfer;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  Bytes wire_bytes;          // sent by a rank
  std::vector<TierUse> use;  // of links, per wire byte
  double relative_sigma = 0.0;
  Basis basis = Basis::analytical;
  [[nodiscard]] Seconds time() const { return latency + transfer; }
};

// Time of a collective with NCCL's choice of algorithm and protocol: inside one NVLink domain from
// the profile's measurements, elsewhere NCCL's tuner model (SEMANTICS 7.2) under the bandwidth that
// the placement leaves, never faster than the wire bound of the topology's links.
//
// `size` follows nccl-tests: all_reduce, broadcast, send_recv: the buffer; all_gather and
// reduce_scatter: the whole gathered buffer; all_to_all: what one rank sends in total.
class CollectiveModel {
 public:
  CollectiveModel(const Cluster& cluster, const Profile& profile, const CostModel& costs);
  [[nodiscard]] CollectiveEstimate estimate(CollectiveOp op, Bytes size,
                                            const Placement& placement) const;

 private:
  const Cluster& cluster_;
  const Profile& profile_;
  const CostModel& costs_;
};

}  // namespace stepcast
