#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

// Throws EnvironmentError naming the file and the system's reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Writes to a temporary name beside `path`, then renames: a reader sees all of it or nothing.
// Throws EnvironmentError.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// A data file compiled into the program (presets, profiles, schemas).
struct EmbeddedFile {
  std::string_view name;  // without folder and extension
  std::string_view text;
};

// The file named `name` in a generated table, or nullopt.
[[nodiscard]] std::optional<std::string_view> find_embedded(const std::vector<EmbeddedFile>& files,
                                                            std::string_view name);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<EmbeddedFile>& files);

}  // namespace stepcast
