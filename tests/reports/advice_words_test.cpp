#include "reports/advice_words.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(AdviceWords, NumbersCarryTheirUnits) {
  EXPECT_EQ(formatted({"", 8.0, FactUnit::count, {}}), "8");
  EXPECT_EQ(formatted({"", 131072.0, FactUnit::tokens, {}}), "131072");
  EXPECT_EQ(formatted({"", 0.2681, FactUnit::ratio, {}}), "0.268");
  EXPECT_EQ(formatted({"", 0.125, FactUnit::share, {}}), "12.5 %");
  EXPECT_EQ(formatted({"", 1.5 * 1073741824.0, FactUnit::bytes, {}}), "1.50 GiB");
  EXPECT_EQ(formatted({"", 2.0 * 1048576.0, FactUnit::bytes, {}}), "2.00 MiB");
  EXPECT_EQ(formatted({"", 0.0, FactUnit::bytes, {}}), "0 B");
  EXPECT_EQ(formatted({"", 0.0025, FactUnit::seconds, {}}), "2.50 ms");
  EXPECT_EQ(formatted({"", 47e9, FactUnit::bytes_per_second, {}}), "47.0 GB/s");
  EXPECT_EQ(formatted({"", 600e12, FactUnit::flops_per_second, {}}), "600 TFLOP/s");
  EXPECT_EQ(formatted(text_fact("", "nvlink")), "nvlink");
}

TEST(AdviceWords, FactsTakeTheirPlaces) {
  const Statement job{"job", {{"sequence", 8192.0, FactUnit::tokens, {}}, count_fact("batch", 16)}};
  EXPECT_EQ(say(Language::english, job), "sequence 8192 tokens, global batch 16 sequences");
  EXPECT_EQ(say(Language::chinese, job), "序列长度 8192 个 token，全局批大小 16 条序列");
}

TEST(AdviceWords, BracesInANameAreText) {
  const Statement title{"title",
                        {text_fact("model", "{cluster}"), text_fact("cluster", "c"),
                         count_fact("gpus", 8), text_fact("framework", "megatron")}};
  EXPECT_EQ(say(Language::english, title), "Advice for {cluster} on c: 8 GPUs, megatron");
}

TEST(AdviceWords, LanguagesHaveNames) {
  EXPECT_EQ(language_named("en"), Language::english);
  EXPECT_EQ(language_named("zh"), Language::chinese);
  EXPECT_EQ(language_named("fr"), std::nullopt);
  EXPECT_EQ(name_of(Language::chinese), "zh");
}

TEST(AdviceWords, UnknownIdsAreNotThere) {
  EXPECT_TRUE(has_sentence(Language::english, "c1?"));
  EXPECT_FALSE(has_sentence(Language::english, "c9?"));
}

}  // namespace
}  // namespace stepcast
