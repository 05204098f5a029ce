#include "reports/comparison_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/prediction_text.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

struct Change {
  std::string_view label;
  double gained = 0.0;  // what the best saves against the other, in `unit`
};

std::vector<Change> changes(const Prediction& best, const Prediction& other, bool per_step) {
  const StageBreakdown& a = best.breakdown[critical_stage(best)];
  const StageBreakdown& b = other.breakdown[critical_stage(other)];
  const double scale_a = per_step ? 1.0 : per_million_tokens(best);
  const double scale_b = per_step ? 1.0 : per_million_tokens(other);
  std::vector<Change> out;
  for (const BreakdownTerm& term : breakdown_terms())
    out.push_back(
        {term.label, (b.*term.value).value() * scale_b - (a.*term.value).value() * scale_a});
  std::stable_sort(out.begin(), out.end(), [](const Change& x, const Change& y) {
    return std::fabs(x.gained) > std::fabs(y.gained);
  });
  return out;
}

// "its busiest stage spends less time a step on bubble (0.800 s), but more on GEMM (0.100 s)".
std::string reasons(const Prediction& best, const Prediction& other) {
  const bool per_step = same_work(best, other);
  const std::vector<Change> all = changes(best, other, per_step);
  const double largest = std::fabs(all.front().gained);
  std::vector<std::string> less, more;
  for (const Change& change : all) {
    if (change.gained == 0.0 || std::fabs(change.gained) < 0.1 * largest) continue;
    std::vector<std::string>& list = change.gained > 0 ? less : more;
    if (list.size() < 3)
      list.push_back(fmt::format("{} ({}{})", change.label, three_digits(std::fabs(change.gained)),
                                 per_step ? " s" : ""));
  }
  if (less.empty()) return "";
  return (per_step ? "because its busiest stage spends less time a step on "
                   : "because it spends fewer GPU-seconds per million tokens on ") +
         join_words(less) + (more.empty() ? "" : ", but more on " + join_words(more));
}

std::string infeasible_sentence(const Forecast& nearest_fit) {
  return "none fits in memory; the nearest is " + nearest_fit.label + ": " +
         memory_sentence(nearest_fit.prediction);
}

}  // namespace

std::string comparison_sentence(const std::vector<Forecast>& forecasts,
                                const std::vector<std::size_t>& ranking) {
  const Forecast& best = forecasts[ranking.front()];
  const Prediction& p = best.prediction;
  if (p.verdict == MemoryVerdict::out_of_memory) return infeasible_sentence(best);
  const std::string memory = "memory " + memory_sentence(p);
  if (ranking.size() == 1) return best.label + " is the only one; " + memory;
  const Forecast& second = forecasts[ranking[1]];
  if (second.prediction.verdict == MemoryVerdict::out_of_memory)
    return fmt::format("{} is best: it is the only one that fits; {}", best.label, memory);
  const double lead = p.tokens_per_s_per_gpu / second.prediction.tokens_per_s_per_gpu - 1.0;
  if (lead == 0.0)
    return fmt::format("{} is best: as fast as {} with no less free memory; {}", best.label,
                       second.label, memory);
  const std::string why = reasons(p, second.prediction);
  return fmt::format(
      "{} is {}: {} % more tokens/s/GPU than {}{}; {}", best.label,
      intervals_overlap(p, second.prediction) ? "best, within the doubt of the forecast" : "best",
      percent(lead), second.label, why.empty() ? "" : ", " + why, memory);
}

}  // namespace stepcast
