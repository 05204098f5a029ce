#include "sim/plan/migration_reads.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

using namespace migration_fixtures;

constexpr double state_bytes = parameter_bytes + optimizer_bytes;

void expect_bytes(const BytesOverRanks& found, double most, double total, double ranks) {
  EXPECT_EQ(found.most.value(), most);
  EXPECT_EQ(found.total.value(), total);
  EXPECT_DOUBLE_EQ(found.mean.value(), total / ranks);
}

TEST(MigrationReads, OfARunToItselfAreAllLocal) {
  for (const auto& set : std::vector<std::vector<std::string>>{
           {"parallel.tensor=2"},
           {"parallel.sharding=optimizer", "parallel.pipeline=2"},
           {"parallel.sharding=optimizer", "overlap.grad_reduce=true", "parallel.context=2"}}) {
    const auto run = tiny_run(8, set);
    const MigrationReads reads = migration_reads(run, run);
    EXPECT_GT(reads.all.read.most.value(), 0.0);
    EXPECT_EQ(reads.all.remote.total.value(), 0.0);
    EXPECT_EQ(reads.all.other_node.total.value(), 0.0);
  }
}

// TP 2 x DP 2 -> TP 4 on four GPUs, nothing sharded. A rank needs a quarter of what is split and
// all norms: (4 * 36864 + 2 * 65536) / 4 + 4 * 128 + 64 = 69632 + 576 = 70208 elements. GPUs 0 and
// 2 held the first half of every tensor, 1 and 3 the second; quarter i goes to GPU i, so that GPU 0
// and GPU 3 have theirs, and GPUs 1 and 2 have only the norms.
TEST(MigrationReads, TensorTwoToFour) {
  const MigrationReads reads =
      migration_reads(tiny_run(4, {"parallel.tensor=2"}), tiny_run(4, {"parallel.tensor=4"}));
  const double quarter = (4.0 * layer_split + 2.0 * table) / 4;
  const double shard = quarter + 4 * layer_norms + final_norm;
  EXPECT_EQ(shard, 70208);
  expect_bytes(reads.all.read, shard * state_bytes, 4 * shard * state_bytes, 4);
  expect_bytes(reads.all.remote, quarter * state_bytes, 2 * quarter * state_bytes, 4);
  expect_bytes(reads.parameters.remote, quarter * parameter_bytes, 2 * quarter * parameter_bytes,
               4);
  EXPECT_EQ(reads.all.other_node.total.value(), 0.0);  // one server
}

// PP 2 x DP 2 -> PP 4. Rank = data + 2 * stage before: GPUs 0 and 1 held layers 0-1, GPUs 2 and 3
// layers 2-3. Stage i goes to GPU i and has layer i: everything is there already.
TEST(MigrationReads, PipelineTwoToFourFindsItsLayersInPlace) {
  const MigrationReads reads =
      migration_reads(tiny_run(4, {"parallel.pipeline=2"}), tiny_run(4, {"parallel.pipeline=4"}));
  const double last = layer + final_norm + table;  // more than the first by the final norm
  expect_bytes(reads.all.read, last * state_bytes, whole_model * state_bytes, 4);
  expect_bytes(reads.all.remote, 0, 0, 4);
}

// The same with the pipeline fastest: rank = stage + 2 * data before, so GPUs 0 and 2 held layers
// 0-1 and the embedding, GPUs 1 and 3 layers 2-3 and the head. GPU 1 wants layer 1 and GPU 2 layer
// 2: both are missing.
TEST(MigrationReads, FollowTheRankOrder) {
  const auto from = tiny_run(4, {"parallel.pipeline=2", "parallel.order=tp-cp-ep-pp-dp"});
  const auto to = tiny_run(4, {"parallel.pipeline=4", "parallel.order=tp-cp-ep-pp-dp"});
  expect_bytes(migration_reads(from, to).all.remote, layer * state_bytes, 2 * layer * state_bytes,
               4);
}

// DP 2 -> DP 4, sharded optimizer. The flat buffer has 279104 elements, all tensors multiples of
// 64, padded to a multiple of lcm(ranks, 128) = 128: 279168. Halves of 139584 become quarters of
// 69792, the last with 64 elements of padding. GPU 0 keeps the first half of its half; GPU 1 held
// the second half and gets the second quarter: nothing local; GPUs 2 and 3 are new and also read
// all parameters.
TEST(MigrationReads, DataTwoToFourByRangesOfTheFlatBuffer) {
  const MigrationReads reads = migration_reads(tiny_run(2, {"parallel.sharding=optimizer"}),
                                               tiny_run(4, {"parallel.sharding=optimizer"}));
  expect_bytes(reads.optimizer.read, 69792 * optimizer_bytes, 279104 * optimizer_bytes, 4);
  expect_bytes(reads.optimizer.remote, 69792 * optimizer_bytes, (3 * 69792 - 64) * optimizer_bytes,
               4);
  expect_bytes(reads.parameters.remote, whole_model * parameter_bytes,
               2 * whole_model * parameter_bytes, 4);
  EXPECT_EQ(reads.all.remote.most.value(), whole_model * parameter_bytes + 69792 * optimizer_bytes);
}

// Without sharding every data rank holds all the state: only the new GPUs read what they lack.
TEST(MigrationReads, DataTwoToFourUnsharded) {
  const MigrationReads reads = migration_reads(tiny_run(2), tiny_run(4));
  expect_bytes(reads.all.remote, whole_model * state_bytes, 2 * whole_model * state_bytes, 4);
}

