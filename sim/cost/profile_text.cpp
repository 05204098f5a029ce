#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "sim/cost/names.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// Whole numbers without ".0".
Json number(double value) {
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json device_json(const DeviceFacts& device) {
  Json peaks = Json::object();
  for (const auto& [type, peak] : device.peak) peaks[std::string(name_of(type))] = peak.value();
  return {{"name", device.name},
          {"multiprocessors", device.multiprocessors},
          {"peak_flops_per_s", peaks},
          {"memory_bandwidth_bytes_per_s", device.memory_bandwidth.value()},
          {"memory_bytes", number(device.memory.value())},
          {"l2_bytes", number(device.l2.value())},
          {"compute_capability", device.compute_capability},
          {"nvlink_bandwidth_bytes_per_s", device.nvlink_bandwidth.value()}};
}

Json error_json(const HeldOutError& error) {
  return {
      {"median", error.median}, {"p90", error.p90}, {"bias", error.bias}, {"points", error.points}};
}

Json gemm_fit_json(const GemmFit& fit) {
  const GemmBase& b = fit.base;
  const GemmKriging& g = fit.kriging;
  return {{"base",
           {{"tile_share", b.tile_share},
            {"prologue_k", b.prologue_k},
            {"wave_smoothing", b.wave_smoothing},
            {"memory_share", b.memory_share},
            {"fixed_s", b.fixed.value()},
            {"droop", b.droop},
            {"split_cost", b.split_cost},
            {"quantise_bytes", b.quantise_bytes}}},
          {"kriging",
           {{"length_m", g.length_m},
            {"length_n", g.length_n},
            {"length_k", g.length_k},
            {"amplitude", g.amplitude},
            {"noise", g.noise},
            {"mirror_noise", g.mirror_noise}}},
          {"base_alone", error_json(fit.base_alone)},
          {"site_left_out", error_json(fit.site)},
          {"point_left_out", error_json(fit.point)}};
}

Json gemm_sites(std::vector<GemmPoint> points) {
  std::sort(points.begin(), points.end(), [](const GemmPoint& a, const GemmPoint& b) {
    return std::tie(a.shape.n, a.shape.k, a.shape.m) < std::tie(b.shape.n, b.shape.k, b.shape.m);
  });
  Json sites = Json::array();
  for (const GemmPoint& p : points) {
    const bool more =
        !sites.empty() && sites.back()["n"] == p.shape.n && sites.back()["k"] == p.shape.k;
    if (!more)
      sites.push_back({{"n", p.shape.n},
                       {"k", p.shape.k},
                       {"m", Json::array()},
                       {"time_s", Json::array()},
                       {"low_s", Json::array()},
                       {"high_s", Json::array()}});
    Json& site = sites.back();
    site["m"].push_back(p.shape.m);
    site["time_s"].push_back(p.time.value());
    site["low_s"].push_back(p.low.value());
    site["high_s"].push_back(p.high.value());
  }
  return sites;
}

Json gemm_json(const Profile& profile) {
  Json tables = Json::array();
  for (const DataType type : all_data_types) {
    std::vector<GemmPoint> points;
    for (const GemmPoint& point : profile.gemm)
      if (point.type == type) points.push_back(point);
    const auto fit = profile.gemm_fit.find(type);
    if (points.empty() && fit == profile.gemm_fit.end()) continue;
    Json table{{"type", name_of(type)}, {"sites", gemm_sites(std::move(points))}};
    if (fit != profile.gemm_fit.end()) table["fit"] = gemm_fit_json(fit->second);
    tables.push_back(std::move(table));
  }
  return tables;
}

auto attention_order(const AttentionPoint& p) {
  const AttentionShape& s = p.shape;
  return std::tuple(p.pass, p.kernel, s.head_dim, s.heads, s.kv_heads, s.causal, s.batch,
                    s.query_length, s.key_length);
}

bool same_attention_row(const AttentionPoint& a, const AttentionPoint& b) {
  return a.pass == b.pass && a.kernel == b.kernel && a.shape.head_dim == b.shape.head_dim &&
         a.shape.heads == b.shape.heads && a.shape.kv_heads == b.shape.kv_heads &&
         a.shape.causal == b.shape.causal;
}

Json attention_json(std::vector<AttentionPoint> points) {
  std::sort(points.begin(), points.end(), [](const AttentionPoint& a, const AttentionPoint& b) {
    return attention_order(a) < attention_order(b);
  });
  Json rows = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const AttentionPoint& p = points[i];
    if (i == 0 || !same_attention_row(points[i - 1], p))
      rows.push_back({{"pass", name_of(p.pass)},
                      {"kernel", name_of(p.kernel)},
                      {"head_dim", p.shape.head_dim},
                      {"heads", p.shape.heads},
                      {"kv_heads", p.shape.kv_heads},
                      {"causal", p.shape.causal},
                      {"batch", Json::array()},
                      {"query_length", Json::array()},
                      {"key_length", Json::array()},
                      {"time_s", Json::array()}});
    Json& row = rows.back();
    row["batch"].push_back(p.shape.batch);
    row["query_length"].push_back(p.shape.query_length);
    row["key_length"].push_back(p.shape.key_length);
    row["time_s"].push_back(p.time.value());
  }
  for (Json& row : rows)
    if (row["key_length"] == row["query_length"]) row.erase("key_length");
  return rows;
}

