#include "sim/plan/migration_tensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/load.hpp"
#include "tests/sim/parallel/run_fixtures.hpp"
#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TensorChange change_named(const std::vector<TensorChange>& changes, const std::string& part) {
  for (const TensorChange& change : changes)
    if (change.name.find(part) != std::string::npos) return change;
  ADD_FAILURE() << "no change of " << part;
  return {};
}

std::vector<std::string> names_of(const std::vector<TensorChange>& changes) {
  std::vector<std::string> names;
  for (const TensorChange& change : changes) names.push_back(change.name);
  return names;
}

TEST(TensorChanges, AreNoneForTheSameRun) {
  const auto run = tiny_run(8, {"parallel.tensor=2", "parallel.pipeline=2"});
  EXPECT_THAT(tensor_changes(run, run), IsEmpty());
}

// Llama-3-70B: QKV (64 + 2 * 8) * 128 = 10240 rows; FC1 2 * 28672 rows; FC2 28672 columns.
TEST(TensorChanges, OfTensorEightToFourHaveTheLargerSlices) {
  const auto from = testing_runs::run_with({"parallel.tensor=8", "parallel.pipeline=2"});
  const auto to = testing_runs::run_with({"parallel.tensor=4", "parallel.pipeline=2"});
  const auto changes = tensor_changes(from, to);
  EXPECT_THAT(names_of(changes),
              ElementsAre("embedding.word_embeddings.weight",
                          "decoder.layers.self_attention.linear_proj.weight",
                          "decoder.layers.self_attention.linear_qkv.weight",
                          "decoder.layers.mlp.linear_fc1.weight",
                          "decoder.layers.mlp.linear_fc2.weight", "output_layer.weight"));
  const TensorChange qkv = change_named(changes, "linear_qkv");
  EXPECT_EQ(qkv.axis, 0);
  EXPECT_THAT(qkv.from_shape, ElementsAre(1280, 8192));
  EXPECT_THAT(qkv.to_shape, ElementsAre(2560, 8192));
  EXPECT_EQ(qkv.count, 80);
  const TensorChange fc2 = change_named(changes, "linear_fc2");
  EXPECT_EQ(fc2.axis, 1);
  EXPECT_THAT(fc2.from_shape, ElementsAre(8192, 3584));
  EXPECT_THAT(fc2.to_shape, ElementsAre(8192, 7168));
  const TensorChange fc1 = change_named(changes, "linear_fc1");
  EXPECT_EQ(fc1.axis, 0);
  EXPECT_THAT(fc1.to_shape, ElementsAre(14336, 8192));
  EXPECT_EQ(fc1.note,
            "gate and up are cut apart: shards r and r + 8 of 16 become r and r + 4 of 8");
}

// 129024 rows / 8 before, 128512 / 4 after: [v: vocab_pad/128256_tp8, _tp4].
TEST(TensorChanges, IncludeTheVocabularysPadding) {
  const auto changes = tensor_changes(testing_runs::run_with({"parallel.tensor=8"}),
                                      testing_runs::run_with({"parallel.tensor=4"}));
  const TensorChange table = change_named(changes, "word_embeddings");
  EXPECT_THAT(table.from_shape, ElementsAre(16128, 8192));
  EXPECT_THAT(table.to_shape, ElementsAre(32128, 8192));
  EXPECT_EQ(
      table.note,
      "vocabulary of 128256 padded to 129024 rows, then to 128512: load with a shape mismatch");
}

// Four KV heads on eight tensor ranks: 128 rows / 8, and two ranks use each KV head.
TEST(TensorChanges, SplitKvGroupsWithFewerHeadsThanRanks) {
  const auto changes =
      tensor_changes(tiny_run(8, {"parallel.tensor=4"}), tiny_run(8, {"parallel.tensor=8"}));
  const TensorChange qkv = change_named(changes, "linear_qkv");
  EXPECT_THAT(qkv.to_shape, ElementsAre(16, 64));
  EXPECT_THAT(qkv.note, HasSubstr("2 ranks use each KV head"));
}

TEST(TensorChanges, OfPipelineTwoToFourMoveLayers) {
  const auto from = tiny_run(4, {"parallel.pipeline=2"}), to = tiny_run(4, {"parallel.pipeline=4"});
  const auto changes = tensor_changes(from, to);
  ASSERT_THAT(names_of(changes), ElementsAre("decoder.layers"));
  EXPECT_EQ(changes[0].axis, 0);
  EXPECT_THAT(changes[0].from_shape, ElementsAre(2));
  EXPECT_THAT(changes[0].to_shape, ElementsAre(1));
  EXPECT_EQ(changes[0].count, 3);  // layers 1, 2, 3 go from ranks 0, 1, 1 to 1, 2, 3
}

