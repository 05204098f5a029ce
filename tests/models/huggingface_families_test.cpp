#include <gtest/gtest.h>

#include <set>

#include "models/huggingface_family.hpp"

namespace stepcast {
namespace {

TEST(KnownFamilies, AreNamedOnce) {
  std::set<std::string> types;
  for (const Family& family : known_families())
    EXPECT_TRUE(types.insert(family.type).second) << family.type;
}

TEST(KnownFamilies, HoldTogether) {
  for (const Family& family : known_families()) {
    EXPECT_FALSE(family.type.empty());
    // Learned positions belong to GPT-like models, whose word embedding is the head too.
    if (family.position == PositionKind::learned) {
      EXPECT_TRUE(family.tied) << family.type;
    }
    if (family.mlp == MlpKind::gated) {
      EXPECT_FALSE(family.mlp_bias) << family.type;
    }
    EXPECT_EQ(family.position_offset > 0, family.type == "opt") << family.type;
  }
}

}  // namespace
}  // namespace stepcast
