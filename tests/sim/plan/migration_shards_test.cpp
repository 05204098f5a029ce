#include "sim/plan/migration_shards.hpp"

#include <gtest/gtest.h>

#include <map>

#include "models/load.hpp"
#include "models/parameters.hpp"
#include "sim/parallel/stage_layout.hpp"
#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;

std::int64_t elements(const Shard& shard) {
  std::int64_t sum = 0;
  for (const ShardPiece& piece : shard) sum += piece.block.elements();
  return sum;
}

// Every element of every tensor exactly once among these shards: none missing, none twice.
void expect_once(const ShardMap& map, std::int64_t total) {
  std::int64_t sum = 0;
  std::vector<const Shard*> others;
  for (std::uint32_t id = 0; id < map.size(); ++id) {
    EXPECT_EQ(elements_missing(map.shard(id), others), elements(map.shard(id))) << id;
    others.push_back(&map.shard(id));
    sum += elements(map.shard(id));
  }
  EXPECT_EQ(sum, total);
}

// The memory model counts the same parameters, whatever the model has.
TEST(ShardMap, HoldsWhatMemoryCounts) {
  for (const char* model :
       {"llama-3-8b", "gpt3-175b", "qwen3-0.6b", "gemma-2-2b", "gpt2", "qwen2.5-7b"})
    for (const char* pipeline : {"1", "2"}) {
      const auto run = parse_run(
          "run.json",
          with_overrides({{"model", model},
                          {"cluster", "dgx-h100:1"},
                          {"training", {{"sequence_length", 1024}}}},
                         {"parallel.tensor=2", std::string("parallel.pipeline=") + pipeline}));
      const ShardMap map(run, StateKind::parameters);
      const auto stages = lay_out_stages(run).stages;
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        const std::size_t stage = rank * stages.size() / 8;
        EXPECT_EQ(elements(map.shard(map.id_of(rank))),
                  stage_parameters(run, stages[stage]).total())
            << model << " stage " << stage;
      }
    }
}

TEST(ShardMap, GivesReplicasOneId) {
  const auto run = tiny_run(8, {"parallel.tensor=2"});
  const ShardMap map(run, StateKind::parameters);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.id_of(0), map.id_of(2));
  EXPECT_NE(map.id_of(0), map.id_of(1));
}

TEST(ShardMap, SharesTheFlatBufferOutOnce) {
  expect_once(ShardMap(tiny_run(8, {"parallel.sharding=optimizer"}), StateKind::optimizer),
              whole_model);
  // Two pipeline stages of two chunks: four buffers a data rank.
  expect_once(ShardMap(tiny_run(8, {"parallel.sharding=optimizer", "parallel.pipeline=2",
                                    "parallel.virtual_stages=2"}),
                       StateKind::optimizer),
              whole_model);
}

// 3 ranks do not divide 279104: lcm(3, 128) = 384, 279104 = 726 * 384 + 320, so the buffer has
// 727 * 384 = 279168 elements, and thirds of 93056.
TEST(ShardMap, PadsTheBufferToItsRanks) {
  const auto run = tiny_run(3, {"parallel.sharding=optimizer", "training.global_batch=3"});
  const ShardMap map(run, StateKind::optimizer);
  EXPECT_EQ(elements(map.shard(0)), 93056);
  EXPECT_EQ(elements(map.shard(1)), 93056);
  EXPECT_EQ(elements(map.shard(2)), 279104 - 2 * 93056);
}

// Parameters come in reverse order: the first rank of two owns the LM head.
TEST(ShardMap, StartsTheBufferWithTheLastParameter) {
  const auto run = tiny_run(2, {"parallel.sharding=optimizer"});
  const ShardMap map(run, StateKind::optimizer);
  const TensorInventory inventory = tensor_inventory(run);
  EXPECT_EQ(tensor_of(inventory, map.shard(0).back().key).name, "output_layer.weight");
  EXPECT_EQ(tensor_of(inventory, map.shard(1).front().key).name,
            "embedding.word_embeddings.weight");
}

// With overlap the first stage has buckets of 40,000,000 parameters (at most 40 ranks); each is
// shared out by itself, so that a rank owns a part of the first and of the last tensor. Llama-3-8B:
// the head alone has 128256 * 4096 parameters and is a bucket.
TEST(ShardMap, SharesOutEachBucket) {
  const auto run = [](const char* overlap) {
    return parse_run(
        "run.json",
        with_overrides({{"model", "llama-3-8b"}, {"cluster", "dgx-h100:1"}},
                       {"parallel.sharding=optimizer", overlap, "training.sequence_length=1024"}));
  };
  const auto slots = [&](const char* overlap) {
    const ShardMap map(run(overlap), StateKind::optimizer);
    std::map<std::uint32_t, std::int64_t> held;
    for (const ShardPiece& piece : map.shard(0)) held[piece.key.slot] += piece.block.elements();
    return held;
  };
  const auto buckets = slots("overlap.grad_reduce=true"),
             whole = slots("overlap.grad_reduce=false");
  EXPECT_TRUE(buckets.contains(0));  // an eighth of the embedding's bucket
  EXPECT_FALSE(whole.contains(0));   // the buffer's last eighth is rank 7's
}

TEST(ShardMap, OfTorchtitanCutsRows) {
  auto run = tiny_run(2, {"parallel.sharding=optimizer"});
  run.framework = Framework::torchtitan;
  const ShardMap map(run, StateKind::optimizer);
  EXPECT_EQ(map.shard(0).front().block, (TensorBlock{0, 512, 0, 64}));  // of 1024 x 64
  expect_once(map, whole_model);
}

// 8 experts on 4 expert ranks: 2 each; the expert-data group has the other ranks of the stage.
TEST(ShardMap, PlacesExpertsOnTheExpertGrid) {
  auto run = tiny_run(8, {"parallel.tensor=2"});
  run.model.moe = MixtureOfExperts{.experts = 8, .experts_per_token = 2, .expert_ffn = 32};
  run.parallel.expert = 4;
  run.parallel.expert_tensor = 1;
  const ShardMap map(run, StateKind::parameters);
  // Rank = tensor + 2 * data: expert rank = rank mod 4.
  const auto experts = [&](std::uint32_t rank) {
    std::map<std::int64_t, std::int64_t> held;
    for (const ShardPiece& piece : map.shard(map.id_of(rank)))
      if (tensor_of(tensor_inventory(run), piece.key).experts > 0) held[piece.key.expert] += 1;
    return held;
  };
  EXPECT_EQ(experts(0).begin()->first, 0);
  EXPECT_EQ(experts(0).size(), 2U);
  EXPECT_EQ(experts(3).begin()->first, 6);
  EXPECT_EQ(experts(7), experts(3));
}

TEST(ElementsMissing, SubtractsRectangles) {
  const TensorKey key{1, 0, 0};
  const Shard wanted{{key, {0, 10, 0, 10}}};
  const Shard rows{{key, {0, 5, 0, 10}}};     // 50
  const Shard columns{{key, {0, 10, 0, 5}}};  // 50, 25 of them in both
  const Shard other{{{2, 0, 0}, {0, 10, 0, 10}}};
  EXPECT_EQ(elements_missing(wanted, {}), 100);
  EXPECT_EQ(elements_missing(wanted, {&other}), 100);
  EXPECT_EQ(elements_missing(wanted, {&rows, &columns}), 25);
  EXPECT_EQ(elements_missing(wanted, {&rows, &columns, &wanted}), 0);
}

}  // namespace
}  // namespace stepcast
