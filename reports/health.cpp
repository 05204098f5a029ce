#include "reports/health.hpp"

#include <algorithm>
#include <cmath>

#include "common/errors.hpp"
#include "reports/health_causes.hpp"
#include "reports/text_table.hpp"

namespace stepcast {
namespace {

constexpr double p90_deviations = 1.2815515655446004;  // standard normal

double margin_of(Bytes size) {
  return size.value() < health_small_bytes ? health_margin_small : health_margin;
}

}  // namespace

bool Health::sick() const {
  return std::any_of(rows.begin(), rows.end(), [](const HealthRow& row) { return row.sick; });
}

Health examine(const NcclTestsLog& log, CollectiveOp op, std::int64_t ranks, const Cluster& cluster,
               const Profile& profile, const CostModel& costs) {
  STEPCAST_CHECK(!log.rows.empty() && ranks >= 2 && ranks <= cluster.topology.gpu_count());
  const Placement placement = place_first_ranks(cluster, ranks);
  const CollectiveModel model(cluster, profile, costs);
  const std::vector<Fault> faults = likely_faults(cluster, ranks);
  std::vector<NcclTestsRow> sorted = log.rows;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.size < b.size; });
  Health health{op, ranks, {}, log.warnings};
  BytesPerSecond reached{};
  for (const NcclTestsRow& row : sorted) {
    const CollectiveEstimate estimate = model.estimate(op, row.size, placement);
    const double spread = std::exp(p90_deviations * estimate.relative_sigma);
    const auto busbw = [&](Seconds time) {
      return row.size * bus_bandwidth_factor(op, ranks) / time;
    };
    HealthRow out{row.line,
                  row.size,
                  busbw(row.time),
                  busbw(estimate.time() * spread),
                  busbw(estimate.time()),
                  busbw(estimate.time() / spread)};
    const bool falls = out.measured < reached * health_dip;
    const bool slow = row.time > estimate.time() * (spread * margin_of(row.size));
    out.sick = slow || falls;
    if (slow)
      out.cause = likely_cause(faults, op, row.size, row.time, estimate.time(), profile, costs);
    if (falls)
      out.cause = "non-monotonic curve: a smaller size reached more; " +
                  (slow ? out.cause : std::string("within the forecast's interval"));
    reached = std::max(reached, out.measured);
    health.rows.push_back(std::move(out));
  }
  return health;
}

std::string health_text(const Health& health, const std::string& cluster) {
  TextTable table({{"size (B)"},
                   {"measured busbw (GB/s)"},
                   {"expected p10 (GB/s)"},
                   {"p50 (GB/s)"},
                   {"p90 (GB/s)"},
                   {"", Align::left},
                   {"likely cause", Align::left}});
  for (const HealthRow& row : health.rows)
    table.add_row({std::to_string(static_cast<std::int64_t>(row.bytes.value())),
                   three_digits(row.measured.value() / 1e9), three_digits(row.p10.value() / 1e9),
                   three_digits(row.p50.value() / 1e9), three_digits(row.p90.value() / 1e9),
                   row.sick ? "SICK" : "ok", row.cause});
  const auto sick = std::count_if(health.rows.begin(), health.rows.end(),
                                  [](const HealthRow& row) { return row.sick; });
  std::string text = std::string(name_of(health.op)) + " over " + std::to_string(health.ranks) +
                     " GPUs of " + cluster + ": " +
                     (sick == 0 ? "healthy"
                                : std::to_string(sick) + " of " +
                                      std::to_string(health.rows.size()) + " sizes are sick") +
                     "\n\n" + table.str();
  for (const std::string& warning : health.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace stepcast
