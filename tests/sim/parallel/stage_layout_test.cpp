#include "sim/parallel/stage_layout.hpp"

#include <algorithm>

#include "models/load.hpp"
#include "models/parameters.hpp"
#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing_runs::Json;
using testing_runs::run_with;

std::vector<std::int64_t> layers_of(const Run& run) {
  std::vector<std::int64_t> layers;
  for (const auto& stage : lay_out_stages(run).stages) {
    layers.push_back(0);
    for (const Chunk& chunk : stage) layers.back() += chunk.layers;
  }
  return layers;
}

const std::vector<std::string> llama_405b{"model=llama-3-405b", "cluster=dgx-h100:128",
                                          "parallel.tensor=8", "training.global_batch=1024"};

std::vector<std::string> with(std::vector<std::string> base, const std::vector<std::string>& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

TEST(StageLayout, DividesLayersEvenly) {
  EXPECT_EQ(layers_of(run_with({"parallel.pipeline=4"})),
            (std::vector<std::int64_t>{20, 20, 20, 20}));
}

TEST(StageLayout, VirtualStagesAreDealtRoundTheRanks) {
  // 80 layers, 4 ranks, 2 chunks each: 10 layers a chunk; chunk v of rank r is stage 4v + r.
  const auto run =
      run_with({"parallel.tensor=2", "parallel.pipeline=4", "parallel.virtual_stages=2"});
  const StageLayout layout = lay_out_stages(run);
  EXPECT_EQ(layout.stages[0], (std::vector<Chunk>{{0, 10, true, false}, {40, 10, false, false}}));
  EXPECT_EQ(layout.stages[3], (std::vector<Chunk>{{30, 10, false, false}, {70, 10, false, true}}));
}

TEST(StageLayout, CountsEmbeddingAndLossAsLayers) {
  // Llama-3-405B, 126 layers + 2 units over 8 stages: 15, 6 times 16, 15.
  const auto run =
      run_with(with(llama_405b, {"parallel.pipeline=8",
                                 "parallel.stage_layers={\"account_for_embedding\":true,"
                                 "\"account_for_loss\":true}"}));
  const std::vector<std::int64_t> expected{15, 16, 16, 16, 16, 16, 16, 15};
  EXPECT_EQ(layers_of(run), expected);
  SKIP_WITHOUT_VECTORS(vectors);
  EXPECT_EQ(Json(expected),
            testing_runs::vector_named(
                vectors, "pp/405b_layout_pp8")["expected"]["decoder_layers_per_stage"]);
}

TEST(StageLayout, TakesTheCountedUnitsFromTheOuterChunksOnly) {
  // 126 + 2 units over 8 * 4 chunks: 4 each; the first and the last hold 3 layers.
  const auto run =
      run_with(with(llama_405b, {"parallel.pipeline=8", "parallel.virtual_stages=4",
                                 "parallel.stage_layers={\"account_for_embedding\":true,"
                                 "\"account_for_loss\":true}"}));
  const StageLayout layout = lay_out_stages(run);
  EXPECT_EQ(layout.stages[0][0].layers, 3);
  EXPECT_EQ(layout.stages[0][1].layers, 4);
  EXPECT_EQ(layout.stages[0][1].first_layer, 31);  // after 3 + 7 * 4 layers
  EXPECT_EQ(layout.stages[7][3].layers, 3);
}

TEST(StageLayout, FirstAndLastLeaveTheRestToTheMiddle) {
  // 80 - 18 - 22 = 40 layers for 2 stages.
  EXPECT_EQ(layers_of(run_with(
                {"parallel.pipeline=4", "parallel.stage_layers={\"first\":18,\"last\":22}"})),
            (std::vector<std::int64_t>{18, 20, 20, 22}));
  EXPECT_EQ(layers_of(run_with({"parallel.pipeline=4", "parallel.stage_layers={\"first\":17}"})),
            (std::vector<std::int64_t>{17, 21, 21, 21}));
}

TEST(StageLayout, EveryStageMayBeGiven) {
  const auto run = run_with({"parallel.pipeline=4", "parallel.stage_layers=[19,21,21,19]"});
  EXPECT_EQ(layers_of(run), (std::vector<std::int64_t>{19, 21, 21, 19}));
  EXPECT_EQ(lay_out_stages(run).stages[2][0].first_layer, 40);
}

TEST(StageLayout, TorchtitanCountsTheEndsAndDealsTheRemainder) {
  // 80 + 2 units over 4 stages: 21, 21, 20, 20, less the embedding and the head.
  EXPECT_EQ(layers_of(run_with(
                {"parallel.pipeline=4", "framework=torchtitan", "parallel.sharding=none"})),
            (std::vector<std::int64_t>{20, 21, 20, 19}));
}

std::int64_t parameters_of_stage(const Run& run, std::size_t stage) {
  return stage_parameters(run, lay_out_stages(run).stages[stage]).total();
}

TEST(StageParameters, MatchTheVectorsOfLlama) {
  SKIP_WITHOUT_VECTORS(vectors);
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"dp/llama3_8b_tp1_pp1_cp2_dp4",
       {"model=llama-3-8b", "cluster=dgx-h100:1", "parallel.context=2"}},
      {"dp/llama3_70b_tp4_pp4_cp2_dp2",
       {"parallel.tensor=4", "parallel.pipeline=4", "parallel.context=2"}},
      {"dp/llama3_405b_tp8_pp9_cp2_dp8",
       {"model=llama-3-405b", "cluster=dgx-h100:144", "training.global_batch=1152",
        "parallel.tensor=8", "parallel.pipeline=9", "parallel.context=2"}}};
  for (const auto& [id, assignments] : cases) {
    const auto run = run_with(assignments);
    const Json expected = testing_runs::vector_named(vectors, id)["expected"]["per_stage"];
    EXPECT_FALSE(expected.empty());
    for (const auto& [stage, values] : expected.items())
      EXPECT_EQ(parameters_of_stage(run, std::stoul(stage.substr(5))), values["params"])
          << id << " " << stage;
  }
}

