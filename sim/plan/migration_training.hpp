#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// Seeds of a rank's random streams. Source: Megatron-LM megatron/training/initialize.py,
// core/tensor_parallel/random.py.
struct RandomSeeds {
  std::int64_t everyone = 0;  // of the default stream, one for all ranks of a stage
  std::int64_t by_data = 0;   // the same with --data-parallel-random-init
  std::int64_t tensor = 0;    // of the tensor-parallel stream
  std::int64_t expert = 0;
};
struct RandomPlace {
  std::int64_t pipeline = 0, tensor = 0, expert = 0, expert_tensor = 0, data = 0;
};
[[nodiscard]] RandomSeeds random_seeds(std::int64_t seed, const RandomPlace& rank);

// Samples of one step on one data rank, by micro-batch: sample = consumed + j * micro_batch * data
// + data_rank * micro_batch + i. Source: Megatron-LM megatron/training/datasets/data_samplers.py.
struct SampleOrder {
  std::int64_t consumed = 0, global_batch = 0, micro_batch = 1, data = 1;
};
[[nodiscard]] std::vector<std::vector<std::int64_t>> samples_of(const SampleOrder& order,
                                                                std::int64_t data_rank);

// A part of the training that draws random numbers, and what becomes of its draws.
struct RandomRegion {
  std::string region, stream, consequence;
};
[[nodiscard]] bool has_dropout(const Transformer& model);
struct RandomVerdict {
  bool state_kept = true;  // streams go on where the checkpoint left them
  std::string verdict;
  std::vector<RandomRegion> regions;
};
// Seeds in the sentences are those of Megatron-LM's default seed 1234.
[[nodiscard]] RandomVerdict random_verdict(const Run& from, const Run& to);

struct DataOrderVerdict {
  bool same_samples = true;  // each step sees the same set
  bool same_ranks = true;    // and the same data rank computes each sample
  std::string verdict;
};
[[nodiscard]] DataOrderVerdict data_order_verdict(const Run& from, const Run& to);

struct LossVerdict {
  bool same = true;  // the mean is over the same portions
  std::string verdict;
};
[[nodiscard]] LossVerdict loss_verdict(const Run& from, const Run& to);

}  // namespace stepcast
