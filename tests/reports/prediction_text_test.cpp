#include "reports/prediction_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text(const TextOptions& options = {}) {
  return prediction_text(forecast("a", small_prediction()), options);
}

TEST(PredictionText, StartsWithConfigurationAndHeadline) {
  EXPECT_THAT(
      text(),
      StartsWith("llama-3-8b on 8 GPUs of dgx-h100:1, megatron\n"
                 "  TP 4, PP 2 (1f1b), DP 1\n"
                 "  sequence 8192, global batch 8, micro-batch 1, bf16, recompute none, sharding "
                 "none\n"
                 "\n"
                 "step time (s)  p10-p90 (s)  tokens/s/GPU  tokens/s\n"
                 "         8.00    7.50-8.75          1020      8190\n"
                 "\n"
                 "FLOPs counted          TFLOP/s/GPU  of peak (%)\n"
                 "MFU, causal attention          400         40.4\n"
                 "MFU, full attention            425         43.0\n"
                 "HFU, with recompute            450         45.5\n"));
}

TEST(PredictionText, ShowsCommunicationByGroup) {
  EXPECT_THAT(text(), HasSubstr("tensor    all_reduce  ring/simple                4         2.50  "
                                "  512     0.750        0.500           350  nvlink\n"));
}

TEST(PredictionText, SaysWhereCostsComeFrom) {
  EXPECT_THAT(text(), HasSubstr("costs, % of busy time: 25.0 measured, 50.0 interpolated, 12.5 "
                                "extrapolated, 12.5 analytical\n"));
}

TEST(PredictionText, ShowsVerdictAndWarnings) {
  EXPECT_THAT(text(),
              HasSubstr("memory fits: 59.0 of 80.0 GiB, 21.0 GiB (26.2 %) free on stage 0"));
  EXPECT_THAT(text(), HasSubstr("warning (few_micro_batches): 8 micro-batches for 2 stages: raise "
                                "global_batch\n"));
}

TEST(PredictionText, ListsInputsOnlyOnRequest) {
  EXPECT_THAT(text(), Not(HasSubstr("training.sequence_length")));
  EXPECT_THAT(text({ShowInputs::yes, Colour::no}), HasSubstr("training.sequence_length  8192\n"));
}

TEST(PredictionText, ColoursOnlyTheVerdictAndOnlyOnRequest) {
  EXPECT_THAT(text(), Not(HasSubstr("\033")));
  EXPECT_THAT(text({ShowInputs::no, Colour::yes}), HasSubstr("memory \033[32mfits: "));
}

TEST(MemorySentence, SaysHowMuchIsTooMuch) {
  Prediction p = small_prediction();
  p.verdict = MemoryVerdict::out_of_memory;
  p.memory_capacity = gibibytes(50);  // 59 needed
  EXPECT_EQ(memory_sentence(p),
            "out of memory: 59.0 of 50.0 GiB, 9.00 GiB (18.0 %) too much on stage 0");
}

}  // namespace
}  // namespace stepcast
