#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "common/errors.hpp"
#include "reports/score_readers.hpp"
#include "sim/cost/names.hpp"
#include "sim/network/collectives.hpp"

namespace stepcast {

namespace {

struct Machine {
  std::string profile, server;
  std::int64_t gpus_per_node = 8;  // of what the tables call a node; an NVL72 rack holds 18 of 4
};

// The tables' GPU names by their beginning, longest first.
std::optional<Machine> machine_of(const std::string& gpu) {
  static const std::vector<std::pair<std::string, Machine>> machines{
      {"A100-SXM4-40GB", {"a100-sxm-40gb", "dgx-a100-40gb"}},
      {"A100-SXM4", {"a100-sxm-80gb", "dgx-a100"}},
      {"H100", {"h100-sxm", "dgx-h100"}},
      {"H200-SXM", {"h200-sxm", "dgx-h200"}},
      {"B200-SXM", {"b200-sxm", "dgx-b200"}},
      {"GB200", {"gb200", "gb200-nvl72", 4}}};
  for (const auto& [prefix, machine] : machines)
    if (gpu.starts_with(prefix)) return machine;
  return std::nullopt;
}

// Where a row was measured; rows with equal sites share the cluster and the placement.
struct Site {
  std::string profile, server;
  std::int64_t nodes = 1, gpus_per_node = 1, ranks = 1, ranks_per_node = 1;
  double nic_gbps_per_gpu = 0.0;  // 0: the server preset's own
  friend auto operator<=>(const Site&, const Site&) = default;
};

struct PlacedSite {
  Cluster cluster;
  Placement placement;
};

// The first ranks_per_node GPUs of each node form the group.
std::shared_ptr<const PlacedSite> place(const Site& site) {
  ServerSpec server = server_preset(site.server);
  if (site.nic_gbps_per_gpu > 0.0)
    server.nic_bandwidth =
        BytesPerSecond{site.nic_gbps_per_gpu * 1e9 / 8.0 * static_cast<double>(server.gpus) /
                       static_cast<double>(server.nics)};
  const std::int64_t servers = (site.nodes * site.gpus_per_node + server.gpus - 1) / server.gpus;
  const FabricSpec fabric = server.fabric;
  Cluster cluster = build_cluster(std::move(server), servers, fabric);
  std::vector<std::uint32_t> group;
  for (std::uint32_t node = 0; node < site.nodes; ++node)
    for (std::uint32_t local = 0; local < site.ranks_per_node; ++local)
      group.push_back(node * static_cast<std::uint32_t>(site.gpus_per_node) + local);
  Placement placement = place_groups(cluster, {group});
  return std::make_shared<const PlacedSite>(std::move(cluster), std::move(placement));
}

// Why a row cannot be forecast as NCCL's own choice on a known machine, or "".
std::string reason_to_skip(const CsvRow& row, const ScoredRow& scored) {
  const std::string gpu = row.text("gpu"), note = row.text("algo_note");
  if (!machine_of(gpu)) return "no profile for " + gpu;
  if (!collective_op_named(row.text("op")))
    return "operation " + row.text("op") + " is not modelled";
  if (!(scored.observed > 0.0) || row.count("bytes") < 1) return "no measured time or size";
  if (row.text("dtype") == "int8") return "int8 sums take other algorithms than training does";
  for (const char* forced : {"TensorRT-LLM", "disabled", "forced"})
    if (note.find(forced) != std::string::npos) return "not NCCL's own choice: " + note;
  return "";
}

std::optional<Site> site_of(const CsvRow& row, const std::string& profile, std::string& reason) {
  const Machine machine = *machine_of(row.text("gpu"));
  Site site{.profile = profile.empty() ? machine.profile : profile, .server = machine.server};
  site.nodes = row.count("nodes");
  site.ranks = row.count("ranks");
  site.ranks_per_node = row.count("ranks_per_node");
  site.nic_gbps_per_gpu = row.number("nic_gbps_per_gpu").value_or(0.0);
  site.gpus_per_node = machine.gpus_per_node;
  if (site.nodes >= 1 && site.nodes <= most_gpus / site.gpus_per_node && site.ranks_per_node >= 1 &&
      site.ranks_per_node <= site.gpus_per_node && site.ranks >= 2 &&
      site.ranks == site.nodes * site.ranks_per_node)
    return site;
  reason = "ranks, nodes and ranks_per_node do not fit together on " + machine.server;
  return std::nullopt;
}

// Places each site once, on first use.
class Sites {
 public:
  std::shared_ptr<const PlacedSite> get(const Site& site) {
    const std::scoped_lock lock(mutex_);
    auto& placed = placed_[site];
    if (!placed) placed = place(site);
    return placed;
  }

 private:
  std::mutex mutex_;
  std::map<Site, std::shared_ptr<const PlacedSite>> placed_;
};

std::vector<ScoredRow> score_row(ScoredRow scored, const CsvRow& row, const std::string& profile,
                                 ProfileLibrary& profiles, Sites& sites) {
  std::string reason = reason_to_skip(row, scored);
  if (!reason.empty()) return skip(std::move(scored), reason);
  const auto site = site_of(row, profile, reason);
  if (!site) return skip(std::move(scored), reason);
  const LoadedProfile& loaded = profiles.get(site->profile);
  const auto placed = sites.get(*site);
  const CollectiveModel model(placed->cluster, loaded.profile, *loaded.costs);
  const CollectiveEstimate estimate = model.estimate(
      *collective_op_named(row.text("op")), Bytes{*row.number("bytes")}, placed->placement);
  set_prediction(scored, {estimate.time(), estimate.relative_sigma, estimate.basis});
  return {std::move(scored)};
}

}  // namespace

bool is_collective_table(const CsvTable& table) {
  return table.has({"gpu", "nodes", "op", "ranks", "ranks_per_node", "bytes", "time_us"});
}

std::vector<ScoreJob> collective_jobs(const ScoreFile& file, const CsvTable& table,
                                      ProfileLibrary& profiles) {
  const auto sites = std::make_shared<Sites>();
  std::vector<ScoreJob> jobs;
  for (const CsvRow& row : table.rows) {
    ScoredRow scored = kernel_row(file, row);
    scored.source += ": " + row.text("op") + (row.count("nodes") > 1 ? ", nodes" : ", one node");
    jobs.push_back([scored, row, profile = file.profile, &profiles, sites] {
      return score_row(scored, row, profile, profiles, *sites);
    });
  }
  return jobs;
}

}  // namespace stepcast
