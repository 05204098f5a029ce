#include "sim/plan/migration_knobs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"
#include "sim/parallel/sharding.hpp"
#include "sim/plan/migration_knob_table.hpp"
#include "sim/plan/migration_training.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

// Size of the first stage's gradient buckets, which Megatron-LM derives from the group.
json gradient_bucket(const Run& run) {
  if (run.framework != Framework::megatron || !run.overlap.grad_reduce) return nullptr;
  return gradient_bucket_size(run.parallel.data * run.parallel.context);
}

// A group that the run file leaves open follows the pipeline size and matters to interleaving only.
void drop_what_is_idle(const Run& run, json& knobs) {
  if (run.parallel.schedule != ScheduleKind::interleaved) knobs.erase("parallel.microbatch_group");
  if (run.parallel.context == 1) knobs.erase("parallel.context_kind");
  if (!run.model.moe) {
    knobs.erase("parallel.expert");
    knobs.erase("parallel.expert_tensor");
  }
}

// Every knob of a run by its path.
json knobs_of(const Run& run) {
  const json resolved = to_json(run);
  json knobs;
  for (const char* group : {"parallel", "training", "overlap"})
    for (const auto& [key, value] : resolved[group].items())
      knobs[std::string(group) + "." + key] = value;
  knobs["framework"] = resolved["framework"];
  knobs["framework_release"] = run.framework_release;
  knobs["cluster"] = run.cluster.name;
  knobs["gpus"] = run.gpus();
  knobs["micro_batches"] = run.micro_batches();
  knobs["padded_vocabulary"] = run.padded_vocabulary();
  knobs["gradient_bucket"] = gradient_bucket(run);
  drop_what_is_idle(run, knobs);
  return knobs;
}

std::optional<std::string> text_or_none(const char* text) {
  if (text == nullptr) return std::nullopt;
  return text;
}

bool is_one_of(std::string_view knob, const std::vector<std::string_view>& knobs) {
  return std::find(knobs.begin(), knobs.end(), knob) != knobs.end();
}

// What the table cannot know: this model's dropout, its router's capacity, the GPUs.
void refine(KnobChange& change, const Run& from, const Run& to) {
  const auto set = [&](NumericsClass numerics, const char* reason) {
    change.numerics = numerics;
    change.reason = reason;
  };
  if (has_dropout(to.model) && is_one_of(change.knob, {"parallel.tensor", "parallel.pipeline"}))
    set(NumericsClass::statistical, "dropout masks come from other random streams");
  if (to.model.hidden_dropout > 0.0 && change.knob == "parallel.sequence_parallel")
    set(NumericsClass::statistical,
        "dropout of the hidden state moves from the common to the tensor rank's random stream");
  if (to.model.moe &&
      is_one_of(change.knob, {"parallel.tensor", "parallel.context", "training.micro_batch"}))
    set(NumericsClass::statistical,
        "an expert's capacity and the balance loss are counted per rank, if tokens may be dropped");
  if (change.knob == "cluster" && from.cluster.server.gpu == to.cluster.server.gpu)
    change.reason = "the same GPUs: only collectives may choose another algorithm";
}

}  // namespace

std::string_view name_of(NumericsClass value) {
  switch (value) {
    case NumericsClass::bit_preserving: return "bit-preserving";
    case NumericsClass::rounding: return "rounding";
    case NumericsClass::statistical: return "statistical";
  }
  return "";
}

const std::optional<std::string>& flag_of(const KnobFlags& flags, Framework framework) {
  switch (framework) {
    case Framework::megatron: return flags.megatron;
    case Framework::torchtitan: return flags.torchtitan;
    case Framework::deepspeed: return flags.deepspeed;
  }
  return flags.megatron;
}

std::vector<KnobChange> knob_changes(const Run& from, const Run& to) {
  const json before = knobs_of(from), after = knobs_of(to);
  std::vector<KnobChange> changes;
  for (const detail::KnobRow& row : detail::knob_rows()) {
    const json was = before.value(row.knob, json()), is = after.value(row.knob, json());
    if (was == is) continue;
    KnobChange change{.knob = row.knob,
                      .from = was.dump(),
                      .to = is.dump(),
                      .flags = {text_or_none(row.megatron), text_or_none(row.torchtitan),
                                text_or_none(row.deepspeed)},
                      .numerics = row.numerics,
                      .reason = row.reason};
    refine(change, from, to);
    changes.push_back(std::move(change));
  }
  return changes;
}

bool has_knob(const std::vector<KnobChange>& knobs, std::string_view knob) {
  return std::any_of(knobs.begin(), knobs.end(),
                     [&](const KnobChange& change) { return change.knob == knob; });
}

}  // namespace stepcast
