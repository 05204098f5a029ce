#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stepcast {

// Tasks that share resources. Task t takes amount * speed of each resource in
// usages[first[t] .. first[t + 1]), and its speed stays within [0, caps[t]].
struct MaxMinProblem {
  struct Usage {
    std::uint32_t resource = 0;
    double amount = 0.0;  // > 0
  };
  std::span<const double> caps;          // by task
  std::span<const double> capacities;    // by resource, >= 0
  std::span<const std::uint32_t> first;  // by task, and one more
  std::span<const Usage> usages;         // a resource at most once per task
};

// The max-min fair speeds: none can be raised without lowering one that is no higher. Found by
// progressive filling: all speeds rise together; a task stops at its cap or when one of its
// resources is full. The answer is unique, so order matters only to the last bits, and those are
// the same for the same problem. O(usages * log(resources) + tasks * log(tasks)).
// Reference: Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2.
class MaxMinSolver {
 public:
  // Valid until the next call. Storage is kept from call to call.
  std::span<const double> solve(const MaxMinProblem& problem);

 private:
  struct Resource {
    double spare = 0.0;   // what the stopped tasks leave
    double weight = 0.0;  // sum of the amounts of tasks that still rise
    double summed = 0.0;  // weight when it was last summed afresh
    std::uint32_t rising = 0;
    std::uint32_t begin = 0, end = 0;  // its part of users_
  };
  struct User {
    std::uint32_t task = 0;
    double amount = 0.0;
  };
  using Level = std::pair<double, std::uint32_t>;  // speed at which a resource is full

  void load(const MaxMinProblem& problem);
  void sort_by_cap(std::span<const double> caps);
  void sum_weight(Resource& resource) const;
  [[nodiscard]] double level(std::uint32_t resource) const;
  bool next_full(Level& full);
  void fill(const MaxMinProblem& problem, const Level& full);
  void stop(const MaxMinProblem& problem, std::uint32_t task, double speed);

  std::vector<double> speeds_;  // negative: still rising
  std::vector<Resource> resources_;
  std::vector<User> users_;  // by resource
  std::vector<std::uint32_t> by_cap_;
  std::vector<Level> levels_;  // a heap; an entry may be lower than the level is now
};

}  // namespace stepcast
