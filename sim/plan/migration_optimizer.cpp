#include "sim/plan/migration_optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/parallel/sharding.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {
namespace {

std::int64_t shards_of(const Run& run) {
  return run.parallel.sharding == Sharding::none ? 1 : run.parallel.data * run.parallel.context;
}

// "tensor 8 -> 4, pipeline 2 -> 4": what places parameters otherwise; "" if nothing does.
std::string model_moves(const Run& from, const Run& to) {
  const ParallelConfig &before = from.parallel, &after = to.parallel;
  std::vector<std::string> moves;
  const auto add = [&](const char* name, std::int64_t was, std::int64_t is) {
    if (was != is) moves.push_back(fmt::format("{} {} -> {}", name, was, is));
  };
  add("tensor", before.tensor, after.tensor);
  add("pipeline", before.pipeline, after.pipeline);
  add("virtual_stages", before.virtual_stages, after.virtual_stages);
  if (from.model.moe) {
    add("expert", before.expert, after.expert);
    add("expert_tensor", before.expert_tensor, after.expert_tensor);
  }
  if (moves.empty() && lay_out_stages(from).stages != lay_out_stages(to).stages)
    moves.emplace_back("layers of the stages");
  return fmt::format("{}", fmt::join(moves, ", "));
}

std::string replica_moves(const Run& from, const Run& to) {
  std::vector<std::string> moves;
  const auto add = [&](const char* name, std::int64_t was, std::int64_t is) {
    if (was != is) moves.push_back(fmt::format("{} {} -> {}", name, was, is));
  };
  add("data", from.parallel.data, to.parallel.data);
  add("context", from.parallel.context, to.parallel.context);
  if (from.parallel.order != to.parallel.order) moves.emplace_back("rank order");
  return fmt::format("{}", fmt::join(moves, ", "));
}

// The default bucket grows with the group; the flat format stores whole buckets.
std::string bucket_condition(const Run& from, const Run& to) {
  const auto size = [](const Run& run) {
    return run.overlap.grad_reduce ? gradient_bucket_size(run.parallel.data * run.parallel.context)
                                   : 0;
  };
  const auto named = [](std::int64_t bucket) {
    return bucket == 0 ? std::string("one bucket") : fmt::format("{} parameters", bucket);
  };
  if (size(from) == size(to)) return "";
  return fmt::format("; the default bucket of the first stage goes from {} to {}: {}",
                     named(size(from)), named(size(to)),
                     size(from) > 0 && size(to) > 0
                         ? fmt::format("set --ddp-bucket-size {}", size(from))
                         : "keep --overlap-grad-reduce as it was for the load");
}

class Verdicts {
 public:
  Verdicts(const Run& from, const Run& to)
      : from_(from),
        to_(to),
        model_(model_moves(from, to)),
        replicas_(replica_moves(from, to)),
        sharding_changes_((from.parallel.sharding == Sharding::none) !=
                          (to.parallel.sharding == Sharding::none)) {}

  [[nodiscard]] std::vector<CheckpointFormat> all() const {
    std::vector<CheckpointFormat> formats;
    if (from_.framework == Framework::megatron && from_.parallel.sharding == Sharding::none)
      formats.push_back(unsharded());
    else
      formats.insert(formats.end(),
                     {dp_reshardable(), fully_reshardable(), model_space(), gather_scatter()});
    formats.insert(formats.end(), {local(), torch_dcp(), zero(), universal()});
    return formats;
  }

 private:
  [[nodiscard]] CheckpointFormat megatron(const char* format,
                                          std::optional<std::string> flag) const {
    CheckpointFormat result{
        .format = format, .reason = "", .save_flag = std::move(flag), .load_flag = {}};
    return result;
  }

  // With the optimizer sharded on one side only, no format's rule covers the move.
  [[nodiscard]] bool refused_by_sharding(CheckpointFormat& format) const {
    if (!sharding_changes_) return false;
    format.reason =
        "the optimizer is sharded on one side only: load the weights with --no-load-optim and let "
        "the moments build up again";
    return true;
  }

  [[nodiscard]] CheckpointFormat unsharded() const {
    CheckpointFormat format =
        megatron("torch_dist, unsharded optimizer", "--ckpt-format torch_dist");
    if (refused_by_sharding(format)) return format;
    format.allows = true;
    format.reason = "the state has the parameters' global shapes";
    return format;
  }

  [[nodiscard]] CheckpointFormat dp_reshardable() const {
    CheckpointFormat format = megatron("dp_reshardable", std::nullopt);
    if (refused_by_sharding(format)) return format;
    format.allows = model_.empty();
    format.reason = format.allows ? "flat buckets: only data and context may change" +
                                        bucket_condition(from_, to_)
                                  : "flat buckets of one tensor and pipeline rank, but " + model_;
    return format;
  }

