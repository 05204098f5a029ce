#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/files.hpp"

namespace stepcast {

enum class SchemaVerdict { valid, invalid, no_validator };

// Holds a document against reports/schemas/<name>.json by Python's jsonschema; errors go to the
// test's own output.
inline SchemaVerdict check_schema(const std::string& name, const std::string& document) {
  const auto root = std::filesystem::path(STEPCAST_SOURCE_DIR);
  const auto file = std::filesystem::temp_directory_path() /
                    ("stepcast-schema-" + name + std::to_string(getpid()) + ".json");
  write_file_atomically(file, document);
  const std::string command =
      "/usr/bin/python3 '" + (root / "tests/reports/validate_schema.py").string() + "' '" +
      (root / "reports/schemas" / (name + ".json")).string() + "' '" + file.string() + "'";
  const int status = std::system(command.c_str());
  std::filesystem::remove(file);
  if (!WIFEXITED(status)) return SchemaVerdict::no_validator;
  if (WEXITSTATUS(status) == 0) return SchemaVerdict::valid;
  return WEXITSTATUS(status) == 1 ? SchemaVerdict::invalid : SchemaVerdict::no_validator;
}

// Expects the document to be valid; skips the running test where no validator is installed.
#define STEPCAST_EXPECT_SCHEMA(name, document)                                 \
  do {                                                                         \
    const auto verdict = ::stepcast::check_schema(name, document);             \
    if (verdict == ::stepcast::SchemaVerdict::no_validator)                    \
      GTEST_SKIP() << "python3-jsonschema is not installed";                   \
    EXPECT_EQ(verdict, ::stepcast::SchemaVerdict::valid) << "schema " << name; \
  } while (false)

}  // namespace stepcast
