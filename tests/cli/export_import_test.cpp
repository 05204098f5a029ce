#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

double step_time(const std::string& run_file) {
  return json::parse(run({"predict", run_file, "--json", "-"}).out)["step_time_s"]["p50"];
}

TEST(ExportImport, AnExampleComesBackWithTheSameForecast) {
  const std::string example = STEPCAST_SOURCE_DIR "/examples/llama-3-70b-64-h100/tp4-pp4-cp2.json";
  const Folder folder;
  const std::string script = folder.path("run.sh"), back = folder.path("run.json");
  EXPECT_EQ(run({"export", "megatron", example, "--out", script}).code, 0);
  EXPECT_EQ(run({"import", "megatron", script, "--cluster", "dgx-h100:8", "--out", back}).code, 0);
  EXPECT_EQ(step_time(back), step_time(example));
}

TEST(ExportImport, StdoutHoldsTheFileAndNothingElse) {
  const Folder folder;
  const std::string file = folder.file("run.json", small_run_text);
  const Ran deepspeed = run({"export", "deepspeed", file});
  EXPECT_EQ(json::parse(deepspeed.out)["train_batch_size"], 16);
  EXPECT_THAT(deepspeed.err, HasSubstr("warning: the run is for megatron; written as deepspeed"));
  const Ran back = run({"import", "deepspeed", folder.file("ds.json", deepspeed.out)});
  EXPECT_EQ(json::parse(back.out)["parallel"]["tensor"], 4);
}

TEST(ExportImport, ReportsWrongUse) {
  for (const BadInput& input :
       {BadInput{"format",
                 {"import", "megatro", "f"},
                 {{"f", ""}},
                 "stepcast: import: must be one of megatron, torchtitan, deepspeed, nemo, found "
                 "\"megatro\"\n"},
        BadInput{"framework",
                 {"export", "nemo", "f"},
                 {{"f", ""}},
                 "stepcast: export: must be one of megatron, torchtitan, deepspeed, found "
                 "\"nemo\"\n"},
        BadInput{"no run", {"export", "megatron"}, {}, "stepcast: export: needs RUN.json\n"},
        BadInput{"gpus",
                 {"import", "megatron", "f"},
                 {{"f", "--bf16\n"}},
                 "stepcast: f: --gpus: missing: the file does not say how many GPUs\n"}})
    expect_refused(input);
}

}  // namespace
}  // namespace stepcast::cli
