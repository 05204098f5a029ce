#include "reports/profile_summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "reports/text_table.hpp"
#include "sim/cost/names.hpp"

namespace stepcast {

namespace {

std::string device_table(const DeviceFacts& device) {
  TextTable table({{"device", Align::left}, {device.name}});
  for (const auto& [type, rate] : device.peak)
    table.add_row(
        {"peak " + std::string(name_of(type)) + " (TFLOP/s)", three_digits(rate.value() / 1e12)});
  table.add_row({"memory bandwidth (GB/s)", three_digits(device.memory_bandwidth.value() / 1e9)});
  table.add_row({"memory (GiB)", gib(device.memory.value())});
  table.add_row({"multiprocessors", std::to_string(device.multiprocessors)});
  table.add_row(
      {"NVLink per direction (GB/s)", three_digits(device.nvlink_bandwidth.value() / 1e9)});
  return table.str();
}

// Points by kind: "gemm bf16", "attention flash3 backward", "all_reduce, 8 ranks".
std::map<std::string, std::size_t> point_counts(const Profile& profile) {
  std::map<std::string, std::size_t> counts;
  for (const GemmPoint& point : profile.gemm) ++counts["gemm " + std::string(name_of(point.type))];
  for (const AttentionPoint& point : profile.attention)
    ++counts["attention " + std::string(name_of(point.kernel)) + " " +
             std::string(name_of(point.pass))];
  for (const CollectivePoint& point : profile.collectives)
    ++counts[std::string(name_of(point.op)) + ", " + std::to_string(point.ranks) + " ranks"];
  return counts;
}

std::string points_table(const Profile& profile) {
  TextTable table({{"measured", Align::left}, {"points"}});
  for (const auto& [kind, count] : point_counts(profile))
    table.add_row({kind, std::to_string(count)});
  return table.empty() ? "" : "\n" + table.str();
}

std::string rates_table(const Profile& profile) {
  TextTable table({{"memory-bound kernel", Align::left},
                   {"% of bandwidth"},
                   {"fixed (us)"},
                   {"source", Align::left}});
  for (const auto& [kernel, rate] : profile.memory_bound)
    table.add_row({std::string(name_of(kernel)), percent(rate.bandwidth_share),
                   three_digits(rate.fixed.value() * 1e6), rate.source});
  return table.empty() ? "" : "\n" + table.str();
}

std::string constants_table(const Profile& profile) {
  TextTable table({{"constant", Align::left},
                   {"value"},
                   {"unit", Align::left},
                   {"status", Align::left},
                   {"meaning", Align::left}});
  for (const auto& [name, constant] : profile.constants)
    table.add_row(
        {name, three_digits(constant.value), constant.unit, constant.status, constant.meaning});
  return table.empty() ? "" : "\n" + table.str();
}

}  // namespace

std::string profile_summary(const Profile& profile) {
  std::string out = profile.name + "\n\n" + device_table(profile.device) + points_table(profile) +
                    rates_table(profile) + constants_table(profile);
  if (!profile.sources.empty()) out += "\nsources\n";
  for (const std::string& source : profile.sources) out += "  " + source + "\n";
  return out;
}

std::vector<std::string> profile_gaps(const Profile& profile) {
  std::vector<std::string> gaps;
  if (profile.gemm.empty()) gaps.emplace_back("no GEMM was measured: rates are analytical");
  for (const AttentionPass pass : all_attention_passes)
    if (std::none_of(profile.attention.begin(), profile.attention.end(),
                     [&](const AttentionPoint& point) { return point.pass == pass; }))
      gaps.push_back("no attention " + std::string(name_of(pass)) + " was measured");
  for (const MemoryKernel kernel : all_memory_kernels)
    if (!profile.memory_bound.contains(kernel))
      gaps.push_back("no rate for memory-bound kernel " + std::string(name_of(kernel)));
  if (profile.collectives.empty()) gaps.emplace_back("no collective was measured");
  for (const auto& [name, constant] : profile.constants)
    if (constant.status.starts_with("assumption"))
      gaps.push_back("constant " + name + " is an assumption");
  return gaps;
}

}  // namespace stepcast
