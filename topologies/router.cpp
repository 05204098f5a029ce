#include "topologies/router.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace stepcast {
namespace {

using Index = std::uint32_t;  // of a vertex or a link
// The edge property is the link's index.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                    boost::no_property, Index>;
constexpr Index unreached = std::numeric_limits<Index>::max();

// Which links a search may use.
enum class Region { nvlink, server, network };

bool belongs(Region region, LinkTier tier) {
  switch (region) {
    case Region::nvlink: return tier == LinkTier::nvlink;
    case Region::server: return tier == LinkTier::pcie;
    case Region::network: return tier == LinkTier::spine || tier == LinkTier::core;
  }
  return false;
}

struct Arrival {
  Index vertex = 0;
  double share = 0.0;
};

// A flow on its way: the links that it used, and where its parts stand.
struct Flow {
  std::vector<LinkShare> links;
  std::vector<Arrival> at;
};

// How one unit leaves and enters a GPU by its nearest NICs.
struct Access {
  Flow out;
  std::map<Index, std::vector<LinkShare>> in;  // from a NIC to the GPU
};

// The network seen from one set of destination switches, explored backwards level by level and no
// further than was asked. Everything up to `level` links away has an entry; `frontier` is that
// level.
struct Destination {
  struct Entry {
    Index distance = 0;
    std::vector<Index> next;  // links one step nearer
  };
  std::unordered_map<Index, Entry> entries;  // by switch; never walked over
  std::vector<Index> frontier;
  Index level = 0;
  std::unordered_map<Index, std::vector<Index>> next_beyond;  // of switches just past `level`
};

}  // namespace

class Router::Search {
 public:
  Search(const std::vector<Vertex>& vertices, const std::vector<Link>& links)
      : vertices_(vertices),
        links_(links),
        graph_(vertices.size()),
        distance_(vertices.size(), unreached),
        share_(vertices.size(), 0.0),
        access_(vertices.size()) {
    for (Index i = 0; i < links.size(); ++i)
      boost::add_edge(links[i].from.index, links[i].to.index, i, graph_);
  }

  std::vector<LinkShare> find(Index from, Index to, bool same_nvlink_domain) {
    std::vector<LinkShare> links;
    if (same_nvlink_domain) links = inside(from, to, Region::nvlink);
    if (links.empty() && vertices_[from].node == vertices_[to].node)
      links = inside(from, to, Region::server);
    if (links.empty()) links = between_servers(from, to);
    return links;
  }

 private:
  [[nodiscard]] bool is_switch(Index vertex) const {
    const VertexKind kind = vertices_[vertex].kind;
    return kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core;
  }

  // GPUs and NICs end a path, except that NVLink may pass through a GPU.
  [[nodiscard]] bool relays(Index vertex, Region region) const {
    const VertexKind kind = vertices_[vertex].kind;
    return region == Region::nvlink || (kind != VertexKind::gpu && kind != VertexKind::nic);
  }

  template <class Accept>
  [[nodiscard]] std::vector<Index> links_out(Index vertex, Accept accept) const {
    std::vector<Index> chosen;
    for (const auto edge : boost::make_iterator_range(boost::out_edges(vertex, graph_)))
      if (accept(links_[graph_[edge]])) chosen.push_back(graph_[edge]);
    return chosen;
  }

  template <class Visit>
  void visit_out(Index vertex, Visit visit) const {
    for (const auto edge : boost::make_iterator_range(boost::out_edges(vertex, graph_)))
      visit(links_[graph_[edge]]);
  }

  template <class Visit>
  void visit_in(Index vertex, Visit visit) const {
    for (const auto edge : boost::make_iterator_range(boost::in_edges(vertex, graph_)))
      visit(links_[graph_[edge]]);
  }

  // Breadth-first distances to `targets`, backwards, until `stop` has one; everything nearer than
  // `stop` has its distance then. To be followed by forget().
  bool measure(const std::vector<Index>& targets, Index stop, Region region) {
    for (const Index target : targets) reach(target, 0);
    for (std::size_t head = 0; head < touched_.size() && distance_[stop] == unreached; ++head) {
      const Index vertex = touched_[head];
      if (distance_[vertex] > 0 && !relays(vertex, region)) continue;
      visit_in(vertex, [&](const Link& link) {
        if (belongs(region, link.tier) && distance_[link.from.index] == unreached)
          reach(link.from.index, distance_[vertex] + 1);
      });
    }
    return distance_[stop] != unreached;
  }

  void reach(Index vertex, Index distance) {
    distance_[vertex] = distance;
    touched_.push_back(vertex);
  }

  void forget() {
    for (const Index vertex : touched_) distance_[vertex] = unreached;
    touched_.clear();
  }

