#include "sim/plan/migration_training.hpp"

#include <fmt/format.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t default_seed = 1234;  // Megatron-LM megatron/training/arguments.py

std::string step(const char* name, std::int64_t was, std::int64_t is) {
  return was == is ? fmt::format("{} {}", name, was) : fmt::format("{} {} -> {}", name, was, is);
}

// "1234 .. 1434 by stage".
std::string default_seeds(const Run& run) {
  const auto last = random_seeds(default_seed, {.pipeline = run.parallel.pipeline - 1});
  return run.parallel.pipeline == 1 ? fmt::format("{}", default_seed)
                                    : fmt::format("{} .. {}", default_seed, last.everyone);
}

std::string tensor_seeds(const Run& run) {
  const auto first = random_seeds(default_seed, {});
  const auto last = random_seeds(
      default_seed, {.pipeline = run.parallel.pipeline - 1, .tensor = run.parallel.tensor - 1});
  return first.tensor == last.tensor ? fmt::format("{}", first.tensor)
                                     : fmt::format("{} .. {}", first.tensor, last.tensor);
}

std::string change_of(const std::string& before, const std::string& after) {
  return before == after ? "unchanged (" + after + ")" : before + " become " + after;
}

// SEMANTICS 10, the table of streams.
std::vector<RandomRegion> regions_of(const Run& from, const Run& to) {
  std::vector<RandomRegion> regions;
  const std::string by_stage = change_of(default_seeds(from), default_seeds(to));
  const std::string by_rank = change_of(tensor_seeds(from), tensor_seeds(to));
  const bool sequence = to.parallel.sequence_parallel;
  if (to.model.hidden_dropout > 0.0)
    regions.push_back({"dropout of the hidden state", sequence ? "tensor rank" : "stage",
                       from.parallel.sequence_parallel != sequence
                           ? "moves to the other stream, because sequence_parallel changes"
                           : "seeds " + (sequence ? by_rank : by_stage)});
  if (to.model.attention_dropout > 0.0)
    regions.push_back({"dropout of attention probabilities", "tensor rank", "seeds " + by_rank});
  regions.push_back({"initial weights, split", "tensor rank",
                     "seeds " + by_rank + "; a loaded checkpoint replaces them"});
  regions.push_back({"initial weights, replicated", "stage",
                     "seeds " + by_stage + "; a loaded checkpoint replaces them"});
  return regions;
}

// Of samples_of, in words.
std::string rank_rule(const Run& run) {
  const std::int64_t micro_batch = run.training.micro_batch, data = run.parallel.data;
  if (data == 1) return "one data rank computes all of them";
  return fmt::format("sample i of a step goes to data rank {} mod {}, in its micro-batch i / {}",
                     micro_batch == 1 ? "i" : fmt::format("(i / {})", micro_batch), data,
                     micro_batch * data);
}

}  // namespace

RandomSeeds random_seeds(std::int64_t seed, const RandomPlace& rank) {
  const std::int64_t base = seed + 100 * rank.pipeline;
  return {.everyone = base,
          .by_data = base + 10 * rank.data,
          .tensor = base + 2718 + rank.tensor,
          .expert = base + 1024 + 100 * rank.expert + rank.expert_tensor};
}

std::vector<std::vector<std::int64_t>> samples_of(const SampleOrder& order,
                                                  std::int64_t data_rank) {
  const std::int64_t stride = order.micro_batch * order.data;
  STEPCAST_CHECK(stride > 0 && order.global_batch % stride == 0);
  std::vector<std::vector<std::int64_t>> samples;
  for (std::int64_t j = 0; j < order.global_batch / stride; ++j) {
    auto& micro_batch = samples.emplace_back();
    for (std::int64_t i = 0; i < order.micro_batch; ++i)
      micro_batch.push_back(order.consumed + j * stride + data_rank * order.micro_batch + i);
  }
  return samples;
}

bool has_dropout(const Transformer& model) {
  return model.hidden_dropout > 0.0 || model.attention_dropout > 0.0;
}

