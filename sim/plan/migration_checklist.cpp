#include "sim/plan/migration_checklist.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/migration_settings.hpp"

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

std::string memory_step(const StepCost& cost) {
  const std::string needs = fmt::format("needs {:.1f} GB of {:.1f} GB on its fullest stage",
                                        cost.needed.value() / 1e9, cost.capacity.value() / 1e9);
  switch (cost.verdict) {
    case MemoryVerdict::fits: break;
    case MemoryVerdict::tight:
      return "the new run is valid but tight: it " + needs + "; keep the old launch at hand";
    case MemoryVerdict::out_of_memory: return "stop here: the new run " + needs;
  }
  return "the new run is valid and fits: it " + needs;
}

void add_save(Steps& steps, const CheckpointFormat* format, const Run& from) {
  if (format == nullptr)
    steps.push_back(fmt::format("save a checkpoint with {}; only its weights will move",
                                name_of(from.framework)));
  else if (format->save_flag)
    steps.push_back(fmt::format(
        "restart the old run with {} unless it already has it, and save a checkpoint; {}: {}",
        *format->save_flag, format->format, format->reason));
  else
    steps.push_back(fmt::format("save a checkpoint; {}: {}", format->format, format->reason));
  steps.emplace_back(
      "note the loss and the gradient norm of the last 20 steps and the consumed samples, then "
      "stop the old run");
}

// Source: SEMANTICS 2.2; Megatron-LM megatron/training/arguments.py.
bool wants_one_queue(const Run& run) {
  return run.framework == Framework::megatron &&
         (run.parallel.tensor > 1 || run.parallel.context > 1);
}

void add_flags(Steps& steps, const Migration& migration, const Run& from, const Run& to) {
  std::vector<std::string> settings;
  for (const KnobChange& knob : migration.knobs)
    if (const std::string text = flag_setting(knob, to); !text.empty()) settings.push_back(text);
  if (from.framework != to.framework)
    steps.push_back(fmt::format("write the launch anew: stepcast export {} with the new run's file",
                                name_of(to.framework)));
  else if (settings.empty())
    steps.emplace_back("no flag changes");
  else
    steps.push_back(fmt::format("change in the launch of {}: {}", name_of(to.framework),
                                fmt::join(settings, "; ")));
  if (wants_one_queue(to) && !wants_one_queue(from))
    steps.emplace_back(
        "set CUDA_DEVICE_MAX_CONNECTIONS=1, which Megatron-LM demands with tensor or context "
        "parallelism before Blackwell");
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
    steps.emplace_back(
        has_dropout(to.model)
            ? "expect a message that the random state is not loaded: dropout masks start anew"
            : "expect a message that the random state is not loaded: without dropout it is "
              "harmless");
  const MigrationReads& reads = migration.reads;
  const BytesOverRanks& read = format == nullptr ? reads.parameters.read : reads.all.read;
  steps.push_back(
      fmt::format("start the new run: {} ranks load {:.1f} GB in all, the largest {:.2f} GB{}",
                  to.gpus(), read.total.value() / 1e9, read.most.value() / 1e9,
                  migration.times.storage && format != nullptr
                      ? fmt::format(", about {:.0f} s at the given storage rate",
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
  steps.push_back(memory_step(migration.to_cost));
  add_save(steps, format, from);
  add_flags(steps, migration, from, to);
  add_load(steps, migration, format, from, to);
  add_watch(steps, migration, to);
  return steps;
}

}  // namespace stepcast
