#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepcast::cli {

// The processes that mpirun started together; without mpirun, or in a build without MPI, just this
// one.
class Team {
 public:
  Team();
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool leads() const { return rank_ == 0; }
  // Everybody's text, in the order of ranks. All processes must call it together.
  [[nodiscard]] std::vector<std::string> all(const std::string& own) const;
  // Ends all processes at once: one that failed would leave the others waiting.
  void abandon(int code) const;

 private:
  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace stepcast::cli
