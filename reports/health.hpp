#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"
#include "sim/network/collectives.hpp"
#include "sim/network/nccl_tests_log.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {

// One size of a measured collective beside its forecast, as bus bandwidth.
struct HealthRow {
  std::int64_t line = 0;  // of the log
  Bytes bytes;
  BytesPerSecond measured, p10, p50, p90;
  bool sick = false;
  std::string cause{};  // of a sick size; "" otherwise
};

struct Health {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t ranks = 0;
  std::vector<HealthRow> rows;  // by size
  std::vector<std::string> warnings;
  [[nodiscard]] bool sick() const;
};

// Sets a log beside what the cluster's first `ranks` GPUs should reach. A size is sick when it
// takes longer than the forecast's p90 by more than health_margin, or when its bus bandwidth is
// below health_dip of what a smaller size reached (a curve that falls). Its cause is the fault
// whose own forecast comes nearest to the measurement (health_causes.hpp). Preconditions: 2 <=
// ranks <= GPUs of the cluster; the log has rows.
[[nodiscard]] Health examine(const NcclTestsLog& log, CollectiveOp op, std::int64_t ranks,
                             const Cluster& cluster, const Profile& profile,
                             const CostModel& costs);

// assumption: what repeats of a healthy machine do not exceed. Latencies of fabrics differ more
// than their bandwidths, so below 16 MiB only a time several times the p90 is called sick.
inline constexpr double health_margin = 1.15;
inline constexpr double health_margin_small = 4.0;
inline constexpr double health_small_bytes = 16.0 * 1024 * 1024;
inline constexpr double health_dip = 0.7;

[[nodiscard]] std::string health_text(const Health& health, const std::string& cluster);

}  // namespace stepcast
