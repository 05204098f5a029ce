#include "reports/import_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

const std::string script =
    "torchrun --nnodes 2 --nproc-per-node 8 p.py --num-layers 32 --hidden-size 4096 --lr 1e-4 "
    "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --bf16 "
    "--micro-batch-size 1 --tensor-model-parallel-size 4 --position-embedding-type rope\n";

struct Imported {
  json document;
  std::vector<std::string> remarks;
};

Imported import(const std::string& text, const ImportOptions& options = {},
                const std::string& format = "megatron") {
  Imported result;
  result.document = import_run(format, "run.sh", text, options, result.remarks);
  return result;
}

std::string refusal(const std::string& text, const ImportOptions& options = {}) {
  try {
    import(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ImportRun, TakesTheGpusOfTheLauncherAndNamesWhatItAssumes) {
  const Imported found = import(script);
  EXPECT_EQ(found.document["parallel"]["data"], 4);  // 16 / 4
  EXPECT_EQ(found.document["cluster"], json({{"server", "dgx-h100"}, {"gpus", 16}}));
  EXPECT_THAT(found.remarks, Contains(HasSubstr("dgx-h100 taken")));
  EXPECT_THAT(found.remarks, Contains("not part of a run: --lr"));
}

TEST(ImportRun, FlagsWinOverTheFile) {
  const Imported found =
      import(script, {64, "dgx-h200", "llama-3-8b", {"training.global_batch=128"}});
  EXPECT_EQ(found.document["parallel"]["data"], 16);
  EXPECT_EQ(found.document["cluster"], json({{"server", "dgx-h200"}, {"gpus", 64}}));
  EXPECT_EQ(found.document["model"], "llama-3-8b");
  EXPECT_EQ(found.document["training"]["global_batch"], 128);
}

TEST(ImportRun, TheNoteOfAnExportedFileFillsWhatItsSettingsCannotSay) {
  const Imported found = import(
      "#!/bin/bash\n# stepcast: {\"gpus\": 8, \"cluster\": \"dgx-h200:1\", "
      "\"parallel.order\": \"tp-pp-cp-ep-dp\"}\n" +
      script);
  EXPECT_EQ(found.document["cluster"], "dgx-h200:1");
  EXPECT_EQ(found.document["parallel"]["data"], 2);
  EXPECT_EQ(found.document["parallel"]["order"], "tp-pp-cp-ep-dp");
}

TEST(ImportRun, WhatCannotBeSimulatedYetIsWrittenWithARemark) {
  const Imported found = import(script + " --use-torch-fsdp2", {8, "", "llama-3-8b", {}});
  EXPECT_EQ(found.document["parallel"]["sharding"], "parameters");
}

TEST(ImportRun, ARunThatBreaksARuleIsRefused) {
  EXPECT_THAT(refusal("p.py --tensor-model-parallel-size 3 --bf16 --seq-length 4096",
                      {9, "", "llama-3-8b", {}}),
              HasSubstr("must divide the 32 attention heads of llama-3-8b"));
}

TEST(ImportRun, ReportsWhatIsMissingOrBroken) {
  EXPECT_THAT(refusal("p.py --num-layers 2"),
              HasSubstr("--gpus: missing: the file does not say how many GPUs"));
  EXPECT_THAT(refusal("# stepcast: {broken\n" + script),
              HasSubstr("must be a JSON object on one line"));
  EXPECT_THAT(refusal("# stepcast: {\"parallel.a.b\": 1, \"nothing\": 2}\n" + script),
              HasSubstr("unknown field \"nothing\""));
}

}  // namespace
}  // namespace stepcast
