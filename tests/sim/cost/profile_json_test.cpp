#include "sim/cost/profile_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/json_node.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// A small profile with one row of everything.
Json document() {
  return Json::parse(R"({
    "format": "stepcast.profile", "version": 1, "name": "test",
    "device": {"name": "GPU", "multiprocessors": 4, "peak_flops_per_s": {"bf16": 1e12},
               "memory_bandwidth_bytes_per_s": 1e12, "memory_bytes": 8e9},
    "provenance": {"sources": ["by hand"]},
    "gemm": [{"type": "bf16", "sites": [
      {"n": 512, "k": 1024, "m": [128, 256], "time_s": [1e-5, 2e-5],
       "low_s": [9e-6, 1.5e-5], "high_s": [1.1e-5, 2.5e-5]}]}],
    "attention": [{"pass": "forward", "kernel": "flash2", "heads": 8, "kv_heads": 2,
                   "head_dim": 128, "batch": [1], "query_length": [1024], "time_s": [7e-5]}],
    "memory_bound": [{"kernel": "fused", "bandwidth_share": 0.8, "fixed_s": 2e-6,
                      "source": "measured: by hand"}],
    "collectives": [{"op": "all_reduce", "ranks": 8, "size_bytes": [1024], "time_s": [1e-5]}],
    "constants": {"a": {"value": 1.5, "unit": "s", "meaning": "m", "source": "s",
                        "status": "measured"}}})");
}

Profile parse(const Json& json) { return parse_profile("p.json", json.dump()); }

TEST(ParseProfile, ReadsEveryTable) {
  const Profile p = parse(document());
  EXPECT_EQ(p.device.multiprocessors, 4);
  EXPECT_EQ(p.device.memory, Bytes{8e9});
  ASSERT_EQ(p.gemm.size(), 2U);
  EXPECT_EQ(p.gemm[1].shape, (GemmShape{256, 512, 1024}));
  EXPECT_EQ(p.gemm[1].time, Seconds{2e-5});
  EXPECT_EQ(p.gemm[1].low, Seconds{1.5e-5});
  EXPECT_EQ(p.gemm[1].high, Seconds{2.5e-5});
  ASSERT_EQ(p.attention.size(), 1U);
  EXPECT_EQ(p.attention[0].shape.key_length, 1024);
  EXPECT_TRUE(p.attention[0].shape.causal);
  EXPECT_EQ(p.memory_bound.at(MemoryKernel::fused).bandwidth_share, 0.8);
  ASSERT_EQ(p.collectives.size(), 1U);
  EXPECT_EQ(p.collectives[0].ranks, 8);
  EXPECT_EQ(p.constant("a"), 1.5);
  EXPECT_EQ(p.sources, std::vector<std::string>{"by hand"});
}

TEST(ParseProfile, TakesTheTimeForItsRangeWhereNoneIsGiven) {
  Json json = document();
  json["gemm"][0]["sites"][0].erase("low_s");
  json["gemm"][0]["sites"][0].erase("high_s");
  const Profile p = parse(json);
  EXPECT_EQ(p.gemm[0].low, p.gemm[0].time);
  EXPECT_EQ(p.gemm[0].high, p.gemm[0].time);
}

TEST(ParseProfile, ReportsEveryProblemByPath) {
  struct Row {
    const char* pointer;
    Json value;  // null: erase
    const char* message;
  };
  const std::vector<Row> rows{
      {"/format", "stepcast.model",
       "p.json: format: must be \"stepcast.profile\", found \"stepcast.model\""},
      {"/version", 2, "p.json: version: must be 1, found 2"},
      {"/name", nullptr, "p.json: name: missing"},
      {"/device/multiprocessors", 0,
       "p.json: device.multiprocessors: must be a whole number >= 1, found 0"},
      {"/device/memory_bytes", -1, "p.json: device.memory_bytes: must be > 0, found -1"},
      {"/device/peak_flops_per_s/int8", 1e12, "p.json: device.peak_flops_per_s.int8: unknown key"},
      {"/device/memory_GB", 8, "p.json: device.memory_GB: unknown key"},
      {"/gemm/0/type", "bfloat16",
       "p.json: gemm[0].type: must be one of fp32, bf16, fp16, fp8, found \"bfloat16\""},
      {"/gemm/0/sites/0/m/1", 0, "p.json: gemm[0].sites[0].m[1]: must be a whole number >= 1"},
      {"/gemm/0/sites/0/time_s/0", -1e-5, "p.json: gemm[0].sites[0].time_s[0]: must be > 0"},
      {"/gemm/0/sites/0/time_s", Json::array({1e-5}),
       "p.json: gemm[0].sites[0].time_s: must have 2 elements, found 1"},
      {"/attention/0/kernel", "flash4",
       "p.json: attention[0].kernel: must be one of flash2, flash3, cudnn, triton, found "
       "\"flash4\""},
      {"/attention/0/batch", Json::array({1, 2}),
       "p.json: attention[0].query_length: must have 2 elements, found 1"},
      {"/memory_bound/0/bandwidth_share", 80,
       "p.json: memory_bound[0].bandwidth_share: must be a share of the memory bandwidth, at most "
       "1.5"},
      {"/collectives/0/ranks", 1,
       "p.json: collectives[0].ranks: must be a whole number >= 2, found 1"},
      {"/collectives/0/op", nullptr, "p.json: collectives[0].op: missing"},
      {"/constants/a/status", nullptr, "p.json: constants.a.status: missing"},
      {"/gemmm", Json::array(), "p.json: gemmm: unknown key (did you mean \"gemm\"?)"}};
  for (const Row& row : rows) {
    Json json = document();
    const Json::json_pointer pointer(row.pointer);
    if (row.value.is_null())
      json[pointer.parent_pointer()].erase(pointer.back());
    else
      json[pointer] = row.value;
    try {
      (void)parse(json);
      ADD_FAILURE() << row.pointer << ": no error";
    } catch (const InputError& error) {
      ASSERT_EQ(error.problems().size(), 1U) << error.what();
      // Whole message, up to the list of near keys that the reader may add.
      EXPECT_EQ(to_string(error.problems()[0]).substr(0, std::string(row.message).size()),
                row.message);
    }
  }
}

TEST(ParseProfile, ReportsAllProblemsAtOnce) {
  Json json = document();
  json["version"] = 3;
  json["memory_bound"].push_back(json["memory_bound"][0]);
  try {
    (void)parse(json);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "p.json: version: must be 1, found 3\n"
                 "p.json: memory_bound[1].kernel: \"fused\" is listed twice");
  }
}

TEST(ParseProfile, ReadsAProfileInsideAnotherDocument) {
  const Json json = document();
  const JsonReader reader("outer.json", Json{{"profile", json}}.dump());
  EXPECT_EQ(parse_profile(reader.root().at("profile")).name, "test");
  EXPECT_TRUE(reader.problems().empty());
}

}  // namespace
}  // namespace stepcast