TEST(StageParameters, FirstStageOfLlama70B) {
  // 20 layers of (150,994,944 + 704,643,072) / 4 + 2 * 8192 norms, and 128512 * 8192 / 4.
  const auto run = run_with({"parallel.tensor=4", "parallel.pipeline=4"});
  EXPECT_EQ(parameters_of_stage(run, 0), 4'541'710'336);
  EXPECT_EQ(parameters_of_stage(run, 3), 4'541'710'336 + 8192);  // final norm
}

TEST(StageParameters, ATiedEmbeddingIsCopiedToTheLastStageOnly) {
  const std::vector<std::string> gpt3{"model=gpt3-175b", "parallel.tensor=8",
                                      "training.sequence_length=2048"};
  const std::int64_t table = 51200 * 12288 / 8;
  const auto whole = run_with(gpt3);
  const auto split = run_with(with(gpt3, {"parallel.pipeline=2"}));
  EXPECT_EQ(parameters_of_stage(split, 0) + parameters_of_stage(split, 1),
            parameters_of_stage(whole, 0) + table);
}

TEST(StageParameters, OneRankHoldsTheWholeModel) {
  // Against the count of the whole model, for families with biases, tied heads, query norms...
  for (const char* model : {"llama-3-8b", "gpt2", "gpt3-175b", "qwen3-8b", "gemma-2-9b",
                            "qwen2.5-7b", "olmo-2-7b", "phi-2", "gpt-neox-20b", "bloom-176b"}) {
    const auto presets = model_presets();
    if (std::find(presets.begin(), presets.end(), model) == presets.end()) continue;
    const auto run = run_with({std::string("model=") + model, "training.sequence_length=1024"});
    EXPECT_EQ(parameters_of_stage(run, 0),
              count_parameters(run.model, run.padded_vocabulary()).total)
        << model;
  }
}

TEST(StageParameters, StagesAndTensorRanksAddUpToTheModel) {
  // Matrices are split over 4 tensor ranks, norms are on each; nothing is lost or doubled.
  const auto run = run_with({"parallel.tensor=4", "parallel.pipeline=4"});
  std::int64_t sum = 0;
  for (const auto& stage : lay_out_stages(run).stages) {
    const StageParameters parameters = stage_parameters(run, stage);
    sum += 4 * parameters.matrices + parameters.replicated;
  }
  EXPECT_EQ(sum, count_parameters(run.model, 128512).total);
}

}  // namespace
}  // namespace stepcast
