#include "reports/torchtitan_flavors.hpp"

#include <utility>
#include <vector>

#include "models/load.hpp"

namespace stepcast {
namespace {

const std::vector<std::pair<TorchtitanFlavor, std::string>>& flavors() {
  static const std::vector<std::pair<TorchtitanFlavor, std::string>> table{
      {{"llama3", "8B"}, "llama-3-8b"},
      {{"llama3", "70B"}, "llama-3-70b"},
      {{"llama3", "405B"}, "llama-3-405b"},
      {{"qwen3", "0.6B"}, "qwen3-0.6b"},
      {{"qwen3", "1.7B"}, "qwen3-1.7b"},
      {{"qwen3", "4B"}, "qwen3-4b"},
      {{"qwen3", "8B"}, "qwen3-8b"},
      {{"qwen3", "14B"}, "qwen3-14b"},
      {{"qwen3", "32B"}, "qwen3-32b"},
      {{"qwen3", "30B-A3B"}, "qwen3-30b-a3b"},
      {{"deepseek_v3", "16B"}, "deepseek-v2-lite"},
      {{"deepseek_v3", "236B"}, "deepseek-v2"},
      {{"deepseek_v3", "671B"}, "deepseek-v3"}};
  return table;
}

// What counts for a forecast: rotary positions have no table, names are names.
Transformer shape_of(Transformer model) {
  model.name.clear();
  model.not_counted.clear();
  if (model.position != PositionKind::learned) model.max_positions = 0;
  return model;
}

}  // namespace

std::string preset_of(const TorchtitanFlavor& wanted) {
  for (const auto& [flavor, preset] : flavors())
    if (flavor.name == wanted.name && flavor.flavor == wanted.flavor) return preset;
  return "";
}

TorchtitanFlavor flavor_of(const Transformer& model) {
  for (const auto& [flavor, preset] : flavors())
    if (shape_of(load_model(preset)) == shape_of(model)) return flavor;
  return {};
}

}  // namespace stepcast
