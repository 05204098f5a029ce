#include "reports/advice_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/breakdown.hpp"
#include "reports/comparison.hpp"
#include "reports/text_table.hpp"
#include "sim/plan/advice_rules.hpp"

namespace stepcast {

namespace {

constexpr std::size_t most_terms = 3;
// Terms below this share of the step are not worth a word.
constexpr double least_term = 0.002;

const StageBreakdown& critical(const RankedRun& one) {
  return one.prediction.breakdown[critical_stage(one.prediction)];
}

Fact share_of_step(std::string name, const RankedRun& one, Seconds StageBreakdown::*part) {
  return {std::move(name), critical(one).*part / critical(one).total, FactUnit::share, {}};
}

class Explanation {
 public:
  Explanation(const RankedRun& rule, const RankedRun& best, Language language)
      : rule_(rule), best_(best), language_(language) {}

  std::string text() {
    headline();
    terms();
    mechanisms();
    memory();
    return join(sentences_, language_ == Language::chinese ? "" : " ");
  }

 private:
  void add(Statement statement) { sentences_.push_back(say(language_, statement)); }
  void headline();
  void terms();
  void mechanisms();
  void bubble();
  void context();
  void memory();

  const RankedRun& rule_;
  const RankedRun& best_;
  Language language_;
  std::vector<std::string> sentences_;
};

void Explanation::headline() {
  const double gain =
      best_.prediction.tokens_per_s_per_gpu / rule_.prediction.tokens_per_s_per_gpu - 1.0;
  add({gain >= 0.0 ? "why.faster" : "why.slower",
       {text_fact("best", configuration_name(best_.run)),
        text_fact("rule", configuration_name(rule_.run)),
        {"gain", std::fabs(gain), FactUnit::share, {}}}});
}

void Explanation::terms() {
  const StageBreakdown &from = critical(rule_), &to = critical(best_);
  std::vector<std::string> parts;
  for (const DifferenceTerm& term : step_time_terms(rule_.prediction, best_.prediction)) {
    const auto known =
        std::ranges::find(breakdown_terms(), std::string_view(term.name), &BreakdownTerm::label);
    if (known == breakdown_terms().end() || parts.size() == most_terms) continue;
    if (std::fabs(term.value) < least_term * from.total.value()) continue;
    parts.push_back(say(language_, {"why.term",
                                    {text_fact("term", say(language_, "term." + term.name)),
                                     {"from", (from.*known->value).value(), FactUnit::seconds, {}},
                                     {"to", (to.*known->value).value(), FactUnit::seconds, {}}}}));
  }
  if (parts.empty()) return;
  const std::string list = language_ == Language::chinese ? join(parts, "，") : join_words(parts);
  add({"why.terms", {text_fact("terms", list)}});
}

void Explanation::bubble() {
  const auto& a = rule_.run.parallel;
  const auto& b = best_.run.parallel;
  const auto share = [](const Run& run) {
    return bubble_share(run.parallel.pipeline, run.parallel.virtual_stages, run.micro_batches());
  };
  if (share(rule_.run) == share(best_.run)) return;
  add({"why.bubble",
       {count_fact("best_v", b.virtual_stages),
        count_fact("best_m", best_.run.micro_batches()),
        count_fact("best_p", b.pipeline),
        {"best_bubble", share(best_.run), FactUnit::share, {}},
        count_fact("rule_v", a.virtual_stages),
        count_fact("rule_m", rule_.run.micro_batches()),
        count_fact("rule_p", a.pipeline),
        {"rule_bubble", share(rule_.run), FactUnit::share, {}}}});
}

void Explanation::context() {
  const std::int64_t rule = rule_.run.parallel.context, best = best_.run.parallel.context;
  if (rule == best) return;
  add({best > rule ? "why.context" : "why.less_context",
       {count_fact("rule_c", rule), count_fact("best_c", best),
        count_fact("rule_p", rule_.run.parallel.pipeline),
        count_fact("best_p", best_.run.parallel.pipeline),
        share_of_step("best_exposed", best_, &StageBreakdown::exposed_context)}});
}

void Explanation::mechanisms() {
  const auto& a = rule_.run;
  const auto& b = best_.run;
  if (a.parallel.tensor > b.parallel.tensor)
    add({"why.tensor",
         {count_fact("rule_t", a.parallel.tensor), count_fact("best_t", b.parallel.tensor),
          share_of_step("rule_exposed", rule_, &StageBreakdown::exposed_tensor),
          share_of_step("best_exposed", best_, &StageBreakdown::exposed_tensor)}});
  if (a.parallel.tensor < b.parallel.tensor)
    add({"why.more_tensor",
         {count_fact("rule_t", a.parallel.tensor), count_fact("best_t", b.parallel.tensor),
          share_of_step("best_exposed", best_, &StageBreakdown::exposed_tensor)}});
  context();
  bubble();
  if (!(a.training.recompute == b.training.recompute))
    add({"why.recompute",
         {share_of_step("best_recompute", best_, &StageBreakdown::recompute),
          share_of_step("rule_recompute", rule_, &StageBreakdown::recompute)}});
  if (a.training.micro_batch != b.training.micro_batch)
    add({"why.micro_batch",
         {count_fact("best_b", b.training.micro_batch),
          count_fact("rule_b", a.training.micro_batch)}});
  if (a.parallel.sequence_parallel && b.parallel.tensor > 1 && !b.parallel.sequence_parallel)
    add({"why.sequence_parallel", {}});
  if (a.parallel.order != b.parallel.order && b.parallel.pipeline > 1 && b.parallel.data > 1)
    add({"why.order", {}});
}

void Explanation::memory() {
  const auto free = [](const RankedRun& one) {
    return (one.prediction.memory_capacity - memory_needed(one.prediction)).value();
  };
  add({"why.memory",
       {{"best_free", free(best_), FactUnit::bytes, {}},
        {"rule_free", free(rule_), FactUnit::bytes, {}}}});
  add({"why.memory_rule", {}});
}

bool same_choice(const Run& a, const Run& b) {
  return configuration_name(a) == configuration_name(b) && a.parallel.order == b.parallel.order &&
         a.parallel.stage_layers == b.parallel.stage_layers;
}

}  // namespace

std::string configuration_name(const Run& run) {
  const ParallelConfig& parallel = run.parallel;
  std::string name = fmt::format("TP {}, PP {}", parallel.tensor, parallel.pipeline);
  if (parallel.virtual_stages > 1) name += fmt::format(" x {} virtual", parallel.virtual_stages);
  name += fmt::format(", CP {}, DP {}, micro-batch {}", parallel.context, parallel.data,
                      run.training.micro_batch);
  if (parallel.sequence_parallel) name += ", SP";
  const Recompute& recompute = run.training.recompute;
  if (recompute.kind == RecomputeKind::selective) name += ", selective recompute";
  if (recompute.kind == RecomputeKind::full)
    name += recompute.layers
                ? fmt::format(", full recompute of {} layers a chunk", *recompute.layers)
                : std::string(", full recompute");
  return name;
}

std::string why_different(const Advice& advice, Language language) {
  if (!advice.search_best) return say(language, "why.none");
  const Run& best = advice.search_best->run;
  if (same_choice(advice.recommended->run, best))
    return say(language, {"why.same", {text_fact("best", configuration_name(best))}});
  return Explanation(*advice.recommended, *advice.search_best, language).text();
}

}  // namespace stepcast
