#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/files.hpp"
#include "topologies/changes_json.hpp"
#include "topologies/cluster.hpp"
#include "topologies/graph_json.hpp"
#include "topologies/server_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

// What a reader goes on with after a problem.
Cluster harmless() {
  ServerSpec server;
  server.name = "none";
  server.gpus = 1;
  server.nvlink_domain_gpus = 1;
  server.nics = 0;
  server.cpus = 1;
  server.pcie_bandwidth = BytesPerSecond{1e9};
  return build_cluster(std::move(server), 1, FabricSpec{});
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

InputError wrong_name(const std::string& message) { return InputError(Problem{"", "", message}); }

Cluster from_preset(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto presets = server_presets();
  if (std::find(presets.begin(), presets.end(), name) == presets.end())
    throw wrong_name(no_server_preset(name));
  std::int64_t nodes = 1;
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, nodes);
    if (error != std::errc{} || rest != end || nodes < 1)
      throw wrong_name(fmt::format(
          "the number of servers must be a whole number >= 1 as in \"{}:8\", found \"{}\"", name,
          std::string(begin, end)));
  }
  ServerSpec server = server_preset(name);
  if (nodes > most_gpus / server.gpus)
    throw wrong_name(fmt::format("the number of {} servers must be at most {} ({} GPUs), found {}",
                                 name, most_gpus / server.gpus, most_gpus, nodes));
  const FabricSpec fabric = server.fabric;
  return build_cluster(std::move(server), nodes, fabric);
}

ServerSpec parse_server_choice(const Node& node) {
  const Node server = node.at("server");
  if (server.is_object()) return parse_server(server);
  const std::string name = server.as_text();
  const auto presets = server_presets();
  if (std::find(presets.begin(), presets.end(), name) != presets.end()) return server_preset(name);
  if (server.is_string()) server.problem(no_server_preset(name));
  ServerSpec none = harmless().server;
  none.nics = 1;  // any number of nodes will do
  none.nic_bandwidth = none.pcie_bandwidth;
  return none;
}

// Servers and GPUs in use: "nodes", "gpus" or both.
struct Size {
  std::int64_t nodes = 1;
  std::int64_t gpus = 0;  // 0: all
};

Size parse_size(const Node& node, const ServerSpec& server) {
  Size size;
  const std::int64_t most = std::max<std::int64_t>(most_gpus / server.gpus, 1);
  if (node.has("gpus")) size.gpus = node.count("gpus");
  if (size.gpus > most_gpus) {
    node.problem("gpus", fmt::format("must be at most {}, found {}", most_gpus, size.gpus));
    size.gpus = 0;
  }
  size.nodes =
      node.count("nodes", std::max<std::int64_t>(1, (size.gpus + server.gpus - 1) / server.gpus));
  if (size.nodes > most) {
    node.problem("nodes", fmt::format("must be at most {} ({} GPUs), found {}", most, most_gpus,
                                      size.nodes));
    size.nodes = 1;
  }
  if (size.nodes > 1 && server.nics < 1) {
    node.problem("nodes", fmt::format("must be 1 for a server without NICs, found {}", size.nodes));
    size.nodes = 1;
  }
  return size;
}

void parse_gpu_limit(const Node& node, const Size& size, const ServerSpec& server,
                     Changes& changes) {
  const auto dead = static_cast<std::int64_t>(changes.dead_nodes.size());
  const std::int64_t there = (size.nodes - dead) * server.gpus;
  if (size.gpus > there)
    node.problem("gpus", fmt::format("must be at most the {} GPUs of {} servers, found {}", there,
                                     size.nodes - dead, size.gpus));
  else if (size.gpus < there)
    changes.gpus = size.gpus;
}

std::string default_name(const ServerSpec& server, const Size& size, bool has_overrides) {
  std::string name = fmt::format("{}:{}", server.name, size.nodes);
  if (size.gpus > 0 && size.gpus != size.nodes * server.gpus)
    name += fmt::format(" ({} GPUs)", size.gpus);
  return has_overrides ? name + " with overrides" : name;
}

Cluster parse_generated(const Node& node, ServerSpec server) {
  const auto overrides = node.find("overrides");
  if (overrides) apply_server_overrides(*overrides, server);
  FabricSpec fabric = server.fabric;
  if (const auto given = node.find("fabric")) fabric = parse_fabric(*given, server);
  const Size size = parse_size(node, server);
  Changes changes;
  if (overrides) {
    changes = parse_changes(*overrides, server, size.nodes, fabric);
    overrides->finish();
  }
  parse_gpu_limit(node, size, server, changes);
  const std::string name = node.text("name", default_name(server, size, overrides.has_value()));
  try {
    const bool cuts = std::any_of(changes.slow_links.begin(), changes.slow_links.end(),
                                  [](const SlowLink& slow) { return slow.factor == 0.0; });
    Cluster cluster = build_cluster(std::move(server), size.nodes, fabric, std::move(changes));
    cluster.name = name;
    const std::string missing = cuts ? missing_path(cluster.topology) : "";
    if (missing.empty()) return cluster;
    overrides->problem("slow_links", "leave " + missing);
  } catch (const std::invalid_argument& error) {
    (overrides ? *overrides : node).problem(error.what());
  }
  return harmless();
}

Cluster parse_object(const Node& node) {
  check_format(node, "stepcast.topology");
  if (const auto derived = node.find("derived"); derived && !derived->is_object())
    derived->problem("must be an object");
  ServerSpec server = parse_server_choice(node);
  if (!node.has("vertices") && !node.has("links")) {
    Cluster cluster = parse_generated(node, std::move(server));
    node.finish();
    return cluster;
  }
  const std::string name = node.text("name", server.name + " graph");
  auto cluster = parse_graph(node, std::move(server));
  node.finish();
  if (!cluster) return harmless();
  cluster->name = name;
  return std::move(*cluster);
}

Cluster from_file(const fs::path& path) {
  JsonReader reader(path.string(), read_file(path));
  const Node root = reader.root();
  if (!root.is_object()) {
    root.problem("must be a stepcast.topology object");
    reader.throw_if_problems();
  }
  reader.expect_format("stepcast.topology", 1, true);
  reader.throw_if_problems();
  Cluster cluster = parse_object(root);
  reader.throw_if_problems();
  return cluster;
}

}  // namespace

Cluster load_cluster(const std::string& name_or_path) {
  if (is_path(name_or_path)) return from_file(name_or_path);
  try {
    return from_preset(name_or_path);
  } catch (const InputError& error) {
    throw InputError(Problem{"", "--cluster", error.problems().front().message});
  }
}

Cluster parse_cluster(const Node& node) {
  if (node.is_object()) return parse_object(node);
  if (!node.is_string()) {
    node.problem(
        "must be a server preset with a number of servers as in \"dgx-h100:8\", a path, "
        "or an object");
    return harmless();
  }
  const std::string text = node.as_text();
  try {
    if (!is_path(text)) return from_preset(text);
    const fs::path beside = fs::path(node.file()).parent_path() / text;
    return from_file(fs::exists(beside) ? beside : fs::path(text));
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) node.problem(to_string(problem));
  }
  return harmless();
}

}  // namespace stepcast