// v 1 -> 2 on two stages: GPU 0 had layers 0-1 and gets 0 and 2, GPU 1 had 2-3 and gets 1 and 3.
TEST(MigrationReads, VirtualStagesExchangeOneLayerEach) {
  const auto from = tiny_run(2, {"parallel.pipeline=2"});
  const auto to = tiny_run(2, {"parallel.pipeline=2", "parallel.virtual_stages=2"});
  const MigrationReads reads = migration_reads(from, to);
  expect_bytes(reads.all.remote, layer * state_bytes, 2 * layer * state_bytes, 2);
}

// DP 2 -> CP 2: the ranks that share the optimizer are the same two, and so are its halves.
TEST(MigrationReads, ContextForDataMovesNothing) {
  const auto from = tiny_run(2, {"parallel.sharding=optimizer"});
  const auto to = tiny_run(2, {"parallel.sharding=optimizer", "parallel.context=2"});
  expect_bytes(migration_reads(from, to).all.remote, 0, 0, 2);
}

// DP 2 on one GPU pair -> sharded optimizer: every rank already held what it now owns.
TEST(MigrationReads, ShardingTheOptimizerReadsNothingRemote) {
  const MigrationReads reads =
      migration_reads(tiny_run(2), tiny_run(2, {"parallel.sharding=optimizer"}));
  expect_bytes(reads.optimizer.read, 139584 * optimizer_bytes, 279104 * optimizer_bytes, 2);
  expect_bytes(reads.all.remote, 0, 0, 2);
}

// 8 -> 16 GPUs, unsharded: the second server has none of it.
TEST(MigrationReads, CountWhatOtherServersHold) {
  const auto to = tiny_run(16);
  const MigrationReads reads = migration_reads(tiny_run(8), to);
  expect_bytes(reads.all.other_node, whole_model * state_bytes, 8 * whole_model * state_bytes, 16);
  EXPECT_EQ(reads.busiest_node_read.value(), 8 * whole_model * state_bytes);
  EXPECT_EQ(reads.busiest_node_other_node.value(), 8 * whole_model * state_bytes);
  // 8 NICs of 50 GB/s each receive it; 8 GB/s of storage deliver it.
  const MigrationTimes times =
      migration_times(reads, {.storage = BytesPerSecond{8e9}, .network = {}}, to);
  EXPECT_DOUBLE_EQ(times.network->value(), 8 * whole_model * state_bytes / 400e9);
  EXPECT_DOUBLE_EQ(times.storage->value(), 8 * whole_model * state_bytes / 8e9);
}

// Llama-3-8B's vocabulary: 128256 rows are 1002 * 128, padded to 128512 by 4 tensor ranks.
// TP 2 -> TP 4: rows 128256 .. 128511 exist on no side before and are not read. Shards of 32128
// rows: the last begins at 96384 and reads up to 128256.
TEST(MigrationReads, LeaveOutRowsThatOnlyPadTheVocabulary) {
  const auto from = tiny_run(4, {"model.vocabulary=128256", "parallel.tensor=2"});
  const auto to = tiny_run(4, {"model.vocabulary=128256", "parallel.tensor=4"});
  const double read = 4.0 * layer_split + 2 * 128256.0 * 64 + 4 * (4.0 * layer_norms + final_norm);
  EXPECT_EQ(migration_reads(from, to).parameters.read.total.value(), read * parameter_bytes);
}

// PP 2 -> one GPU: what GPU 1 held is not local to GPU 0 but stays in its server.
TEST(MigrationReads, OfFewerGpusFindTheOthersInTheSameServer) {
  const MigrationReads reads = migration_reads(tiny_run(2, {"parallel.pipeline=2"}), tiny_run(1));
  expect_bytes(reads.all.remote, (2 * layer + final_norm + table) * state_bytes,
               (2 * layer + final_norm + table) * state_bytes, 1);
  expect_bytes(reads.all.other_node, 0, 0, 1);
}

TEST(MigrationReads, NothingIsLocalOnOtherServers) {
  nlohmann::json document = to_json(tiny_run(8));
  document["cluster"] = "dgx-b200:1";
  document["profile"] = "b200-sxm";
  const auto from = tiny_run(8);
  const auto to = parse_run("run.json", document);
  EXPECT_FALSE(same_machines(from, to));
  const MigrationReads reads = migration_reads(from, to);
  EXPECT_EQ(reads.all.remote.total.value(), reads.all.read.total.value());
}

TEST(MigrationTimes, OfStorageAreUnknownWithoutARate) {
  const auto run = tiny_run(8);
  const MigrationTimes times = migration_times(migration_reads(run, run), {}, run);
  EXPECT_FALSE(times.storage);
  EXPECT_EQ(times.network->value(), 0.0);  // nothing to move
  EXPECT_DOUBLE_EQ(times.network_rate.value(), 400e9);
}

TEST(MigrationReads, OfALargeClusterTakeSeconds) {
  const auto run = [](const char* tensor, const char* context) {
    return parse_run(
        "run.json",
        with_overrides({{"model", "llama-3-405b"}, {"cluster", "dgx-h100:2048"}},
                       {tensor, context, "parallel.pipeline=16",
                        "parallel.stage_layers={\"first\": 7, \"last\": 7}",
                        "parallel.sharding=optimizer", "overlap.grad_reduce=true",
                        "training.sequence_length=131072", "training.global_batch=2048"}));
  };
  const auto from = run("parallel.tensor=8", "parallel.context=1");
  const auto to = run("parallel.tensor=4", "parallel.context=16");
  const auto start = std::chrono::steady_clock::now();
  const MigrationReads reads = migration_reads(from, to);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_GT(reads.all.remote.total.value(), 0.0);
  EXPECT_LE(reads.all.remote.most.value(), reads.all.read.most.value());
}

}  // namespace
}  // namespace stepcast