  [[nodiscard]] CheckpointFormat fully_reshardable() const {
    CheckpointFormat format = megatron("fully_reshardable", "--dist-ckpt-optim-fully-reshardable");
    if (refused_by_sharding(format)) return format;
    format.allows = true;
    format.reason =
        "state in the parameters' shapes; saving gathers it over the data ranks "
        "(--distrib-optim-fully-reshardable-mem-efficient trades time for memory)";
    return format;
  }

  [[nodiscard]] CheckpointFormat model_space() const {
    CheckpointFormat format = megatron("fully_sharded_model_space",
                                       "--dist-ckpt-save-pre-mcore-014 --ckpt-fully-parallel-save");
    if (refused_by_sharding(format)) return format;
    format.allows = true;
    format.reason = "legacy format in the parameters' shapes";
    return format;
  }

  [[nodiscard]] CheckpointFormat gather_scatter() const {
    CheckpointFormat format = megatron("dp_zero_gather_scatter", "--dist-ckpt-save-pre-mcore-014");
    if (refused_by_sharding(format)) return format;
    format.allows = model_.empty();
    format.reason = format.allows ? "legacy format: tensor and pipeline stay"
                                  : "legacy format of one tensor and pipeline rank, but " + model_;
    return format;
  }

  [[nodiscard]] CheckpointFormat local() const {
    CheckpointFormat format = megatron("local", "--non-persistent-ckpt-type local");
    const std::string moves = all_moves();
    format.allows = moves.empty() && !sharding_changes_;
    format.reason = format.allows ? "every rank reads back what it wrote on its own server"
                                  : "not reshardable, but " +
                                        (moves.empty() ? std::string("sharding changes") : moves);
    return format;
  }

  [[nodiscard]] CheckpointFormat torch_dcp() const {
    return {.framework = Framework::torchtitan,
            .format = "torch DCP",
            .allows = true,
            .reason = "DTensors are resharded while loading, over any mesh",
            .save_flag = "checkpoint.enable = true, checkpoint.last_save_model_only = false",
            .load_flag = {}};
  }

  [[nodiscard]] CheckpointFormat zero() const {
    const std::string moves = all_moves();
    const bool stage_changes = from_.parallel.sharding != to_.parallel.sharding;
    return {.framework = Framework::deepspeed,
            .format = "ZeRO checkpoint",
            .allows = moves.empty() && !stage_changes,
            .reason = moves.empty() && !stage_changes
                          ? "one file a rank, the same ranks"
                          : "one file a rank, but " + (moves.empty() ? "sharding changes" : moves),
            .save_flag = {},
            .load_flag = {}};
  }

  [[nodiscard]] CheckpointFormat universal() const {
    return {.framework = Framework::deepspeed,
            .format = "universal checkpoint",
            .allows = true,
            .reason = "converted after saving by ds_to_universal.py into one file a parameter",
            .save_flag = {},
            .load_flag = "checkpoint.load_universal = true (--universal-checkpoint)"};
  }

  [[nodiscard]] std::string all_moves() const {
    return model_.empty() || replicas_.empty() ? model_ + replicas_ : model_ + ", " + replicas_;
  }

  const Run &from_, &to_;
  std::string model_, replicas_;
  bool sharding_changes_;
};

std::string sentence(const OptimizerVerdict& verdict, const CheckpointFormat* chosen,
                     const Run& from, const Run& to) {
  if (from.framework != to.framework)
    return fmt::format(
        "no: {} cannot read the optimizer state of {}; move the weights through a Hugging Face "
        "checkpoint and let the moments build up again",
        name_of(to.framework), name_of(from.framework));
  if (chosen == nullptr)
    return "no format of " + std::string(name_of(from.framework)) +
           " carries it; load the weights alone and let the moments build up again";
  const std::string shards =
      verdict.from_shards == verdict.to_shards
          ? fmt::format("shared by {} ranks as before", verdict.to_shards)
          : fmt::format("shared by {} ranks instead of {}", verdict.to_shards, verdict.from_shards);
  const std::string how = chosen->save_flag ? "save with " + *chosen->save_flag
                                            : std::string("no flag is needed when saving");
  return fmt::format("yes, as {}: {}; {}", chosen->format, how,
                     verdict.to_shards == 1 && verdict.from_shards == 1
                         ? "every data rank holds it whole"
                         : shards);
}

}  // namespace

OptimizerVerdict optimizer_verdict(const Run& from, const Run& to) {
  OptimizerVerdict verdict;
  verdict.from_shards = shards_of(from);
  verdict.to_shards = shards_of(to);
  verdict.formats = Verdicts(from, to).all();
  const auto chosen =
      std::find_if(verdict.formats.begin(), verdict.formats.end(), [&](const CheckpointFormat& f) {
        return f.framework == from.framework && f.allows && from.framework == to.framework;
      });
  verdict.moves = chosen != verdict.formats.end();
  if (verdict.moves) verdict.use = chosen->format;
  verdict.verdict = sentence(verdict, verdict.moves ? &*chosen : nullptr, from, to);
  return verdict;
}

}  // namespace stepcast
