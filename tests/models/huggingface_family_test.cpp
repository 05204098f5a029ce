#include "models/huggingface_family.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

Family family(const std::string& model_type, const std::string& fields = "{}") {
  const JsonReader reader("", fields);
  return family_of(reader.root(), model_type);
}

TEST(Family, IsTheLongestMatchingPrefix) {
  EXPECT_EQ(family("qwen3_moe").type, "qwen3");
  EXPECT_EQ(family("gemma3_text").type, "gemma3");
  EXPECT_EQ(family("gpt_neox").type, "gpt_neox");  // not gpt_neo
  EXPECT_EQ(family("phi3").type, "phi3");          // not phi
  EXPECT_EQ(family("glm4_moe").type, "glm4_moe");
  EXPECT_EQ(family("deepseek_v32").type, "deepseek");
}

TEST(Family, IsGuessedForAnUnknownType) {
  EXPECT_EQ(family("novel", R"({"rms_norm_eps": 1e-6})").mlp, MlpKind::gated);
  EXPECT_EQ(family("novel", R"({"rms_norm_eps": 1e-6, "hidden_act": "relu2"})").mlp,
            MlpKind::plain);
  EXPECT_EQ(family("novel", R"({"hidden_act": "silu"})").norm, NormKind::layer_norm);
  EXPECT_EQ(family("", R"({"rotary_pct": 0.25})").position, PositionKind::rotary);
  EXPECT_EQ(family("", "{}").position, PositionKind::learned);
}

TEST(Family, KnowsOtherArchitectures) {
  EXPECT_TRUE(is_other_architecture("bert"));
  EXPECT_TRUE(is_other_architecture("t5"));
  EXPECT_FALSE(is_other_architecture("llama"));
  EXPECT_FALSE(is_other_architecture(""));
}

}  // namespace
}  // namespace stepcast
