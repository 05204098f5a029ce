#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run.hpp"

// Parts of check_rules, by subject; they share only this list of findings.
namespace stepcast::detail {

class Findings {
 public:
  void add(const std::string& path, const std::string& value, const std::string& message) {
    problems_.push_back({"", path + " = " + value, message});
  }
  void add(const std::string& path, std::int64_t value, const std::string& message) {
    add(path, std::to_string(value), message);
  }
  [[nodiscard]] std::size_t size() const { return problems_.size(); }
  [[nodiscard]] std::vector<Problem> take() && { return std::move(problems_); }

 private:
  std::vector<Problem> problems_;
};

[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t number);

// " (try 1, 2, 4)": at most 12 choices, those nearest to `found`; "" when there are none.
[[nodiscard]] std::string tries(std::vector<std::int64_t> choices, std::int64_t found);

// " (try 96, 112)": the multiples of `unit` on both sides of `found`.
[[nodiscard]] std::string try_multiples(std::int64_t unit, std::int64_t found);

// tensor * pipeline * context.
[[nodiscard]] std::int64_t model_parallel_size(const ParallelConfig& parallel);

// Degrees of tensor that break no rule of this model and cluster, within one NVLink domain.
[[nodiscard]] std::vector<std::int64_t> valid_tensor_sizes(const Run& run);

void check_world(const Run& run, Findings& findings);
void check_tensor(const Run& run, Findings& findings);
void check_context(const Run& run, Findings& findings);
void check_experts(const Run& run, Findings& findings);
void check_layers(const Run& run, Findings& findings);
void check_schedule(const Run& run, Findings& findings);
void check_batch(const Run& run, Findings& findings);
void check_sharding(const Run& run, Findings& findings);
void check_overlap(const Run& run, Findings& findings);
void check_training(const Run& run, Findings& findings);

}  // namespace stepcast::detail
