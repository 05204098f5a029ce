#include "sim/plan/advice_rules.hpp"

#include "models/parameters.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

double crossover_length(const Transformer& model) {
  const ParameterCount count = count_parameters(model);
  return real(count.attention_per_layer + count.mlp_per_layer) / real(model.heads * model.head_dim);
}

double attention_share(const Transformer& model, std::int64_t sequence_length) {
  return real(sequence_length) / (real(sequence_length) + crossover_length(model));
}

double tensor_communication(const Transformer& model, std::int64_t tensor, FlopsPerSecond layer,
                            BytesPerSecond link) {
  return 4.0 * real(model.hidden * (tensor - 1)) / real(count_parameters(model).per_layer) *
         layer.value() / link.value();
}

double least_ring_tokens(double kv_heads_per_head, FlopsPerSecond layer, BytesPerSecond link) {
  return 2.0 * kv_heads_per_head * layer.value() / link.value();
}

double least_data_tokens(FlopsPerSecond layer, BytesPerSecond link) {
  return layer.value() / link.value();
}

double bubble_share(std::int64_t pipeline, std::int64_t virtual_stages,
                    std::int64_t micro_batches) {
  return real(pipeline - 1) / real(virtual_stages * micro_batches);
}

}  // namespace stepcast
