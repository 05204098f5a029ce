#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/errors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast::testing_runs {

using Json = nlohmann::json;

// A valid Megatron run of Llama-3-70B on 64 H100, with members set on top.
inline Json base_document(const std::vector<std::string>& assignments = {}) {
  return with_overrides(Json{{"model", "llama-3-70b"},
                             {"cluster", "dgx-h100:8"},
                             {"training", {{"sequence_length", 8192}, {"global_batch", 512}}}},
                        assignments);
}

inline Run run_with(const std::vector<std::string>& assignments = {}) {
  return parse_run("run.json", base_document(assignments));
}

// The messages of a document that parse_run refuses; empty if it accepts it.
inline std::vector<std::string> messages_of(const Json& document) {
  std::vector<std::string> messages;
  try {
    static_cast<void>(parse_run("run.json", document));
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) messages.push_back(to_string(problem));
  }
  return messages;
}

inline std::vector<std::string> messages_with(const std::vector<std::string>& assignments) {
  return messages_of(base_document(assignments));
}

// Test vectors that stand beside the repository; null where they do not.
inline Json semantics_vectors() {
  const std::filesystem::path path =
      std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/design/semantics_vectors.json";
  if (!std::filesystem::exists(path)) return nullptr;
  std::ifstream stream(path);
  return Json::parse(stream);
}

inline Json vector_named(const Json& vectors, const std::string& id) {
  for (const Json& vector : vectors["vectors"])
    if (vector["id"] == id) return vector;
  return nullptr;
}

#define SKIP_WITHOUT_VECTORS(name)                                 \
  const auto name = ::stepcast::testing_runs::semantics_vectors(); \
  if (name.is_null()) GTEST_SKIP() << "semantics_vectors.json is absent"

}  // namespace stepcast::testing_runs
