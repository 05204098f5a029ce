#include "calibrate/import_measured.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "calibrate/fit.hpp"
#include "calibrate/import_attention.hpp"
#include "calibrate/search.hpp"
#include "sim/cost/gemm_base.hpp"
#include "sim/cost/names.hpp"

namespace stepcast::calibrate {
namespace {

Seconds microseconds_of(double value) { return Seconds{rounded(value * 1e-6)}; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

GemmPoint gemm_point(const CsvRow& row, DataType type) {
  GemmPoint point;
  point.shape = {row.count("m"), row.count("n"), row.count("k")};
  point.type = type;
  const double measured = row.positive("measured_us");
  point.time = microseconds_of(row.positive_if_given("median_us_all_stacks").value_or(measured));
  point.low = microseconds_of(row.positive_if_given("min_us_all_stacks").value_or(measured));
  point.high = microseconds_of(row.positive_if_given("max_us_all_stacks").value_or(measured));
  point.low = std::min(point.low, point.time);
  point.high = std::max(point.high, point.time);
  return point;
}

// A shape that is listed twice: median of the times, whole range.
GemmPoint merged(const std::vector<GemmPoint>& same) {
  GemmPoint point = same.front();
  std::vector<double> times;
  for (const GemmPoint& other : same) {
    times.push_back(other.time.value());
    point.low = std::min(point.low, other.low);
    point.high = std::max(point.high, other.high);
  }
  point.time = Seconds{rounded(median(times))};
  return point;
}

struct Measurement {
  double bytes = 0.0, time_us = 0.0;
};

// Rows of one operation and number of ranks: from one systematic sweep, and from elsewhere.
struct Sweep {
  std::vector<Measurement> systematic, other;
};

// Is it NCCL's own choice inside one NVLink domain of the plan's GPU?
bool wanted(const CsvRow& row, const ImportPlan& plan) {
  const std::string gpu = row.text("gpu");
  if (std::find(plan.collective_gpus.begin(), plan.collective_gpus.end(), gpu) ==
      plan.collective_gpus.end())
    return false;
  const bool one_domain = row.text("nodes") == "1" ||
                          (plan.nvlink_domain > 8 && row.count("ranks") <= plan.nvlink_domain);
  const std::string note = row.text("algo_note");
  const bool own_choice =
      note.find("custom") == std::string::npos && note.find("disabled") == std::string::npos;
  // Host timers with few repeats say little about small messages; where nothing else was measured
  // the model's rules do better. For pairs there is nothing else.
  const bool timed_well = note.find("noisy") == std::string::npos || row.text("op") == "sendrecv";
  return one_domain && own_choice && timed_well && row.text("dtype") != "int8" &&
         !row.empty("time_us") && row.count("ranks") >= 2;
}

// Sizes of the systematic sweep; elsewhere only beyond its largest, or all when there is none.
std::map<double, std::vector<double>> times_by_size(const Sweep& sweep) {
  std::map<double, std::vector<double>> times;
  for (const Measurement& m : sweep.systematic) times[m.bytes].push_back(m.time_us);
  const double largest = times.empty() ? 0.0 : times.rbegin()->first;
  for (const Measurement& m : sweep.other)
    if (m.bytes > largest) times[m.bytes].push_back(m.time_us);
  return times;
}

CsvTable read_table(const std::filesystem::path& folder, const std::string& file,
                    std::vector<Problem>& problems) {
  const std::filesystem::path path = folder / file;
  if (!std::filesystem::exists(path)) {
    problems.push_back({path.string(), "", "no such file, expected in a folder of measurements"});
    return CsvTable(file, "");
  }
  return CsvTable(path);
}

// Times at another memory bandwidth than the table's, by the ratio of analytical times.
void rescale(std::vector<GemmPoint>& points, DataType type, const GemmBase& base,
             const GemmDevice& from, const GemmDevice& to) {
  for (GemmPoint& point : points) {
    if (point.type != type) continue;
    const double ratio =
        gemm_base_time(to, type, base, point.shape) / gemm_base_time(from, type, base, point.shape);
    for (Seconds* time : {&point.time, &point.low, &point.high})
      *time = Seconds{rounded(time->value() * ratio)};
  }
}

void fit_gemms(Profile& profile, const ImportPlan& plan) {
  DeviceFacts measured = profile.device;
  measured.memory_bandwidth = plan.gemm_memory_bandwidth;
  for (const auto& [spelling, type] : plan.gemm_types) {
    const auto same = [t = type](const GemmPoint& point) { return point.type == t; };
    if (std::none_of(profile.gemm.begin(), profile.gemm.end(), same)) continue;
    const GemmFit fit = fit_gemm(measured, type, profile.gemm);
    profile.gemm_fit[type] = fit;
    if (measured.memory_bandwidth != profile.device.memory_bandwidth)
      rescale(profile.gemm, type, fit.base, gemm_device(measured, type),
              gemm_device(profile.device, type));
  }
}

}  // namespace

std::vector<GemmPoint> gemm_points(CsvTable& table, const ImportPlan& plan) {
  table.require({"m", "n", "k", "dtype", "layout", "measured_us", "median_us_all_stacks",
                 "min_us_all_stacks", "max_us_all_stacks"});
  if (!table.problems().empty()) return {};
  std::map<std::tuple<DataType, GemmShape>, std::vector<GemmPoint>> found;
  for (const CsvRow& row : table.rows()) {
    const auto type = plan.gemm_types.find(row.text("dtype"));
    if (type == plan.gemm_types.end() || !row.text("layout").starts_with("TN_fwd")) continue;
    const GemmPoint point = gemm_point(row, type->second);
    found[{point.type, point.shape}].push_back(point);
  }
  std::vector<GemmPoint> points;
  for (const auto& [key, same] : found) points.push_back(merged(same));
  return points;
}

std::vector<CollectivePoint> collective_points(CsvTable& table, const ImportPlan& plan) {
  table.require(
      {"gpu", "nodes", "op", "ranks", "bytes", "dtype", "time_us", "algo_note", "source"});
  if (!table.problems().empty()) return {};
  std::map<std::pair<CollectiveOp, std::int64_t>, Sweep> sweeps;
  for (const CsvRow& row : table.rows()) {
    if (!wanted(row, plan)) continue;
    const std::optional<CollectiveOp> op = collective_op_named(row.text("op"));
    if (!op) {
      row.problem("op", "unknown operation \"" + row.text("op") + "\"");
      continue;
    }
    if (op == CollectiveOp::send_recv && row.count("ranks") != 2) continue;
    Sweep& sweep = sweeps[{*op, row.count("ranks")}];
    const bool systematic =
        row.text("source").starts_with("aiconfigurator:") && row.text("dtype") == "half";
    (systematic ? sweep.systematic : sweep.other)
        .push_back({row.positive("bytes"), row.positive("time_us")});
  }
  std::vector<CollectivePoint> points;
  for (const auto& [key, sweep] : sweeps)
    for (const auto& [bytes, times] : times_by_size(sweep))
      points.push_back({key.first, key.second, Bytes{bytes}, microseconds_of(median(times))});
  return points;
}

Profile import_measured(const std::filesystem::path& folder, const ImportPlan& plan) {
  Profile profile = plan.profile;
  std::vector<Problem> problems;
  const auto take = [&](const std::string& file, const auto& read) {
    if (file.empty()) return;
    const std::size_t before = problems.size();
    CsvTable table = read_table(folder, file, problems);
    if (problems.size() != before) return;
    read(table);
    problems.insert(problems.end(), table.problems().begin(), table.problems().end());
  };
  take(plan.gemm_file, [&](CsvTable& table) { profile.gemm = gemm_points(table, plan); });
  take(plan.attention_file,
       [&](CsvTable& table) { profile.attention = attention_points(table, plan, profile); });
  take(plan.collectives_file,
       [&](CsvTable& table) { profile.collectives = collective_points(table, plan); });
  if (!problems.empty()) throw InputError(problems);
  fit_gemms(profile, plan);
  if (!profile.attention.empty()) profile.attention_fit = fit_attention(profile);
  return profile;
}

Profile import_measured(const std::filesystem::path& folder, const std::string& profile_name) {
  return import_measured(folder, load_import_plan(profile_name));
}

}  // namespace stepcast::calibrate
