#include "sim/plan/migration_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/errors.hpp"
#include "models/parameters.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {
namespace {

using Tensors = std::vector<ModelTensor>;
using Shape = std::vector<std::int64_t>;

void add_vector(Tensors& to, const std::string& name, std::int64_t rows,
                TensorSplit split = TensorSplit::none) {
  to.push_back({.name = name, .rows = rows, .split = split});
}

void add_norm(Tensors& to, const Transformer& model, const std::string& name, std::int64_t width,
              TensorSplit split = TensorSplit::none) {
  add_vector(to, name + ".weight", width, split);
  if (model.norm == NormKind::layer_norm) add_vector(to, name + ".bias", width, split);
}

void add_linear(Tensors& to, const std::string& name, std::int64_t rows, std::int64_t columns,
                TensorSplit split, std::int64_t experts = 0) {
  to.push_back({.name = name + ".weight",
                .rows = rows,
                .columns = columns,
                .split = split,
                .experts = experts,
                .linear = true});
}

// A bias is as long as its weight has rows and cut as they are; behind a row-parallel linear it is
// replicated.
void add_bias(Tensors& to, bool present, const std::string& name, std::int64_t rows,
              TensorSplit split, std::int64_t experts = 0) {
  if (!present) return;
  const TensorSplit cut = split == TensorSplit::columns ? TensorSplit::none : split;
  to.push_back({.name = name + ".bias", .rows = rows, .split = cut, .experts = experts});
}

void add_attention(Tensors& to, const Transformer& model) {
  const std::int64_t queries = model.heads * model.head_dim;
  const std::int64_t keys = model.kv_heads * model.head_dim;
  const std::string at = "decoder.layers.self_attention.";
  if (model.attention_sinks)
    add_vector(to, at + "core_attention.softmax_offset", model.heads, TensorSplit::rows);
  add_linear(to, at + "linear_proj", model.hidden, queries, TensorSplit::columns);
  add_bias(to, model.attention_output_bias, at + "linear_proj", model.hidden, TensorSplit::columns);
  add_linear(to, at + "linear_qkv", queries + 2 * keys, model.hidden, TensorSplit::rows);
  add_bias(to, model.qkv_bias, at + "linear_qkv", queries + 2 * keys, TensorSplit::rows);
  if (!model.qk_norm) return;
  const bool wide = model.qk_norm_full_width;
  const TensorSplit split = wide ? TensorSplit::rows : TensorSplit::none;
  add_norm(to, model, at + "q_layernorm", wide ? queries : model.head_dim, split);
  add_norm(to, model, at + "k_layernorm", wide ? keys : model.head_dim, split);
}

void add_mlp(Tensors& to, const Transformer& model, const std::string& at, std::int64_t width,
             bool bias, std::int64_t experts = 0) {
  const TensorSplit split = model.gated_mlp ? TensorSplit::gate_and_up : TensorSplit::rows;
  const std::int64_t rows = (model.gated_mlp ? 2 : 1) * width;
  add_linear(to, at + "linear_fc1", rows, model.hidden, split, experts);
  add_bias(to, bias, at + "linear_fc1", rows, split, experts);
  add_linear(to, at + "linear_fc2", model.hidden, width, TensorSplit::columns, experts);
  add_bias(to, bias, at + "linear_fc2", model.hidden, TensorSplit::columns, experts);
}

void add_mixture(Tensors& to, const Transformer& model) {
  const MixtureOfExperts& moe = *model.moe;
  const std::string at = "decoder.layers.mlp.";
  to.push_back({.name = at + "router.weight", .rows = moe.experts, .columns = model.hidden});
  if (moe.router_bias) add_vector(to, at + "router.expert_bias", moe.experts);
  add_mlp(to, model, at + "experts.", moe.expert_ffn, moe.expert_bias, moe.experts);
  if (moe.shared_ffn > 0)
    add_mlp(to, model, at + "shared_experts.", moe.shared_ffn, model.mlp_bias);
  if (moe.shared_expert_gate)
    to.push_back({.name = at + "shared_experts.gate_weight", .rows = 1, .columns = model.hidden});
}

// Names of a layer's norms over the hidden state; models differ in how many they have.
void add_layer_norms(Tensors& to, const Transformer& model) {
  const char* names[] = {"input_layernorm", "pre_mlp_layernorm", "post_self_attn_layernorm",
                         "post_mlp_layernorm"};
  for (std::int64_t i = 0; i < model.norms_per_layer; ++i) {
    const std::string name = i < 4 ? names[i] : fmt::format("layernorm_{}", i);
    add_norm(to, model, "decoder.layers." + name, model.hidden);
  }
}

Tensors layer_tensors(const Transformer& model, bool mixture) {
  Tensors tensors;
  add_attention(tensors, model);
  add_layer_norms(tensors, model);
  if (mixture)
    add_mixture(tensors, model);
  else
    add_mlp(tensors, model, "decoder.layers.mlp.", model.ffn, model.mlp_bias);
  return tensors;
}

ModelTensor vocabulary_table(const Run& run, const std::string& name) {
  return {.name = name,
          .rows = run.padded_vocabulary(),
          .columns = run.model.hidden,
          .split = TensorSplit::rows,
          .vocabulary_rows = true};
}

std::int64_t piece_size(std::int64_t whole, std::int64_t ranks) {
  return (whole + ranks - 1) / ranks;
}

std::int64_t tensor_ranks(const ModelTensor& tensor, const ParallelConfig& parallel) {
  return tensor.experts > 0 ? parallel.expert_tensor : parallel.tensor;
}

std::string note_of(const ModelTensor& tensor, const Run& from, const Run& to) {
  if (tensor.split == TensorSplit::gate_and_up)
    return fmt::format(
        "gate and up are cut apart: shards r and r + {} of {} become r and r + {} of {}",
        tensor_ranks(tensor, from.parallel), 2 * tensor_ranks(tensor, from.parallel),
        tensor_ranks(tensor, to.parallel), 2 * tensor_ranks(tensor, to.parallel));
  const std::int64_t kv_heads = to.model.kv_heads;
  if (tensor.name.find("linear_qkv") != std::string::npos)
    return kv_heads < to.parallel.tensor
               ? fmt::format(
                     "{} KV heads on {} tensor ranks: the slice cuts through KV groups and "
                     "the output is gathered, so that {} ranks use each KV head",
                     kv_heads, to.parallel.tensor, to.parallel.tensor / kv_heads)
               : "rows are interleaved by KV group: a pure slice";
  if (tensor.vocabulary_rows && from.padded_vocabulary() != to.padded_vocabulary())
    return fmt::format("vocabulary of {} padded to {} rows, then to {}: load with a shape mismatch",
                       from.model.vocabulary, from.padded_vocabulary(), to.padded_vocabulary());
  return "";
}

void add_changes(std::vector<TensorChange>& changes, const Tensors& before, const Tensors& after,
                 const Run& from, const Run& to, std::int64_t count) {
  for (std::size_t i = 0; i < before.size() && count > 0; ++i) {
    TensorChange change{.name = before[i].name,
                        .axis = {},
                        .from_shape = shard_shape_of(before[i], from.parallel),
                        .to_shape = shard_shape_of(after[i], to.parallel),
                        .count = count,
                        .note = note_of(before[i], from, to)};
    for (std::size_t axis = change.from_shape.size(); axis-- > 0;)
      if (change.from_shape[axis] != change.to_shape[axis]) change.axis = static_cast<int>(axis);
    if (!change.axis) continue;
    // Dense and mixture layers have the same attention.
    const auto known = std::find_if(changes.begin(), changes.end(),
                                    [&](const TensorChange& c) { return c.name == change.name; });
    if (known == changes.end())
      changes.push_back(std::move(change));
    else
      known->count += count;
  }
}

std::vector<std::int64_t> rank_of_layers(const Run& run) {
  std::vector<std::int64_t> rank(static_cast<std::size_t>(run.model.layers));
  const auto held = layers_of_ranks(run);
  for (std::size_t r = 0; r < held.size(); ++r)
    for (const std::int64_t layer : held[r])
      rank[static_cast<std::size_t>(layer)] = static_cast<std::int64_t>(r);
  return rank;
}

std::int64_t most_layers(const Run& run) {
  std::size_t most = 0;
  for (const auto& layers : layers_of_ranks(run)) most = std::max(most, layers.size());
  return static_cast<std::int64_t>(most);
}

void add_moved_layers(std::vector<TensorChange>& changes, const Run& from, const Run& to) {
  const auto before = rank_of_layers(from);
  const auto after = rank_of_layers(to);
  std::int64_t moved = 0;
  for (std::size_t layer = 0; layer < before.size(); ++layer)
    moved += before[layer] == after[layer] ? 0 : 1;
  if (moved == 0) return;
  changes.push_back({.name = "decoder.layers",
                     .axis = 0,
                     .from_shape = {most_layers(from)},
                     .to_shape = {most_layers(to)},
                     .count = moved,
                     .note = fmt::format("{} of {} layers go to another pipeline rank", moved,
                                         from.model.layers)});
}

bool has_tied_copy(const Run& run) {
  return run.model.tied_embeddings && run.parallel.pipeline > 1;
}

void add_tied_copy(std::vector<TensorChange>& changes, const Run& from, const Run& to) {
  if (has_tied_copy(from) == has_tied_copy(to)) return;
  const auto shape = [](const Run& run) {
    return has_tied_copy(run) ? shard_shape_of(vocabulary_table(run, ""), run.parallel) : Shape{};
  };
  changes.push_back({.name = "output_layer.weight",
                     .axis = {},
                     .from_shape = shape(from),
                     .to_shape = shape(to),
                     .note = "the last stage's copy of the tied word embedding"});
}

}  // namespace

