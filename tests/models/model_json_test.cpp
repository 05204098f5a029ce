#include "models/model_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/load.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

Json tiny() {
  return {{"layers", 2}, {"hidden", 64}, {"heads", 4}, {"ffn", 256}, {"vocabulary", 100}};
}

std::string problems_of(const Json& document) {
  const JsonReader reader("m.json", document);
  (void)parse_model_json(reader.root());
  std::string lines;
  for (const Problem& problem : reader.problems())
    lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

Json with(const std::string& pointer, const Json& value) {
  Json document = tiny();
  document[Json::json_pointer(pointer)] = value;
  return document;
}

Json mixture() {
  return with("/moe", {{"experts", 8}, {"experts_per_token", 2}, {"expert_ffn", 32}});
}

TEST(ModelJson, NeedsFiveNumbersOnly) {
  const JsonReader reader("", tiny());
  const Transformer model = parse_model_json(reader.root());
  EXPECT_TRUE(reader.problems().empty());
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_TRUE(model.gated_mlp);
  EXPECT_EQ(model.norm, NormKind::rms_norm);
}

TEST(ModelJson, ReadsBackWhatItWrites) {
  for (const std::string& preset : model_presets()) {
    const Transformer model = load_model(preset);
    const JsonReader reader(preset, to_json(model));
    EXPECT_EQ(parse_model_json(reader.root()), model) << preset;
    EXPECT_TRUE(reader.problems().empty()) << preset;
  }
}

TEST(ModelJson, SharedExpertsAreAsWideAsTheOthersByDefault) {
  Json document = mixture();
  document["moe"]["shared_experts"] = 2;
  const JsonReader reader("", document);
  EXPECT_EQ(parse_model_json(reader.root()).moe->shared_ffn, 64);
}

struct WrongModel {
  Json document;
  const char* problem;
};

TEST(ModelJson, SaysWhatIsWrong) {
  Json too_many = mixture();
  too_many["moe"]["experts_per_token"] = 9;
  const WrongModel cases[] = {
      {with("/layers", 0), "m.json: layers: must be a whole number >= 1, found 0"},
      {with("/format", "stepcast.run"),
       "m.json: format: must be \"stepcast.model\", found \"stepcast.run\""},
      {with("/format", 3), "m.json: format: must be \"stepcast.model\", found 3"},
      {with("/heads", Json::array({4, 4})),
       "m.json: heads: must be a whole number >= 1, found an array"},
      {with("/version", 2), "m.json: version: must be 1, found 2"},
      {with("/heads", 5), "m.json: heads: must divide hidden (64), found 5"},
      {with("/kv_heads", 3), "m.json: kv_heads: must divide the 4 attention heads, found 3"},
      {with("/norm", "rmsnorm"),
       "m.json: norm: must be one of layer_norm, rms_norm, found \"rmsnorm\" (did you mean "
       "\"rms_norm\"?)"},
      {with("/hidden_dropout", 1.5), "m.json: hidden_dropout: must be >= 0 and < 1, found 1.5"},
      {with("/sliding_window", -1),
       "m.json: sliding_window: must be a whole number >= 0, found -1"},
      {with("/hidden_size", 64), "m.json: hidden_size: unknown key (did you mean \"hidden\"?)"},
      {with("/layers", 100000), "m.json: layers: must be <= 8192, found 100000"},
      {with("/irregular_parameters", 20000000000000000),
       "m.json: irregular_parameters: must be within 1e16 of 0, found 20000000000000000"},
      {too_many, "m.json: moe.experts_per_token: must be <= the 8 experts, found 9"},
      {Json::array(), "m.json: must be an object, found an array"},
  };
  for (const WrongModel& wrong : cases) EXPECT_EQ(problems_of(wrong.document), wrong.problem);
}

}  // namespace
}  // namespace stepcast
