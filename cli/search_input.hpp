#pragma once

#include <string>
#include <vector>

#include "cli/run_input.hpp"
#include "reports/search_report.hpp"
#include "sim/plan/search_request.hpp"

namespace CLI {
class App;
}

namespace stepcast::cli {

// What the commands that search say about it.
struct SearchInput {
  RunInput run;
  std::string gpus;  // "64", "64,128" or "64-512"; "": the whole cluster
  std::string sequence_length, global_batch;
  std::string objective = "time", top = "10";
  std::string max_tensor, max_pipeline, max_context, max_data, max_virtual, max_micro_batch;
  std::string memory_margin, complexity;
  std::string tokens, price;
};

void add_search_options(CLI::App& verb, SearchInput& input);

// Throws InputError with every problem. What --set says is pinned; the overlaps that it does not
// mention are on where they can act.
[[nodiscard]] SearchRequest read_search_request(const SearchInput& input);
[[nodiscard]] TrainingBudget read_budget(const SearchInput& input);

// "64" -> {64}; "8,24" -> {8, 24}; "64-512" -> {64, 128, 256, 512}.
[[nodiscard]] std::vector<std::int64_t> parse_gpu_counts(const std::string& text);

}  // namespace stepcast::cli
