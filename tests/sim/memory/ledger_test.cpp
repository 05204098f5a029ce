#include "sim/memory/ledger.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

SimTime at_seconds(int seconds) { return SimTime{seconds * 1'000'000'000'000LL}; }

TensorList list(std::string name, double bytes, TensorClass kind = TensorClass::activation) {
  TensorList tensors;
  add(tensors, std::move(name), kind, bytes);
  return tensors;
}

TEST(Ledger, RemembersTheHighestMoment) {
  Ledger ledger;
  const BundleId small = ledger.define(list("small", 10));
  const BundleId large = ledger.define(list("large", 100));
  ledger.allocate(small, at_seconds(1));
  ledger.allocate(large, at_seconds(2));
  ledger.release(large, at_seconds(3));
  ledger.allocate(small, at_seconds(4));
  EXPECT_EQ(ledger.peak(), Bytes{110});
  EXPECT_EQ(ledger.peak_at(), at_seconds(2));
  EXPECT_EQ(ledger.allocated(), Bytes{20});
}

TEST(Ledger, TheFirstOfEqualPeaksCounts) {
  Ledger ledger;
  const BundleId one = ledger.define(list("one", 10));
  for (int second = 0; second < 4; second += 2) {
    ledger.allocate(one, at_seconds(second));
    ledger.release(one, at_seconds(second + 1));
  }
  EXPECT_EQ(ledger.peak_at(), at_seconds(0));
}

TEST(Ledger, AddsTensorsOfOneNameAndClassLargestFirst) {
  Ledger ledger;
  TensorList layer = list("output", 30);
  add(layer, "mask", TensorClass::activation, 50);
  const BundleId saved = ledger.define(layer);
  const BundleId workspace = ledger.define(list("mask", 5, TensorClass::transient));
  ledger.allocate(workspace, at_seconds(0));
  ledger.allocate(saved, at_seconds(1));
  ledger.allocate(saved, at_seconds(2));
  const TensorList alive = ledger.alive_at_peak();
  const TensorList expected{{"mask", TensorClass::activation, Bytes{100}},
                            {"output", TensorClass::activation, Bytes{60}},
                            {"mask", TensorClass::transient, Bytes{5}}};
  EXPECT_EQ(alive, expected);
}

TEST(Ledger, AliveAtThePeakSumsToIt) {
  Ledger ledger;
  const BundleId a = ledger.define(list("a", 7));
  const BundleId b = ledger.define(list("b", 11));
  ledger.allocate(a, at_seconds(0));
  ledger.allocate(b, at_seconds(1));
  ledger.release(a, at_seconds(2));
  EXPECT_EQ(total(ledger.alive_at_peak()), ledger.peak());
}

TEST(Ledger, TheTimelineHoldsEveryChangeButNotEmptyBundles) {
  Ledger ledger;
  const BundleId one = ledger.define(list("one", 10));
  const BundleId nothing = ledger.define({});
  ledger.allocate(one, at_seconds(1));
  ledger.allocate(nothing, at_seconds(2));
  ledger.release(nothing, at_seconds(2));
  ledger.release(one, at_seconds(3));
  const std::vector<std::pair<Seconds, Bytes>> expected{{Seconds{1}, Bytes{10}},
                                                        {Seconds{3}, Bytes{0}}};
  EXPECT_EQ(ledger.timeline(), expected);
}

TEST(LedgerDeathTest, ReleasingWhatIsNotAliveIsABug) {
  Ledger ledger;
  const BundleId one = ledger.define(list("one", 10));
  EXPECT_DEATH(ledger.release(one, at_seconds(0)), "alive_");
}

TEST(TensorList, LeavesOutWhatHasNoBytes) {
  EXPECT_TRUE(list("nothing", 0).empty());
  EXPECT_EQ(total(list("something", 3)), Bytes{3});
}

}  // namespace
}  // namespace stepcast
