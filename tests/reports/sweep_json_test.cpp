#include "reports/sweep_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/sweep_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using nlohmann::json;

json document(InputSweep sweep) {
  evaluate(sweep);
  return to_json(sweep, {{"model", "llama-3-8b"}}, "actions");
}

TEST(SweepJson, HoldsAxesAndPoints) {
  const json out = document(sweep_of(axis("gpus", AxisKind::gpus, {8, 16}), {8.0, 5.0}));
  EXPECT_EQ(out["format"], "stepcast.sweep");
  EXPECT_EQ(out["version"], 1);
  EXPECT_EQ(out["detail"], "actions");
  EXPECT_EQ(out["scaling"], "strong");
  EXPECT_EQ(out["base"], (json{{"model", "llama-3-8b"}}));
  EXPECT_EQ(out["axes"], json::parse(R"([{"path": "gpus", "unit": "", "values": [8.0, 16.0]}])"));
  const json& point = out["points"][1];
  EXPECT_EQ(point["values"], (json{16.0}));
  EXPECT_EQ(point["step_time_s"], (json{{"p10", 4.6875}, {"p50", 5.0}, {"p90", 5.3125}}));
  EXPECT_EQ(point["tokens_per_s"], 65536.0 / 5.0);
  EXPECT_EQ(point["tokens_per_s_per_gpu"], 65536.0 / 5.0 / 16.0);
  EXPECT_EQ(point["mfu"], (json{{"causal", 0.404}, {"full", 0.43}}));
  EXPECT_EQ(point["gpus"], 16);
  EXPECT_EQ(point["verdict"], "fits");
  EXPECT_EQ(point["peak_allocated_bytes"], gibibytes(56).value());
  EXPECT_EQ(point["headroom_bytes"], gibibytes(21).value());
  EXPECT_DOUBLE_EQ(point["scaling_efficiency"].get<double>(), 0.8);
  EXPECT_EQ(point["problem"], nullptr);
  EXPECT_EQ(out["best"], 0);
}

TEST(SweepJson, KeepsPointsWithoutAForecast) {
  const json out = document(sweep_of(axis("x", AxisKind::value, {1, 2}), {0.0, 8.0}));
  const json& point = out["points"][0];
  EXPECT_EQ(point["problem"], "must be something else");
  for (const char* key : {"step_time_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "gpus",
                          "verdict", "peak_allocated_bytes", "scaling_efficiency"})
    EXPECT_EQ(point[key], nullptr) << key;
}

TEST(SweepJson, HoldsTheKneeOrWhyThereIsNone) {
  const SweepAxis rates = axis("network_GBps", AxisKind::rate, {25, 50, 100});
  const json with = document(sweep_of(rates, {9.0, 8.0, 7.9}));
  EXPECT_EQ(with["knee"]["axis"], 0);
  EXPECT_EQ(with["knee"]["value"], 50.0);
  EXPECT_EQ(with["knees"], json::array({with["knee"]}));
  const json without = document(sweep_of(rates, {9.0, 8.0, 7.0}));
  EXPECT_EQ(without["knee"], nullptr);
  EXPECT_EQ(without["knees"][0]["value"], nullptr);
  EXPECT_NE(without["knees"][0]["reason"], "");
}

TEST(SweepJson, NamesTheProfilesUsed) {
  InputSweep sweep = sweep_of(axis("x", AxisKind::value, {1, 2}), {8.0, 8.0});
  sweep.points[0].forecast->inputs["profile"] = "h100-sxm";
  sweep.points[1].forecast->inputs["profile"] = "b200-sxm";
  EXPECT_EQ(document(sweep)["provenance"]["profiles"], (json{"b200-sxm", "h100-sxm"}));
}

}  // namespace
}  // namespace stepcast
