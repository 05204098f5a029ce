#include "sim/plan/migration_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepcast {
namespace {

std::string plain(std::string value) {
  std::erase(value, '"');
  return value;
}

std::string megatron_word(ContextKind kind) {
  switch (kind) {
    case ContextKind::ring: return "p2p";
    case ContextKind::all_gather: return "allgather";
    case ContextKind::ulysses: return "a2a";
    case ContextKind::hierarchical: return "a2a+p2p";
  }
  return "";
}

// PyTorch's class names (torch/distributed/pipelining/schedules.py); "" where it has none.
std::string torch_word(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe: return "GPipe";
    case ScheduleKind::one_f_one_b: return "1F1B";
    case ScheduleKind::interleaved: return "Interleaved1F1B";
    case ScheduleKind::zb_h1: return "InterleavedZeroBubble";
    case ScheduleKind::zb_v: return "ZBVZeroBubble";
    case ScheduleKind::dualpipev: return "DualPipeV";
    case ScheduleKind::bfs: return "LoopedBFS";
    case ScheduleKind::dualpipe:
    case ScheduleKind::actions: break;
  }
  return "";
}

int zero_stage(Sharding sharding) {
  switch (sharding) {
    case Sharding::none: return 0;
    case Sharding::optimizer: return 1;
    case Sharding::gradients: return 2;
    case Sharding::parameters:
    case Sharding::hybrid: break;
  }
  return 3;
}

// The value as the framework writes it; "" when it is the run's own.
std::string translated(const KnobChange& change, const Run& to) {
  const ParallelConfig& parallel = to.parallel;
  if (change.knob == "parallel.context_kind" && to.framework == Framework::megatron)
    return megatron_word(parallel.context_kind);
  if (change.knob == "parallel.schedule") return torch_word(parallel.schedule);
  if (change.knob == "parallel.virtual_stages" && to.framework == Framework::torchtitan)
    return std::to_string(to.model.layers / (parallel.pipeline * parallel.virtual_stages));
  if (change.knob == "parallel.sharding" && to.framework == Framework::deepspeed)
    return std::to_string(zero_stage(parallel.sharding));
  return "";
}

std::string stage_layers_flags(const StageLayers& layers) {
  if (!layers.every.empty())
    return fmt::format("--pipeline-model-parallel-layout for stages of {} layers",
                       fmt::join(layers.every, ", "));
  std::vector<std::string> flags;
  if (layers.first)
    flags.push_back(fmt::format("--decoder-first-pipeline-num-layers {}", *layers.first));
  if (layers.last)
    flags.push_back(fmt::format("--decoder-last-pipeline-num-layers {}", *layers.last));
  if (layers.account_for_embedding) flags.emplace_back("--account-for-embedding-in-pipeline-split");
  if (layers.account_for_loss) flags.emplace_back("--account-for-loss-in-pipeline-split");
  if (flags.empty()) return "drop the flags of uneven stages";
  return fmt::format("{}", fmt::join(flags, " "));
}

// Full recompute of some layers of each chunk is the block method, of all layers the uniform one.
std::string recompute_flags(const Recompute& recompute) {
  switch (recompute.kind) {
    case RecomputeKind::none: return "drop --recompute-granularity";
    case RecomputeKind::selective:
      return fmt::format("--recompute-granularity selective --recompute-modules {}",
                         fmt::join(recompute.modules, " "));
    case RecomputeKind::full: break;
  }
  return fmt::format("--recompute-granularity full --recompute-method {} --recompute-num-layers {}",
                     recompute.layers ? "block" : "uniform", recompute.layers.value_or(1));
}

// Megatron-LM's flags for knobs that need several; "" for others.
std::string megatron_flags(const KnobChange& change, const Run& to) {
  if (change.knob == "parallel.stage_layers") return stage_layers_flags(to.parallel.stage_layers);
  if (change.knob == "training.recompute") return recompute_flags(to.training.recompute);
  if (change.knob != "training.precision") return "";
  return to.training.precision == DataType::fp8
             ? "--bf16 --fp8-format hybrid"
             : "--" + std::string(name_of(to.training.precision));
}

enum class Switch { none, on, off };

// Whether the change adds or drops a flag without a value.
Switch switch_of(const KnobChange& change, const Run& to) {
  const auto when = [](bool on) { return on ? Switch::on : Switch::off; };
  if (change.knob == "overlap.pipeline") return when(!to.overlap.pipeline);  // --no-overlap-...
  if (change.to == "true" || change.to == "false") return when(change.to == "true");
  if (change.knob == "parallel.sharding") return when(to.parallel.sharding != Sharding::none);
  if (change.knob == "parallel.order") return when(to.parallel.order == "tp-cp-ep-pp-dp");
  return Switch::none;
}

bool follows(const std::string& knob) {
  static const std::vector<std::string> derived{"micro_batches", "padded_vocabulary",
                                                "gradient_bucket"};
  return std::find(derived.begin(), derived.end(), knob) != derived.end();
}

}  // namespace

std::string flag_setting(const KnobChange& change, const Run& to) {
  const std::optional<std::string>& flag = flag_of(change.flags, to.framework);
  const bool counted = change.knob == "micro_batches" && to.framework == Framework::deepspeed;
  if (!flag || change.to == "null" || (follows(change.knob) && !counted)) return "";
  if (to.framework == Framework::megatron)
    if (const std::string several = megatron_flags(change, to); !several.empty()) return several;
  const std::string own = translated(change, to);
  const std::string value = own.empty() ? plain(change.to) : own;
  if (flag->find(',') != std::string::npos)
    return fmt::format("{} for {} = {}", *flag, change.knob, value);
  if (!flag->starts_with("--")) return fmt::format("{} = {}", *flag, value);
  switch (switch_of(change, to)) {
    case Switch::on: return *flag;
    case Switch::off: return "drop " + *flag;
    case Switch::none: break;
  }
  return *flag + " " + value;
}

}  // namespace stepcast
