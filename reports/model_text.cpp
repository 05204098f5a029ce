#include "reports/model_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "models/flops.hpp"
#include "models/model_json.hpp"
#include "models/parameters.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

std::vector<std::pair<std::string, std::int64_t>> parameter_parts(const Transformer& model,
                                                                  const ParameterCount& count) {
  std::vector<std::pair<std::string, std::int64_t>> parts{{"word embedding", count.embedding}};
  if (count.position_embedding > 0)
    parts.emplace_back("position embedding", count.position_embedding);
  if (!model.moe || model.moe->leading_dense_layers > 0 || model.moe->layer_interval > 1)
    parts.emplace_back("one dense layer", count.per_layer);
  if (model.moe) {
    parts.emplace_back("one mixture layer", count.per_moe_layer);
    parts.emplace_back("of which active", count.active_per_moe_layer);
  }
  parts.emplace_back("final norm", count.final_norm);
  parts.emplace_back(model.tied_embeddings ? "head (tied)" : "head", count.head);
  parts.emplace_back("total", count.total);
  if (count.active != count.total) parts.emplace_back("active for a token", count.active);
  return parts;
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string shape_table(const Transformer& model) {
  TextTable table({{"shape", Align::left}, {"value"}});
  const auto add = [&](const char* name, std::int64_t value) {
    table.add_row({name, std::to_string(value)});
  };
  add("layers", model.layers);
  add("hidden", model.hidden);
  add("heads", model.heads);
  add("kv heads", model.kv_heads);
  add("head dim", model.head_dim);
  add("ffn", model.ffn);
  add("vocabulary", model.vocabulary);
  table.add_row({"gated MLP", yes_no(model.gated_mlp)});
  table.add_row({"tied embeddings", yes_no(model.tied_embeddings)});
  if (model.moe) {
    add("experts", model.moe->experts);
    add("experts per token", model.moe->experts_per_token);
    add("expert ffn", model.moe->expert_ffn);
    add("shared experts", model.moe->shared_experts);
  }
  if (model.latent_attention) add("kv lora rank", model.latent_attention->kv_lora_rank);
  if (model.sliding_window > 0) add("sliding window", model.sliding_window);
  return table.str();
}

double flops_per_token(const Transformer& model, std::int64_t sequence_length,
                       FlopsConvention convention) {
  return model_flops(model, sequence_length, model.vocabulary, convention).value() /
         static_cast<double>(sequence_length);
}

}  // namespace

std::string model_text(const Transformer& model, std::int64_t sequence_length) {
  TextTable parameters({{"parameters", Align::left}, {"count"}});
  for (const auto& [name, count] : parameter_parts(model, count_parameters(model)))
    parameters.add_row({name, std::to_string(count)});
  std::string out = model.name + "\n\n" + shape_table(model) + "\n" + parameters.str() + "\n";
  out += fmt::format(
      "training GFLOP per token at {} tokens: {} (attention causal), {} (attention full)\n",
      sequence_length,
      three_digits(flops_per_token(model, sequence_length, FlopsConvention::causal) / 1e9),
      three_digits(flops_per_token(model, sequence_length, FlopsConvention::full) / 1e9));
  if (!model.not_counted.empty()) out += "warning: not counted: " + model.not_counted + "\n";
  return out;
}

nlohmann::json model_document(const Transformer& model) {
  const ParameterCount count = count_parameters(model);
  nlohmann::json document = to_json(model);
  document["derived"]["parameters"] = {{"total", count.total},
                                       {"active", count.active},
                                       {"per_layer", count.per_layer},
                                       {"per_moe_layer", count.per_moe_layer},
                                       {"active_per_moe_layer", count.active_per_moe_layer},
                                       {"embedding", count.embedding},
                                       {"position_embedding", count.position_embedding},
                                       {"head", count.head},
                                       {"final_norm", count.final_norm}};
  return document;
}

}  // namespace stepcast