Json attention_fit_json(const AttentionFit& fit) {
  Json share = Json::object();
  for (const auto& [width, value] : fit.base.share) share[std::to_string(width)] = value;
  const AttentionKriging& g = fit.kriging;
  return {{"base",
           {{"share", share},
            {"ramp_length", fit.base.ramp_length},
            {"tail_power", fit.base.tail_power},
            {"fixed_s", fit.base.fixed.value()}}},
          {"kriging",
           {{"length_sequence", g.length_sequence},
            {"length_heads", g.length_heads},
            {"length_group", g.length_group},
            {"amplitude", g.amplitude},
            {"noise", g.noise}}},
          {"base_alone", error_json(fit.base_alone)},
          {"point_left_out", error_json(fit.held_out)}};
}

Json memory_bound_json(const Profile& profile) {
  Json rows = Json::array();
  for (const auto& [kernel, rate] : profile.memory_bound)
    rows.push_back({{"kernel", name_of(kernel)},
                    {"bandwidth_share", rate.bandwidth_share},
                    {"fixed_s", rate.fixed.value()},
                    {"source", rate.source}});
  return rows;
}

Json collectives_json(std::vector<CollectivePoint> points) {
  std::sort(points.begin(), points.end(), [](const CollectivePoint& a, const CollectivePoint& b) {
    return std::tie(a.op, a.ranks, a.size) < std::tie(b.op, b.ranks, b.size);
  });
  Json rows = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CollectivePoint& p = points[i];
    if (i == 0 || points[i - 1].op != p.op || points[i - 1].ranks != p.ranks)
      rows.push_back({{"op", name_of(p.op)},
                      {"ranks", p.ranks},
                      {"size_bytes", Json::array()},
                      {"time_s", Json::array()}});
    rows.back()["size_bytes"].push_back(number(p.size.value()));
    rows.back()["time_s"].push_back(p.time.value());
  }
  return rows;
}

Json constants_json(const Profile& profile) {
  Json constants = Json::object();
  for (const auto& [name, c] : profile.constants)
    constants[name] = {{"value", number(c.value)},
                       {"unit", c.unit},
                       {"meaning", c.meaning},
                       {"source", c.source},
                       {"status", c.status}};
  return constants;
}

// Rows of a table: an array of objects or arrays.
bool is_table(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_structured();
}

bool holds_table(const Json& value) {
  return value.is_object() && std::any_of(value.begin(), value.end(), is_table);
}

// One table row a line; objects on two levels, and around tables, are broken into their members.
void append(std::string& text, const Json& value, int depth) {
  const bool rows = is_table(value);
  const bool members = value.is_object() && !value.empty() && (depth < 2 || holds_table(value));
  if (!rows && !members) {
    text += value.dump();
    return;
  }
  const std::string indent(static_cast<std::size_t>(depth) + 1, ' ');
  text += rows ? "[" : "{";
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    text += (first ? "\n" : ",\n") + indent;
    if (!rows) text += Json(key).dump() + ":";
    append(text, member, depth + 1);
    first = false;
  }
  text += "\n" + indent.substr(1) + (rows ? "]" : "}");
}

}  // namespace

std::string profile_text(const Profile& profile) {
  const Json document{{"format", "stepcast.profile"},
                      {"version", 1},
                      {"name", profile.name},
                      {"device", device_json(profile.device)},
                      {"provenance", {{"sources", profile.sources}}},
                      {"gemm", gemm_json(profile)},
                      {"attention", attention_json(profile.attention)},
                      {"attention_fit", attention_fit_json(profile.attention_fit)},
                      {"memory_bound", memory_bound_json(profile)},
                      {"collectives", collectives_json(profile.collectives)},
                      {"constants", constants_json(profile)}};
  std::string text;
  append(text, document, 0);
  return text + "\n";
}

}  // namespace stepcast
