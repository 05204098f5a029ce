#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/search.hpp"

namespace stepcast {

// What a whole training is priced by.
struct TrainingBudget {
  std::optional<double> tokens;
  std::optional<double> price_per_gpu_hour;  // in the user's currency
};

// GPU-hours for the budget's tokens, and their price; nullopt without the number it needs.
[[nodiscard]] std::optional<double> gpu_hours(const Prediction& prediction,
                                              const TrainingBudget& budget);
[[nodiscard]] std::optional<double> training_cost(const Prediction& prediction,
                                                  const TrainingBudget& budget);

// What `other` gives up against `best`, and what it gains, each with its number: "3.1 % longer
// step", "12.4 GiB more free", "1 axis fewer to master".
struct Tradeoff {
  std::vector<std::string> gives_up, gains;
};
[[nodiscard]] Tradeoff tradeoff(const RankedRun& best, const RankedRun& other);

// A stepcast.search document (schemas/search.json). `seconds`: wall time, or null so that equal
// searches write equal bytes.
[[nodiscard]] nlohmann::json to_json(const SearchResult& result, const SearchRequest& request,
                                     const TrainingBudget& budget, std::optional<double> seconds);

[[nodiscard]] std::string search_text(const SearchResult& result, const SearchRequest& request,
                                      const TrainingBudget& budget);
// GitHub Markdown.
[[nodiscard]] std::string search_markdown(const SearchResult& result, const SearchRequest& request,
                                          const TrainingBudget& budget);

[[nodiscard]] std::string_view name_of(Objective objective);
[[nodiscard]] std::vector<std::string> objective_names();
[[nodiscard]] std::optional<Objective> objective_named(const std::string& name);

}  // namespace stepcast
