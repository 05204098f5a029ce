#include "sim/memory/stage_walk.hpp"

#include <algorithm>

#include "common/errors.hpp"
#include "sim/memory/activation_memory.hpp"
#include "sim/memory/phases.hpp"
#include "sim/memory/shard_shape.hpp"
#include "sim/memory/static_memory.hpp"

namespace stepcast {
namespace {

SimTime moment(const TimedAction& action, double fraction) {
  const double length = static_cast<double>(action.end.ps - action.start.ps);
  return SimTime{action.start.ps + static_cast<std::int64_t>(length * fraction)};
}

// Weights of the head over those of one layer: both run one GEMM per weight and token.
double head_in_layers(const Run& run) {
  const ShardShape shape = shard_shape(run);
  const double hidden = static_cast<double>(run.model.hidden);
  const double attention = hidden * 2 * (shape.query_width + shape.key_value_width);
  const double mlp = hidden * shape.mlp_width * (shape.mlp_input_matrices + 1);
  const double head = hidden * static_cast<double>(run.padded_vocabulary()) / shape.tensor;
  return head / (attention + mlp);
}

}  // namespace

StageWalk::StageWalk(const Run& run, const MemoryRules& rules, const std::vector<Chunk>& chunks,
                     bool history)
    : ledger_(history),
      head_layers_(head_in_layers(run)),
      may_defer_(rules.deferred_head_gradients),
      interleaved_(chunks.size() > 1) {
  persistent_ = ledger_.define(persistent_tensors(run, rules, chunks));
  between_steps_ = ledger_.define(between_steps(run, rules, chunks));
  head_ = ledger_.define(head_activations(run));
  loss_ = ledger_.define(loss_activations(run, rules));
  loss_forward_ = ledger_.define(loss_forward(run, rules));
  loss_backward_ = ledger_.define(loss_backward(run, rules));
  head_backward_ = ledger_.define(head_backward(run, rules));
  deferred_head_ = ledger_.define(deferred_head_gradient(run));
  attention_forward_ = ledger_.define(attention_forward(run));
  mlp_backward_ = ledger_.define(mlp_backward(run));
  attention_backward_ = ledger_.define(attention_backward(run));
  gradient_ = ledger_.define(hidden_gradient(run, "gradient of hidden states"));
  stage_input_ = ledger_.define(hidden_gradient(run, "kept stage input"));
  input_gradient_ = ledger_.define(hidden_gradient(run, "kept gradient of stage input"));
  messages_ = ledger_.define(interleaved_ && rules.keeps_stage_input ? interleaved_messages(run)
                                                                     : TensorList{});
  define_layers(run, rules);
  define_chunks(run, rules, chunks);
  ledger_.allocate(persistent_, SimTime{});
  ledger_.allocate(between_steps_, SimTime{});
  for (ChunkState& chunk : chunks_) {
    if (!chunk.keeps_input) continue;
    ledger_.allocate(stage_input_, SimTime{});
    ledger_.allocate(input_gradient_, SimTime{});
    chunk.holds_input = true;
  }
  static_allocated_ = ledger_.allocated();
}

void StageWalk::define_layers(const Run& run, const MemoryRules& rules) {
  const auto bundles = [this](const LayerActivations& layer, bool whole) {
    return LayerBundles{ledger_.define(layer.attention), ledger_.define(layer.mlp),
                        ledger_.define(layer.recomputed_attention),
                        ledger_.define(layer.recomputed_mlp), whole};
  };
  const LayerActivations layer = layer_activations(run, rules);
  plain_ = bundles(layer, false);
  checkpointed_ = bundles(checkpointed_layer(layer), true);
}

void StageWalk::define_chunks(const Run& run, const MemoryRules& rules,
                              const std::vector<Chunk>& chunks) {
  const Recompute& recompute = run.training.recompute;
  for (const Chunk& chunk : chunks) {
    ChunkState state;
    state.chunk = chunk;
    state.inputs = ledger_.define(batch_inputs(run, rules, chunk.embedding, chunk.head));
    state.embedding = ledger_.define(chunk.embedding ? embedding_activations(run) : TensorList{});
    if (recompute.kind == RecomputeKind::full)
      state.checkpointed_layers = std::min(chunk.layers, recompute.layers.value_or(chunk.layers));
    state.keeps_input = rules.keeps_stage_input && !chunk.embedding;
    chunks_.push_back(state);
  }
}

const StageWalk::LayerBundles& StageWalk::layer_of(const ChunkState& chunk,
                                                   std::int64_t index) const {
  return index < chunk.checkpointed_layers ? checkpointed_ : plain_;
}

// Equal layers that may be taken together: those that follow `index` in the chunk, or come before
// it. None while the timeline is kept.
std::int64_t StageWalk::alike_after(const ChunkState& chunk, std::int64_t index) const {
  if (ledger_.keeps_history()) return 0;
  const bool first_kind = index < chunk.checkpointed_layers;
  return (first_kind ? chunk.checkpointed_layers : chunk.chunk.layers) - index - 1;
}

std::int64_t StageWalk::alike_before(const ChunkState& chunk, std::int64_t index) const {
  if (ledger_.keeps_history()) return 0;
  const bool first_kind = index < chunk.checkpointed_layers;
  return index - (first_kind ? 0 : chunk.checkpointed_layers);
}

double StageWalk::weight_of(const Chunk& chunk) const {
  const double weight = static_cast<double>(chunk.layers) + (chunk.head ? head_layers_ : 0);
  return std::max(weight, 1e-9);
}

void StageWalk::drop_input(ChunkState& chunk, SimTime at) {
  if (!chunk.holds_input) return;
  ledger_.release(stage_input_, at);
  if (interleaved_ || !previous_gradient_) ledger_.release(input_gradient_, at);
  chunk.holds_input = false;
}

void StageWalk::forward(ChunkState& state, const TimedAction& action) {
  const double weight = weight_of(state.chunk);
  drop_input(state, action.start);
  state.latest_micro_batch = action.action.micro_batch;
  ledger_.allocate(state.inputs, action.start);
  ledger_.allocate(state.embedding, action.start);
  for (std::int64_t i = 0; i < state.chunk.layers; ++i) {
    const LayerBundles& layer = layer_of(state, i);
    if (const std::int64_t more = alike_after(state, i); more > 0) {
      // Memory rises from layer to layer: only the last of equal ones can make the peak.
      ledger_.allocate(layer.attention, action.end, static_cast<std::size_t>(more));
      ledger_.allocate(layer.mlp, action.end, static_cast<std::size_t>(more));
      i += more;
    }
    const auto at = [&](double part) {
      return moment(action, (static_cast<double>(i) + part) / weight);
    };
    ledger_.allocate(layer.attention, at(0.0));
    ledger_.allocate(attention_forward_, at(0.25));
    ledger_.release(attention_forward_, at(0.5));
    ledger_.allocate(layer.mlp, at(0.5));
  }
  if (state.chunk.head) forward_head(action, static_cast<double>(state.chunk.layers) / weight);
}

void StageWalk::forward_head(const TimedAction& action, double from) {
  const SimTime begin = moment(action, from);
  ledger_.allocate(head_, begin);
  ledger_.allocate(loss_, begin);
  ledger_.allocate(loss_forward_, begin);
  ledger_.release(loss_forward_, action.end);
}

void StageWalk::backward(ChunkState& state, const TimedAction& action) {
  const double weight = weight_of(state.chunk);
  double done = 0;
  if (state.chunk.head) {
    done = head_layers_;
    backward_head(action, done / weight);
  } else {
    ledger_.allocate(gradient_, action.start);
  }
  for (std::int64_t i = state.chunk.layers; i-- > 0; done += 1) {
    const LayerBundles& layer = layer_of(state, i);
    backward_layer(layer, action, done / weight, (done + 1) / weight);
    const std::int64_t more = alike_before(state, i);
    if (more == 0) continue;
    // And falls again: only the first of equal ones can.
    ledger_.release(layer.attention, action.end, static_cast<std::size_t>(more));
    ledger_.release(layer.mlp, action.end, static_cast<std::size_t>(more));
    i -= more;
    done += static_cast<double>(more);
  }
  ledger_.release(state.embedding, action.end);
  ledger_.release(state.inputs, action.end);
  ledger_.release(gradient_, action.end);
  keep_input(state, action);
}

void StageWalk::backward_head(const TimedAction& action, double until) {
  const SimTime loss_done = moment(action, until * 0.5);
  const SimTime end = moment(action, until);
  ledger_.allocate(loss_backward_, action.start);
  ledger_.release(loss_backward_, loss_done);
  ledger_.release(loss_, loss_done);
  ledger_.allocate(head_backward_, loss_done);
  ledger_.release(head_backward_, end);
  if (deferred_ < may_defer_) {
    ledger_.allocate(deferred_head_, end);
    ++deferred_;
  }
  ledger_.release(head_, end);
  ledger_.allocate(gradient_, end);
}

void StageWalk::backward_layer(const LayerBundles& layer, const TimedAction& action, double from,
                               double until) {
  const SimTime begin = moment(action, from);
  const SimTime middle = moment(action, (from + until) / 2);
  const SimTime end = moment(action, until);
  ledger_.allocate(layer.recomputed_mlp, begin);
  if (layer.whole_recompute) ledger_.allocate(layer.recomputed_attention, begin);
  ledger_.allocate(mlp_backward_, begin);
  ledger_.release(mlp_backward_, middle);
  ledger_.release(layer.recomputed_mlp, middle);
  ledger_.release(layer.mlp, middle);
  if (!layer.whole_recompute) ledger_.allocate(layer.recomputed_attention, middle);
  ledger_.allocate(attention_backward_, middle);
  ledger_.release(attention_backward_, end);
  ledger_.release(layer.recomputed_attention, end);
  ledger_.release(layer.attention, end);
}

// Megatron's model refers to its last input, and the schedule to the last gradient it sent: without
// interleaving that one stays while the next micro-batch runs (MEMORY_EXACT 3 and 5).
void StageWalk::keep_input(ChunkState& state, const TimedAction& action) {
  if (!state.keeps_input) return;
  if (!interleaved_ && !previous_gradient_) {
    ledger_.allocate(input_gradient_, action.end);
    previous_gradient_ = true;
  }
  if (action.action.micro_batch != state.latest_micro_batch || state.holds_input) return;
  ledger_.allocate(stage_input_, action.end);
  if (interleaved_) ledger_.allocate(input_gradient_, action.end);
  state.holds_input = true;
}

void StageWalk::run(const std::vector<TimedAction>& actions) {
  if (actions.empty()) return;
  ledger_.release(between_steps_, actions.front().start);
  ledger_.allocate(messages_, actions.front().start);
  for (const TimedAction& action : actions) {
    const auto chunk = static_cast<std::size_t>(action.action.chunk);
    STEPCAST_CHECK(chunk < chunks_.size());
    if (action.action.kind == ActionKind::forward)
      forward(chunks_[chunk], action);
    else
      backward(chunks_[chunk], action);
  }
  for (; deferred_ > 0; --deferred_) ledger_.release(deferred_head_, actions.back().end);
  ledger_.release(messages_, actions.back().end);
  ledger_.allocate(between_steps_, actions.back().end);
}

}  // namespace stepcast
