#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topologies/topology.hpp"

namespace stepcast {

// Finds routes by the rules of Topology::route, on a Boost graph of its own. Not thread-safe:
// Topology locks around it.
//
// Cost: searches inside a server or NVLink domain touch only that server. The network is explored
// once per set of destination switches (as many as there are leaves) and only as far as sources
// ask, so that a route costs about as much as it has links. Memory grows with the switches seen
// from each destination, not with GPU pairs.
class Router {
 public:
  // `vertices` and `links` must outlive the router.
  Router(const std::vector<Vertex>& vertices, const std::vector<Link>& links);
  ~Router();
  // The route between two GPUs' vertices; empty when there is none.
  [[nodiscard]] std::vector<LinkShare> find(VertexId from, VertexId to, bool same_nvlink_domain);

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace stepcast
