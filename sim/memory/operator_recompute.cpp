#include "sim/memory/operator_recompute.hpp"

#include <algorithm>

#include "sim/memory/shard_shape.hpp"

namespace stepcast {
namespace {

constexpr TensorClass activation = TensorClass::activation;

// What is made again: the rest of the half, as one entry.
TensorList rest_of(const TensorList& half, const TensorList& kept) {
  TensorList rest;
  add(rest, "recomputed activations", activation,
      std::max(0.0, (total(half) - total(kept)).value()));
  return rest;
}

}  // namespace

bool recomputes_by_operator(const Run& run) {
  return run.framework == Framework::torchtitan &&
         run.training.recompute.kind == RecomputeKind::selective &&
         run.training.recompute.modules.empty();
}

LayerActivations operator_recomputed_layer(const Run& run, const LayerActivations& whole) {
  const ShardShape shape = shard_shape(run);
  const double token = shape.tokens * shape.element;
  LayerActivations layer;
  add(layer.attention, "attention norm input", activation, shape.residual_bytes);
  add(layer.attention, "query, key, value", activation,
      token * (shape.query_width + shape.key_value_width));
  add(layer.attention, "attention output", activation, token * shape.query_width);
  add(layer.mlp, "MLP first output", activation, token * shape.mlp_width);
  add(layer.mlp, "MLP output", activation, shape.residual_bytes);
  layer.recomputed_attention = rest_of(whole.attention, layer.attention);
  layer.recomputed_mlp = rest_of(whole.mlp, layer.mlp);
  return layer;
}

}  // namespace stepcast
