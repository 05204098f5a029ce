#include <gtest/gtest.h>

#include <set>

#include "reports/framework_flags.hpp"

namespace stepcast {
namespace {

TEST(FrameworkFlagTables, EachKeyStandsForOneField) {
  for (const FlagRows* rows : {&megatron_rows(), &megatron_model_rows(), &torchtitan_rows(),
                               &deepspeed_rows(), &deepspeed_model_rows()}) {
    std::set<std::string> keys;
    for (const FlagRow& row : *rows) EXPECT_TRUE(keys.insert(row.key).second) << row.key;
  }
}

TEST(FrameworkFlagTables, WordsAreOneToOne) {
  for (const FlagRows* rows : {&megatron_rows(), &megatron_model_rows(), &torchtitan_rows(),
                               &deepspeed_rows(), &deepspeed_model_rows()})
    for (const FlagRow& row : *rows) {
      std::set<std::string> ours, theirs;
      for (const auto& [our, their] : row.words) {
        EXPECT_TRUE(ours.insert(our).second) << row.key;
        EXPECT_TRUE(theirs.insert(their).second) << row.key;
      }
      EXPECT_EQ(row.words.empty(), row.form != FlagRow::Form::word) << row.key;
    }
}

}  // namespace
}  // namespace stepcast
