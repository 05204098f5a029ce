#include "reports/import_deepspeed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json read(const std::string& text, std::int64_t gpus = 8) {
  json note;
  ForeignSettings settings("ds.json", read_deepspeed("ds.json", text, note));
  json document = deepspeed_document(settings, gpus, ReadModel::no);
  settings.throw_if_problems();
  return document;
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ImportDeepSpeed, TwoOfTheBatchSizesGiveTheThird) {
  const std::string head = R"({"bf16": {"enabled": true}, "gradient_accumulation_steps": 4, )";
  // 2 * 4 steps * 8 ranks = 64.
  EXPECT_EQ(read(head + R"("train_micro_batch_size_per_gpu": 2})")["training"]["global_batch"], 64);
  EXPECT_EQ(read(head + R"("train_batch_size": 64})")["training"]["micro_batch"], 2);
  EXPECT_THAT(refusal(head + R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 2})"),
              HasSubstr("4 * micro-batch 2 * 8 data-parallel ranks is not train_batch_size 32"));
}

TEST(ImportDeepSpeed, OneBatchSizeAloneIsWithoutAccumulation) {
  const std::string head = R"({"bf16": {"enabled": true}, )";
  EXPECT_EQ(read(head + R"("train_batch_size": 64})")["training"]["micro_batch"], 8);
  EXPECT_EQ(read(head + R"("train_micro_batch_size_per_gpu": 2})")["training"]["global_batch"], 16);
}

TEST(ImportDeepSpeed, StagesAreShardings) {
  const auto sharding = [](const std::string& stage) {
    return read(R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": )" + stage +
                "}}")["parallel"]["sharding"];
  };
  EXPECT_EQ(sharding("0"), "none");
  EXPECT_EQ(sharding("1"), "optimizer");
  EXPECT_EQ(sharding("2"), "gradients");
  EXPECT_EQ(sharding("3"), "parameters");
  EXPECT_THAT(refusal(R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": 4}})"),
              HasSubstr("zero_optimization.stage: must be 0, 1, 2 or 3, found \"4\""));
}

TEST(ImportDeepSpeed, AutoStaysOpen) {
  const json document = read(R"({"fp16": {"enabled": "auto"}, "train_batch_size": "auto",
               "train_micro_batch_size_per_gpu": "auto"})");
  EXPECT_FALSE(document["training"].contains("precision"));
  EXPECT_FALSE(document["training"].contains("global_batch"));
}

TEST(ImportDeepSpeed, ALaunchScriptHoldsTheJsonAsAHereDocument) {
  const json document = read(
      "TP=4\nSTAGE=1\ncat <<EOT > $CONFIG\n"
      "{\"zero_optimization\": {\"stage\": $STAGE}, \"bf16\": {\"enabled\": true}}\nEOT\n"
      "deepspeed pretrain_gpt.py --tensor-model-parallel-size $TP --num-layers 4 \\\n"
      "  --micro-batch-size 2 --use-flash-attn-v2 --checkpoint-activations\n");
  EXPECT_EQ(document["parallel"]["tensor"], 4);
  EXPECT_EQ(document["parallel"]["data"], 2);
  EXPECT_EQ(document["parallel"]["sharding"], "optimizer");
  EXPECT_EQ(document["training"]["recompute"], json({{"kind", "full"}}));
  EXPECT_EQ(document["training"]["attention"], "flash");
}

TEST(ImportDeepSpeed, ReportsAFileThatIsNoJson) {
  EXPECT_THAT(refusal("{\n  \"train_batch_size\": CONFIG_BATCH_SIZE\n}"),
              HasSubstr("ds.json: line 2, column"));
  EXPECT_THAT(refusal("{}"), HasSubstr("bf16.enabled: missing, as is fp16.enabled"));
}

}  // namespace
}  // namespace stepcast
