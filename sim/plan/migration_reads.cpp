#include "sim/plan/migration_reads.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "sim/plan/migration_shards.hpp"

namespace stepcast {
namespace {

using Ids = std::set<std::uint32_t>;

double optimizer_bytes(const TrainingConfig& training) {
  const double master = training.parameter_dtype == DataType::fp32 ? 0.0 : 4.0;
  return master + 2.0 * size_of(training.optimizer_dtype).value();
}

// fp8 parameters: the weights of linears alone have 8 bits (sim/memory/static_memory.hpp).
double parameter_bytes(const TrainingConfig& training, const ModelTensor& tensor) {
  const bool wide = training.parameter_dtype == DataType::fp8 && !tensor.linear;
  return wide ? 2.0 : size_of(training.parameter_dtype).value();
}

double bytes_of_element(const TrainingConfig& training, StateKind kind, const ModelTensor& tensor) {
  return kind == StateKind::optimizer ? optimizer_bytes(training)
                                      : parameter_bytes(training, tensor);
}

// Need of one shard of the new run for what the old run held, in bytes.
class Needs {
 public:
  Needs(const Run& from, const Run& to, StateKind kind)
      : to_(to), kind_(kind), old_(from, kind), new_(to, kind), inventory_(tensor_inventory(to)) {
    const TensorInventory before = tensor_inventory(from);
    for (std::uint32_t id = 0; id < new_.size(); ++id) {
      std::map<double, Shard>& by_bytes = wanted_.emplace_back();
      for (ShardPiece piece : new_.shard(id)) {
        const std::int64_t rows = tensor_of(before, piece.key).rows;
        piece.block.last = std::min(piece.block.last, rows);
        if (piece.block.first >= piece.block.last) continue;
        by_bytes[bytes_of_element(to_.training, kind_, tensor_of(inventory_, piece.key))].push_back(
            piece);
      }
    }
  }

  [[nodiscard]] std::uint32_t new_id(std::uint32_t rank) const { return new_.id_of(rank); }
  [[nodiscard]] std::uint32_t old_id(std::uint32_t rank) const { return old_.id_of(rank); }

  // Bytes of the new shard that none of these old shards has; equal questions are asked once.
  [[nodiscard]] double missing(std::uint32_t id, const Ids& held) {
    const auto [at, is_new] = answers_.try_emplace({id, held}, 0.0);
    if (!is_new) return at->second;
    std::vector<const Shard*> shards;
    for (const std::uint32_t old : held) shards.push_back(&old_.shard(old));
    for (const auto& [bytes, shard] : wanted_[id])
      at->second += bytes * static_cast<double>(elements_missing(shard, shards));
    return at->second;
  }

 private:
  const Run& to_;
  StateKind kind_;
  ShardMap old_, new_;
  TensorInventory inventory_;
  std::vector<std::map<double, Shard>> wanted_;  // by new id, then bytes of an element
  std::map<std::pair<std::uint32_t, Ids>, double> answers_;
};

// read, remote, other_node of one rank.
using Amounts = std::array<double, 3>;

std::vector<Amounts> amounts_of_ranks(const Run& from, const Run& to, StateKind kind) {
  Needs needs(from, to, kind);
  const Topology &before = from.cluster.topology, &after = to.cluster.topology;
  const auto old_gpus = same_machines(from, to) ? static_cast<std::uint32_t>(from.gpus()) : 0U;
  const auto gpus = static_cast<std::uint32_t>(to.gpus());
  std::vector<Ids> of_node(std::max(before.node_count(), after.node_count()));
  for (std::uint32_t rank = 0; rank < old_gpus; ++rank)
    of_node[before.node_of(GpuId{rank})].insert(needs.old_id(rank));
  std::vector<Amounts> amounts;
  for (std::uint32_t rank = 0; rank < gpus; ++rank) {
    const std::uint32_t id = needs.new_id(rank);
    const Ids own = rank < old_gpus ? Ids{needs.old_id(rank)} : Ids{};
    amounts.push_back({needs.missing(id, {}), needs.missing(id, own),
                       needs.missing(id, of_node[after.node_of(GpuId{rank})])});
  }
  return amounts;
}

BytesOverRanks over_ranks(const std::vector<Amounts>& amounts, std::size_t which) {
  BytesOverRanks sum;
  for (const Amounts& amount : amounts) {
    sum.most = std::max(sum.most, Bytes{amount[which]});
    sum.total += Bytes{amount[which]};
  }
  sum.mean = sum.total / static_cast<double>(amounts.size());
  return sum;
}

StateReads state_reads(const std::vector<Amounts>& amounts) {
  return {over_ranks(amounts, 0), over_ranks(amounts, 1), over_ranks(amounts, 2)};
}

Bytes busiest_node(const Run& to, const std::vector<Amounts>& amounts, std::size_t which) {
  std::vector<double> by_node(to.cluster.topology.node_count());
  for (std::size_t rank = 0; rank < amounts.size(); ++rank)
    by_node[to.cluster.topology.node_of(GpuId{static_cast<std::uint32_t>(rank)})] +=
        amounts[rank][which];
  return Bytes{*std::max_element(by_node.begin(), by_node.end())};
}

}  // namespace

bool same_machines(const Run& from, const Run& to) {
  const Topology &before = from.cluster.topology, &after = to.cluster.topology;
  if (from.cluster.server.name != to.cluster.server.name ||
      from.cluster.server.gpu != to.cluster.server.gpu)
    return false;
  for (std::uint32_t gpu = 0; gpu < std::min(before.gpu_count(), after.gpu_count()); ++gpu)
    if (before.node_of(GpuId{gpu}) != after.node_of(GpuId{gpu})) return false;
  return true;
}

MigrationReads migration_reads(const Run& from, const Run& to) {
  const auto parameters = amounts_of_ranks(from, to, StateKind::parameters);
  const auto optimizer = amounts_of_ranks(from, to, StateKind::optimizer);
  auto both = parameters;
  for (std::size_t rank = 0; rank < both.size(); ++rank)
    for (std::size_t i = 0; i < both[rank].size(); ++i) both[rank][i] += optimizer[rank][i];
  return {.all = state_reads(both),
          .parameters = state_reads(parameters),
          .optimizer = state_reads(optimizer),
          .busiest_node_read = busiest_node(to, both, 0),
          .busiest_node_other_node = busiest_node(to, both, 2)};
}

MigrationTimes migration_times(const MigrationReads& reads, const MigrationRates& rates,
                               const Run& to) {
  const ServerSpec& server = to.cluster.server;
  MigrationTimes times;
  times.storage_rate = rates.storage;
  times.network_rate =
      rates.network.value_or(server.nic_bandwidth * static_cast<double>(server.nics));
  if (rates.storage) times.storage = reads.busiest_node_read / *rates.storage;
  if (reads.busiest_node_other_node.value() == 0.0)
    times.network = Seconds{0.0};
  else if (times.network_rate.value() > 0.0)
    times.network = reads.busiest_node_other_node / times.network_rate;
  return times;
}

}  // namespace stepcast
