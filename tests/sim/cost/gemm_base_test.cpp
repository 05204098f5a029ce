#include "sim/cost/gemm_base.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "common/errors.hpp"

namespace stepcast {
namespace {

// Ten multiprocessors of 100 GFLOP/s; memory that takes no time.
const GemmDevice ten{10.0, FlopsPerSecond{1e12}, BytesPerSecond{1e30}};

// Only tiles of 256 x 256, at full rate, in whole waves, without overheads.
GemmBase plain() {
  GemmBase base;
  base.tile_share = {1.0, 1e-9, 1e-9, 1e-9, 1e-9};
  base.prologue_k = 0.0;
  base.wave_smoothing = 0.0;
  base.memory_share = 1.0;
  base.fixed = Seconds{0.0};
  base.split_cost = 0.0;
  return base;
}

double seconds(const GemmBase& base, const GemmShape& shape, const GemmDevice& device = ten) {
  return gemm_base_time(device, DataType::bf16, base, shape).value();
}

// 2 x 256 x 256 x 1000 operations at 100 GFLOP/s.
constexpr double one_tile = 1.31072e-3;

TEST(GemmBase, FillsAllMultiprocessorsInOneWave) {
  EXPECT_NEAR(seconds(plain(), {2560, 256, 1000}), one_tile, 1e-12);
}

TEST(GemmBase, StartsANewWaveForOneMoreRow) {
  EXPECT_NEAR(seconds(plain(), {2561, 256, 1000}), 2.0 * one_tile, 1e-12);
}

TEST(GemmBase, SpreadsWorkWhenWavesAreSmooth) {
  GemmBase base = plain();
  base.wave_smoothing = 1.0;
  EXPECT_NEAR(seconds(base, {2561, 256, 1000}), 1.1 * one_tile, 1e-12);  // 11 tiles on 10
}

TEST(GemmBase, TakesSmallerTilesWhereTheyFinishSooner) {
  // 2561 x 256 in 64 x 64: 41 x 4 tiles, 17 waves of a sixteenth.
  GemmBase base = plain();
  base.tile_share[4] = 1.0;
  EXPECT_NEAR(seconds(base, {2561, 256, 1000}), 17.0 / 16.0 * one_tile, 1e-12);
}

TEST(GemmBase, TurnsTilesOnTheirSide) {
  // 128 x 2560 with 256 x 128 tiles: ten on their side.
  GemmBase base = plain();
  base.tile_share = {1e-9, 1.0, 1e-9, 1e-9, 1e-9};
  EXPECT_NEAR(seconds(base, {128, 2560, 1000}), one_tile / 2.0, 1e-12);
  EXPECT_NEAR(seconds(base, {2560, 128, 1000}), one_tile / 2.0, 1e-12);
}

TEST(GemmBase, SplitsKOverIdleMultiprocessors) {
  // One tile on ten multiprocessors: eight parts of k = 1000.
  EXPECT_NEAR(seconds(plain(), {256, 256, 8000}), one_tile, 1e-12);
}

TEST(GemmBase, PaysThePrologueForEachTile) {
  GemmBase base = plain();
  base.prologue_k = 500.0;
  EXPECT_NEAR(seconds(base, {2560, 256, 1000}), 1.5 * one_tile, 1e-12);
}

TEST(GemmBase, AddsTheFixedTimeAndTheQuantisation) {
  // 3 bytes for each of 2560 x 1000 activations at 7.68 GB/s: 1 ms. The operands' traffic is not
  // felt: 2 x (2560 + 256) x 1000 + 2 x 2560 x 256 bytes would take 0.9 ms, so leave memory free.
  GemmBase base = plain();
  base.fixed = Seconds{1e-3};
  EXPECT_NEAR(seconds(base, {2560, 256, 1000}), one_tile + 1e-3, 1e-12);
  base.fixed = Seconds{0.0};
  base.quantise_bytes = 3.0;
  const GemmDevice slow{10.0, FlopsPerSecond{1e30}, BytesPerSecond{7.68e9}};
  const double with = seconds(base, {2560, 256, 1000}, slow);
  base.quantise_bytes = 0.0;
  EXPECT_NEAR(with - seconds(base, {2560, 256, 1000}, slow), 1e-3, 1e-12);
}

TEST(GemmBase, IsBoundByMemoryForThinProducts) {
  // Operands 2 x (100 x 1000 + 200 x 1000) and output 2 x 100 x 200 bytes: 640 kB at half of
  // 1.28 GB/s, 1 ms; compute is nothing beside it.
  GemmBase base = plain();
  base.memory_share = 0.5;
  const GemmDevice device{10.0, FlopsPerSecond{1e30}, BytesPerSecond{1.28e9}};
  EXPECT_NEAR(seconds(base, {100, 200, 1000}, device), 1e-3, 1e-12);
}

TEST(GemmBase, ReadsOneByteAndWritesTwoInFp8) {
  // (100 x 1000 + 200 x 1000) + 2 x 100 x 200 bytes: 340 kB at 0.34 GB/s.
  const GemmDevice device{10.0, FlopsPerSecond{1e30}, BytesPerSecond{0.34e9}};
  EXPECT_NEAR(gemm_base_time(device, DataType::fp8, plain(), {100, 200, 1000}).value(), 1e-3,
              1e-12);
}

TEST(GemmBase, StretchesLongKernels) {
  GemmBase base = plain();
  base.droop = 0.05;
  const double longer = 100.0 * one_tile;
  EXPECT_NEAR(seconds(base, {2560, 25600, 1000}), longer * (1.0 + 0.05 * std::log(longer / 1e-3)),
              1e-12);
}

TEST(GemmBase, NeverGetsFasterWithMoreWork) {
  GemmBase base;  // the defaults, with everything switched on
  base.wave_smoothing = 0.4;
  base.droop = 0.05;
  const GemmDevice device{108.0, FlopsPerSecond{312e12}, BytesPerSecond{2e12}};
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> size(1, 5000);
  for (int i = 0; i < 2000; ++i) {
    const GemmShape shape{size(random), size(random), size(random)};
    const double time = seconds(base, shape, device);
    const std::int64_t more = size(random);
    EXPECT_GE(seconds(base, {shape.m + more, shape.n, shape.k}, device), time);
    EXPECT_GE(seconds(base, {shape.m, shape.n + more, shape.k}, device), time);
    EXPECT_GE(seconds(base, {shape.m, shape.n, shape.k + more}, device), time);
  }
}

TEST(BatchedGemm, FillsWavesWithTilesOfAllProducts) {
  const GemmShape shape{256, 256, 1000};
  const auto time = [&](std::int64_t batch) {
    return batched_gemm_time(ten, DataType::bf16, plain(), batch, shape, shape).value();
  };
  EXPECT_NEAR(time(10), one_tile, 1e-12);
  EXPECT_NEAR(time(11), 2.0 * one_tile, 1e-12);
}

TEST(BatchedGemm, ComputesThePaddedAndMovesTheTrueShape) {
  const GemmShape padded{2560, 256, 2000};
  const GemmShape shape{2560, 256, 1000};
  EXPECT_NEAR(batched_gemm_time(ten, DataType::bf16, plain(), 1, padded, shape).value(),
              2.0 * one_tile, 1e-12);
  // Memory alone: 2 x (2560 + 256) x 1000 + 2 x 2560 x 256 bytes = 6.94272 MB.
  const GemmDevice memory{10.0, FlopsPerSecond{1e30}, BytesPerSecond{6.94272e9}};
  EXPECT_NEAR(batched_gemm_time(memory, DataType::bf16, plain(), 1, padded, shape).value(), 1e-3,
              1e-12);
}

TEST(BatchedGemm, AddsCubesOfComputeAndMemory) {
  // Both 1.31072 ms: 2^(1/3) times that.
  const GemmDevice both{10.0, FlopsPerSecond{1e12}, BytesPerSecond{6.94272e6 / one_tile}};
  const GemmShape shape{2560, 256, 1000};
  EXPECT_NEAR(batched_gemm_time(both, DataType::bf16, plain(), 1, shape, shape).value(),
              std::cbrt(2.0) * one_tile, 1e-12);
}

TEST(GemmDevice, LetsSixteenBitTypesStandForEachOther) {
  DeviceFacts facts;
  facts.multiprocessors = 108;
  facts.peak[DataType::bf16] = FlopsPerSecond{312e12};
  EXPECT_EQ(gemm_device(facts, DataType::fp16).peak, FlopsPerSecond{312e12});
  EXPECT_EQ(gemm_device(facts, DataType::fp16).multiprocessors, 108.0);
}

TEST(GemmDevice, RefusesATypeWithoutARate) {
  DeviceFacts facts;
  facts.name = "A100";
  try {
    (void)gemm_device(facts, DataType::fp8);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "A100: does not compute in fp8");
  }
}

}  // namespace
}  // namespace stepcast
