#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "reports/prediction_json.hpp"
#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using testing::ElementsAre;

nlohmann::json document() { return to_json(small_prediction(), small_run()); }

std::vector<std::string> problems_of(const nlohmann::json& doc) {
  try {
    static_cast<void>(forecast_from_json("p.json", doc));
  } catch (const InputError& error) {
    std::vector<std::string> out;
    for (const Problem& problem : error.problems()) out.push_back(to_string(problem));
    return out;
  }
  return {};
}

TEST(ForecastFromJson, ReadsBackWhatWasWritten) {
  // Written again with the same run, what was read gives the same document.
  const Forecast read = forecast_from_json("p.json", document());
  EXPECT_EQ(read.label, "p.json");
  EXPECT_EQ(to_json(read.prediction, small_run()), document());
  EXPECT_EQ(read.inputs, make_forecast("", small_prediction(), small_run()).inputs);
}

TEST(ForecastFromJson, KeepsEveryVerdict) {
  for (const MemoryVerdict verdict : {MemoryVerdict::tight, MemoryVerdict::out_of_memory}) {
    Prediction p = small_prediction();
    p.verdict = verdict;
    EXPECT_EQ(forecast_from_json("p", to_json(p, small_run())).prediction.verdict, verdict);
  }
}

TEST(ForecastFromJson, NamesWhatIsMissing) {
  auto doc = document();
  doc.erase("hfu");
  doc["breakdown"][1].erase("bubble_s");
  EXPECT_THAT(problems_of(doc),
              ElementsAre("p.json: hfu: missing", "p.json: breakdown[1].bubble_s: missing"));
}

TEST(ForecastFromJson, RefusesAnotherVersion) {
  auto doc = document();
  doc["version"] = 2;
  EXPECT_THAT(problems_of(doc), ElementsAre("p.json: version: must be 1, found 2"));
}

TEST(ForecastFromJson, RefusesWrongTypesAndImpossibleValues) {
  auto doc = document();
  doc["gpus"] = 0;
  doc["step_time_s"]["p50"] = 0;
  doc["memory"]["verdict"] = "maybe";
  EXPECT_THAT(problems_of(doc),
              ElementsAre("p.json: step_time_s.p50: must be > 0, found 0",
                          "p.json: gpus: must be a whole number >= 1, found 0",
                          "p.json: memory.verdict: must be one of fits, tight, out_of_memory, "
                          "found \"maybe\""));
}

TEST(ForecastFromJson, NeedsAStage) {
  auto doc = document();
  doc["breakdown"] = nlohmann::json::array();
  EXPECT_THAT(problems_of(doc), ElementsAre("p.json: breakdown: must hold at least one stage"));
}

}  // namespace
}  // namespace stepcast