TEST(TensorChanges, OfVirtualStagesMoveLayers) {
  const auto changes =
      tensor_changes(tiny_run(2, {"parallel.pipeline=2"}),
                     tiny_run(2, {"parallel.pipeline=2", "parallel.virtual_stages=2"}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].count, 2);  // layers 1 and 2 change places
}

TEST(TensorChanges, OfUnevenStagesMoveLayers) {
  const auto changes =
      tensor_changes(tiny_run(2, {"parallel.pipeline=2"}),
                     tiny_run(2, {"parallel.pipeline=2", "parallel.stage_layers=[1, 3]"}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_THAT(changes[0].to_shape, ElementsAre(3));
  EXPECT_EQ(changes[0].count, 1);
}

TEST(TensorChanges, AddTheTiedCopyWithAPipeline) {
  const auto run = [](const char* pipeline) {
    return tiny_run(2, {"model.tied_embeddings=true", pipeline});
  };
  const TensorChange copy = change_named(
      tensor_changes(run("parallel.pipeline=1"), run("parallel.pipeline=2")), "output_layer");
  EXPECT_FALSE(copy.axis);
  EXPECT_THAT(copy.from_shape, IsEmpty());
  EXPECT_THAT(copy.to_shape, ElementsAre(1024, 64));
}

// Experts over expert ranks on the first axis, their matrices over expert-tensor ranks.
TEST(TensorChanges, SplitExpertsOverExpertRanks) {
  const auto run = [](std::int64_t expert) {
    auto made = tiny_run(8, {"parallel.tensor=2"});
    made.model.moe = MixtureOfExperts{.experts = 8, .experts_per_token = 2, .expert_ffn = 32};
    made.parallel.expert = expert;
    made.parallel.expert_tensor = 1;
    return made;
  };
  const auto changes = tensor_changes(run(2), run(4));
  const TensorChange fc1 = change_named(changes, "experts.linear_fc1");
  EXPECT_EQ(fc1.axis, 0);
  EXPECT_THAT(fc1.from_shape, ElementsAre(4, 64, 64));
  EXPECT_THAT(fc1.to_shape, ElementsAre(2, 64, 64));
  EXPECT_EQ(changes.size(), 2U);  // and FC2: attention and router stay
}

// [v: ckpt/swiglu_fc1_tp2]: the rows that rank 1 of 2 holds of Llama-3-8B's gate and up.
TEST(BlocksOf, GatedFc1AreTwoShards) {
  SKIP_WITHOUT_VECTORS(vectors);
  const auto expected = testing_runs::vector_named(vectors, "ckpt/swiglu_fc1_tp2")["expected"];
  const auto run = parse_run("run.json", {{"model", "llama-3-8b"},
                                          {"cluster", "dgx-h100:1"},
                                          {"training", {{"sequence_length", 1024}}}});
  for (const ModelTensor& tensor : tensor_inventory(run).dense_layer) {
    if (tensor.name != "decoder.layers.mlp.linear_fc1.weight") continue;
    EXPECT_EQ(expected["global_shape"], (std::vector{tensor.rows, tensor.columns}));
    const auto blocks = blocks_of(tensor, 1, 2);
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(expected["gate_rows"], (std::vector{blocks[0].first, blocks[0].last}));
    EXPECT_EQ(expected["up_rows"], (std::vector{blocks[1].first, blocks[1].last}));
    return;
  }
  FAIL() << "no FC1";
}

// [v: vocab_pad/*]
TEST(TensorInventory, PadsTheVocabularyWithTheTensorGroup) {
  SKIP_WITHOUT_VECTORS(vectors);
  int checked = 0;
  for (const auto& vector : vectors["vectors"]) {
    if (!vector["id"].get<std::string>().starts_with("vocab_pad/")) continue;
    auto run = tiny_run(1);
    run.model.vocabulary = vector["inputs"]["V"];
    run.parallel.tensor = vector["inputs"]["tp"];
    EXPECT_EQ(tensor_inventory(run).embedding.front().rows, vector["expected"]["padded"])
        << vector["id"];
    ++checked;
  }
  EXPECT_EQ(checked, 7);
}

TEST(LayerRanges, JoinNeighbours) {
  EXPECT_EQ(layer_ranges({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
  EXPECT_EQ(layer_ranges({}), "none");
}

}  // namespace
}  // namespace stepcast
