#include "models/model_check.hpp"

#include <algorithm>

#include "models/parameters.hpp"

namespace stepcast {
namespace {

struct Limit {
  const std::string& key;
  std::int64_t value;
  std::int64_t most;
};

class Check {
 public:
  Check(const Node& node, const ModelKeys& keys) : node_(node), keys_(keys) {}

  void limits(const Transformer& model) {
    const MixtureOfExperts moe = model.moe.value_or(MixtureOfExperts{});
    const LatentAttention latent = model.latent_attention.value_or(LatentAttention{});
    const Limit limits[] = {
        {keys_.layers, model.layers, 1 << 13},
        {keys_.hidden, model.hidden, 1 << 18},
        {keys_.heads, model.heads, 1 << 14},
        {keys_.kv_heads, model.kv_heads, 1 << 14},
        {keys_.head_dim, model.head_dim, 1 << 14},
        {keys_.ffn, model.ffn, 1 << 24},
        {keys_.vocabulary, model.vocabulary, 1 << 28},
        {keys_.experts, moe.experts, 1 << 14},
        {keys_.expert_ffn, std::max(moe.expert_ffn, moe.shared_ffn), 1 << 22},
        {keys_.positions, model.max_positions, 1 << 28},
        {keys_.latent,
         std::max({latent.q_lora_rank, latent.kv_lora_rank, latent.qk_nope_head_dim,
                   latent.qk_rope_head_dim, latent.v_head_dim, latent.index_heads,
                   latent.index_head_dim}),
         1 << 14},
    };
    for (const Limit& limit : limits)
      if (limit.value > limit.most)
        report(limit.key, "must be <= " + std::to_string(limit.most) + ", found " +
                              std::to_string(limit.value));
  }

  void relations(const Transformer& model) {
    if (model.kv_heads > 0 && model.heads % model.kv_heads != 0)
      report(keys_.kv_heads, "must divide the " + std::to_string(model.heads) +
                                 " attention heads, found " + std::to_string(model.kv_heads));
    if (model.moe && model.moe->experts_per_token > model.moe->experts)
      report(keys_.experts_per_token, "must be <= the " + std::to_string(model.moe->experts) +
                                          " experts, found " +
                                          std::to_string(model.moe->experts_per_token));
  }

  void total(const Transformer& model) {
    const std::int64_t layer =
        attention_parameters(model) + std::max(mlp_parameters(model), mixture_parameters(model));
    const double most = 1e16;
    const double sum = static_cast<double>(model.layers) * static_cast<double>(layer) +
                       2.0 * static_cast<double>(model.vocabulary * model.hidden);
    if (sum > most) report(keys_.layers, "describes more than 1e16 parameters");
  }

  [[nodiscard]] bool clean() const { return clean_; }

 private:
  void report(const std::string& key, const std::string& message) {
    clean_ = false;
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos)
      node_.problem(key, message);
    else
      node_.at(key.substr(0, dot)).problem(key.substr(dot + 1), message);
  }

  const Node& node_;
  const ModelKeys& keys_;
  bool clean_ = true;
};

}  // namespace

Transformer harmless_model() {
  Transformer model;
  model.layers = model.hidden = model.heads = model.kv_heads = model.head_dim = model.ffn = 1;
  model.vocabulary = 1;
  return model;
}

void check_model(const Node& node, Transformer& model, const ModelKeys& keys) {
  Check check(node, keys);
  check.limits(model);
  if (check.clean()) check.relations(model);
  if (check.clean()) check.total(model);
  if (!check.clean()) model = harmless_model();
}

}  // namespace stepcast
