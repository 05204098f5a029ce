#include "sim/plan/advice_rules.hpp"

#include <gtest/gtest.h>

#include "models/load.hpp"
#include "tests/models/semantics_vectors.hpp"

namespace stepcast {
namespace {

TEST(AdviceRules, AttentionMeetsTheLinearLayersWhereTheVectorsSay) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  for (const auto& vector : semantics_vectors("seq_crossover/")) {
    const Transformer model = model_of_vector(named_vector_model(vector));
    const double equal = vector.at("expected").at("s_equal");
    EXPECT_DOUBLE_EQ(crossover_length(model), equal) << vector.at("id");
    // A third of it: attention does a quarter of the work.
    const double quarter = vector.at("expected").at("s_quarter");
    EXPECT_NEAR(attention_share(model, static_cast<std::int64_t>(quarter)),
                attention_share_of_long_sequences, 1e-5)
        << vector.at("id");
  }
}

TEST(AdviceRules, TensorCommunicationIsThatOfTheVectors) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  const auto vector = semantics_vectors("tp/comm_compute_ratio").front();
  for (const auto& [name, expected] : vector.at("expected").items()) {
    const std::size_t cut = name.rfind("_t");
    const auto& letters = semantics_document().at("models").at(name.substr(0, cut));
    EXPECT_NEAR(tensor_communication(model_of_vector(letters), std::stoll(name.substr(cut + 2)),
                                     FlopsPerSecond{vector.at("inputs").at("F")},
                                     BytesPerSecond{vector.at("inputs").at("B")}),
                expected.get<double>(), 1e-12)
        << name;
  }
}

TEST(AdviceRules, RingsHideFromTheTokensOfTheVectorsOn) {
  STEPCAST_SKIP_WITHOUT_VECTORS();
  const auto one = semantics_vectors("cp/overlap_min_local_seq").front();
  const auto& inputs = one.at("inputs").at("formula_inputs");
  EXPECT_DOUBLE_EQ(
      least_ring_tokens(inputs.at("kv_over_a"), FlopsPerSecond{inputs.at("F_eff_flops")},
                        BytesPerSecond{inputs.at("B_link_bytes_per_s")}),
      one.at("expected").at("min_s_local").get<double>());
  const auto table = semantics_vectors("cp/min_local_seq_table").front();
  for (const auto& [name, expected] : table.at("expected").items()) {
    const Transformer model = model_of_vector(semantics_document().at("models").at(name));
    EXPECT_DOUBLE_EQ(
        least_ring_tokens(static_cast<double>(model.kv_heads) / static_cast<double>(model.heads),
                          FlopsPerSecond{table.at("inputs").at("F")},
                          BytesPerSecond{table.at("inputs").at("B")}),
        expected.get<double>())
        << name;
  }
}

TEST(AdviceRules, GradientsHideFromFOverBTokensOn) {
  // SEMANTICS 11.2: 400 TFLOP/s over 50 GB/s: 8000 tokens.
  EXPECT_DOUBLE_EQ(least_data_tokens(FlopsPerSecond{400e12}, BytesPerSecond{50e9}), 8000.0);
}

TEST(AdviceRules, VirtualStagesDivideTheBubble) {
  // Llama 3 405B: 16 stages of 8 virtual ones, 16 micro-batches: 15 / 128.
  EXPECT_DOUBLE_EQ(bubble_share(16, 8, 16), 15.0 / 128.0);
  EXPECT_LT(bubble_share(16, 8, 16), most_bubble);
  EXPECT_EQ(bubble_share(1, 1, 16), 0.0);
}

}  // namespace
}  // namespace stepcast
