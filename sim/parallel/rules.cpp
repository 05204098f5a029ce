#include "sim/parallel/rules.hpp"

#include <algorithm>

#include "sim/parallel/rules_detail.hpp"

namespace stepcast {
namespace detail {

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    result.push_back(i);
    if (i * i != number) result.push_back(number / i);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string tries(std::vector<std::int64_t> choices, std::int64_t found) {
  constexpr std::size_t most = 12;
  if (choices.empty()) return "";
  if (choices.size() > most) {
    std::stable_sort(choices.begin(), choices.end(), [&](std::int64_t a, std::int64_t b) {
      return std::abs(a - found) < std::abs(b - found);
    });
    choices.resize(most);
    std::sort(choices.begin(), choices.end());
  }
  std::string text;
  for (const std::int64_t choice : choices)
    text += (text.empty() ? " (try " : ", ") + std::to_string(choice);
  return text + ")";
}

std::string try_multiples(std::int64_t unit, std::int64_t found) {
  const std::int64_t below = found / unit * unit;
  if (below == 0) return tries({unit}, found);
  return tries({below, below + unit}, found);
}

std::int64_t model_parallel_size(const ParallelConfig& parallel) {
  return parallel.tensor * parallel.pipeline * parallel.context;
}

}  // namespace detail

std::vector<Problem> check_rules(const Run& run) {
  detail::Findings findings;
  detail::check_world(run, findings);
  detail::check_tensor(run, findings);
  detail::check_context(run, findings);
  detail::check_experts(run, findings);
  detail::check_layers(run, findings);
  detail::check_schedule(run, findings);
  detail::check_batch(run, findings);
  detail::check_sharding(run, findings);
  detail::check_overlap(run, findings);
  detail::check_training(run, findings);
  return std::move(findings).take();
}

}  // namespace stepcast
