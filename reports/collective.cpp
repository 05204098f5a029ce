#include "reports/collective.hpp"

#include "common/errors.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

std::vector<CollectiveRow> collective_sweep(const Cluster& cluster, const Profile& profile,
                                            const CostModel& costs, const Sweep& sweep) {
  STEPCAST_CHECK(sweep.first > Bytes{0} && sweep.first <= sweep.last && sweep.factor > 1.0);
  STEPCAST_CHECK(sweep.ranks >= 2 && sweep.ranks <= cluster.topology.gpu_count());
  const Placement placement = place_first_ranks(cluster, sweep.ranks);
  const CollectiveModel model(cluster, profile, costs);
  std::vector<CollectiveRow> rows;
  for (Bytes size = sweep.first; size <= sweep.last; size = size * sweep.factor)
    rows.push_back(
        {sweep.op, sweep.ranks, placement.nodes, size, model.estimate(sweep.op, size, placement)});
  return rows;
}

std::string collective_text(const std::vector<CollectiveRow>& rows) {
  TextTable table({{"size (B)"},
                   {"count (elements)"},
                   {"type"},
                   {"time (us)"},
                   {"algbw (GB/s)"},
                   {"busbw (GB/s)"},
                   {"algorithm", Align::left},
                   {"protocol", Align::left},
                   {"basis", Align::left}});
  for (const CollectiveRow& row : rows) {
    const auto bytes = static_cast<std::int64_t>(row.bytes.value());
    table.add_row(
        {std::to_string(bytes), std::to_string(bytes / 4), "float",
         three_digits(row.estimate.time().value() * 1e6), three_digits(row.algbw().value() / 1e9),
         three_digits(row.busbw().value() / 1e9), std::string(name_of(row.estimate.algorithm)),
         std::string(name_of(row.estimate.protocol)), std::string(name_of(row.estimate.basis))});
  }
  return table.str();
}

}  // namespace stepcast
