#include "models/huggingface_mixture.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "models/named_fields.hpp"
#include "models/parameters.hpp"

namespace stepcast {
namespace {

using Placing = std::vector<bool>;  // by layer: is it a mixture?

Placing placing_of_list(const std::vector<std::int64_t>& mixture_indices, std::int64_t layers) {
  Placing placing(static_cast<std::size_t>(layers), false);
  for (const std::int64_t index : mixture_indices)
    if (index >= 0 && index < layers) placing[static_cast<std::size_t>(index)] = true;
  return placing;
}

std::vector<std::int64_t> integers_in(std::string_view text) {
  std::vector<std::int64_t> integers;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec == std::errc()) integers.push_back(value);
    const std::size_t comma = text.find(',');
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return integers;
}

// Where the file lists the layers one by one; empty where it does not.
Placing listed_placing(const Node& node, std::int64_t layers) {
  Placing placing;
  for (const std::string& type : texts_of(node, {"mlp_layer_types"}))
    placing.push_back(type == "sparse");
  const auto frequency = node.find("moe_layer_freq");
  if (frequency && frequency->is_array())
    for (const std::int64_t flag : integers_of(node, {"moe_layer_freq"}))
      placing.push_back(flag != 0);
  if (static_cast<std::int64_t>(placing.size()) == layers) return placing;
  const auto moe_layers = node.find("moe_layers");
  if (moe_layers && moe_layers->is_array())
    return placing_of_list(integers_of(node, {"moe_layers"}), layers);
  const std::string listed = text_of(node, {"moe_layers_enum"});
  return listed.empty() ? Placing() : placing_of_list(integers_in(listed), layers);
}

std::int64_t interval_of(const Node& node) {
  const auto frequency = node.find("moe_layer_freq");
  if (frequency && !frequency->is_array()) return frequency->as_count();
  return find_count(node, {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval",
                           "moe_every_n_layers", "expert_layer_period"})
      .value_or(1);
}

// Sets the leading dense layers and the interval that come nearest to `placing`.
void fit_placing(const Placing& placing, Transformer& model) {
  const auto first = std::find(placing.begin(), placing.end(), true);
  model.moe->leading_dense_layers = first - placing.begin();
  if (first == placing.end()) return;
  const auto second = std::find(first + 1, placing.end(), true);
  const std::int64_t interval = second == placing.end() ? 1 : second - first;
  const bool on_the_grid = (model.moe->leading_dense_layers + 1) % interval == 0;
  model.moe->layer_interval = on_the_grid ? interval : 1;
}

void adjust_placing(const Placing& placing, Transformer& model) {
  std::int64_t too_few = 0;
  bool same = true;
  for (std::size_t i = 0; i < placing.size(); ++i) {
    const bool described = is_mixture_layer(model, static_cast<std::int64_t>(i));
    too_few += (placing[i] ? 1 : 0) - (described ? 1 : 0);
    same = same && placing[i] == described;
  }
  if (same) return;
  const ParameterCount count = count_parameters(model);
  model.irregular_parameters += too_few * (count.per_moe_layer - count.per_layer);
  model.irregular_active_parameters += too_few * (count.active_per_moe_layer - count.per_layer);
  note(model, "mixture layers are placed unevenly; they are forecast as evenly placed");
}

// Some files list these by layer.
std::int64_t usual_whole(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  return found && found->is_array() ? find_usual_count(node, names).value_or(0)
                                    : whole_of(node, names);
}

void parse_shared_experts(const Node& node, Transformer& model) {
  MixtureOfExperts& moe = *model.moe;
  moe.shared_experts = usual_whole(node, {"n_shared_experts", "num_shared_experts",
                                          "moe_num_shared_experts", "num_shared_expert"});
  moe.shared_ffn = moe.shared_experts * moe.expert_ffn;
  // A width of all shared experts together: Qwen's have a gate of one column beside them.
  const std::int64_t gated = whole_of(node, {"shared_expert_intermediate_size"});
  const std::int64_t plain =
      whole_of(node, {"moe_shared_expert_intermediate_size", "shared_intermediate_size"});
  if (gated > 0 || plain > 0) {
    moe.shared_experts = std::max<std::int64_t>(moe.shared_experts, 1);
    moe.shared_ffn = std::max(gated, plain);
    moe.shared_expert_gate = gated > 0;
  }
  if (const auto dense = find_count(node, {"intermediate_size_mlp"})) {  // Llama 4
    moe.shared_experts = 1;
    moe.shared_ffn = moe.expert_ffn;
    model.ffn = *dense;
  }
  if (find_bool(node, {"enable_moe_block"})
          .value_or(false)) {  // Gemma 4: an MLP beside the experts
    moe.shared_experts = 1;
    moe.shared_ffn = model.ffn;
  }
}

}  // namespace

void note(Transformer& model, const std::string& text) {
  model.not_counted += (model.not_counted.empty() ? "" : "; ") + text;
}

void parse_experts(const Node& node, Transformer& model) {
  const std::int64_t experts = usual_whole(node, names::experts);
  if (experts == 0) return;
  model.moe = MixtureOfExperts{};
  model.moe->experts = experts;
  const auto chosen = find_usual_count(node, names::experts_per_token);
  model.moe->experts_per_token = chosen ? *chosen : count_of(node, names::experts_per_token);
  model.moe->expert_ffn = find_usual_count(node, names::expert_ffn).value_or(model.ffn);
  if (model.moe->expert_ffn == 0) model.moe->expert_ffn = count_of(node, names::ffn);
  parse_shared_experts(node, model);
}

void parse_placing(const Node& node, Transformer& model) {
  if (!model.moe) return;
  MixtureOfExperts& moe = *model.moe;
  Placing placing = listed_placing(node, model.layers);
  if (placing.empty()) {
    moe.leading_dense_layers =
        whole_of(node, {"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"});
    moe.layer_interval = interval_of(node);
    const auto dense_layers = integers_of(node, {"mlp_only_layers"});
    if (dense_layers.empty()) return;
    for (std::int64_t i = 0; i < model.layers; ++i)
      placing.push_back(is_mixture_layer(model, i) &&
                        std::find(dense_layers.begin(), dense_layers.end(), i) ==
                            dense_layers.end());
  }
  fit_placing(placing, model);
  adjust_placing(placing, model);
}

}  // namespace stepcast
