#include "models/model_check.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "models/load.hpp"

namespace stepcast {
namespace {

std::string problems_of(Transformer model, const ModelKeys& keys = {}) {
  const JsonReader reader("", R"({"moe": {}, "ffn_config": {}})");
  check_model(reader.root(), model, keys);
  EXPECT_EQ(model == harmless_model(), !reader.problems().empty());
  std::string lines;
  for (const Problem& problem : reader.problems())
    lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

TEST(CheckModel, AcceptsEveryPreset) {
  for (const std::string& preset : model_presets()) EXPECT_EQ(problems_of(load_model(preset)), "");
}

TEST(CheckModel, UsesTheDocumentsNames) {
  Transformer model = load_model("mixtral-8x7b");
  model.kv_heads = 5;
  model.moe->experts_per_token = 9;
  EXPECT_EQ(
      problems_of(model, {.kv_heads = "num_kv_heads", .experts_per_token = "ffn_config.moe_top_k"}),
      "num_kv_heads: must divide the 32 attention heads, found 5\n"
      "ffn_config.moe_top_k: must be <= the 8 experts, found 9");
}

TEST(CheckModel, KeepsCountsFromOverflow) {
  Transformer model = load_model("mixtral-8x7b");
  model.hidden = std::numeric_limits<std::int64_t>::max();
  model.moe->expert_ffn = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(problems_of(model),
            "hidden: must be <= 262144, found 9223372036854775807\n"
            "moe.expert_ffn: must be <= 4194304, found 9223372036854775807");
}

TEST(CheckModel, RefusesModelsPastAllReason) {
  Transformer model = load_model("mixtral-8x7b");
  model.layers = 8192;
  model.hidden = 262144;
  model.moe->experts = 16384;
  EXPECT_EQ(problems_of(model), "layers: describes more than 1e16 parameters");
}

}  // namespace
}  // namespace stepcast
