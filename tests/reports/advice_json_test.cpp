#include "reports/advice_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/prediction_json.hpp"
#include "tests/reports/advice_fixtures.hpp"
#include "tests/reports/schema_check.hpp"

namespace stepcast {
namespace {

using test::short_advice;
using test::small_advice;
using test::small_request;

nlohmann::json document(const Advice& advice, Language language = Language::english) {
  return to_json(advice, small_request(), language);
}

TEST(AdviceJson, FollowsItsSchema) {
  STEPCAST_EXPECT_SCHEMA("advice", document_text(document(small_advice())));
}

TEST(AdviceJson, FollowsItsSchemaWhereNothingFits) {
  STEPCAST_EXPECT_SCHEMA("advice", document_text(document(short_advice())));
}

TEST(AdviceJson, KeepsTheContractsKeys) {
  const nlohmann::json out = document(small_advice());
  for (const char* key :
       {"recommended", "rules", "search_best", "why_different", "strategies", "alternatives"})
    EXPECT_TRUE(out.contains(key)) << key;
  for (const char* key : {"axis", "question", "value", "threshold", "unit", "holds", "reason"})
    EXPECT_TRUE(out.at("rules").at(0).contains(key)) << key;
  for (const char* key : {"name", "splits", "memory_bytes", "bytes_per_step", "calls_per_step",
                          "tier", "hide_bandwidth_bytes_per_s", "limit"})
    EXPECT_TRUE(out.at("strategies").at(0).contains(key)) << key;
}

TEST(AdviceJson, LanguagesDifferInWordsAlone) {
  const nlohmann::json english = document(small_advice());
  const nlohmann::json chinese = document(small_advice(), Language::chinese);
  EXPECT_EQ(english.at("lang"), "en");
  EXPECT_EQ(chinese.at("lang"), "zh");
  EXPECT_EQ(english.at("recommended"), chinese.at("recommended"));
  for (std::size_t i = 0; i < english.at("rules").size(); ++i) {
    EXPECT_EQ(english.at("rules").at(i).at("value"), chinese.at("rules").at(i).at("value"));
    EXPECT_NE(english.at("rules").at(i).at("reason"), chinese.at("rules").at(i).at("reason"));
  }
}

}  // namespace
}  // namespace stepcast
