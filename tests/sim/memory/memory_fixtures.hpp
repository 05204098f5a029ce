#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/memory/memory.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast::memory_fixtures {

// One server is enough: memory does not look at the network.
inline Cluster small_cluster() {
  ServerSpec server;
  server.gpus = 1;
  server.nics = 1;
  const BytesPerSecond link{1e9};
  server.nvlink_bandwidth = server.pcie_bandwidth = server.nic_bandwidth = link;
  return build_cluster(server, 1, FabricSpec{});
}

inline Run make_run(Transformer model, ParallelConfig parallel, TrainingConfig training) {
  return Run{.model = std::move(model),
             .cluster = small_cluster(),
             .profile = {},
             .framework = Framework::megatron,
             .framework_release = "megatron-core",
             .parallel = std::move(parallel),
             .training = std::move(training),
             .overlap = {},
             .warnings = {}};
}

inline DeviceFacts device(const std::string& name, double compute_capability, double gibibyte) {
  DeviceFacts facts;
  facts.name = name;
  facts.compute_capability = compute_capability;
  facts.memory = gibibytes(gibibyte);
  return facts;
}
inline DeviceFacts a100() { return device("A100", 8.0, 80); }
inline DeviceFacts h100() { return device("H100", 9.0, 80); }
inline DeviceFacts b200() { return device("B200", 10.0, 180); }

// The order of Megatron-LM's schedules.py for one rank (SEMANTICS 4.1): warm-up forwards, pairs of
// a forward and a backward, the rest of the backwards.
inline std::vector<Action> megatron_order(const ParallelConfig& parallel, std::int64_t rank,
                                          std::int64_t micro_batches) {
  const std::int64_t chunks = parallel.virtual_stages;
  const std::int64_t group =
      parallel.microbatch_group > 0 ? parallel.microbatch_group : parallel.pipeline;
  std::vector<Action> table;  // forwards in order
  for (std::int64_t begin = 0; begin < micro_batches; begin += group)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
      for (std::int64_t i = begin; i < std::min(begin + group, micro_batches); ++i)
        table.push_back(
            {ActionKind::forward, static_cast<std::int32_t>(chunk), static_cast<std::int32_t>(i)});
  const std::int64_t behind = parallel.pipeline - rank - 1;
  const auto all = static_cast<std::int64_t>(table.size());
  const std::int64_t warm_up =
      std::min(all, chunks > 1 ? 2 * behind + (chunks - 1) * group : behind);
  std::vector<Action> order(table.begin(), table.begin() + warm_up);
  for (std::int64_t i = 0; i < all; ++i) {
    if (i + warm_up < all) order.push_back(table[static_cast<std::size_t>(i + warm_up)]);
    Action back = table[static_cast<std::size_t>(i)];
    back.kind = ActionKind::backward;
    back.chunk = static_cast<std::int32_t>(chunks - 1 - back.chunk);
    order.push_back(back);
  }
  return order;
}

// One second a forward, two a backward.
inline std::vector<TimedAction> timed(const std::vector<Action>& order) {
  std::vector<TimedAction> actions;
  SimTime now;
  for (const Action& action : order) {
    const SimTime end = after(now, Seconds{action.kind == ActionKind::forward ? 1.0 : 2.0});
    actions.push_back({action, now, end});
    now = end;
  }
  return actions;
}

// Layouts that the closed forms of SEMANTICS 6 are written for.
inline Transformer gpt3_175b() {
  Transformer model;
  model.name = "gpt3-175b";
  model.layers = 96;
  model.hidden = 12288;
  model.heads = model.kv_heads = 96;
  model.head_dim = 128;
  model.ffn = 4 * 12288;
  model.vocabulary = 51200;
  model.max_positions = 2048;
  model.gated_mlp = false;
  model.tied_embeddings = true;
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
  model.hidden_dropout = model.attention_dropout = 0.1;
  model.norm = NormKind::layer_norm;
  model.position = PositionKind::learned;
  return model;
}

inline Transformer llama3(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                          std::int64_t ffn) {
  Transformer model;
  model.name = "llama-3";
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.ffn = ffn;
  model.vocabulary = 128256;
  return model;
}
inline Transformer llama3_8b() { return llama3(32, 4096, 32, 14336); }
inline Transformer llama3_70b() { return llama3(80, 8192, 64, 28672); }
inline Transformer llama3_405b() { return llama3(126, 16384, 128, 53248); }

inline double bytes_of(const std::vector<NamedBytes>& list, const std::string& name) {
  for (const NamedBytes& entry : list)
    if (entry.name == name) return entry.bytes.value();
  return 0;
}

// Saved bytes of one layer as the papers count them: without the norms' statistics.
inline double papers_layer_bytes(const Run& run) {
  double sum = 0;
  for (const NamedBytes& entry : saved_by_layer(run))
    if (entry.name != "norm statistics") sum += entry.bytes.value();
  return sum;
}

// Layers' worth of saved activations in flight at the peak.
inline double layers_in_flight(const Run& run, const StageMemory& memory) {
  const std::string name = "query, key, value";
  return bytes_of(memory.alive_at_peak, name) / bytes_of(saved_by_layer(run), name);
}

inline StageMemory simulate(const Run& run, const MemoryRules& rules, std::int64_t rank) {
  const StageLayout layout = lay_out_stages(run);
  return simulate_stage_memory(run, rules, rank, layout.stages[static_cast<std::size_t>(rank)],
                               timed(megatron_order(run.parallel, rank, run.micro_batches())));
}

}  // namespace stepcast::memory_fixtures
