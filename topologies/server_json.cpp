#include "topologies/server_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/json_text.hpp"
#include "topologies/fabric.hpp"

namespace stepcast {

using Json = nlohmann::json;

namespace {

std::int64_t not_negative_count(const Node& node, const std::string& key, std::int64_t fallback) {
  const std::int64_t value = node.integer(key, fallback);
  if (value >= 0) return value;
  node.problem(key, "must be a whole number >= 0, found " + std::to_string(value));
  return fallback;
}

// A number within limits, or `fallback` and a problem.
double number_within(const Node& node, const std::string& key, double low, double high,
                     double fallback) {
  const double value = node.number(key, fallback);
  if (value >= low && value <= high) return value;
  node.problem(key, fmt::format("must be within {:g} and {:g}, found {}", low, high,
                                shown(node.at(key).json())));
  return fallback;
}

void parse_rates(const Node& node, ServerSpec& server) {
  server.nvlink_domain_gpus = node.count("nvlink_domain_gpus");
  if (server.nvlink_domain_gpus > 1) {
    server.nvlink_bandwidth = parse_rate(node, "nvlink_bandwidth_GBps");
    server.nvlink_latency = parse_latency(node, "nvlink_latency_us", Seconds{});
    server.nvswitches = not_negative_count(node, "nvswitches", 1);
  }
  server.pcie_bandwidth = parse_rate(node, "pcie_bandwidth_GBps");
  server.pcie_latency = parse_latency(node, "pcie_latency_us", Seconds{});
  server.nics = not_negative_count(node, "nics", 0);
  server.rails = not_negative_count(node, "rails", 0);
  if (server.nics > 0) server.nic_bandwidth = parse_rate(node, "nic_bandwidth_GBps");
}

void check_server(const Node& node, ServerSpec& server) {
  const auto must_divide = [&](const char* key, std::int64_t part, std::int64_t whole,
                               const char* of) {
    if (part > 0 && whole % part != 0)
      node.problem(key, "must divide the " + std::to_string(whole) + " " + of + ", found " +
                            std::to_string(part));
  };
  must_divide("nvlink_domain_gpus", server.nvlink_domain_gpus, server.gpus, "gpus");
  must_divide("rails", server.rails, server.nics, "nics");
  const auto at_most = [&](const char* key, std::int64_t& count, std::int64_t most) {
    if (count > most)
      node.problem(key,
                   "must be at most " + std::to_string(most) + ", found " + std::to_string(count));
    count = std::min(count, most);
  };
  at_most("gpus", server.gpus, most_gpus);
  at_most("nics", server.nics, server.gpus * most_nics_per_gpu);
  at_most("cpus", server.cpus, server.gpus * most_nics_per_gpu);
}

const std::vector<std::string>& fabric_kinds() {
  static const std::vector<std::string> names{"single_switch", "leaf_spine", "rail_optimized",
                                              "three_level_fat_tree"};
  return names;
}

FabricKind fabric_kind(const std::string& name) {
  const auto& names = fabric_kinds();
  const auto found = std::find(names.begin(), names.end(), name);
  return static_cast<FabricKind>(found - names.begin());
}

}  // namespace

BytesPerSecond parse_rate(const Node& node, const std::string& key) {
  if (node.has(key) && node.at(key).is_number() && node.number(key) > 0.0)
    return BytesPerSecond{number_within(node, key, 1e-6, 1e6, 1.0) * 1e9};
  return BytesPerSecond{node.positive(key) * 1e9};
}

Seconds parse_latency(const Node& node, const std::string& key, Seconds fallback) {
  const double us = node.number(key, in_microseconds(fallback));
  if (us >= 0.0) return microseconds(number_within(node, key, 0.0, 1e6, in_microseconds(fallback)));
  node.problem(key, "must be >= 0, found " + shown(node.at(key).json()));
  return fallback;
}

Bytes parse_memory(const Node& node, const std::string& key, Bytes unit) {
  const double number = node.positive(key);
  constexpr double most = 1e15;  // 1 PB
  if (number * unit.value() <= most) return unit * number;
  node.problem(key, fmt::format("must be at most {:g}, found {}", most / unit.value(),
                                shown(node.at(key).json())));
  return unit;
}

void check_format(const Node& node, const std::string& format) {
  if (const auto found = node.find("format"); found && found->json() != Json(format))
    found->problem("must be \"" + format + "\", found " + shown(found->json()));
  if (const auto found = node.find("version"); found && found->json() != Json(1))
    found->problem("must be 1, found " + shown(found->json()));
}

ServerSpec parse_server(const Node& node) {
  ServerSpec server;
  check_format(node, "stepcast.server");
  server.name = node.text("name");
  server.gpu = node.text("gpu");
  server.gpus = node.count("gpus");
  parse_rates(node, server);
  server.gpu_memory = node.has("gpu_memory_bytes")
                          ? parse_memory(node, "gpu_memory_bytes", Bytes{1.0})
                          : parse_memory(node, "gpu_memory_GiB", gibibytes(1.0));
  server.cpu = node.choice("cpu", {"intel", "amd", "arm"}, "intel");
  server.cpus = node.count("cpus", 2);
  if (const auto sources = node.find("sources"))
    for (const Node& source : sources->elements()) server.sources.push_back(source.as_text());
  check_server(node, server);
  if (const auto fabric = node.find("fabric")) server.fabric = parse_fabric(*fabric, server);
  node.finish();
  return server;
}

FabricSpec parse_fabric(const Node& node, const ServerSpec& server) {
  FabricSpec fabric = server.fabric;
  fabric.kind =
      fabric_kind(node.choice("kind", fabric_kinds(), std::string(name_of(server.fabric.kind))));
  fabric.switch_ports = node.count("switch_ports", fabric.switch_ports);
  const bool usual = fabric.kind == server.fabric.kind;
  const std::int64_t half = fabric.switch_ports / 2 / std::max<std::int64_t>(server.nics, 1);
  fabric.nodes_per_leaf =
      node.count("nodes_per_leaf", usual ? fabric.nodes_per_leaf : std::max<std::int64_t>(half, 1));
  fabric.leaves_per_pod = node.count("leaves_per_pod", fabric.leaves_per_pod);
  fabric.oversubscription =
      number_within(node, "oversubscription", 0.1, 1000.0, fabric.oversubscription);
  fabric.hop_latency = parse_latency(node, "hop_latency_us", fabric.hop_latency);
  node.finish();
  return fabric;
}

Json to_json(const ServerSpec& server) {
  Json json{{"format", "stepcast.server"},
            {"version", 1},
            {"name", server.name},
            {"gpu", server.gpu},
            {"gpus", server.gpus},
            {"nvlink_domain_gpus", server.nvlink_domain_gpus},
            {"pcie_bandwidth_GBps", gigabytes_per_second(server.pcie_bandwidth)},
            {"pcie_latency_us", in_microseconds(server.pcie_latency)},
            {"nics", server.nics},
            {"rails", server.rails},
            {"gpu_memory_bytes", server.gpu_memory.value()},
            {"cpu", server.cpu},
            {"cpus", server.cpus},
            {"sources", server.sources},
            {"fabric", to_json(server.fabric)}};
  if (server.nvlink_domain_gpus > 1) {
    json["nvlink_bandwidth_GBps"] = gigabytes_per_second(server.nvlink_bandwidth);
    json["nvlink_latency_us"] = in_microseconds(server.nvlink_latency);
    json["nvswitches"] = server.nvswitches;
  }
  if (server.nics > 0) json["nic_bandwidth_GBps"] = gigabytes_per_second(server.nic_bandwidth);
  return json;
}

Json to_json(const FabricSpec& fabric) {
  return {{"kind", name_of(fabric.kind)},
          {"oversubscription", fabric.oversubscription},
          {"nodes_per_leaf", fabric.nodes_per_leaf},
          {"leaves_per_pod", fabric.leaves_per_pod},
          {"switch_ports", fabric.switch_ports},
          {"hop_latency_us", in_microseconds(fabric.hop_latency)}};
}

std::string no_server_preset(const std::string& name) {
  std::string lower = name;
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const std::string hint = nearest(lower, server_presets());
  std::string message = "no server preset \"" + name + "\"";
  if (!hint.empty()) return message + " (did you mean \"" + hint + "\"?)";
  message += " (there are";
  for (const std::string& preset : server_presets())
    message += (message.ends_with("are") ? " " : ", ") + preset;
  return message + ")";
}

double gigabytes_per_second(BytesPerSecond rate) { return rate.value() / 1e9; }
// To the picosecond, so that 0.35 us is written as 0.35.
double in_microseconds(Seconds time) { return std::round(time.value() * 1e12) / 1e6; }

}  // namespace stepcast
