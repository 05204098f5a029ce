#include "reports/pipeline_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(PipelineLayout, ChunksGoRoundTheStages) {
  EXPECT_EQ(pipeline_layout({4, 2}, 1), "Et*4|t*2L");
  EXPECT_EQ(pipeline_layout({4, 2}, 2), "Et*2|t*1|t*2|t*1L");
}

TEST(PipelineLayout, ReadsRepeatsOfGroupsAndLayers) {
  EXPECT_THAT(layers_of_layout("Ettt|(tt|)*3,m|L"), Optional(ElementsAre(3, 2, 2, 2, 0, 0)));
  EXPECT_THAT(layers_of_layout("E t*3|(t*2|)*2 tL"), Optional(ElementsAre(3, 2, 2, 1)));
}

TEST(PipelineLayout, ReadsWhatItWrites) {
  EXPECT_THAT(layers_of_layout(pipeline_layout({6, 9, 3}, 3)),
              Optional(ElementsAre(2, 3, 1, 2, 3, 1, 2, 3, 1)));
}

TEST(PipelineLayout, RefusesOtherTextAndEndlessRepeats) {
  for (const char* text : {"Ex|L", "t*99999999999999999999", "((t*9999)*9999)*9999", "t**"})
    EXPECT_FALSE(layers_of_layout(text)) << text;
}

}  // namespace
}  // namespace stepcast
