#include "sim/plan/advice_explanation.hpp"

#include <algorithm>

#include "sim/plan/advice_rules.hpp"
#include "sim/program/step_program.hpp"

namespace stepcast {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

class Explanation {
 public:
  Explanation(AdviceCase& advice, const Choice& choice)
      : advice_(advice),
        choice_(choice),
        candidate_(choice.best->candidate),
        run_(advice.run_of(candidate_)),
        parallel_(run_.parallel),
        budget_(activation_share_of_memory * advice.usable(run_)) {}

  std::vector<RuleEvaluation> rules() {
    context_rules();
    tensor_rules();
    pipeline_rules();
    data_rules();
    last_rules();
    return std::move(rules_);
  }

 private:
  void add(RuleEvaluation rule) { rules_.push_back(std::move(rule)); }
  void context_rules();
  void ring_rule();
  void tensor_rules();
  void tensor_cost_rules();
  void pipeline_rules();
  void bubble_rules();
  void data_rules();
  void last_rules();
  [[nodiscard]] double activations(std::int64_t tensor, std::int64_t context) const {
    return advice_.model_activations(advice_.run_with({tensor, 1, context, 1}));
  }
  [[nodiscard]] Fact layers() const { return count_fact("layers", run_.model.layers); }
  [[nodiscard]] Fact rate_fact() {
    return {"layer_rate", advice_.layer_rate().value(), FactUnit::flops_per_second, {}};
  }