RandomVerdict random_verdict(const Run& from, const Run& to) {
  const ParallelConfig &before = from.parallel, &after = to.parallel;
  RandomVerdict verdict;
  const std::string degrees = step("tensor", before.tensor, after.tensor) + ", " +
                              step("pipeline", before.pipeline, after.pipeline);
  const std::string effect =
      has_dropout(to.model)
          ? fmt::format("{} has dropout, so its masks are drawn anew from there on", to.model.name)
          : fmt::format("{} has no dropout, so the steps after a load draw nothing", to.model.name);
  if (from.framework != Framework::megatron || to.framework != Framework::megatron) {
    verdict.state_kept = from.framework == to.framework && before.tensor == after.tensor &&
                         before.pipeline == after.pipeline;
    verdict.verdict =
        degrees + (verdict.state_kept
                       ? ": the streams belong to the same ranks; " + effect
                       : ": do not count on the random state of the checkpoint; " + effect);
    return verdict;
  }
  verdict.state_kept = before.tensor == after.tensor && before.pipeline == after.pipeline;
  verdict.regions = regions_of(from, to);
  if (verdict.state_kept)
    verdict.verdict =
        degrees +
        ": the checkpoint's random state, kept for each pipeline and tensor rank, is "
        "loaded and goes on" +
        (before.data == after.data && before.context == after.context
             ? ""
             : "; data and context ranks share their streams, so their number does not matter");
  else
    verdict.verdict = degrees +
                      ": the checkpoint's random state is ignored and the streams start again from "
                      "the seed; " +
                      effect;
  return verdict;
}

DataOrderVerdict data_order_verdict(const Run& from, const Run& to) {
  const TrainingConfig &before = from.training, &after = to.training;
  DataOrderVerdict verdict;
  if (before.sequence_length != after.sequence_length) {
    verdict.same_samples = verdict.same_ranks = false;
    verdict.verdict = fmt::format(
        "samples of {} tokens instead of {}: the data set is cut anew, and the consumed samples "
        "of the checkpoint count other text",
        after.sequence_length, before.sequence_length);
    return verdict;
  }
  verdict.same_ranks = before.micro_batch == after.micro_batch &&
                       from.parallel.data == to.parallel.data &&
                       before.global_batch == after.global_batch;
  verdict.same_samples = before.global_batch == after.global_batch;
  if (verdict.same_ranks)
    verdict.verdict =
        fmt::format("unchanged: {} samples a step, {}", after.global_batch, rank_rule(to));
  else if (verdict.same_samples)
    verdict.verdict = fmt::format(
        "the same {} samples in each step, on other ranks or in other portions. Before: {}. After: "
        "{}",
        after.global_batch, rank_rule(from), rank_rule(to));
  else
    verdict.verdict = fmt::format(
        "{} samples a step instead of {}: the order of the samples stays, the steps end elsewhere, "
        "and what counts iterations (learning rate, saving) must be counted in samples; {}",
        after.global_batch, before.global_batch, rank_rule(to));
  return verdict;
}

LossVerdict loss_verdict(const Run& from, const Run& to) {
  const std::int64_t was = from.micro_batches(), is = to.micro_batches();
  LossVerdict verdict;
  verdict.same = was == is && from.training.micro_batch == to.training.micro_batch &&
                 from.parallel.data == to.parallel.data &&
                 from.training.global_batch == to.training.global_batch;
  const auto portions = [](const Run& run) {
    return fmt::format("{} micro-batches of {} on {} data ranks", run.micro_batches(),
                       run.training.micro_batch, run.parallel.data);
  };
  if (verdict.same)
    verdict.verdict = "unchanged: a mean over " + portions(to);
  else
    verdict.verdict = fmt::format(
        "a mean of means over {} instead of {}: the same where every sequence has {} counted "
        "tokens; with padding or a loss mask it differs unless --calculate-per-token-loss is on",
        portions(to), portions(from), to.training.sequence_length);
  return verdict;
}

}  // namespace stepcast
