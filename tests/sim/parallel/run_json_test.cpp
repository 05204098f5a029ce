#include "sim/parallel/run_json.hpp"

#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_runs::base_document;
using testing_runs::Json;
using testing_runs::messages_of;
using testing_runs::messages_with;
using testing_runs::run_with;

TEST(ParseRun, TheLeastDocumentIsAModelAndACluster) {
  const auto run = parse_run("run.json", Json{{"model", "gpt3-175b"}, {"cluster", "dgx-a100:4"}});
  EXPECT_EQ(run.training.sequence_length, 2048);  // the model's positions
  EXPECT_EQ(run.parallel.data, 32);
  EXPECT_EQ(run.training.global_batch, 32);  // micro_batch * data
  EXPECT_EQ(run.profile, "a100-sxm-80gb");
}

TEST(ParseRun, DataTakesTheRestOfTheCluster) {
  EXPECT_EQ(run_with({"parallel.tensor=4", "parallel.pipeline=4"}).parallel.data, 4);
}

TEST(ParseRun, ReadsEveryKeyOfTheContract) {
  const auto run = parse_run("run.json", Json::parse(R"({
    "format": "stepcast.run", "version": 1, "name": "a", "comment": "b",
    "model": "llama-3-8b", "cluster": {"server": "dgx-h100", "nodes": 2}, "profile": "h200-sxm",
    "framework": "megatron", "framework_release": 2022,
    "parallel": {"tensor": 2, "pipeline": 4, "context": 2, "data": 1, "expert": 1,
      "expert_tensor": 1, "virtual_stages": 2, "microbatch_group": 8, "sequence_parallel": true,
      "schedule": "interleaved", "context_kind": "ring", "sharding": "optimizer",
      "order": "tp-cp-ep-pp-dp", "stage_layers": [8, 8, 8, 8]},
    "training": {"sequence_length": 4096, "global_batch": 32, "micro_batch": 2,
      "precision": "fp16", "recompute": {"kind": "selective", "modules": ["core_attn", "mlp"]},
      "attention": "flash", "parameter_dtype": "fp16", "gradient_dtype": "fp32",
      "optimizer_dtype": "bf16"},
    "overlap": {"grad_reduce": true, "param_gather": true, "tensor": true, "pipeline": true}})"));
  EXPECT_EQ(run.profile, "h200-sxm");
  EXPECT_EQ(run.framework_release, "2022");
  EXPECT_EQ(run.parallel.microbatch_group, 8);
  EXPECT_EQ(run.parallel.order, "tp-cp-ep-pp-dp");
  EXPECT_TRUE(run.parallel.sequence_parallel);
  EXPECT_EQ(run.training.precision, DataType::fp16);
  EXPECT_EQ(run.training.gradient_dtype, DataType::fp32);
  EXPECT_EQ(run.training.optimizer_dtype, DataType::bf16);
  EXPECT_EQ(run.training.recompute.modules, (std::vector<std::string>{"core_attn", "mlp"}));
  EXPECT_TRUE(run.overlap.grad_reduce && run.overlap.param_gather && run.overlap.tensor);
}

TEST(ParseRun, SelectiveRecomputeMeansCoreAttention) {
  EXPECT_EQ(run_with({"training.recompute=selective"}).training.recompute.modules,
            std::vector<std::string>{"core_attn"});
  EXPECT_THAT(run_with({"training.recompute=full"}).training.recompute.modules, IsEmpty());
}

TEST(ParseRun, AxesLeftOutOfTheOrderComeLast) {
  EXPECT_EQ(run_with({"parallel.order=tp-pp-dp"}).parallel.order, "tp-pp-dp-cp-ep");
}

TEST(ParseRun, SwitchesSequenceParallelOffWithoutTensorAndSaysSo) {
  const auto run = run_with({"parallel.sequence_parallel=true"});
  EXPECT_FALSE(run.parallel.sequence_parallel);
  EXPECT_THAT(run.warnings,
              ElementsAre("parallel.sequence_parallel is off because parallel.tensor is 1, as in "
                          "Megatron-LM"));
}

TEST(ParseRun, SwitchesPipelineOverlapOffWithoutInterleavingAndSaysSo) {
  const auto run = run_with({"parallel.pipeline=2", "overlap.pipeline=true"});
  EXPECT_FALSE(run.overlap.pipeline);
  EXPECT_THAT(run.warnings,
              ElementsAre("overlap.pipeline is off because schedule 1f1b waits for each exchange, "
                          "as in Megatron-LM"));
}

TEST(ParseRun, AnArrayIsNoRun) {
  EXPECT_THAT(messages_of(Json::array()), ElementsAre("run.json: must be a JSON object"));
}

TEST(ParseRun, NeedsModelAndCluster) {
  EXPECT_THAT(messages_of(Json::object()),
              ElementsAre("run.json: model: missing", "run.json: cluster: missing",
                          "run.json: training.sequence_length: missing"));
}