  // Moves every part of the flow over the links that next(vertex) lists, evenly; parts whose list
  // is empty stay. False when none moved.
  template <class Next>
  bool advance(Flow& flow, Next next) {
    std::vector<Index> reached;
    const auto put = [&](Index vertex, double part) {
      if (share_[vertex] == 0.0) reached.push_back(vertex);
      share_[vertex] += part;
    };
    bool moved = false;
    for (const Arrival& arrival : flow.at) {
      const auto& onward = next(arrival.vertex);
      if (onward.empty()) put(arrival.vertex, arrival.share);
      for (const Index link : onward) {
        const double part = arrival.share / static_cast<double>(onward.size());
        flow.links.push_back({LinkId{link}, part});
        put(links_[link].to.index, part);
        moved = true;
      }
    }
    flow.at.clear();
    for (const Index vertex : reached) {
      flow.at.push_back({vertex, share_[vertex]});
      share_[vertex] = 0.0;
    }
    return moved;
  }

  // One unit from `from` to where the distances that measure() left are 0.
  Flow descend(Index from, Region region) {
    Flow flow{{}, {{from, 1.0}}};
    while (advance(flow, [&](Index vertex) {
      return links_out(vertex, [&](const Link& link) {
        const Index to = link.to.index;
        return belongs(region, link.tier) && distance_[to] != unreached &&
               distance_[to] + 1 == distance_[vertex] && (distance_[to] == 0 || relays(to, region));
      });
    })) {
    }
    return flow;
  }

  std::vector<LinkShare> inside(Index from, Index to, Region region) {
    Flow flow;
    if (measure({to}, from, region)) flow = descend(from, region);
    forget();
    return std::move(flow.links);
  }

  std::vector<LinkShare> between_servers(Index from, Index to) {
    const Access& leaving = access(from);
    const Access& entering = access(to);
    Flow flow = leaving.out;
    if (flow.at.empty() || entering.in.empty()) return {};
    if (!cross_cable(flow, entering)) cross_network(flow, entering);
    for (const Arrival& arrival : flow.at) {
      const auto way_in = entering.in.find(arrival.vertex);
      if (way_in == entering.in.end()) return {};
      for (const LinkShare& link : way_in->second)
        flow.links.push_back({link.link, link.share * arrival.share});
    }
    return std::move(flow.links);
  }

  // From NICs to the other GPU's NICs without a switch between.
  bool cross_cable(Flow& flow, const Access& entering) {
    return advance(flow, [&](Index vertex) { return links_to_nics(vertex, entering); });
  }

  void cross_network(Flow& flow, const Access& entering) {
    Destination& destination = destination_of(entering);
    advance(flow, [&](Index nic) { return links_to_network(nic, destination); });
    while (advance(flow, [&](Index vertex) -> const std::vector<Index>& {
      return next_links(destination, vertex);
    })) {
    }
    advance(flow, [&](Index vertex) { return links_to_nics(vertex, entering); });
  }

  [[nodiscard]] std::vector<Index> links_to_nics(Index vertex, const Access& entering) const {
    return links_out(vertex, [&](const Link& link) {
      return link.tier == LinkTier::nic && entering.in.contains(link.to.index);
    });
  }

  // A NIC's links to the switches that are nearest to the destination.
  std::vector<Index> links_to_network(Index nic, Destination& destination) {
    const auto distance = [&](const Link& link) {
      return link.tier == LinkTier::nic && is_switch(link.to.index)
                 ? distance_to(destination, link.to.index)
                 : unreached;
    };
    Index best = unreached;
    visit_out(nic, [&](const Link& link) { best = std::min(best, distance(link)); });
    return links_out(nic,
                     [&](const Link& link) { return best != unreached && distance(link) == best; });
  }

  Index distance_to(Destination& destination, Index vertex) {
    const auto known = destination.entries.find(vertex);
    if (known != destination.entries.end()) return known->second.distance;
    const std::vector<Index>& next = next_links(destination, vertex);
    if (next.empty()) return unreached;
    return destination.entries.at(links_[next.front()].to.index).distance + 1;
  }

  // A switch's links one step nearer to the destination; none at the destination, or when it
  // cannot be reached.
  const std::vector<Index>& next_links(Destination& destination, Index vertex) {
    static const std::vector<Index> none;
    if (!is_switch(vertex)) return none;
    while (true) {
      const auto known = destination.entries.find(vertex);
      if (known != destination.entries.end()) return known->second.next;
      const auto beyond = destination.next_beyond.find(vertex);
      if (beyond != destination.next_beyond.end()) return beyond->second;
      std::vector<Index> next = links_out(vertex, [&](const Link& link) {
        const auto to = destination.entries.find(link.to.index);
        return belongs(Region::network, link.tier) && to != destination.entries.end() &&
               to->second.distance == destination.level;
      });
      if (!next.empty()) return destination.next_beyond[vertex] = std::move(next);
      if (destination.frontier.empty()) return none;
      expand(destination);
    }
  }