TensorInventory tensor_inventory(const Run& run) {
  const Transformer& model = run.model;
  STEPCAST_CHECK(!model.latent_attention);
  TensorInventory all;
  all.embedding.push_back(vocabulary_table(run, "embedding.word_embeddings.weight"));
  if (model.position == PositionKind::learned)
    all.embedding.push_back({.name = "embedding.position_embeddings.weight",
                             .rows = model.max_positions,
                             .columns = model.hidden});
  if (model.embedding_norm) add_norm(all.embedding, model, "embedding.norm", model.hidden);
  all.dense_layer = layer_tensors(model, false);
  if (model.moe) all.mixture_layer = layer_tensors(model, true);
  add_norm(all.head, model, "decoder.final_layernorm", model.hidden);
  if (!model.tied_embeddings) all.head.push_back(vocabulary_table(run, "output_layer.weight"));
  if (model.head_bias) {
    add_vector(all.head, "output_layer.bias", run.padded_vocabulary(), TensorSplit::rows);
    all.head.back().vocabulary_rows = true;
  }
  return all;
}

std::vector<TensorBlock> blocks_of(const ModelTensor& tensor, std::int64_t index,
                                   std::int64_t ranks) {
  const auto cut = [&](std::int64_t whole) {
    const std::int64_t size = piece_size(whole, ranks);
    return std::pair{std::min(whole, index * size), std::min(whole, (index + 1) * size)};
  };
  switch (tensor.split) {
    case TensorSplit::none: return {{0, tensor.rows, 0, tensor.columns}};
    case TensorSplit::rows: {
      const auto [first, last] = cut(tensor.rows);
      return {{first, last, 0, tensor.columns}};
    }
    case TensorSplit::columns: {
      const auto [left, right] = cut(tensor.columns);
      return {{0, tensor.rows, left, right}};
    }
    case TensorSplit::gate_and_up: {
      const std::int64_t half = tensor.rows / 2;
      const auto [first, last] = cut(half);
      return {{first, last, 0, tensor.columns}, {half + first, half + last, 0, tensor.columns}};
    }
  }
  return {};
}

