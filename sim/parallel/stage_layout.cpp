#include "sim/parallel/stage_layout.hpp"

#include <algorithm>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// Layers of each model stage (v * p + r) when nothing is said about single stages: layers, and one
// more unit for the embedding and for the head where they count, divided evenly. torchtitan and
// DeepSpeed accept a remainder; its first stages take one unit more (torchtitan
// pipeline_module_split; assumption: for DeepSpeed's balanced partition, whose largest stage is
// the same).
std::vector<std::int64_t> even_layers(const Run& run, std::int64_t stages) {
  const StageLayers& rule = run.parallel.stage_layers;
  const std::int64_t units =
      run.model.layers + (rule.account_for_embedding ? 1 : 0) + (rule.account_for_loss ? 1 : 0);
  std::vector<std::int64_t> layers(static_cast<std::size_t>(stages), units / stages);
  for (std::int64_t i = 0; i < units % stages; ++i) ++layers[static_cast<std::size_t>(i)];
  if (rule.account_for_embedding) --layers.front();
  if (rule.account_for_loss) --layers.back();
  return layers;
}

// Layers of each pipeline rank when the run gives them; each is split evenly over its chunks.
std::vector<std::int64_t> given_layers(const Run& run) {
  const StageLayers& rule = run.parallel.stage_layers;
  if (!rule.every.empty()) return rule.every;
  const std::int64_t given = (rule.first ? 1 : 0) + (rule.last ? 1 : 0);
  const std::int64_t left = run.model.layers - rule.first.value_or(0) - rule.last.value_or(0);
  const std::int64_t middle = run.parallel.pipeline - given;
  std::vector<std::int64_t> layers(static_cast<std::size_t>(run.parallel.pipeline),
                                   middle > 0 ? left / middle : 0);
  if (rule.first) layers.front() = *rule.first;
  if (rule.last) layers.back() = *rule.last;
  return layers;
}

std::vector<std::int64_t> layers_by_model_stage(const Run& run) {
  const std::int64_t stages = run.parallel.pipeline * run.parallel.virtual_stages;
  const StageLayers& rule = run.parallel.stage_layers;
  if (rule.every.empty() && !rule.first && !rule.last) return even_layers(run, stages);
  std::vector<std::int64_t> layers;
  const std::vector<std::int64_t> of_rank = given_layers(run);
  for (std::int64_t v = 0; v < run.parallel.virtual_stages; ++v)
    for (const std::int64_t count : of_rank) layers.push_back(count / run.parallel.virtual_stages);
  return layers;
}

std::int64_t norm_size(const Transformer& model) {
  return model.norm == NormKind::layer_norm ? 2 * model.hidden : model.hidden;
}

// One layer before the tensor split.
StageParameters layer_parameters(const Transformer& model) {
  const std::int64_t queries = model.heads * model.head_dim;
  const std::int64_t keys = model.kv_heads * model.head_dim;
  const std::int64_t up = (model.gated_mlp ? 2 : 1) * model.ffn;
  StageParameters layer;
  layer.matrices = model.hidden * (queries + 2 * keys) + queries * model.hidden +
                   model.hidden * up + model.ffn * model.hidden;
  if (model.qkv_bias) layer.matrices += queries + 2 * keys;
  if (model.mlp_bias) layer.matrices += up;
  if (model.attention_sinks) layer.matrices += model.heads;
  layer.replicated = model.norms_per_layer * norm_size(model);
  if (model.attention_output_bias) layer.replicated += model.hidden;
  if (model.mlp_bias) layer.replicated += model.hidden;
  if (model.qk_norm) {
    const std::int64_t scale = model.norm == NormKind::layer_norm ? 2 : 1;
    if (model.qk_norm_full_width)
      layer.matrices += scale * (queries + keys);
    else
      layer.replicated += scale * 2 * model.head_dim;
  }
  return layer;
}

}  // namespace

StageLayout lay_out_stages(const Run& run) {
  const std::int64_t ranks = run.parallel.pipeline;
  const std::vector<std::int64_t> layers = layers_by_model_stage(run);
  StageLayout layout;
  layout.stages.resize(static_cast<std::size_t>(ranks));
  std::int64_t next_layer = 0;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    STEPCAST_CHECK(layers[stage] >= 0);
    layout.stages[stage % static_cast<std::size_t>(ranks)].push_back(
        {.first_layer = next_layer,
         .layers = layers[stage],
         .embedding = stage == 0,
         .head = stage + 1 == layers.size()});
    next_layer += layers[stage];
  }
  STEPCAST_CHECK(next_layer == run.model.layers);
  return layout;
}

StageParameters stage_parameters(const Run& run, const std::vector<Chunk>& chunks) {
  const Transformer& model = run.model;
  STEPCAST_CHECK(!model.moe && !model.latent_attention);
  const StageParameters layer = layer_parameters(model);
  const std::int64_t table = run.padded_vocabulary() * model.hidden;
  StageParameters whole;
  bool has_table = false;
  for (const Chunk& chunk : chunks) {
    whole.matrices += chunk.layers * layer.matrices;
    whole.replicated += chunk.layers * layer.replicated;
    if (chunk.embedding) {
      has_table = true;
      whole.matrices += table;
      if (model.position == PositionKind::learned)
        whole.replicated += model.max_positions * model.hidden;
      if (model.embedding_norm) whole.replicated += norm_size(model);
    }
    if (chunk.head) {
      whole.replicated += norm_size(model);
      if (!model.tied_embeddings || !has_table) whole.matrices += table;
      if (model.head_bias) whole.matrices += run.padded_vocabulary();
    }
  }
  // The vocabulary of torchtitan is not padded: the largest shard counts.
  const std::int64_t tensor = run.parallel.tensor;
  whole.matrices = (whole.matrices + tensor - 1) / tensor;
  return whole;
}

}  // namespace stepcast