  // Takes one more level in.
  void expand(Destination& destination) {
    std::vector<Index> frontier;
    for (const Index vertex : destination.frontier)
      for (const auto edge : boost::make_iterator_range(boost::in_edges(vertex, graph_))) {
        const Link& link = links_[graph_[edge]];
        if (!belongs(Region::network, link.tier) || !is_switch(link.from.index)) continue;
        const auto [entry, is_new] = destination.entries.try_emplace(link.from.index);
        if (is_new) {
          entry->second.distance = destination.level + 1;
          frontier.push_back(link.from.index);
        }
        if (entry->second.distance == destination.level + 1)
          entry->second.next.push_back(graph_[edge]);
      }
    for (const Index vertex : frontier) {  // in the order of next_beyond, whoever asked first
      std::vector<Index>& next = destination.entries[vertex].next;
      std::sort(next.begin(), next.end());
    }
    destination.frontier = std::move(frontier);
    destination.next_beyond.clear();
    ++destination.level;
  }

  Destination& destination_of(const Access& entering) {
    std::vector<Index> targets;
    for (const auto& [nic, links] : entering.in)
      visit_in(nic, [&](const Link& link) {
        if (link.tier == LinkTier::nic && is_switch(link.from.index))
          targets.push_back(link.from.index);
      });
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    const auto [found, is_new] = destinations_.try_emplace(targets);
    if (is_new) {
      for (const Index target : targets) found->second.entries[target];
      found->second.frontier = std::move(targets);
    }
    return found->second;
  }

  const Access& access(Index gpu) {
    if (access_[gpu]) return *access_[gpu];
    Access access;
    const std::vector<Index> exits = nearest_nics(gpu, Direction::out);
    if (!exits.empty() && measure(exits, gpu, Region::server))
      access.out = descend(gpu, Region::server);
    forget();
    for (const Index nic : nearest_nics(gpu, Direction::in))
      access.in[nic] = inside(nic, gpu, Region::server);
    return access_[gpu].emplace(std::move(access));
  }

  enum class Direction { out, in };

  template <class Visit>
  void visit_links(Index vertex, Direction direction, Visit visit) const {
    if (direction == Direction::out) visit_out(vertex, visit);
    if (direction == Direction::in) visit_in(vertex, visit);
  }

  // Cabled NICs at the least distance over the server's own links.
  std::vector<Index> nearest_nics(Index gpu, Direction direction) {
    std::vector<Index> nics;
    Index limit = unreached;
    reach(gpu, 0);
    for (std::size_t head = 0; head < touched_.size(); ++head) {
      const Index vertex = touched_[head];
      if (distance_[vertex] > limit) break;
      if (is_cabled_nic(vertex, direction)) {
        nics.push_back(vertex);
        limit = distance_[vertex];
      }
      if (vertex != gpu && !relays(vertex, Region::server)) continue;
      const auto visit = [&](const Link& link) {
        const Index next = direction == Direction::out ? link.to.index : link.from.index;
        if (link.tier == LinkTier::pcie && distance_[next] == unreached)
          reach(next, distance_[vertex] + 1);
      };
      visit_links(vertex, direction, visit);
    }
    forget();
    return nics;
  }

  [[nodiscard]] bool is_cabled_nic(Index vertex, Direction direction) const {
    if (vertices_[vertex].kind != VertexKind::nic) return false;
    bool cabled = false;
    const auto visit = [&](const Link& link) { cabled = cabled || link.tier == LinkTier::nic; };
    visit_links(vertex, direction, visit);
    return cabled;
  }

  const std::vector<Vertex>& vertices_;
  const std::vector<Link>& links_;
  Graph graph_;
  std::vector<Index> distance_;  // scratch: `unreached` except between measure and forget
  std::vector<Index> touched_;
  std::vector<double> share_;                  // scratch: 0 between calls
  std::vector<std::optional<Access>> access_;  // of GPUs
  std::map<std::vector<Index>, Destination> destinations_;
};

Router::Router(const std::vector<Vertex>& vertices, const std::vector<Link>& links)
    : search_(std::make_unique<Search>(vertices, links)) {}
Router::~Router() = default;

std::vector<LinkShare> Router::find(VertexId from, VertexId to, bool same_nvlink_domain) {
  return search_->find(from.index, to.index, same_nvlink_domain);
}

}  // namespace stepcast
