#include "sim/parallel/rules.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "run_fixtures.hpp"
#include "sim/parallel/rules_detail.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_runs::Json;
using testing_runs::messages_of;
using testing_runs::messages_with;

TEST(Rules, NamePathValueRuleAndChoices) {
  EXPECT_THAT(messages_with({"parallel.tensor=6"}),
              testing::Contains("run.json: parallel.tensor = 6: must divide the 64 attention heads "
                                "of llama-3-70b (try 1, 2, 4, 8)"));
}

TEST(Rules, ReportAllProblemsAtOnce) {
  EXPECT_THAT(
      messages_with({"parallel.pipeline=3", "parallel.data=5", "training.global_batch=7",
                     "overlap.tensor=true"}),
      ElementsAre(HasSubstr("parallel.tensor * parallel.pipeline * parallel.context = 3"),
                  HasSubstr("parallel.pipeline = 3"), HasSubstr("training.global_batch = 7"),
                  HasSubstr("overlap.tensor = true")));
}

// Words that one of our messages holds for each violation that the vectors name.
std::string word_of(const std::string& violation) {
  if (violation == "interleaved: m<pp (microbatch group)") return "interleaved needs at least";
  if (violation == "interleaved: m%pp remainder < pp") return "interleaved needs at least";
  if (violation == "layers%(pp*v)") return "layers of";
  if (violation == "s%(2cp)") return "must be a multiple of 2 * context";
  if (violation == "a2a heads%cp") return "with context_kind ulysses";
  if (violation == "heads%tp") return "attention heads of";
  if (violation == "kv vs tp") return "KV heads of";
  if (violation == "SP: (s/cp)%tp") return "with sequence_parallel";
  return "no rule of ours for " + violation;
}

Json document_of(const Json& inputs) {
  std::string model = inputs["model"];
  model.replace(0, 7, "llama-3-");
  std::replace(model.begin(), model.end(), '_', '-');
  return {{"model", model},
          {"cluster", "dgx-h100:" + std::to_string(inputs["world"].get<int>() / 8)},
          {"parallel",
           {{"tensor", inputs["tp"]},
            {"context", inputs["cp"]},
            {"pipeline", inputs["pp"]},
            {"virtual_stages", inputs["vpp"]},
            {"sequence_parallel", inputs["tp"] > 1},
            {"context_kind", inputs["cp_comm"] == "a2a" ? "ulysses" : "ring"}}},
          {"training",
           {{"micro_batch", inputs["mbs"]},
            {"global_batch", inputs["gbs"]},
            {"sequence_length", inputs["s"]}}}};
}

TEST(Rules, FindTheViolationsOfTheVectors) {
  SKIP_WITHOUT_VECTORS(vectors);
  for (int i = 0; i < 8; ++i) {
    const std::string id = "valid/case" + std::to_string(i);
    const Json vector = testing_runs::vector_named(vectors, id);
    const auto messages = messages_of(document_of(vector["inputs"]));
    const Json violations = vector["expected"]["violations"];
    EXPECT_EQ(messages.empty(), violations.empty()) << id << testing::PrintToString(messages);
    for (const std::string violation : violations)
      EXPECT_THAT(messages, testing::Contains(HasSubstr(word_of(violation)))) << id;
  }
}

TEST(Rules, DivisorsAreSortedAndComplete) {
  EXPECT_EQ(detail::divisors(28), (std::vector<std::int64_t>{1, 2, 4, 7, 14, 28}));
  EXPECT_EQ(detail::divisors(36), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(detail::divisors(1), (std::vector<std::int64_t>{1}));
}

TEST(Rules, ChoicesAreThoseNearestToWhatWasFound) {
  EXPECT_EQ(detail::tries({}, 5), "");
  EXPECT_EQ(detail::tries({1, 2, 4}, 5), " (try 1, 2, 4)");
  // 5040 has 60 divisors; distances from 100: 105 5, 90 10, 112 12, 84 16, 80 and 120 20, 126 26,
  // 72 28, 70 30, 63 37, 60 and 140 40.
  EXPECT_EQ(detail::tries(detail::divisors(5040), 100),
            " (try 60, 63, 70, 72, 80, 84, 90, 105, 112, 120, 126, 140)");
  EXPECT_EQ(detail::try_multiples(16, 100), " (try 96, 112)");
  EXPECT_EQ(detail::try_multiples(16, 5), " (try 16)");
}

}  // namespace
}  // namespace stepcast
