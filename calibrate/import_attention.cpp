#include "calibrate/import_attention.hpp"

#include <map>
#include <set>
#include <tuple>

#include "calibrate/fit.hpp"
#include "calibrate/search.hpp"

namespace stepcast::calibrate {
namespace {

AttentionPoint attention_point(const CsvRow& row, AttentionKernel kernel) {
  AttentionPoint point;
  point.shape = {row.count("batch"),       row.count("seq_q"),    row.count("seq_kv"),
                 row.count("heads_q"),     row.count("heads_kv"), row.count("head_dim_qk"),
                 row.text("causal") == "1"};
  if (row.text("causal") != "0" && row.text("causal") != "1")
    row.problem("causal", "must be 0 or 1, found \"" + row.text("causal") + "\"");
  point.pass = row.text("direction") == "bwd" ? AttentionPass::backward : AttentionPass::forward;
  point.kernel = kernel;
  point.time = Seconds{rounded(row.positive("measured_us") * 1e-6)};
  return point;
}

void subtract_kv_write(std::vector<AttentionPoint>& points, Profile& profile) {
  const KvWrite kv = fit_kv_write(profile.device, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].time = Seconds{rounded((points[i].time - kv.times[i]).value())};
  profile.constants["attention.kv_write_factor"] = {
      rounded(kv.factor), "",
      "time of the KV-cache write that was subtracted from the table's calls, over one read and "
      "one write of keys and values at memory bandwidth",
      "the table itself: calls that differ in kv_heads", "fitted: the attention table"};
}

}  // namespace

std::vector<AttentionPoint> attention_points(CsvTable& table, const ImportPlan& plan,
                                             Profile& profile) {
  table.require({"batch", "seq_q", "seq_kv", "heads_q", "heads_kv", "head_dim_qk", "head_dim_v",
                 "causal", "direction", "measured_us", "impl"});
  if (!table.problems().empty()) return {};
  std::vector<AttentionPoint> serving;
  std::vector<AttentionPoint> plain;
  std::set<std::tuple<AttentionShape, AttentionPass, AttentionKernel>> seen;
  for (const CsvRow& row : table.rows()) {
    const auto kernel = plan.attention_implementations.find(row.text("impl"));
    const std::string direction = row.text("direction");
    if (kernel == plan.attention_implementations.end()) continue;
    if (direction != "fwd" && direction != "bwd") continue;
    if (row.text("head_dim_qk") != row.text("head_dim_v")) continue;
    const AttentionPoint point = attention_point(row, kernel->second);
    const bool first = seen.emplace(point.shape, point.pass, point.kernel).second;
    if (!first) continue;
    (row.text("impl") == plan.kv_write_implementation ? serving : plain).push_back(point);
  }
  if (!serving.empty() && table.problems().empty()) subtract_kv_write(serving, profile);
  serving.insert(serving.end(), plain.begin(), plain.end());
  return serving;
}

}  // namespace stepcast::calibrate
