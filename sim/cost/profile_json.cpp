#include "sim/cost/profile_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/cost/names.hpp"

namespace stepcast {
namespace {

template <class Set>
std::vector<std::string> names_in(const Set& set) {
  std::vector<std::string> names;
  for (const auto member : set) names.emplace_back(name_of(member));
  return names;
}

template <class Set>
auto choice(const Node& node, const std::string& key, const Set& set) {
  const std::vector<std::string> names = names_in(set);
  if (!node.has(key)) node.problem(key, "missing");
  const auto found = named(set, node.choice(key, names, names.front()));
  return found.value_or(set.front());
}

std::vector<double> positive_numbers(const Node& node, const std::string& key) {
  std::vector<double> values;
  for (const Node& element : node.at(key).elements()) {
    const double value = element.as_number();
    if (element.is_number() && !(value > 0.0)) element.problem("must be > 0");
    values.push_back(value);
  }
  return values;
}

std::vector<std::int64_t> counts(const Node& node, const std::string& key) {
  std::vector<std::int64_t> values;
  for (const Node& element : node.at(key).elements()) {
    const std::int64_t value = element.as_integer();
    if (element.is_number() && value < 1) element.problem("must be a whole number >= 1");
    values.push_back(value);
  }
  return values;
}

// Reports columns of one row whose lengths differ from the first's.
bool same_length(const Node& node, std::size_t length, const std::string& key, std::size_t other) {
  if (length == other) return true;
  node.problem(key,
               "must have " + std::to_string(length) + " elements, found " + std::to_string(other));
  return false;
}

DeviceFacts parse_device(const Node& node) {
  DeviceFacts device;
  device.name = node.text("name");
  device.multiprocessors = node.count("multiprocessors");
  device.memory_bandwidth = BytesPerSecond{node.positive("memory_bandwidth_bytes_per_s")};
  device.memory = Bytes{node.positive("memory_bytes")};
  device.l2 = Bytes{node.number("l2_bytes", 0.0)};
  device.compute_capability = node.number("compute_capability", 0.0);
  device.nvlink_bandwidth = BytesPerSecond{node.number("nvlink_bandwidth_bytes_per_s", 0.0)};
  const Node peaks = node.at("peak_flops_per_s");
  for (const DataType type : all_data_types)
    if (const std::string name{name_of(type)}; peaks.has(name))
      device.peak[type] = FlopsPerSecond{peaks.positive(name)};
  peaks.finish();
  node.finish();
  return device;
}

HeldOutError parse_error(const Node& node) {
  HeldOutError error{node.number("median"), node.number("p90"), node.number("bias"),
                     node.integer("points")};
  node.finish();
  return error;
}

GemmBase parse_gemm_base(const Node& node) {
  GemmBase base;
  const std::vector<double> shares = positive_numbers(node, "tile_share");
  if (same_length(node, base.tile_share.size(), "tile_share", shares.size()))
    std::copy(shares.begin(), shares.end(), base.tile_share.begin());
  base.prologue_k = node.number("prologue_k");
  base.wave_smoothing = node.number("wave_smoothing");
  base.memory_share = node.positive("memory_share");
  base.fixed = Seconds{node.number("fixed_s")};
  base.droop = node.number("droop");
  base.split_cost = node.number("split_cost");
  base.quantise_bytes = node.number("quantise_bytes", 0.0);
  node.finish();
  return base;
}

GemmKriging parse_gemm_kriging(const Node& node) {
  GemmKriging g;
  g.length_m = node.positive("length_m");
  g.length_n = node.positive("length_n");
  g.length_k = node.positive("length_k");
  g.amplitude = node.positive("amplitude");
  g.noise = node.positive("noise");
  g.mirror_noise = node.number("mirror_noise");
  node.finish();
  return g;
}

void parse_gemm_site(const Node& node, DataType type, std::vector<GemmPoint>& points) {
  const std::int64_t n = node.count("n");
  const std::int64_t k = node.count("k");
  const std::vector<std::int64_t> m = counts(node, "m");
  const std::vector<double> time = positive_numbers(node, "time_s");
  const std::vector<double> low = node.has("low_s") ? positive_numbers(node, "low_s") : time;
  const std::vector<double> high = node.has("high_s") ? positive_numbers(node, "high_s") : time;
  node.finish();
  if (!same_length(node, m.size(), "time_s", time.size()) ||
      !same_length(node, m.size(), "low_s", low.size()) ||
      !same_length(node, m.size(), "high_s", high.size()))
    return;
  for (std::size_t i = 0; i < m.size(); ++i)
    points.push_back({{m[i], n, k}, type, Seconds{time[i]}, Seconds{low[i]}, Seconds{high[i]}});
}

void parse_gemm_table(const Node& node, Profile& profile) {
  const DataType type = choice(node, "type", all_data_types);
  if (const auto fit = node.find("fit")) {
    GemmFit& into = profile.gemm_fit[type];
    into.base = parse_gemm_base(fit->at("base"));
    into.kriging = parse_gemm_kriging(fit->at("kriging"));
    if (const auto error = fit->find("base_alone")) into.base_alone = parse_error(*error);
    if (const auto error = fit->find("site_left_out")) into.site = parse_error(*error);
    if (const auto error = fit->find("point_left_out")) into.point = parse_error(*error);
    fit->finish();
  }
  for (const Node& site : node.at("sites").elements()) parse_gemm_site(site, type, profile.gemm);
  node.finish();
}

void parse_attention_row(const Node& node, std::vector<AttentionPoint>& points) {
  AttentionPoint point;
  point.pass = choice(node, "pass", all_attention_passes);
  point.kernel = choice(node, "kernel", all_attention_kernels);
  point.shape.heads = node.count("heads");
  point.shape.kv_heads = node.count("kv_heads");
  point.shape.head_dim = node.count("head_dim");
  point.shape.causal = node.boolean("causal", true);
  const std::vector<std::int64_t> batch = counts(node, "batch");
  const std::vector<std::int64_t> query = counts(node, "query_length");
  const std::vector<std::int64_t> key = node.has("key_length") ? counts(node, "key_length") : query;
  const std::vector<double> time = positive_numbers(node, "time_s");
  node.finish();
  if (!same_length(node, batch.size(), "query_length", query.size()) ||
      !same_length(node, batch.size(), "key_length", key.size()) ||
      !same_length(node, batch.size(), "time_s", time.size()))
    return;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    point.shape.batch = batch[i];
    point.shape.query_length = query[i];
    point.shape.key_length = key[i];
    point.time = Seconds{time[i]};
    points.push_back(point);
  }
}

AttentionFit parse_attention_fit(const Node& node) {
  AttentionFit fit;
  const Node base = node.at("base");
  const Node shares = base.at("share");
  for (const auto& [width, share] : shares.members()) {
    const bool digits = !width.empty() && width.size() <= 6 &&
                        width.find_first_not_of("0123456789") == std::string::npos;
    if (!digits)
      shares.problem(width, "must be named by a head width, such as \"128\"");
    else
      fit.base.share[std::stoll(width)] = shares.positive(width);
  }
  fit.base.ramp_length = base.number("ramp_length");
  fit.base.tail_power = base.positive("tail_power");
  fit.base.fixed = Seconds{base.number("fixed_s")};
  base.finish();
  const Node kriging = node.at("kriging");
  fit.kriging = {kriging.positive("length_sequence"), kriging.positive("length_heads"),
                 kriging.positive("length_group"), kriging.positive("amplitude"),
                 kriging.positive("noise")};
  kriging.finish();
  if (const auto error = node.find("base_alone")) fit.base_alone = parse_error(*error);
  if (const auto error = node.find("point_left_out")) fit.held_out = parse_error(*error);
  node.finish();
  return fit;
}

void parse_memory_bound(const Node& node, std::map<MemoryKernel, MemoryKernelRate>& rates) {
  const MemoryKernel kernel = choice(node, "kernel", all_memory_kernels);
  MemoryKernelRate rate;
  rate.bandwidth_share = node.positive("bandwidth_share");
  if (rate.bandwidth_share > 1.5)
    node.problem("bandwidth_share", "must be a share of the memory bandwidth, at most 1.5");
  rate.fixed = Seconds{node.number("fixed_s")};
  rate.source = node.text("source");
  node.finish();
  if (!rates.emplace(kernel, rate).second)
    node.problem("kernel", "\"" + std::string(name_of(kernel)) + "\" is listed twice");
}

void parse_collective(const Node& node, std::vector<CollectivePoint>& points) {
  const CollectiveOp op = choice(node, "op", all_collective_ops);
  const std::int64_t ranks = node.count("ranks");
  if (ranks == 1) node.problem("ranks", "must be a whole number >= 2, found 1");
  const std::vector<double> size = positive_numbers(node, "size_bytes");
  const std::vector<double> time = positive_numbers(node, "time_s");
  node.finish();
  if (!same_length(node, size.size(), "time_s", time.size())) return;
  for (std::size_t i = 0; i < size.size(); ++i)
    points.push_back({op, ranks, Bytes{size[i]}, Seconds{time[i]}});
}

Constant parse_constant(const Node& node) {
  Constant constant{node.number("value"), node.text("unit"), node.text("meaning"),
                    node.text("source"), node.text("status")};
  node.finish();
  return constant;
}

std::vector<std::string> parse_sources(const Node& root) {
  std::vector<std::string> sources;
  const auto provenance = root.find("provenance");
  if (!provenance) return sources;
  for (const Node& source : provenance->at("sources").elements())
    sources.push_back(source.as_text());
  provenance->finish();
  return sources;
}

}  // namespace

Profile parse_profile(const std::string& file, const std::string& text) {
  const JsonReader reader(file, text);
  reader.expect_format("stepcast.profile", 1, true);
  const Profile profile = parse_profile(reader.root());
  reader.throw_if_problems();
  return profile;
}

Profile parse_profile(const Node& root) {
  Profile profile;
  profile.name = root.text("name");
  // Checked by the caller where the document stands alone.
  static_cast<void>(root.find("format"));
  static_cast<void>(root.find("version"));
  profile.device = parse_device(root.at("device"));
  profile.sources = parse_sources(root);
  for (const Node& table : root.at("gemm").elements()) parse_gemm_table(table, profile);
  for (const Node& row : root.at("attention").elements())
    parse_attention_row(row, profile.attention);
  if (const auto fit = root.find("attention_fit"))
    profile.attention_fit = parse_attention_fit(*fit);
  for (const Node& row : root.at("memory_bound").elements())
    parse_memory_bound(row, profile.memory_bound);
  for (const Node& row : root.at("collectives").elements())
    parse_collective(row, profile.collectives);
  for (const auto& [name, node] : root.at("constants").members())
    profile.constants[name] = parse_constant(node);
  root.finish();
  return profile;
}

}  // namespace stepcast
