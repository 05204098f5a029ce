#include "reports/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "common/errors.hpp"
#include "reports/breakdown.hpp"
#include "reports/comparison_metrics.hpp"
#include "reports/comparison_sentence.hpp"

namespace stepcast {

namespace {

bool fits(const Prediction& p) { return p.verdict != MemoryVerdict::out_of_memory; }

// Largest magnitude first, then by name; drops zeros.
std::vector<DifferenceTerm> sorted_terms(std::vector<DifferenceTerm> terms) {
  std::erase_if(terms, [](const DifferenceTerm& term) { return term.value == 0.0; });
  std::sort(terms.begin(), terms.end(), [](const DifferenceTerm& a, const DifferenceTerm& b) {
    const double size_a = std::fabs(a.value), size_b = std::fabs(b.value);
    return size_a != size_b ? size_a > size_b : a.name < b.name;
  });
  return terms;
}

std::vector<std::size_t> rank(const std::vector<Forecast>& forecasts) {
  std::vector<std::size_t> order(forecasts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Prediction &pa = forecasts[a].prediction, &pb = forecasts[b].prediction;
    if (fits(pa) != fits(pb)) return fits(pa);
    if (!fits(pa)) return memory_headroom(pa) > memory_headroom(pb);
    if (pa.tokens_per_s_per_gpu != pb.tokens_per_s_per_gpu)
      return pa.tokens_per_s_per_gpu > pb.tokens_per_s_per_gpu;
    return memory_headroom(pa) > memory_headroom(pb);
  });
  return order;
}

bool dominates(const Prediction& a, const Prediction& b) {
  const bool no_worse = a.tokens_per_s >= b.tokens_per_s &&
                        memory_headroom(a) >= memory_headroom(b) && a.gpus <= b.gpus;
  const bool better =
      a.tokens_per_s > b.tokens_per_s || memory_headroom(a) > memory_headroom(b) || a.gpus < b.gpus;
  return no_worse && better;
}

std::vector<std::size_t> pareto_front(const std::vector<Forecast>& forecasts) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const Prediction& candidate = forecasts[i].prediction;
    const bool beaten = std::any_of(forecasts.begin(), forecasts.end(), [&](const Forecast& f) {
      return fits(f.prediction) && dominates(f.prediction, candidate);
    });
    if (fits(candidate) && !beaten) front.push_back(i);
  }
  return front;
}

std::vector<double> values_of(const std::vector<Forecast>& forecasts,
                              double (*value)(const Prediction&)) {
  std::vector<double> values;
  for (const Forecast& forecast : forecasts) values.push_back(value(forecast.prediction));
  return values;
}

double gpu_seconds_per_million_tokens(const Prediction& p) {
  return p.step_p50.value() * per_million_tokens(p);
}

using Terms = std::vector<DifferenceTerm> (*)(const Prediction&, const Prediction&);

// The metrics that have parts, by name.
const std::map<std::string_view, Terms>& explained() {
  static const std::map<std::string_view, Terms> terms{{"step_time_s", step_time_terms},
                                                       {"peak_allocated_bytes", peak_memory_terms},
                                                       {"memory_headroom_bytes", headroom_terms}};
  return terms;
}

std::vector<Difference> differences(const std::vector<Forecast>& forecasts) {
  std::vector<Difference> out, others;
  const auto explain = [&](std::string_view metric, double (*value)(const Prediction&),
                           Terms terms) {
    for (std::size_t to = 1; to < forecasts.size(); ++to)
      out.push_back({std::string(metric), values_of(forecasts, value), 0, to,
                     terms(forecasts[0].prediction, forecasts[to].prediction)});
  };
  for (const ComparisonMetric& metric : comparison_metrics()) {
    if (const auto found = explained().find(metric.key); found != explained().end())
      explain(metric.key, metric.value, found->second);
    else
      others.push_back({std::string(metric.key),
                        values_of(forecasts, metric.value),
                        0,
                        forecasts.size() - 1,
                        {}});
  }
  explain("gpu_seconds_per_million_tokens", gpu_seconds_per_million_tokens, per_token_terms);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

// Terms between the critical stages, a second of each step weighed by its factor.
std::vector<DifferenceTerm> weighed_terms(const Prediction& from, double from_factor,
                                          const Prediction& to, double to_factor) {
  const StageBreakdown& a = from.breakdown[critical_stage(from)];
  const StageBreakdown& b = to.breakdown[critical_stage(to)];
  std::vector<DifferenceTerm> terms;
  for (const BreakdownTerm& term : breakdown_terms()) {
    const double before = (a.*term.value).value() * from_factor;
    const double after = (b.*term.value).value() * to_factor;
    const double rounding = 1e-14 * (std::fabs(before) + std::fabs(after));
    const double change = after - before;
    terms.push_back({std::string(term.label), std::fabs(change) <= rounding ? 0.0 : change});
  }
  return sorted_terms(std::move(terms));
}

}  // namespace

std::vector<DifferenceTerm> step_time_terms(const Prediction& from, const Prediction& to) {
  return weighed_terms(from, 1.0, to, 1.0);
}

std::vector<DifferenceTerm> per_token_terms(const Prediction& from, const Prediction& to) {
  return weighed_terms(from, per_million_tokens(from), to, per_million_tokens(to));
}

std::vector<DifferenceTerm> peak_memory_terms(const Prediction& from, const Prediction& to) {
  if (from.memory.empty() || to.memory.empty()) return {};
  const StageMemory& a = from.memory[fullest_stage(from)];
  const StageMemory& b = to.memory[fullest_stage(to)];
  std::vector<DifferenceTerm> terms;
  double rest = (b.peak_allocated - a.peak_allocated).value();
  for (const MemoryTerm& term : memory_terms()) {
    if (term.value == &StageMemory::overhead) continue;  // outside the allocator
    terms.push_back({std::string(term.label), (b.*term.value - a.*term.value).value()});
    rest -= terms.back().value;
  }
  terms.push_back({"not attributed", rest});
  return sorted_terms(std::move(terms));
}

std::vector<DifferenceTerm> headroom_terms(const Prediction& from, const Prediction& to) {
  if (from.memory.empty() || to.memory.empty()) return {};
  std::vector<DifferenceTerm> terms = peak_memory_terms(from, to);
  for (DifferenceTerm& term : terms) term.value = -term.value;
  const StageMemory& a = from.memory[fullest_stage(from)];
  const StageMemory& b = to.memory[fullest_stage(to)];
  terms.push_back({"overhead", (a.overhead - b.overhead).value()});
  terms.push_back({"capacity", (to.memory_capacity - from.memory_capacity).value()});
  return sorted_terms(std::move(terms));
}

Comparison compare(const std::vector<Forecast>& forecasts) {
  STEPCAST_CHECK(!forecasts.empty());
  Comparison out;
  out.differences = differences(forecasts);
  out.ranking = rank(forecasts);
  out.pareto = pareto_front(forecasts);
  out.any_fits = fits(forecasts[out.ranking.front()].prediction);
  out.inputs_changed = inputs_changed(forecasts);
  out.overlapping = overlapping_pairs(forecasts);
  out.notes = comparison_notes(out.inputs_changed, out.overlapping);
  out.verdict = comparison_sentence(forecasts, out.ranking);
  return out;
}

}  // namespace stepcast
