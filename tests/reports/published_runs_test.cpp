#include "reports/published_runs.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

nlohmann::json row() {
  return nlohmann::json::parse(R"({
    "id": "made-up", "framework": "Megatron-LM", "framework_version": "2022-05",
    "date": "2022-05", "gpu": "A100-80GB-SXM", "gpus": 64, "gpus_per_node": 8,
    "interconnect": "8x HDR", "model": "gpt-175b",
    "arch": {"layers": 96, "hidden": 12288, "heads": 96, "kv_heads": 96, "head_dim": 128,
             "ffn": 49152, "gated_mlp": false, "vocab": 51200, "experts": null,
             "tied_embeddings": true},
    "seq_len": 2048, "global_batch": 64, "micro_batch": 1, "tp": 8, "pp": 8, "cp": 1, "dp": 1,
    "vp": 3, "sequence_parallel": true, "zero": "none", "recompute": "selective",
    "precision": "fp16", "attention": "unfused", "overlap": {"dp_grad_reduce": false},
    "completeness": "full", "missing": [], "notes": ""})");
}
Run run_of(const nlohmann::json& json) { return std::get<Run>(published_run(json)); }
std::string reason_of(const nlohmann::json& json) {
  return std::get<std::string>(published_run(json));
}

TEST(PublishedRuns, GptStyleModelsHaveBiasesPositionsAndDropout) {
  const auto run = run_of(row());
  EXPECT_EQ(run.model.norm, NormKind::layer_norm);
  EXPECT_TRUE(run.model.mlp_bias);
  EXPECT_EQ(run.model.max_positions, 2048);
  EXPECT_EQ(run.model.hidden_dropout, 0.1);
  EXPECT_EQ(run.parallel.schedule, ScheduleKind::interleaved);
  EXPECT_EQ(run.framework_release, "megatron-2022");
}

TEST(PublishedRuns, DateAndFrameworkPickTheRelease) {
  nlohmann::json json = row();
  json["date"] = "2021-04";
  EXPECT_EQ(run_of(json).framework_release, "megatron-2021");
  json["framework"] = "Megatron-DeepSpeed (microsoft)";
  json["interconnect"] = "inter-node 800 Gb/s per node";
  const auto run = run_of(json);
  EXPECT_EQ(run.framework_release, "megatron-deepspeed-2023");
  EXPECT_EQ(run.cluster.server.nics, 4);
}

TEST(PublishedRuns, UnknownOverlapIsTheRecipesDefaultNotOff) {
  nlohmann::json json = row();
  json["framework"] = "NeMo (Megatron-Core)";
  json["gpu"] = "H100-80GB-SXM";
  json["zero"] = "distributed_optimizer";
  json["precision"] = "bf16";
  json["attention"] = "flash";
  json["overlap"] = nullptr;
  const auto run = run_of(json);
  EXPECT_TRUE(run.overlap.grad_reduce && run.overlap.param_gather && run.overlap.tensor &&
              run.overlap.pipeline);
  EXPECT_EQ(run.training.gradient_dtype, DataType::bf16);
}

TEST(PublishedRuns, LayersThatDoNotDivideCountEmbeddingAndLoss) {
  nlohmann::json json = row();
  json["arch"]["layers"] = 22;
  json["pp"] = 8;
  const auto run = run_of(json);
  EXPECT_TRUE(run.parallel.stage_layers.account_for_embedding);
  EXPECT_TRUE(run.parallel.stage_layers.account_for_loss);
}

TEST(PublishedRuns, SkipsSayWhy) {
  nlohmann::json json = row();
  json["arch"]["experts"] = 8;
  EXPECT_EQ(reason_of(json), "mixture-of-experts models are not simulated yet");
  json = row();
  json["completeness"] = "partial";
  json["missing"] = {"recompute", "micro_batch"};
  EXPECT_EQ(reason_of(json), "the source does not state recompute, micro_batch");
  json = row();
  json["zero"] = "zero3/fsdp";
  EXPECT_EQ(reason_of(json),
            "sharding of gradients or parameters (zero3/fsdp) is not simulated yet");
  json = row();
  json["overlap"]["dp_grad_reduce"] = "yes";
  EXPECT_NE(reason_of(json).find("the row is not of the expected form"), std::string::npos);
  json = row();
  json["arch"]["heads"] = 0;
  EXPECT_EQ(reason_of(json), "heads = 0 is out of range");
  json = row();
  json["gpu"] = "MI300X";
  EXPECT_EQ(reason_of(json), "no profile for GPU MI300X");
  json = row();
  json["precision"] = "nvfp4";
  EXPECT_EQ(reason_of(json), "nvfp4 kernels are not in the profiles");
}

TEST(PublishedRuns, RunsThatBreakARuleSayWhich) {
  nlohmann::json json = row();
  json["global_batch"] = 63;
  json["dp"] = 2;
  json["gpus"] = 128;
  EXPECT_NE(reason_of(json).find("training.global_batch"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
