#include "common/json_node.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

// The problems that `read` finds in `text`, one per line, without the file.
std::string problems_of(const std::string& text, const std::function<void(const Node&)>& read) {
  const JsonReader reader("", text);
  read(reader.root());
  std::string lines;
  for (const Problem& problem : reader.problems())
    lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

TEST(Node, ReadsEveryKindOfValue) {
  const JsonReader reader("", R"({"t": "x", "n": 2.5, "i": -3, "c": 8.0, "b": true, "z": null})");
  const Node root = reader.root();
  EXPECT_EQ(root.text("t"), "x");
  EXPECT_EQ(root.number("n"), 2.5);
  EXPECT_EQ(root.positive("n"), 2.5);
  EXPECT_EQ(root.integer("i"), -3);
  EXPECT_EQ(root.count("c"), 8);
  EXPECT_TRUE(root.boolean("b", false));
  EXPECT_FALSE(root.has("z"));
  EXPECT_TRUE(root.has("t"));
  EXPECT_TRUE(reader.problems().empty());
}

TEST(Node, UsesTheFallbackForAbsentAndNullKeys) {
  const JsonReader reader("", R"({"z": null})");
  for (const std::string key : {"z", "absent"}) {
    EXPECT_EQ(reader.root().text(key, "y"), "y");
    EXPECT_EQ(reader.root().number(key, 1.5), 1.5);
    EXPECT_EQ(reader.root().integer(key, 7), 7);
    EXPECT_EQ(reader.root().count(key, 7), 7);
    EXPECT_TRUE(reader.root().boolean(key, true));
    EXPECT_EQ(reader.root().choice(key, {"a", "b"}, "b"), "b");
  }
  EXPECT_TRUE(reader.problems().empty());
}

struct WrongValue {
  const char* text;
  std::function<void(const Node&)> read;
  const char* problem;
};

TEST(Node, SaysWhatAWrongValueShouldBe) {
  const WrongValue cases[] = {
      {R"({})", [](const Node& n) { (void)n.text("a"); }, "a: missing"},
      {R"({"a": null})", [](const Node& n) { (void)n.count("a"); }, "a: missing"},
      {R"({"a": 3})", [](const Node& n) { (void)n.text("a"); }, "a: must be text, found 3"},
      {R"({"a": "3"})", [](const Node& n) { (void)n.number("a"); },
       "a: must be a number, found \"3\""},
      {R"({"a": 0})", [](const Node& n) { (void)n.positive("a"); }, "a: must be > 0, found 0"},
      {R"({"a": -0.5})", [](const Node& n) { (void)n.positive("a"); },
       "a: must be > 0, found -0.5"},
      {R"({"a": "x"})", [](const Node& n) { (void)n.positive("a"); },
       "a: must be a number, found \"x\""},
      {R"({"a": 2.5})", [](const Node& n) { (void)n.integer("a"); },
       "a: must be a whole number, found 2.5"},
      {R"({"a": 2.5})", [](const Node& n) { (void)n.count("a"); },
       "a: must be a whole number >= 1, found 2.5"},
      {R"({"a": 0})", [](const Node& n) { (void)n.count("a", 4); },
       "a: must be a whole number >= 1, found 0"},
      {R"({"a": true})", [](const Node& n) { (void)n.count("a"); },
       "a: must be a whole number >= 1, found true"},
      {R"({"a": 18446744073709551615})", [](const Node& n) { (void)n.count("a"); },
       "a: must be a whole number below 2^63, found 18446744073709551615"},
      {R"({"a": 1e300})", [](const Node& n) { (void)n.integer("a"); },
       "a: must be a whole number below 2^63, found 1e+300"},
      {R"({"a": 1})", [](const Node& n) { (void)n.boolean("a", true); },
       "a: must be true or false, found 1"},
      {R"([1])", [](const Node& n) { (void)n.text("a"); }, "must be an object, found an array"},
      {R"({"a": {}})", [](const Node& n) { (void)n.at("a").elements(); },
       "a: must be an array, found an object"},
      {R"({"a": [1, "x"]})", [](const Node& n) { (void)n.at("a").elements()[1].as_number(); },
       "a[1]: must be a number, found \"x\""},
  };
  for (const WrongValue& wrong : cases)
    EXPECT_EQ(problems_of(wrong.text, wrong.read), wrong.problem) << wrong.text;
}

TEST(Node, NamesTheNearestChoice) {
  const std::vector<std::string> frameworks{"megatron", "torchtitan", "deepspeed"};
  const auto read = [&](const Node& n) {
    EXPECT_EQ(n.choice("framework", frameworks, "torchtitan"), "torchtitan");
  };
  EXPECT_EQ(problems_of(R"({"framework": "megatrn"})", read),
            "framework: must be one of megatron, torchtitan, deepspeed, found \"megatrn\" (did you "
            "mean \"megatron\"?)");
  EXPECT_EQ(problems_of(R"({"framework": 3})", read),
            "framework: must be one of megatron, torchtitan, deepspeed, found 3");
}

TEST(Node, ReportsKeysThatNobodyAskedFor) {
  const auto read = [](const Node& n) {
    (void)n.find("tensor");
    (void)n.has("pipeline");
    n.finish();
  };
  EXPECT_EQ(problems_of(R"({"tensr": 4, "zz": 1, "pipeline": 2})", read),
            "tensr: unknown key (did you mean \"tensor\"?)\n"
            "zz: unknown key (known keys: pipeline, tensor)");
}

TEST(Node, StaysSilentBelowAMissingKey) {
  const auto read = [](const Node& n) {
    const Node parallel = n.at("parallel");
    (void)parallel.count("tensor");
    (void)parallel.elements();
    parallel.problem("must be something");
    parallel.finish();
  };
  EXPECT_EQ(problems_of("{}", read), "parallel: missing");
}

TEST(Node, ReportsTheSameProblemOnce) {
  const auto read = [](const Node& n) {
    (void)n.text("a");
    (void)n.number("b");
    n.finish();
  };
  EXPECT_EQ(problems_of("3", read), "must be an object, found 3");
}

TEST(Node, WritesPathsAndFile) {
  const JsonReader reader("run.json", R"({"stages": [{"bytes": 0}]})");
  (void)reader.root().at("stages").elements()[0].count("bytes");
  reader.root().problem("stages", "must hold two");
  ASSERT_EQ(reader.problems().size(), 2U);
  EXPECT_EQ(to_string(reader.problems()[0]),
            "run.json: stages[0].bytes: must be a whole number >= 1, found 0");
  EXPECT_EQ(to_string(reader.problems()[1]), "run.json: stages: must hold two");
  EXPECT_THROW(reader.throw_if_problems(), InputError);
}

TEST(Node, KnowsEveryMemberThatItLists) {
  const auto read = [](const Node& n) {
    EXPECT_EQ(n.members().size(), 2U);
    EXPECT_EQ(n.members()[1].first, "b");
    n.finish();
  };
  EXPECT_EQ(problems_of(R"({"b": 1, "a": 2})", read), "");
}

TEST(JsonReader, RefusesNumbersThatAreNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  const JsonReader reader("", nlohmann::json{{"n", std::nan("")}, {"i", infinite}});
  EXPECT_EQ(reader.root().number("n"), 0.0);
  EXPECT_EQ(reader.root().integer("i"), 0);
  EXPECT_EQ(to_string(reader.problems()[0]), "n: must be a number, found NaN");
  EXPECT_EQ(to_string(reader.problems()[1]),
            "i: must be a whole number below 2^63, found an infinite number");
}

TEST(JsonReader, ChecksFormatAndVersion) {
  const JsonReader other("a.json", R"({"format": "stepcast.run", "version": 2})");
  other.expect_format("stepcast.model", 1, true);
  ASSERT_EQ(other.problems().size(), 2U);
  EXPECT_EQ(to_string(other.problems()[0]),
            "a.json: format: must be \"stepcast.model\", found \"stepcast.run\"");
  EXPECT_EQ(to_string(other.problems()[1]), "a.json: version: must be 1, found 2");
}

TEST(JsonReader, NeedsFormatAndVersionOnlyWhenRequired) {
  const JsonReader bare("", "{}");
  bare.expect_format("stepcast.run", 1, false);
  EXPECT_TRUE(bare.problems().empty());
  bare.expect_format("stepcast.run", 1, true);
  EXPECT_EQ(bare.problems().size(), 2U);
  EXPECT_EQ(to_string(bare.problems()[0]), "format: missing");
}

}  // namespace
}  // namespace stepcast