  AdviceCase& advice_;
  const Choice& choice_;
  const Candidate& candidate_;
  const Run run_;
  const ParallelConfig& parallel_;
  double budget_;
  std::vector<RuleEvaluation> rules_;
};

Fact link_fact(const GroupRate& rate) {
  return {"link_rate", rate.rate.value(), FactUnit::bytes_per_second, {}};
}
Fact tier_fact(const GroupRate& rate) { return text_fact("tier", std::string(name_of(rate.tier))); }
Fact bytes_fact(std::string name, double bytes) {
  return {std::move(name), bytes, FactUnit::bytes, {}};
}
Fact tokens_fact(std::string name, double tokens) {
  return {std::move(name), tokens, FactUnit::tokens, {}};
}

void Explanation::context_rules() {
  const Transformer& model = run_.model;
  const std::int64_t s = run_.training.sequence_length;
  const double share = attention_share(model, s);
  add({.axis = "cp",
       .id = "cp.length",
       .value = share,
       .threshold = attention_share_of_long_sequences,
       .unit = FactUnit::share,
       .holds = share > attention_share_of_long_sequences,
       .chosen = {},
       .facts = {tokens_fact("sequence", real(s)),
                 tokens_fact("crossover", crossover_length(model))}});
  const std::int64_t t = choice_.widest_tensor;
  const double whole = activations(t, 1);
  add({.axis = "cp",
       .id = "cp.activations",
       .value = whole,
       .threshold = budget_,
       .unit = FactUnit::bytes,
       .holds = whole > budget_,
       .chosen = {},
       .facts = {count_fact("tensor", t), layers(),
                 bytes_fact("layer", whole / real(run_.model.layers)),
                 tokens_fact("sequence", real(s))}});
  const double kept = activations(t, parallel_.context);
  const std::string id = parallel_.context == 1                       ? "cp.none"
                         : parallel_.context < choice_.wanted_context ? "cp.limited"
                                                                      : "cp.degree";
  add({.axis = "cp",
       .id = id,
       .value = kept,
       .threshold = budget_,
       .unit = FactUnit::bytes,
       .holds = kept <= budget_,
       .chosen = parallel_.context,
       .facts = {
           count_fact("context", parallel_.context), count_fact("wanted", choice_.wanted_context),
           tokens_fact("part", real(s / parallel_.context)), count_fact("gpus", advice_.gpus())}});
  if (parallel_.context > 1) ring_rule();
}

void Explanation::ring_rule() {
  const GroupRate ring = advice_.ring_rate(run_);
  const double part = real(run_.training.sequence_length / parallel_.context);
  const double least = least_ring_tokens(real(run_.model.kv_heads) / real(run_.model.heads),
                                         advice_.layer_rate(), ring.rate);
  add({.axis = "cp",
       .id = "cp.ring",
       .value = part,
       .threshold = least,
       .unit = FactUnit::tokens,
       .holds = part >= least,
       .chosen = {},
       .facts = {rate_fact(), link_fact(ring), tier_fact(ring),
                 count_fact("heads", run_.model.heads),
                 count_fact("kv_heads", run_.model.kv_heads)}});
}

void Explanation::tensor_rules() {
  const double usable = advice_.usable(run_), layer = advice_.layer_states(1);
  add({.axis = "tp",
       .id = "tp.layer",
       .value = layer,
       .threshold = usable,
       .unit = FactUnit::bytes,
       .holds = layer > usable,
       .chosen = {},
       .facts = {}});
  const double whole = activations(1, parallel_.context);
  const double kept = activations(parallel_.tensor, parallel_.context);
  add({.axis = "tp",
       .id = "tp.activations",
       .value = whole,
       .threshold = budget_,
       .unit = FactUnit::bytes,
       .holds = whole > budget_,
       .chosen = {},
       .facts = {layers(), count_fact("context", parallel_.context)}});
  add({.axis = "tp",
       .id = parallel_.tensor == 1 ? "tp.none"
             : kept <= budget_     ? "tp.degree"
                                   : "tp.widest",
       .value = kept,
       .threshold = budget_,
       .unit = FactUnit::bytes,
       .holds = kept <= budget_,
       .chosen = parallel_.tensor,
       .facts = {count_fact("tensor", parallel_.tensor),
                 count_fact("widest", choice_.widest_tensor)}});
  if (parallel_.tensor > 1) tensor_cost_rules();
  if (const Degrees& first = choice_.first;
      first.tensor != parallel_.tensor || first.context != parallel_.context)
    add({.axis = "tp",
         .id = "step_on",
         .value = real(parallel_.tensor * parallel_.context),
         .threshold = real(first.tensor * first.context),
         .unit = FactUnit::count,
         .holds = false,
         .chosen = parallel_.tensor,
         .facts = {
             count_fact("first_tensor", first.tensor), count_fact("first_context", first.context),
             count_fact("tensor", parallel_.tensor), count_fact("context", parallel_.context)}});
}

void Explanation::tensor_cost_rules() {
  const GroupRate link = advice_.tensor_rate(parallel_.tensor);
  const double ratio =
      tensor_communication(run_.model, parallel_.tensor, advice_.layer_rate(), link.rate);
  add({.axis = "tp",
       .id = "tp.cost",
       .value = ratio,
       .threshold = most_tensor_communication,
       .unit = FactUnit::ratio,
       .holds = ratio <= most_tensor_communication,
       .chosen = {},
       .facts = {rate_fact(), link_fact(link), count_fact("hidden", run_.model.hidden),
                 count_fact("tensor", parallel_.tensor)}});
  add({.axis = "tp",
       .id = "tp.domain",
       .value = real(parallel_.tensor),
       .threshold = real(advice_.nvlink_domain()),
       .unit = FactUnit::count,
       .holds = parallel_.tensor <= advice_.nvlink_domain(),
       .chosen = {},
       .facts = {link_fact(link), tier_fact(link)}});
}

void Explanation::pipeline_rules() {
  const std::int64_t t = parallel_.tensor, c = parallel_.context;
  const Run single = advice_.run_with({t, 1, c, std::max<std::int64_t>(1, advice_.gpus() / t / c)});
  const double activations = advice_.model_activations(single);
  const double needed = advice_.states(single) + activations + advice_.logits(single);
  const double usable = advice_.usable(run_);
  add({.axis = "pp",
       .id = "pp.memory",
       .value = needed,
       .threshold = usable,
       .unit = FactUnit::bytes,
       .holds = needed <= usable,
       .chosen = parallel_.pipeline,
       .facts = {bytes_fact("states", advice_.states(single)),
                 bytes_fact("activations", activations),
                 bytes_fact("states_now", advice_.states(run_)),
                 count_fact("pipeline", parallel_.pipeline), layers()}});
  if (parallel_.pipeline > 1) bubble_rules();
}

void Explanation::bubble_rules() {
  const double bubble = choice_.best->bubble;
  add({.axis = "pp",
       .id = "pp.bubble",
       .value = bubble,
       .threshold = most_bubble,
       .unit = FactUnit::share,
       .holds = bubble <= most_bubble,
       .chosen = parallel_.virtual_stages,
       .facts = {count_fact("pipeline", parallel_.pipeline),
                 count_fact("virtual", parallel_.virtual_stages),
                 count_fact("micro_batches", run_.micro_batches())}});
  const GroupRate link = advice_.boundary_rate(run_);
  const Bytes size = boundary_size(run_, framework_rules(run_.framework, run_.framework_release));
  const double chunk = real(run_.model.layers) /
                       real(parallel_.pipeline * parallel_.virtual_stages) *
                       advice_.layer_time(candidate_, ActionKind::forward).value();
  const double time = (size / link.rate).value();
  add({.axis = "pp",
       .id = run_.overlap.pipeline ? "pp.transfer" : "pp.transfer_exposed",
       .value = time,
       .threshold = chunk,
       .unit = FactUnit::seconds,
       .holds = time <= chunk,
       .chosen = {},
       .facts = {bytes_fact("message", size.value()), link_fact(link), tier_fact(link)}});
}

void Explanation::data_rules() {
  const std::int64_t m = run_.micro_batches(), p = parallel_.pipeline;
  add({.axis = "dp",
       .id = "dp.degree",
       .value = real(m),
       .threshold = real(micro_batches_per_stage * p),
       .unit = FactUnit::count,
       .holds = p == 1 || m >= micro_batches_per_stage * p,
       .chosen = parallel_.data,
       .facts = {count_fact("gpus", advice_.gpus()),
                 count_fact("replica", advice_.gpus() / parallel_.data),
                 count_fact("batch", run_.training.global_batch),
                 count_fact("micro_batch", run_.training.micro_batch),
                 count_fact("data", parallel_.data)}});
  add({.axis = "dp",
       .id = "dp.micro_batch",
       .value = real(run_.tokens_per_rank()),
       .threshold = least_tokens_of_micro_batch,
       .unit = FactUnit::tokens,
       .holds = real(run_.tokens_per_rank()) >= least_tokens_of_micro_batch,
       .chosen = run_.training.micro_batch,
       .facts = {count_fact("micro_batch", run_.training.micro_batch)}});
  if (parallel_.data * parallel_.context == 1) return;
  const GroupRate link = advice_.data_rate(run_);
  const double least = least_data_tokens(advice_.layer_rate(), link.rate);
  add({.axis = "dp",
       .id = "dp.hidden",
       .value = real(run_.tokens_per_rank()),
       .threshold = least,
       .unit = FactUnit::tokens,
       .holds = real(run_.tokens_per_rank()) >= least,
       .chosen = {},
       .facts = {rate_fact(), link_fact(link), tier_fact(link), count_fact("micro_batches", m),
                 count_fact("micro_batch", run_.training.micro_batch)}});
}

void Explanation::last_rules() {
  const std::int64_t ranks = parallel_.data * parallel_.context;
  if (ranks > 1) {
    Run whole = run_;
    whole.parallel.sharding = Sharding::none;
    add({.axis = "sharding",
         .id = parallel_.sharding == Sharding::none ? "sharding.none" : "sharding.optimizer",
         .value = advice_.states(whole),
         .threshold = (1.0 - activation_share_of_memory) * advice_.usable(run_),
         .unit = FactUnit::bytes,
         .holds = advice_.states(whole) > (1.0 - activation_share_of_memory) * advice_.usable(run_),
         .chosen = ranks,
         .facts = {bytes_fact("sharded", advice_.states(run_)), count_fact("ranks", ranks)}});
  }
  const Completion& best = *choice_.best;
  const bool none = candidate_.recompute == RecomputeKind::none;
  add({.axis = "recompute",
       .id = none                                               ? "recompute.none"
             : candidate_.recompute == RecomputeKind::selective ? "recompute.selective"
                                                                : "recompute.full",
       .value = best.unrecomputed,
       .threshold = advice_.capacity(),
       .unit = FactUnit::bytes,
       .holds = best.unrecomputed <= advice_.capacity(),
       .chosen = candidate_.recompute == RecomputeKind::full
                     ? std::optional(candidate_.recompute_layers)
                     : std::nullopt,
       .facts = {bytes_fact("needed", best.memory),
                 count_fact("recomputed", candidate_.recompute_layers)}});
  const std::optional<int>& ceiling = advice_.request().limits.complexity;
  add({.axis = "complexity",
       .id = ceiling ? "complexity.ceiling" : "complexity.free",
       .value = real(engineering_complexity(run_)),
       .threshold = ceiling ? std::optional(real(*ceiling)) : std::nullopt,
       .unit = FactUnit::count,
       .holds = !ceiling || engineering_complexity(run_) <= *ceiling,
       .chosen = {},
       .facts = {}});
}

}  // namespace

std::vector<RuleEvaluation> explain(AdviceCase& advice, const Choice& choice) {
  return Explanation(advice, choice).rules();
}

}  // namespace stepcast
