#include "models/named_fields.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::string problems_of(const JsonReader& reader) {
  std::string lines;
  for (const Problem& problem : reader.problems())
    lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

TEST(NamedFields, FindTheFirstNamePresent) {
  const JsonReader reader("", R"({"n_embd": 8, "hidden_size": null, "ffn_config": {"width": 3}})");
  const Node root = reader.root();
  EXPECT_EQ(count_of(root, {"hidden_size", "n_embd"}), 8);
  EXPECT_EQ(name_found(root, {"hidden_size", "n_embd"}), "n_embd");
  EXPECT_EQ(name_found(root, {"absent", "also_absent"}), "absent");
  EXPECT_EQ(count_of(root, {"width", "ffn_config.width"}), 3);
  EXPECT_EQ(find_count(root, {"n_embd.width"}), std::nullopt);  // not an object
  EXPECT_EQ(problems_of(reader), "");
}

TEST(NamedFields, NameTheOtherNamesOfAMissingOne) {
  const JsonReader reader("config.json", "{}");
  EXPECT_EQ(count_of(reader.root(), {"hidden_size", "n_embd", "d_model"}), 1);
  EXPECT_EQ(count_of(reader.root(), {"alone"}), 1);
  EXPECT_EQ(count_of(reader.root(), {"alone_too"}, 5), 5);
  EXPECT_EQ(problems_of(reader),
            "config.json: hidden_size: missing (also known as n_embd, d_model)\n"
            "config.json: alone: missing");
}

TEST(NamedFields, TakeTheMostFrequentOfAList) {
  const JsonReader reader("", R"({"a": [3, 5, 5, 3, 5], "b": [], "c": [7, 6], "d": 4})");
  EXPECT_EQ(find_usual_count(reader.root(), {"a"}), 5);
  EXPECT_EQ(find_usual_count(reader.root(), {"c"}), 6);  // a tie: the smallest
  EXPECT_EQ(find_usual_count(reader.root(), {"d"}), 4);
  EXPECT_EQ(find_usual_count(reader.root(), {"absent"}), std::nullopt);
  EXPECT_EQ(find_usual_count(reader.root(), {"b"}), 1);
  EXPECT_EQ(count_of(reader.root(), {"a"}), 1);  // where a list makes no sense
  EXPECT_EQ(problems_of(reader),
            "b: must not be empty\na: must be a whole number >= 1, found an array");
}

TEST(NamedFields, RefuseCountsThatWouldOverflow) {
  const JsonReader reader("", R"({"a": 9000000000, "b": -1, "c": 70})");
  EXPECT_EQ(count_of(reader.root(), {"a"}), 1);
  EXPECT_EQ(whole_of(reader.root(), {"b"}), 0);
  EXPECT_EQ(at_most(64, count_of(reader.root(), {"c"}), reader.root(), {"c"}), 1);
  EXPECT_EQ(problems_of(reader),
            "a: must be <= 1073741824, found 9000000000\n"
            "b: must be a whole number >= 0, found -1\n"
            "c: must be <= 64, found 70");
}

TEST(NamedFields, ReadOtherKinds) {
  const JsonReader reader("", R"({"b": true, "n": 0.5, "t": "x", "l": ["p", 1], "i": [1, 2]})");
  const Node root = reader.root();
  EXPECT_EQ(find_bool(root, {"b"}), true);
  EXPECT_EQ(find_bool(root, {"absent"}), std::nullopt);
  EXPECT_EQ(find_number(root, {"n"}), 0.5);
  EXPECT_EQ(text_of(root, {"t"}), "x");
  EXPECT_EQ(text_of(root, {"n"}), "");
  EXPECT_EQ(texts_of(root, {"l"}), (std::vector<std::string>{"p"}));
  EXPECT_EQ(integers_of(root, {"i"}), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(whole_of(root, {"absent"}), 0);
  EXPECT_EQ(problems_of(reader), "");
}

}  // namespace
}  // namespace stepcast
