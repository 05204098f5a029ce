#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace stepcast::cli {

// What a command wrote and returned.
struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Console console{out, err, false};
  const int code = run_command(arguments, console);
  return {code, out.str(), err.str()};
}

// A folder of its own for one test, with files in it; removed at the end.
class Folder {
 public:
  Folder() {
    static int next = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("stepcast-cli-" + std::to_string(getpid()) + "-" + std::to_string(next++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A run that fits: Llama-3-8B on one server.
inline const char* const small_run_text = R"({
  "format": "stepcast.run", "version": 1,
  "model": "llama-3-8b", "cluster": "dgx-h100:1",
  "parallel": {"tensor": 4, "pipeline": 2, "sequence_parallel": true, "sharding": "optimizer"},
  "training": {"sequence_length": 4096, "global_batch": 16}
})";

}  // namespace stepcast::cli
