#pragma once

#include <vector>

#include "sim/memory/ledger.hpp"
#include "sim/memory/memory.hpp"
#include "sim/memory/memory_rules.hpp"

namespace stepcast {

// Runs a stage's actions in order through a ledger: saved activations rise layer by layer in a
// forward and fall layer by layer in a backward, with the short-lived tensors of each phase between
// (MEMORY_EXACT 4 and 5). Moments inside an action are interpolated by layer, the head counting as
// the layers that its GEMM equals (SEMANTICS 4.4).
class StageWalk {
 public:
  // Without history the ledger tells the peak alone.
  StageWalk(const Run& run, const MemoryRules& rules, const std::vector<Chunk>& chunks,
            bool history = true);
  // Precondition: a valid order (each backward after its forward) that ends with nothing in flight.
  void run(const std::vector<TimedAction>& actions);

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] Bytes static_allocated() const { return static_allocated_; }

 private:
  struct LayerBundles {
    BundleId attention, mlp, recomputed_attention, recomputed_mlp;
    bool whole_recompute = false;  // everything comes back before the layer's backward
  };
  struct ChunkState {
    Chunk chunk;
    BundleId inputs, embedding;
    std::int64_t checkpointed_layers = 0;
    std::int32_t latest_micro_batch = 0;
    bool keeps_input = false;  // a stage behind another one
    bool holds_input = false;  // its last input and the input's gradient are alive between actions
  };

  void define_chunks(const Run& run, const MemoryRules& rules, const std::vector<Chunk>& chunks);
  void define_layers(const Run& run, const MemoryRules& rules);
  void forward(ChunkState& chunk, const TimedAction& action);
  void forward_head(const TimedAction& action, double from);
  void backward(ChunkState& chunk, const TimedAction& action);
  void backward_head(const TimedAction& action, double until);
  void backward_layer(const LayerBundles& layer, const TimedAction& action, double from,
                      double until);
  void keep_input(ChunkState& chunk, const TimedAction& action);
  void drop_input(ChunkState& chunk, SimTime at);
  [[nodiscard]] const LayerBundles& layer_of(const ChunkState& chunk, std::int64_t index) const;
  [[nodiscard]] std::int64_t alike_after(const ChunkState& chunk, std::int64_t index) const;
  [[nodiscard]] std::int64_t alike_before(const ChunkState& chunk, std::int64_t index) const;
  // Layers, or what equals them in work, of the whole chunk.
  [[nodiscard]] double weight_of(const Chunk& chunk) const;

  Ledger ledger_;
  std::vector<ChunkState> chunks_;
  LayerBundles plain_, checkpointed_;
  BundleId persistent_, between_steps_, head_, loss_, loss_forward_, loss_backward_, head_backward_,
      attention_forward_, mlp_backward_, attention_backward_, gradient_, deferred_head_,
      stage_input_, input_gradient_, messages_;
  double head_layers_ = 0;
  std::int64_t may_defer_ = 0, deferred_ = 0;  // LM-head weight gradients
  bool interleaved_ = false;
  bool previous_gradient_ = false;  // of the micro-batch before, still referenced
  Bytes static_allocated_;
};

}  // namespace stepcast
