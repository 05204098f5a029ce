#pragma once

#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

struct ExportedRun {
  std::string text;      // the framework's file
  std::string launcher;  // command line that starts it; "" when the file is that itself
  std::vector<std::string> warnings;  // what the framework cannot do
};

// The run as a file of `framework`: a launch script (Megatron-LM), TOML (torchtitan) or JSON
// (DeepSpeed under Megatron-DeepSpeed); `path` is how the launcher calls that file. The settings
// are read back as import_run does: each field that comes back otherwise has no setting in this
// framework, becomes a warning and is kept in the file's note, so that importing the file gives the
// same run. Throws InputError when the framework's rules refuse the run.
[[nodiscard]] ExportedRun export_run(Framework framework, const Run& run, const std::string& path);

}  // namespace stepcast
