#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run.hpp"

namespace CLI {
class App;
}

namespace stepcast::cli {

// Reads a JSON file. Throws EnvironmentError, or InputError with the place of a syntax error.
[[nodiscard]] nlohmann::json read_document(const std::string& path);

// What a command line says about a run: a file, and flags that replace parts of it.
struct RunInput {
  std::string file;                                // "": flags alone
  std::string model, cluster, profile, framework;  // "": as in the file
  std::vector<std::string> set;                    // "parallel.tensor=4"
};

// The positional RUN.json, with what it is for, and --model, --cluster, --profile, --framework.
void add_run_options(CLI::App& verb, RunInput& input, const std::string& file_is);

// Calls `work` and returns what it returns; problems that name no file get this one.
template <class Work>
auto naming(const std::string& file, Work work) {
  try {
    return work();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.file.empty()) problem.file = file;
    throw InputError(std::move(problems));
  }
}

// How messages call the run: its file, or "command line".
[[nodiscard]] std::string name_of(const RunInput& input);

// The run's document with the flags applied. Throws InputError for a --set that cannot be done.
[[nodiscard]] nlohmann::json run_document(const RunInput& input);

// Throws InputError with every problem; messages name the file, or "command line" without one.
[[nodiscard]] Run read_run(const RunInput& input);

}  // namespace stepcast::cli
