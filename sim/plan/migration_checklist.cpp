#include "sim/plan/migration_checklist.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepcast {
namespace {

using Steps = std::vector<std::string>;

const CheckpointFormat* chosen_format(const Migration& migration, const Run& from) {
  for (const CheckpointFormat& format : migration.optimizer.formats)
    if (migration.optimizer.moves && format.framework == from.framework &&
        format.format == migration.optimizer.use)
      return &format;
  return nullptr;
}

void add_save(Steps& steps, const CheckpointFormat* format, const Run& from) {
  if (format == nullptr)
    steps.push_back(fmt::format("save a checkpoint with {}; only its weights will move",
                                name_of(from.framework)));
  else if (format->save_flag)
    steps.push_back(fmt::format("add {} to the old run and save a checkpoint ({}: {})",
                                *format->save_flag, format->format, format->reason));
  else
    steps.push_back(fmt::format("save a checkpoint ({}: {})", format->format, format->reason));
  steps.emplace_back(
      "note the loss and the gradient norm of the last 20 steps and the consumed samples, then "
      "stop the old run");
}

// "--tensor-model-parallel-size 4"; switches have no value.
std::string setting(const KnobChange& knob, Framework framework) {
  const std::optional<std::string>& flag = flag_of(knob.flags, framework);
  std::string value = knob.to;
  value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
  if (!flag) return fmt::format("{} = {}", knob.knob, value);
  if (value == "true" && flag->starts_with("--")) return "add " + *flag;
  if (value == "false" && flag->starts_with("--")) return "drop " + *flag;
  return fmt::format("{} for {} = {}", *flag, knob.knob, value);
}

// What follows from other knobs is not set; knobs without a flag are named by their path.
void add_flags(Steps& steps, const Migration& migration, const Run& to) {
  std::vector<std::string> settings;
  for (const KnobChange& knob : migration.knobs) {
    const bool derived = knob.knob == "micro_batches" || knob.knob == "padded_vocabulary" ||
                         knob.knob == "gradient_bucket" || knob.knob == "framework" ||
                         knob.knob == "cluster" || knob.knob == "framework_release";
    if (!derived && flag_of(knob.flags, to.framework))
      settings.push_back(setting(knob, to.framework));
  }
  if (settings.empty())
    steps.emplace_back("no flag changes");
  else
    steps.push_back(fmt::format("change in the launch of {}: {}", name_of(to.framework),
                                fmt::join(settings, "; ")));
}

void add_load(Steps& steps, const Migration& migration, const CheckpointFormat* format,
              const Run& from, const Run& to) {
  if (from.framework != to.framework)
    steps.push_back(
        fmt::format("convert the weights to a Hugging Face checkpoint and from there "
                    "to {}",
                    name_of(to.framework)));
  else if (format != nullptr && format->format == "universal checkpoint")
    steps.push_back("convert with ds_to_universal.py and set " + format->load_flag.value_or(""));
  else if (format == nullptr)
    steps.emplace_back("load without the optimizer (--no-load-optim --no-load-rng)");
  if (from.framework == Framework::megatron && to.framework == Framework::megatron &&
      !migration.random.state_kept)
    steps.emplace_back("expect a message that the random state is not loaded; it is harmless here");
  const Bytes read = migration.reads.all.read.total;
  steps.push_back(fmt::format(
      "start the new run: {} ranks load {:.1f} GB in all, the largest {:.2f} GB{}", to.gpus(),
      read.value() / 1e9, migration.reads.all.read.most.value() / 1e9,
      migration.times.storage ? fmt::format(", about {:.0f} s at the given storage rate",
                                            migration.times.storage->value())
                              : ""));
}

void add_watch(Steps& steps, const Migration& migration, const Run& to) {
  const bool statistical = std::any_of(
      migration.knobs.begin(), migration.knobs.end(),
      [](const KnobChange& knob) { return knob.numerics == NumericsClass::statistical; });
  const bool rounding =
      std::any_of(migration.knobs.begin(), migration.knobs.end(),
                  [](const KnobChange& knob) { return knob.numerics == NumericsClass::rounding; });
  steps.push_back(fmt::format(
      "watch the loss of the first 20 steps: {}",
      statistical ? "the curve must continue within its usual noise, single values will not"
      : rounding  ? "each step sees the same samples, so it must agree with a continued old run to "
                    "rounding"
                  : "it must agree with a continued old run to the gradient norm's rounding"));
  steps.emplace_back(
      "watch the gradient norm: a jump in the first step means weights or moments in the wrong "
      "place");
  steps.push_back(fmt::format(
      "compare step time and memory with the forecast: {:.3g} s a step, {:.1f} GB allocated at "
      "the peak of {:.1f} GB",
      migration.to_cost.step.value(), migration.to_cost.peak_allocated.value() / 1e9,
      migration.to_cost.capacity.value() / 1e9));
  steps.push_back(
      fmt::format("save a checkpoint of the new run and load it once before the old "
                  "one is deleted ({})",
                  name_of(to.framework)));
}

}  // namespace

std::vector<std::string> migration_checklist(const Migration& migration, const Run& from,
                                             const Run& to) {
  const CheckpointFormat* format = chosen_format(migration, from);
  Steps steps;
  steps.push_back(
      migration.to_cost.verdict == MemoryVerdict::out_of_memory
          ? fmt::format("stop here: the new run needs {:.1f} GB of {:.1f} GB on its fullest stage",
                        migration.to_cost.needed.value() / 1e9,
                        migration.to_cost.capacity.value() / 1e9)
          : std::string("check the new run on its own: stepcast predict with its file"));
  add_save(steps, format, from);
  add_flags(steps, migration, to);
  add_load(steps, migration, format, from, to);
  add_watch(steps, migration, to);
  return steps;
}

}  // namespace stepcast
