// Rules about pipeline stages: layers, virtual stages, schedules and their micro-batches.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/parallel/rules_detail.hpp"

namespace stepcast::detail {
namespace {

// torchtitan and DeepSpeed give the remainder to some stages; Megatron-LM refuses it.
bool accepts_remainder(const Run& run) { return run.framework != Framework::megatron; }

void check_even_layers(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const StageLayers& rule = parallel.stage_layers;
  const std::int64_t extra = (rule.account_for_embedding ? 1 : 0) + (rule.account_for_loss ? 1 : 0);
  const std::int64_t units = run.model.layers + extra;
  const std::int64_t stages = parallel.pipeline * parallel.virtual_stages;
  const std::string what =
      fmt::format("the {} layers of {}{}", run.model.layers, run.model.name,
                  extra == 0 ? "" : fmt::format(" and {} counted for embedding and loss", extra));
  if (stages > units) {
    findings.add("parallel.pipeline * parallel.virtual_stages", stages, "must be at most " + what);
    return;
  }
  if (units % stages == 0 || accepts_remainder(run)) return;
  std::vector<std::int64_t> choices = divisors(units);
  if (parallel.virtual_stages == 1) {
    findings.add("parallel.pipeline", parallel.pipeline,
                 fmt::format("must divide {}{}, or give parallel.stage_layers", what,
                             tries(choices, parallel.pipeline)));
    return;
  }
  std::erase_if(choices, [&](std::int64_t i) { return i % parallel.pipeline != 0; });
  for (std::int64_t& choice : choices) choice /= parallel.pipeline;
  findings.add("parallel.virtual_stages", parallel.virtual_stages,
               fmt::format("pipeline {} * virtual_stages {} = {} must divide {}{}, or give "
                           "parallel.stage_layers",
                           parallel.pipeline, parallel.virtual_stages, stages, what,
                           tries(choices, parallel.virtual_stages)));
}

std::string list_text(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

void check_every_stage(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const std::vector<std::int64_t>& every = parallel.stage_layers.every;
  const std::string path = "parallel.stage_layers";
  if (static_cast<std::int64_t>(every.size()) != parallel.pipeline) {
    findings.add(path, list_text(every),
                 fmt::format("must have one entry for each of the {} pipeline stages, found {}",
                             parallel.pipeline, every.size()));
    return;
  }
  const std::int64_t sum = std::accumulate(every.begin(), every.end(), std::int64_t{0});
  if (sum != run.model.layers)
    findings.add(path, list_text(every),
                 fmt::format("must add up to the {} layers of {}, found {}", run.model.layers,
                             run.model.name, sum));
  for (std::size_t i = 0; i < every.size(); ++i)
    if (every[i] % parallel.virtual_stages != 0)
      findings.add(fmt::format("{}[{}]", path, i), every[i],
                   fmt::format("must be a multiple of virtual_stages {}", parallel.virtual_stages));
}

void check_first_and_last(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const StageLayers& rule = parallel.stage_layers;
  const std::string path = "parallel.stage_layers";
  const std::string shown =
      fmt::format("first {}, last {}", rule.first ? std::to_string(*rule.first) : "even",
                  rule.last ? std::to_string(*rule.last) : "even");
  if (rule.account_for_embedding || rule.account_for_loss)
    findings.add(path, shown, "cannot be combined with account_for_embedding or account_for_loss");
  if (parallel.pipeline == 1) {
    findings.add(path, shown, "needs parallel.pipeline > 1");
    return;
  }
  for (const auto& [name, value] : {std::pair{".first", rule.first}, std::pair{".last", rule.last}})
    if (value && *value % parallel.virtual_stages != 0)
      findings.add(path + name, *value,
                   fmt::format("must be a multiple of virtual_stages {}", parallel.virtual_stages));
  const std::int64_t left = run.model.layers - rule.first.value_or(0) - rule.last.value_or(0);
  const std::int64_t middle = parallel.pipeline - (rule.first ? 1 : 0) - (rule.last ? 1 : 0);
  const std::int64_t chunks = middle * parallel.virtual_stages;
  if (middle == 0 ? left != 0 : left < chunks || left % chunks != 0)
    findings.add(path, shown,
                 fmt::format("leaves {} of the {} layers of {} for the other {} stages, which "
                             "cannot share them evenly",
                             left, run.model.layers, run.model.name, middle));
}

void check_virtual_stages(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  const std::int64_t virtual_stages = parallel.virtual_stages;
  const std::string schedule(name_of(parallel.schedule));
  const auto add = [&](const std::string& rule) {
    findings.add("parallel.virtual_stages", virtual_stages, rule);
  };
  switch (parallel.schedule) {
    case ScheduleKind::interleaved:
      if (virtual_stages == 1) add("schedule interleaved needs at least 2");
      break;
    case ScheduleKind::gpipe:
    case ScheduleKind::one_f_one_b:
    case ScheduleKind::zb_h1:
    case ScheduleKind::dualpipe:
      if (virtual_stages > 1)
        add("schedule " + schedule + " has one stage a rank (try 1, or schedule interleaved)");
      break;
    case ScheduleKind::zb_v:
    case ScheduleKind::dualpipev:
      if (virtual_stages != 2) add("schedule " + schedule + " has two stages a rank (try 2)");
      break;
    case ScheduleKind::bfs:
    case ScheduleKind::actions: break;
  }
  if (virtual_stages > 1 && parallel.pipeline == 1) add("needs parallel.pipeline > 1");
  if (parallel.schedule == ScheduleKind::interleaved && parallel.pipeline == 2 &&
      !run.overlap.pipeline)
    add("needs parallel.pipeline > 2, or overlap.pipeline");
}

// Why this number of micro-batches does not suit the schedule; "" when it does.
std::string micro_batch_rule(const Run& run, std::int64_t micro_batches) {
  const ParallelConfig& parallel = run.parallel;
  const std::int64_t pipeline = parallel.pipeline;
  const std::int64_t group = parallel.group_of_micro_batches();
  const bool torch = run.framework == Framework::torchtitan;
  switch (parallel.schedule) {
    case ScheduleKind::one_f_one_b:
      if (torch && micro_batches < pipeline)
        return fmt::format("torchtitan's 1f1b needs at least {} (pipeline)", pipeline);
      return "";
    case ScheduleKind::interleaved:
      if (torch) {
        const std::int64_t rounds = std::max<std::int64_t>(1, micro_batches / pipeline);
        return micro_batches % rounds == 0
                   ? ""
                   : fmt::format("torchtitan's interleaved needs a multiple of {}", rounds);
      }
      if (micro_batches < group)
        return fmt::format("interleaved needs at least {} (parallel.microbatch_group)", group);
      if (micro_batches % group != 0 && micro_batches % group < pipeline)
        return fmt::format("interleaved in groups of {} leaves {}, fewer than pipeline {}", group,
                           micro_batches % group, pipeline);
      return "";
    case ScheduleKind::dualpipe:
      if (micro_batches % 2 != 0) return "dualpipe needs an even number";
      [[fallthrough]];
    case ScheduleKind::dualpipev:
      if (micro_batches < 2 * pipeline)
        return fmt::format("{} needs at least {} (2 * pipeline)", name_of(parallel.schedule),
                           2 * pipeline);
      return "";
    default: return "";
  }
}

void check_micro_batches(const Run& run, Findings& findings) {
  const std::int64_t unit = run.training.micro_batch * run.parallel.data;
  if (run.training.global_batch % unit != 0) return;  // check_batch reports it
  const std::int64_t found = run.training.global_batch / unit;
  const std::string rule = micro_batch_rule(run, found);
  if (rule.empty()) return;
  std::vector<std::int64_t> choices;
  const std::int64_t horizon = found + 2 * run.parallel.group_of_micro_batches() + 2;
  for (std::int64_t i = std::max<std::int64_t>(1, found - 2 * run.parallel.pipeline);
       i <= horizon && choices.size() < 64; ++i)
    if (micro_batch_rule(run, i).empty()) choices.push_back(i * unit);
  std::stable_sort(choices.begin(), choices.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(a - run.training.global_batch) < std::abs(b - run.training.global_batch);
  });
  if (choices.size() > 2) choices.resize(2);
  std::sort(choices.begin(), choices.end());
  findings.add("training.global_batch", run.training.global_batch,
               fmt::format("gives {} micro-batches, {}{}", found, rule,
                           tries(choices, run.training.global_batch)));
}

}  // namespace

void check_layers(const Run& run, Findings& findings) {
  const StageLayers& rule = run.parallel.stage_layers;
  if (!rule.every.empty())
    check_every_stage(run, findings);
  else if (rule.first || rule.last)
    check_first_and_last(run, findings);
  else
    check_even_layers(run, findings);
}

void check_schedule(const Run& run, Findings& findings) {
  const ParallelConfig& parallel = run.parallel;
  check_virtual_stages(run, findings);
  if (parallel.schedule == ScheduleKind::interleaved &&
      parallel.group_of_micro_batches() < parallel.pipeline) {
    findings.add("parallel.microbatch_group", parallel.group_of_micro_batches(),
                 fmt::format("must be at least the pipeline size {}", parallel.pipeline));
    return;
  }
  if (parallel.schedule == ScheduleKind::dualpipe && parallel.pipeline % 2 != 0)
    findings.add("parallel.pipeline", parallel.pipeline, "dualpipe needs an even number");
  check_micro_batches(run, findings);
}

}  // namespace stepcast::detail
