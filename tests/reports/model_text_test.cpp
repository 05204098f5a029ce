#include "reports/model_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/load.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ModelText, ShowsShapeAndPublishedParameterCount) {
  // 8,030,261,248: the parameter count that the checkpoint's index states.
  const std::string text = model_text(load_model("llama-3-8b"), 8192);
  EXPECT_THAT(text, HasSubstr("layers               32\n"));
  EXPECT_THAT(text, HasSubstr("total            8030261248\n"));
  EXPECT_THAT(text, HasSubstr("training GFLOP per token at 8192 tokens: "));
  EXPECT_THAT(text, Not(HasSubstr("active")));
}

TEST(ModelText, TellsActiveParametersOfAMixture) {
  const std::string text = model_text(load_model("mixtral-8x7b"), 4096);
  EXPECT_THAT(text, HasSubstr("experts                8\n"));
  EXPECT_THAT(text, HasSubstr("active for a token  12879925248\n"));
}

TEST(ModelDocument, AddsCountsToTheModel) {
  const auto document = model_document(load_model("llama-3-8b"));
  EXPECT_EQ(document["format"], "stepcast.model");
  EXPECT_EQ(document["layers"], 32);
  EXPECT_EQ(document["derived"]["parameters"]["total"], 8030261248);
}

}  // namespace
}  // namespace stepcast
