#include "sim/parallel/sharding.hpp"

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing_runs::Json;
using testing_runs::vector_named;

TrainingConfig formats(DataType parameters, DataType gradients) {
  TrainingConfig training;
  training.precision = training.parameter_dtype = parameters;
  training.gradient_dtype = gradients;
  return training;
}

double total(Framework framework, const TrainingConfig& training, Sharding sharding,
             std::int64_t ranks) {
  return bytes_per_parameter(framework, training, sharding, ranks).total();
}

TEST(BytesPerParameter, OfMegatronMatchTheVectors) {
  SKIP_WITHOUT_VECTORS(vectors);
  const std::vector<std::pair<std::string, TrainingConfig>> recipes{
      {"dp/bytes_per_param_bf16_fp32grad", formats(DataType::bf16, DataType::fp32)},
      {"dp/bytes_per_param_fp16_fp16grad", formats(DataType::fp16, DataType::fp16)},
      {"dp/bytes_per_param_fp32_fp32", formats(DataType::fp32, DataType::fp32)}};
  for (const auto& [id, training] : recipes) {
    const Json expected = vector_named(vectors, id)["expected"];
    EXPECT_EQ(total(Framework::megatron, training, Sharding::none, 8), expected["non_distributed"])
        << id;
    for (const auto& [ranks, bytes] : expected["distributed"].items())
      EXPECT_EQ(total(Framework::megatron, training, Sharding::optimizer, std::stol(ranks)), bytes)
          << id << " " << ranks;
  }
}

TEST(BytesPerParameter, OfZeroStagesMatchTheVectors) {
  SKIP_WITHOUT_VECTORS(vectors);
  const TrainingConfig training = formats(DataType::bf16, DataType::bf16);
  for (const auto& [id, ranks] : {std::pair{"dp/zero_bytes_d8", 8}, {"dp/zero_bytes_d64", 64}}) {
    const Json expected = vector_named(vectors, id)["expected"];
    const auto bytes = [&, n = ranks](Sharding sharding) {
      return total(Framework::deepspeed, training, sharding, n);
    };
    EXPECT_EQ(bytes(Sharding::none), expected["ddp"]);
    EXPECT_EQ(bytes(Sharding::optimizer), expected["zero1"]);
    EXPECT_EQ(bytes(Sharding::gradients), expected["zero2"]);
    EXPECT_EQ(bytes(Sharding::parameters), expected["zero3"]);
    EXPECT_EQ(total(Framework::torchtitan, formats(DataType::fp32, DataType::fp32),
                    Sharding::parameters, ranks),
              expected["fsdp2_fp32_master"]);
  }
}

TEST(BytesPerParameter, NameTheParts) {
  // bf16 with fp32 gradients: 2 + 4 + (4 master + 4 + 4 moments) / 4.
  const auto bytes = bytes_per_parameter(
      Framework::megatron, formats(DataType::bf16, DataType::fp32), Sharding::optimizer, 4);
  EXPECT_EQ(bytes.parameters, 2.0);
  EXPECT_EQ(bytes.gradients, 4.0);
  EXPECT_EQ(bytes.optimizer, 3.0);
}

TEST(GradientBuckets, GrowWithDataRanksFrom40Million) {
  EXPECT_EQ(gradient_bucket_size(4), 40'000'000);
  EXPECT_EQ(gradient_bucket_size(64), 64'000'000);
}

TEST(GradientBuckets, EndsMatchTheVector) {
  SKIP_WITHOUT_VECTORS(vectors);
  const Json vector = vector_named(vectors, "dp/bucket_padding");
  const auto ranks = vector["inputs"]["dp"].get<std::vector<std::int64_t>>();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(bucket_end_multiple(ranks[i], BucketPadding::plain), vector["expected"]["plain"][i]);
    EXPECT_EQ(bucket_end_multiple(ranks[i], BucketPadding::high_bus_bandwidth),
              vector["expected"]["high"][i]);
  }
  EXPECT_EQ(parameter_start_multiple, vector["expected"]["param_start_multiple"]);
}

TEST(WireBytes, OfGradientsAndParametersMatchTheVector) {
  SKIP_WITHOUT_VECTORS(vectors);
  const Json stages =
      vector_named(vectors, "dp/llama3_70b_tp4_pp4_cp2_dp2")["expected"]["per_stage"];
  for (const Json& stage : stages) {
    const double parameters = stage["params"];
    EXPECT_EQ(scatter_or_gather_wire_bytes(Bytes{4 * parameters}, 4).value(),
              stage["grad_RS_wire_bytes_fp32"]);
    EXPECT_EQ(scatter_or_gather_wire_bytes(Bytes{2 * parameters}, 4).value(),
              stage["param_AG_wire_bytes_bf16"]);
    EXPECT_EQ(all_reduce_wire_bytes(Bytes{4 * parameters}, 4).value(),
              stage["grad_AR_wire_bytes_fp32"]);
  }
}

TEST(WireBytes, OfOneRankAreNone) {
  EXPECT_EQ(scatter_or_gather_wire_bytes(Bytes{100}, 1), Bytes{0});
  EXPECT_EQ(all_reduce_wire_bytes(Bytes{100}, 1), Bytes{0});
}

}  // namespace
}  // namespace stepcast
