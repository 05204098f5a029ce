#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace stepcast {

// One thing wrong with an input. `where` is a JSON path ("parallel.tensor"), a flag ("--cluster")
// or "line 12"; either of file and where may be empty.
struct Problem {
  std::string file;
  std::string where;
  std::string message;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// "run.json: parallel.tensor: must be ..." ; parts that are empty are left out.
[[nodiscard]] std::string to_string(const Problem& problem);

// Wrong input: every problem found, reported at once. Exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// The machine refused: an unreadable file, a missing device. Exit code 2.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A broken precondition of ours: always on, never caught.
[[noreturn]] void check_failed(const char* expression, const char* file, int line);
#define STEPCAST_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::stepcast::check_failed(#expression, __FILE__, __LINE__))

// The candidate with the smallest edit distance to `word` (of equals, one of its length, then the
// one that starts most like it), or "" when none is within half its length.
[[nodiscard]] std::string nearest(const std::string& word,
                                  const std::vector<std::string>& candidates);

}  // namespace stepcast