TEST(ParseRun, NamesUnknownKeysWithTheNearest) {
  EXPECT_THAT(messages_with({"paralel.tensor=2", "parallel.tenser=2", "training.seq=1",
                             "overlap.grad_reduc=true"}),
              ElementsAre(HasSubstr("parallel.tenser: unknown key (did you mean \"tensor\"?)"),
                          HasSubstr("training.seq: unknown key"),
                          HasSubstr("overlap.grad_reduc: unknown key (did you mean "
                                    "\"grad_reduce\"?)"),
                          HasSubstr("paralel: unknown key (did you mean \"parallel\"?)")));
}

TEST(ParseRun, ChecksShapeAndRangeOfEveryMember) {
  EXPECT_THAT(
      messages_with({"parallel.tensor=0", "parallel.pipeline=2.5", "parallel.context=two",
                     "parallel.data=-1", "training.micro_batch=0", "overlap.tensor=1",
                     "parallel.virtual_stages=2000000"}),
      ElementsAre("run.json: parallel.tensor: must be a whole number >= 1, found 0",
                  "run.json: parallel.pipeline: must be a whole number >= 1, found 2.5",
                  "run.json: parallel.context: must be a whole number >= 1, found \"two\"",
                  "run.json: parallel.data: must be a whole number >= 1, found -1",
                  "run.json: parallel.virtual_stages: must be at most 1048576, found 2000000",
                  "run.json: training.micro_batch: must be a whole number >= 1, found 0",
                  "run.json: overlap.tensor: must be true or false, found 1"));
}

TEST(ParseRun, ChecksEveryWord) {
  EXPECT_THAT(
      messages_with({"framework=megatorn", "parallel.schedule=interleave",
                     "parallel.sharding=zero1", "training.precision=int8",
                     "training.recompute=most", "training.attention=flash2"}),
      ElementsAre(
          "run.json: framework: must be one of megatron, torchtitan, deepspeed, found "
          "\"megatorn\" (did you mean \"megatron\"?)",
          "run.json: parallel.schedule: must be one of gpipe, 1f1b, interleaved, zb-h1, zb-v, "
          "dualpipe, dualpipev, bfs, found \"interleave\" (did you mean \"interleaved\"?)",
          "run.json: parallel.sharding: must be one of none, optimizer, gradients, parameters, "
          "hybrid, found \"zero1\"",
          "run.json: training.precision: must be one of bf16, fp16, fp8, found \"int8\"",
          "run.json: training.recompute: must be one of none, selective, full, found \"most\"",
          "run.json: training.attention: must be one of flash, unfused, found \"flash2\" (did you "
          "mean \"flash\"?)"));
}

TEST(ParseRun, ChecksOrderStagesAndModules) {
  EXPECT_THAT(
      messages_with({"parallel.order=tp-tp", "parallel.stage_layers=[0,1.5]",
                     "training.recompute={\"kind\":\"selective\",\"modules\":[\"moe\"]}"}),
      ElementsAre("run.json: parallel.order: must be an order of tp, cp, ep, dp and pp such as "
                  "\"tp-cp-ep-dp-pp\", found \"tp-tp\"",
                  "run.json: parallel.stage_layers[0]: must be a whole number >= 1, found 0",
                  "run.json: parallel.stage_layers[1]: must be a whole number >= 1, found 1.5",
                  "run.json: training.recompute.modules[0]: must be one of core_attn, layernorm, "
                  "mlp, found \"moe\""));
}

TEST(ParseRun, AnEmptyListIsNoStageLayout) {
  EXPECT_THAT(messages_with({"parallel.stage_layers=[]"}),
              ElementsAre("run.json: parallel.stage_layers: must hold one number for each pipeline "
                          "stage"));
}

TEST(ParseRun, HugeStagesAreRefusedWithoutOverflow) {
  EXPECT_THAT(messages_with({"parallel.pipeline=2", "parallel.stage_layers=[9e15,9e15]"}),
              ElementsAre(HasSubstr("must add up to the 80 layers of llama-3-70b")));
}

TEST(ParseRun, RefusesAnotherFormatAndVersion) {
  EXPECT_THAT(messages_with({"format=stepcast.model", "version=2"}),
              ElementsAre("run.json: format: must be \"stepcast.run\", found \"stepcast.model\"",
                          "run.json: version: must be 1, found 2"));
}

TEST(ParseRun, PassesOnWhatIsWrongWithModelAndCluster) {
  EXPECT_THAT(messages_with({"model=llama-3-7b", "cluster=dgx-h10:8"}),
              ElementsAre(HasSubstr("run.json: model: "), HasSubstr("run.json: cluster: ")));
}

}  // namespace
}  // namespace stepcast
