#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/cli/run_cli.hpp"

namespace stepcast::cli {

// One wrong command line with the files it names, and all that it must write to stderr.
struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;
  std::string message;
};

// Runs in a folder of its own, so that messages show names without folders.
inline void expect_refused(const BadInput& input) {
  const Folder folder;
  for (const auto& [name, text] : input.files) folder.file(name, text);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  const Ran ran = run(input.arguments);
  std::filesystem::current_path(before);
  EXPECT_EQ(ran.code, 2) << input.name;
  EXPECT_EQ(ran.out, "") << input.name;
  EXPECT_EQ(ran.err, input.message) << input.name;
}

}  // namespace stepcast::cli
