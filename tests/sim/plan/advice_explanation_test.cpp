#include "sim/plan/advice_explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast {
namespace {

using test::advice_request;
using test::h100;

std::vector<RuleEvaluation> rules_of(const SearchRequest& request) {
  AdviceCase advice(request, h100());
  return explain(advice, choose(advice));
}

const RuleEvaluation* find(const std::vector<RuleEvaluation>& rules, const std::string& id) {
  const auto found = std::ranges::find(rules, id, &RuleEvaluation::id);
  return found == rules.end() ? nullptr : &*found;
}

TEST(AdviceExplanation, AsksInTheSelectionOrder) {
  std::vector<std::string> axes;
  for (const RuleEvaluation& rule : rules_of(advice_request("llama-3-70b", 8, 8192, 128)))
    if (axes.empty() || axes.back() != rule.axis) axes.push_back(rule.axis);
  EXPECT_THAT(axes,
              testing::ElementsAre("cp", "tp", "pp", "dp", "sharding", "recompute", "complexity"));
}

TEST(AdviceExplanation, AttentionsShareFollowsFromTheCrossover) {
  // 131072 / (131072 + 104448), SEMANTICS 11.
  const auto rules = rules_of(advice_request("llama-3-70b", 8, 131072, 32));
  const RuleEvaluation* rule = find(rules, "cp.length");
  ASSERT_NE(rule, nullptr);
  EXPECT_DOUBLE_EQ(rule->value, 131072.0 / (131072.0 + 104448.0));
  EXPECT_TRUE(rule->holds);
}

TEST(AdviceExplanation, EachAxisSaysWhatWasChosen) {
  const SearchRequest request = advice_request("llama-3-70b", 8, 8192, 128);
  AdviceCase advice(request, h100());
  const Choice choice = choose(advice);
  const auto run = advice.run_of(choice.best->candidate);
  const auto rules = explain(advice, choice);
  const auto chosen = [&](const std::string& axis) {
    for (const RuleEvaluation& rule : rules)
      if (rule.axis == axis && rule.chosen) return *rule.chosen;
    return std::int64_t{0};
  };
  EXPECT_EQ(chosen("cp"), run.parallel.context);
  EXPECT_EQ(chosen("tp"), run.parallel.tensor);
  EXPECT_EQ(chosen("pp"), run.parallel.pipeline);
  EXPECT_EQ(chosen("dp"), run.parallel.data);
}

TEST(AdviceExplanation, OneStageHasNoBubbleToAskAbout) {
  const auto rules = rules_of(advice_request("llama-3-8b", 8, 1024, 64));
  EXPECT_EQ(find(rules, "pp.bubble"), nullptr);
  EXPECT_NE(find(rules, "pp.memory"), nullptr);
}

TEST(AdviceExplanation, AFullGpuRecomputes) {
  const auto rules = rules_of(advice_request("llama-3-70b", 8, 131072, 32));
  const RuleEvaluation* rule = find(rules, "recompute.full");
  ASSERT_NE(rule, nullptr);
  EXPECT_FALSE(rule->holds);
  EXPECT_GT(rule->value, *rule->threshold);
}

}  // namespace
}  // namespace stepcast
