#include "reports/torchtitan_flavors.hpp"

#include <gtest/gtest.h>

#include "models/load.hpp"

namespace stepcast {
namespace {

TEST(TorchtitanFlavors, PresetAndFlavorNameEachOther) {
  EXPECT_EQ(preset_of({"llama3", "70B"}), "llama-3-70b");
  const TorchtitanFlavor flavor = flavor_of(load_model("llama-3-70b"));
  EXPECT_EQ(flavor.name + "/" + flavor.flavor, "llama3/70B");
}

TEST(TorchtitanFlavors, AModelIsKnownByItsShape) {
  Transformer model = load_model("qwen3-8b");
  model.name = "ours";
  EXPECT_EQ(flavor_of(model).flavor, "8B");
  model.layers += 1;
  EXPECT_EQ(flavor_of(model).name, "");
}

TEST(TorchtitanFlavors, OthersHaveNoPreset) { EXPECT_EQ(preset_of({"llama4", "17bx16e"}), ""); }

}  // namespace
}  // namespace stepcast
