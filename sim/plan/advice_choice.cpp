#include "sim/plan/advice_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/plan/advice_rules.hpp"

namespace stepcast {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;  // context, tensor

class Walk {
 public:
  explicit Walk(AdviceCase& advice)
      : advice_(advice), tensors_(advice.tensor_degrees()), contexts_(advice.context_degrees()) {
    std::vector<std::int64_t> inside = tensors_;
    std::erase_if(inside, [&](std::int64_t t) { return t > advice_.nvlink_domain(); });
    if (!inside.empty()) tensors_ = inside;
  }

  Choice walk();

 private:
  [[nodiscard]] double activations(std::int64_t tensor, std::int64_t context) const {
    return advice_.model_activations(advice_.run_with({tensor, 1, context, 1}));
  }
  [[nodiscard]] double budget(std::int64_t tensor) const {
    return activation_share_of_memory *
           advice_.usable(advice_.run_with({tensor, 1, 1, advice_.gpus() / tensor}));
  }
  [[nodiscard]] std::int64_t widest_tensor();
  [[nodiscard]] std::int64_t wanted_context() const;
  [[nodiscard]] std::int64_t context_with_room();
  [[nodiscard]] std::int64_t tensor_for(std::int64_t context) const;
  [[nodiscard]] std::vector<Pair> order(std::int64_t context, std::int64_t tensor) const;
  [[nodiscard]] Completion attempt(const Degrees& degrees, MayRecompute recompute);
  [[nodiscard]] std::optional<Completion> stages_for(std::int64_t tensor, std::int64_t context);
  void enlarge_micro_batch();

  AdviceCase& advice_;
  std::vector<std::int64_t> tensors_, contexts_;
  Choice choice_;
};

std::int64_t Walk::widest_tensor() {
  std::int64_t widest = tensors_.front();
  for (const std::int64_t t : tensors_)
    if (t == 1 || tensor_communication(advice_.base().model, t, advice_.layer_rate(),
                                       advice_.tensor_rate(t).rate) <= most_tensor_communication)
      widest = std::max(widest, t);
  return widest;
}

std::int64_t Walk::wanted_context() const {
  for (const std::int64_t c : contexts_)
    if (activations(choice_.widest_tensor, c) <= budget(choice_.widest_tensor)) return c;
  return contexts_.back();
}

Completion Walk::attempt(const Degrees& degrees, MayRecompute recompute) {
  Completion tried = advice_.complete(degrees, recompute);
  if (tried.valid) {
    choice_.valid_seen = true;
    choice_.least_memory = std::min(choice_.least_memory.value_or(tried.memory), tried.memory);
  }
  return tried;
}

// The wanted degree if anything with it fits as it is; else the one that leaves least to recompute.
std::int64_t Walk::context_with_room() {
  std::int64_t best = contexts_.front();
  double least = std::numeric_limits<double>::infinity();
  for (auto c = contexts_.rbegin(); c != contexts_.rend(); ++c) {
    if (*c > choice_.wanted_context) continue;
    const std::optional<Completion> found = stages_for(choice_.widest_tensor, *c);
    if (!found || found->recomputed_share >= least) continue;
    best = *c;
    least = found->recomputed_share;
    if (least == 0.0) break;
  }
  return best;
}

std::int64_t Walk::tensor_for(std::int64_t context) const {
  for (const std::int64_t t : tensors_)
    if (t <= choice_.widest_tensor && activations(t, context) <= budget(t) &&
        !advice_.pipelines(t, context).empty() &&
        advice_.layer_states(t) <= advice_.usable(advice_.run_with({t, 1, context, 1})))
      return t;
  return choice_.widest_tensor;
}

// The pair itself, then wider tensor groups, then longer and at last shorter context groups.
std::vector<Pair> Walk::order(std::int64_t context, std::int64_t tensor) const {
  std::vector<Pair> pairs;
  const auto add = [&](std::int64_t c, std::int64_t least_tensor) {
    for (const std::int64_t t : tensors_)
      if (t >= least_tensor) pairs.emplace_back(c, t);
  };
  add(context, tensor);
  for (const std::int64_t c : contexts_)
    if (c > context) add(c, 1);
  for (auto c = contexts_.rbegin(); c != contexts_.rend(); ++c)
    if (*c <= context) add(*c, 1);
  return pairs;
}

std::optional<Completion> Walk::stages_for(std::int64_t tensor, std::int64_t context) {
  const auto excess = [](const Completion& one) { return std::max(0.0, one.bubble - most_bubble); };
  std::optional<Completion> best;
  for (const Degrees& degrees : advice_.pipelines(tensor, context)) {
    Completion tried = attempt(degrees, MayRecompute::yes);
    if (!tried.fits) continue;
    if (!best || std::pair(excess(tried), tried.recomputed_share) <
                     std::pair(excess(*best), best->recomputed_share))
      best = std::move(tried);
    if (excess(*best) == 0.0 && best->recomputed_share == 0.0) break;
  }
  return best;
}

// More tokens of a micro-batch fill kernels, and give gradients and parameters more to hide behind.
void Walk::enlarge_micro_batch() {
  const Completion& small = *choice_.best;
  const Run run = advice_.run_of(small.candidate);
  if (advice_.pinned("micro_batch") || run.training.recompute.kind == RecomputeKind::full) return;
  double needed = least_tokens_of_micro_batch;
  if (run.parallel.data * run.parallel.context > 1)
    needed = std::max(needed, least_data_tokens(advice_.layer_rate(), advice_.data_rate(run).rate));
  const Degrees degrees = degrees_of(run.parallel);
  for (std::int64_t b = 2 * run.training.micro_batch;; b *= 2) {
    const Run last = advice_.run_of(choice_.best->candidate);
    if (static_cast<double>(last.tokens_per_rank()) >= needed) return;
    Completion larger = advice_.complete(degrees, MayRecompute::no, b);
    if (!larger.fits || larger.bubble > most_bubble) return;
    choice_.best = std::move(larger);
  }
}

Choice Walk::walk() {
  if (tensors_.empty()) return choice_;
  choice_.widest_tensor = widest_tensor();
  choice_.wanted_context = wanted_context();
  const std::int64_t context = context_with_room();
  const std::int64_t tensor = tensor_for(context);
  choice_.first = {tensor, 1, context, 1};
  std::optional<Completion> with_bubble;
  for (const auto& [c, t] : order(context, tensor)) {
    std::optional<Completion> found = stages_for(t, c);
    if (!found) continue;
    if (!with_bubble) with_bubble = found;
    if (found->bubble > most_bubble) continue;
    choice_.best = std::move(found);
    break;
  }
  if (!choice_.best) choice_.best = std::move(with_bubble);
  if (choice_.best) enlarge_micro_batch();
  return choice_;
}

}  // namespace

Choice choose(AdviceCase& advice) { return Walk(advice).walk(); }

}  // namespace stepcast
