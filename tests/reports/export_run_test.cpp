#include "reports/export_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "common/errors.hpp"
#include "models/model_json.hpp"
#include "reports/import_run.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Everything that determines the run: no names, no profile of the GPU's own.
json facts(const Run& run) {
  json document = to_json(run);
  document["model"] = to_json(run.model);
  document["model"].erase("name");
  return document;
}

json imported(const std::string& framework, const std::string& text) {
  std::vector<std::string> remarks;
  return import_run(framework, "exported", text, {}, remarks);
}

class RandomRuns {
 public:
  explicit RandomRuns(std::string framework) : framework_(std::move(framework)) {}

  json next() {
    json run{{"model", pick({"llama-3-8b", "gpt3-175b", "qwen2.5-7b", "qwen3-8b", "gemma-2-9b"})},
             {"cluster", "dgx-h100:2"},
             {"framework", framework_}};
    json& parallel = run["parallel"];
    for (const char* axis : {"tensor", "pipeline", "context"}) parallel[axis] = pick({1, 2, 4});
    parallel["sequence_parallel"] = pick({true, false});
    parallel["sharding"] = pick({"none", "optimizer"});
    parallel["order"] = pick({"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "tp-pp-dp-cp-ep"});
    if (chance()) parallel["virtual_stages"] = pick({2, 3, 4, 8});
    if (chance()) parallel["schedule"] = pick({"gpipe", "1f1b", "interleaved"});
    if (chance()) parallel["microbatch_group"] = pick({2, 4, 8});
    add_stages(parallel);
    add_training(run["training"]);
    for (const char* overlap : {"grad_reduce", "param_gather", "tensor", "pipeline"})
      if (chance()) run["overlap"][overlap] = pick({true, false});
    return run;
  }

 private:
  bool chance() { return random_() % 3 == 0; }
  json pick(std::initializer_list<json> choices) {
    return *(choices.begin() + random_() % choices.size());
  }
  void add_stages(json& parallel) {
    switch (random_() % 6) {
      case 0: parallel["stage_layers"] = {{"first", pick({6, 8, 14})}}; break;
      case 1: parallel["stage_layers"] = {{"last", pick({6, 8})}}; break;
      case 2: parallel["stage_layers"] = pick({{20, 12}, {4, 10, 10, 8}, {8, 8, 8, 8}}); break;
      case 3: parallel["stage_layers"] = {{"account_for_loss", true}}; break;
      default: break;
    }
  }
  void add_training(json& training) {
    training = {{"sequence_length", pick({2048, 1024})},
                {"micro_batch", pick({1, 2})},
                {"global_batch", pick({32, 64})}};
    training["precision"] = pick({"bf16", "bf16", "fp16", "fp8"});
    if (chance()) training["parameter_dtype"] = pick({"bf16", "fp32", "fp8"});
    if (chance()) training["gradient_dtype"] = pick({"bf16", "fp32", "fp16"});
    if (chance()) training["optimizer_dtype"] = pick({"bf16", "fp32", "fp8"});
    if (chance()) training["attention"] = "unfused";
    training["recompute"] =
        pick({"none", "full", "selective", json{{"kind", "full"}, {"layers", 2}},
              json{{"kind", "selective"}, {"modules", {"mlp", "layernorm"}}}});
  }

  std::string framework_;
  std::mt19937_64 random_{20240611};
};

// Calls `check` with each valid one of the random runs.
void for_valid_runs(const std::string& framework, int rounds,
                    const std::function<void(const Run&)>& check) {
  RandomRuns runs(framework);
  int valid = 0;
  for (int i = 0; i < rounds; ++i) {
    const json document = runs.next();
    std::optional<Run> run;
    try {
      run = parse_run("random", document);
    } catch (const InputError&) {
      continue;
    }
    ++valid;
    SCOPED_TRACE(document.dump());
    check(*run);
  }
  EXPECT_GE(valid, 25);
}

TEST(ExportRun, ImportsBackToTheSameRun) {
  for (const auto& [framework, name] : {std::pair{Framework::megatron, "megatron"},
                                        {Framework::torchtitan, "torchtitan"},
                                        {Framework::deepspeed, "deepspeed"}})
    for_valid_runs(name, 900, [&, kind = framework, word = name](const auto& run) {
      const ExportedRun exported = export_run(kind, run, "run.file");
      const auto back = parse_run("imported", imported(word, exported.text));
      json expected = facts(run), found = facts(back);
      expected["model"].erase("not_counted");
      found["model"].erase("not_counted");
      EXPECT_EQ(found, expected) << exported.text;
    });
}

TEST(ExportRun, WarnsOfEachFieldThatTheNoteHasToKeep) {
  for_valid_runs("megatron", 300, [](const auto& run) {
    const ExportedRun exported = export_run(Framework::megatron, run, "");
    const bool gemma = run.model.name == "gemma-2-9b";
    const bool ordinary = run.parallel.schedule != ScheduleKind::gpipe && !gemma &&
                          run.parallel.order != "tp-pp-dp-cp-ep" &&
                          run.training.parameter_dtype != DataType::fp32 &&
                          run.training.optimizer_dtype == DataType::fp32 &&
                          run.training.gradient_dtype != DataType::fp16 &&
                          run.parallel.microbatch_group == run.parallel.pipeline;
    const auto of_norms = testing::Contains(HasSubstr("norms_per_layer = 4"));
    if (ordinary) {
      EXPECT_THAT(exported.warnings, IsEmpty());
    } else if (gemma) {
      EXPECT_THAT(exported.warnings, of_norms);
    }
  });
}

json small(const std::string& framework) {
  return {{"model", "llama-3-8b"},
          {"cluster", "dgx-h100:1"},
          {"framework", framework},
          {"parallel", {{"tensor", 2}, {"sharding", "none"}}},
          {"training", {{"sequence_length", 4096}, {"global_batch", 8}}}};
}

TEST(ExportRun, NamesWhatTheFrameworkCannotDo) {
  json document = small("megatron");
  document["parallel"]["pipeline"] = 2;
  document["parallel"]["schedule"] = "gpipe";
  const ExportedRun exported = export_run(Framework::megatron, parse_run("r", document), "");
  EXPECT_THAT(exported.warnings,
              ElementsAre("parallel.schedule = \"gpipe\" has no setting in megatron, which trains "
                          "with \"1f1b\""));
  EXPECT_THAT(exported.text, HasSubstr("\"parallel.schedule\":\"gpipe\""));
}

TEST(ExportRun, SaysThatTheRunIsForAnotherFramework) {
  const auto run = parse_run("r", small("torchtitan"));
  const ExportedRun exported = export_run(Framework::deepspeed, run, "ds.json");
  EXPECT_THAT(exported.warnings,
              testing::Contains("the run is for torchtitan; written as deepspeed would train it"));
  EXPECT_THAT(exported.launcher, HasSubstr("--deepspeed_config ds.json"));
}

TEST(ExportRun, RefusesARunThatTheOtherFrameworkRefuses) {
  // PyTorch's 1F1B needs as many micro-batches as stages (SEMANTICS 4.1): 2 of 4.
  json document = small("megatron");
  document["parallel"]["pipeline"] = 4;
  document["training"]["global_batch"] = 2;
  try {
    static_cast<void>(export_run(Framework::torchtitan, parse_run("r", document), ""));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("torchtitan's 1f1b needs at least 4"));
  }
}

TEST(ExportRun, WritesTheSameBytesTwice) {
  const auto run = parse_run("r", small("megatron"));
  for (const Framework framework : {Framework::megatron, Framework::deepspeed})
    EXPECT_EQ(export_run(framework, run, "f").text, export_run(framework, run, "f").text);
}

}  // namespace
}  // namespace stepcast
