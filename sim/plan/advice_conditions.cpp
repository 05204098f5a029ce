#include "sim/plan/advice_conditions.hpp"

#include <algorithm>

#include "sim/plan/advice_rules.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

Fact bytes_fact(std::string name, double bytes) {
  return {std::move(name), bytes, FactUnit::bytes, {}};
}

RuleEvaluation replica(const AdviceCase& advice) {
  const Run sharded = advice.run_with({1, 1, 1, advice.gpus()});
  const Run whole = advice.run_with({1, 1, 1, 1});
  const double activations = advice.model_activations(whole), logits = advice.logits(whole);
  const double needed = advice.states(sharded) + activations + logits;
  const double usable = advice.usable(whole);
  return {.axis = "c1",
          .id = "c1",
          .value = needed,
          .threshold = usable,
          .unit = FactUnit::bytes,
          .holds = needed <= usable,
          .chosen = {},
          .facts = {bytes_fact("states", advice.states(whole)),
                    bytes_fact("sharded", advice.states(sharded)),
                    bytes_fact("activations", activations), bytes_fact("logits", logits),
                    count_fact("gpus", advice.gpus())}};
}

RuleEvaluation layer(const AdviceCase& advice) {
  const double usable = advice.usable(advice.run_with({1, 1, 1, 1}));
  const double needed = advice.layer_states(1);
  return {.axis = "c2",
          .id = "c2",
          .value = needed,
          .threshold = usable,
          .unit = FactUnit::bytes,
          .holds = needed <= usable,
          .chosen = {},
          .facts = {count_fact("hidden", advice.base().model.hidden)}};
}

// Long by work or by memory; the value is the share of work.
RuleEvaluation sequence(const AdviceCase& advice, const Choice& choice) {
  const Run& base = advice.base();
  const std::int64_t s = base.training.sequence_length;
  const double share = attention_share(base.model, s);
  const Run run = advice.run_with({choice.widest_tensor, 1, 1, 1});
  const double activations = advice.model_activations(run);
  const double budget = activation_share_of_memory * advice.usable(run);
  const bool by_work = share > attention_share_of_long_sequences;
  return {.axis = "c3",
          .id = by_work ? "c3.work" : "c3",
          .value = share,
          .threshold = attention_share_of_long_sequences,
          .unit = FactUnit::share,
          .holds = by_work || activations > budget,
          .chosen = {},
          .facts = {{"sequence", real(s), FactUnit::tokens, {}},
                    {"crossover", crossover_length(base.model), FactUnit::tokens, {}},
                    bytes_fact("activations", activations),
                    bytes_fact("budget", budget),
                    count_fact("tensor", choice.widest_tensor)}};
}

RuleEvaluation network(const std::vector<GroupSupply>& groups) {
  const auto flagged =
      std::count_if(groups.begin(), groups.end(), [](const auto& one) { return one.flagged; });
  return {.axis = "c4",
          .id = "c4",
          .value = real(flagged),
          .threshold = 0.0,
          .unit = FactUnit::count,
          .holds = flagged == 0,
          .chosen = {},
          .facts = {count_fact("groups", static_cast<std::int64_t>(groups.size()))}};
}

RuleEvaluation complexity(const AdviceCase& advice, const Choice& choice) {
  const int score = engineering_complexity(advice.run_of(choice.best->candidate));
  const std::optional<int>& ceiling = advice.request().limits.complexity;
  return {.axis = "c5",
          .id = ceiling ? "c5" : "c5.free",
          .value = real(score),
          .threshold = ceiling ? std::optional(real(*ceiling)) : std::nullopt,
          .unit = FactUnit::count,
          .holds = !ceiling || score <= *ceiling,
          .chosen = {},
          .facts = {}};
}

}  // namespace

std::vector<GroupSupply> group_supplies(const std::vector<Strategy>& strategies) {
  std::vector<GroupSupply> groups;
  for (const Strategy& one : strategies) {
    if (!one.used) continue;
    const bool blocking_outside = one.name == "tp" && one.tier != "nvlink";
    groups.push_back(
        {one.name, one.degree, one.tier, one.hide_bandwidth, one.supplied_bandwidth,
         blocking_outside || (one.hide_bandwidth && *one.hide_bandwidth > one.supplied_bandwidth)});
  }
  return groups;
}

std::vector<RuleEvaluation> conditions_of(AdviceCase& advice, const Choice& choice,
                                          const std::vector<GroupSupply>& groups) {
  return {replica(advice), layer(advice), sequence(advice, choice), network(groups),
          complexity(advice, choice)};
}

std::vector<Statement> notes_of(const Run& run, const AdviceCase& advice) {
  const ParallelConfig& parallel = run.parallel;
  std::vector<Statement> notes;
  const auto note = [&](bool matters, const char* id, std::vector<Fact> facts = {}) {
    if (matters) notes.push_back({id, std::move(facts)});
  };
  const bool flash = run.training.attention == AttentionKind::flash;
  const std::int64_t ranks = parallel.data * parallel.context;
  note(flash && attention_share(run.model, run.training.sequence_length) >
                    attention_share_of_long_sequences,
       "note.flash");
  note(!flash, "note.unfused");
  note(parallel.sharding != Sharding::none && ranks > 1, "note.sharded",
       {count_fact("ranks", ranks)});
  note(parallel.data > 1 && run.overlap.grad_reduce, "note.data_overlap");
  note(parallel.tensor > 1 && !parallel.sequence_parallel, "note.no_sequence_parallel");
  note(parallel.pipeline > 1 && parallel.tensor > 1 && !parallel.sequence_parallel,
       "note.redundant_transfers", {count_fact("tensor", parallel.tensor)});
  note(parallel.tensor > 1 && advice.nvlink_domain() > 8, "note.domain",
       {count_fact("domain", advice.nvlink_domain())});
  note(parallel.context > 1, "note.ring_volume", {count_fact("context", parallel.context)});
  return notes;
}

}  // namespace stepcast
