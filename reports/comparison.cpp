#include "reports/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/errors.hpp"
#include "reports/breakdown.hpp"
#include "reports/comparison_sentence.hpp"

namespace stepcast {

namespace {

bool fits(const Prediction& p) { return p.verdict != MemoryVerdict::out_of_memory; }

double headroom(const Prediction& p) { return (p.memory_capacity - memory_needed(p)).value(); }

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
    if (!fits(pa)) return headroom(pa) > headroom(pb);
    if (pa.tokens_per_s_per_gpu != pb.tokens_per_s_per_gpu)
      return pa.tokens_per_s_per_gpu > pb.tokens_per_s_per_gpu;
    return headroom(pa) > headroom(pb);
  });
  return order;
}

bool dominates(const Prediction& a, const Prediction& b) {
  const bool no_worse =
      a.tokens_per_s >= b.tokens_per_s && headroom(a) >= headroom(b) && a.gpus <= b.gpus;
  const bool better =
      a.tokens_per_s > b.tokens_per_s || headroom(a) > headroom(b) || a.gpus < b.gpus;
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

template <class Value>
std::vector<double> values_of(const std::vector<Forecast>& forecasts, Value value) {
  std::vector<double> values;
  for (const Forecast& forecast : forecasts) values.push_back(value(forecast.prediction));
  return values;
}

std::vector<Difference> differences(const std::vector<Forecast>& forecasts) {
  const auto steps = values_of(forecasts, [](const auto& p) { return p.step_p50.value(); });
  const auto peaks = values_of(forecasts, [](const auto& p) {
    return p.memory.empty() ? 0.0 : p.memory[fullest_stage(p)].peak_allocated.value();
  });
  std::vector<Difference> out;
  for (std::size_t to = 1; to < forecasts.size(); ++to) {
    const Prediction &a = forecasts[0].prediction, &b = forecasts[to].prediction;
    out.push_back({"step_time_s", steps, 0, to, step_time_terms(a, b)});
    out.push_back({"peak_allocated_bytes", peaks, 0, to, peak_memory_terms(a, b)});
  }
  const std::size_t last = forecasts.size() - 1;
  const auto add = [&](const char* metric, const auto& value) {
    out.push_back({metric, values_of(forecasts, value), 0, last, {}});
  };
  add("tokens_per_s_per_gpu", [](const auto& p) { return p.tokens_per_s_per_gpu; });
  add("mfu_causal", [](const auto& p) { return p.mfu_causal; });
  add("memory_headroom_bytes", [](const auto& p) { return headroom(p); });
  add("gpus", [](const auto& p) { return static_cast<double>(p.gpus); });
  return out;
}

}  // namespace

std::vector<DifferenceTerm> step_time_terms(const Prediction& from, const Prediction& to) {
  const StageBreakdown& a = from.breakdown[critical_stage(from)];
  const StageBreakdown& b = to.breakdown[critical_stage(to)];
  std::vector<DifferenceTerm> terms;
  for (const BreakdownTerm& term : breakdown_terms())
    terms.push_back({std::string(term.label), (b.*term.value - a.*term.value).value()});
  return sorted_terms(std::move(terms));
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

Comparison compare(const std::vector<Forecast>& forecasts) {
  STEPCAST_CHECK(!forecasts.empty());
  Comparison out;
  out.differences = differences(forecasts);
  out.ranking = rank(forecasts);
  out.pareto = pareto_front(forecasts);
  out.any_fits = fits(forecasts[out.ranking.front()].prediction);
  out.verdict = comparison_sentence(forecasts, out.ranking);
  return out;
}

}  // namespace stepcast