Shape shard_shape_of(const ModelTensor& tensor, const ParallelConfig& parallel) {
  std::int64_t rows = 0, columns = tensor.columns;
  for (const TensorBlock& block : blocks_of(tensor, 0, tensor_ranks(tensor, parallel))) {
    rows += block.last - block.first;
    columns = block.right - block.left;
  }
  Shape shape;
  if (tensor.experts > 0) shape.push_back(tensor.experts / parallel.expert);
  shape.push_back(rows);
  if (tensor.columns > 1) shape.push_back(columns);
  return shape;
}

std::vector<TensorChange> tensor_changes(const Run& from, const Run& to) {
  const TensorInventory before = tensor_inventory(from), after = tensor_inventory(to);
  const std::int64_t mixtures = mixture_layers(from.model);
  const std::int64_t dense = from.model.layers - mixtures;
  std::vector<TensorChange> changes;
  add_changes(changes, before.embedding, after.embedding, from, to, 1);
  add_changes(changes, before.dense_layer, after.dense_layer, from, to, dense);
  add_changes(changes, before.mixture_layer, after.mixture_layer, from, to, mixtures);
  add_changes(changes, before.head, after.head, from, to, 1);
  add_tied_copy(changes, from, to);
  add_moved_layers(changes, from, to);
  return changes;
}

std::vector<std::vector<std::int64_t>> layers_of_ranks(const Run& run) {
  std::vector<std::vector<std::int64_t>> held;
  for (const auto& chunks : lay_out_stages(run).stages) {
    auto& layers = held.emplace_back();
    for (const Chunk& chunk : chunks)
      for (std::int64_t i = 0; i < chunk.layers; ++i) layers.push_back(chunk.first_layer + i);
    std::sort(layers.begin(), layers.end());
  }
  return held;
}

std::string layer_ranges(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i + 1;
    while (end < layers.size() && layers[end] == layers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", layers[i]);
    if (end - i > 1) text += fmt::format("-{}", layers[end - 1]);
    i = end;
  }
  return text.empty() ? "none" : text;
}

}  // namespace stepcast
