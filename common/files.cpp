#include "common/files.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "common/errors.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const char* verb, const fs::path& path, int error) {
  throw EnvironmentError(std::string("cannot ") + verb + " " + path.string() + ": " +
                         std::generic_category().message(error));
}

int last_error() { return errno != 0 ? errno : EIO; }

void write_plainly(const fs::path& path, std::string_view text, const fs::path& shown) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) refuse("write", shown, last_error());
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) refuse("write", shown, last_error());
}

fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  fs::path temporary = path;
  temporary += ".tmp" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  return temporary;
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("read", path, EISDIR);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse("read", path, last_error());
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) refuse("read", path, last_error());
  return text;
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) refuse("write", path, EISDIR);
  // A device or a pipe (/dev/stdout, /dev/null) cannot be replaced: it is written in place.
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_plainly(path, text, path);
  const fs::path target = fs::exists(status) ? fs::canonical(path) : path;
  const fs::path temporary = temporary_beside(target);
  try {
    write_plainly(temporary, text, path);
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
  std::error_code error;
  fs::rename(temporary, target, error);
  if (!error) return;
  fs::remove(temporary, ignored);
  refuse("write", path, error.value());
}

std::optional<std::string_view> find_embedded(const std::vector<EmbeddedFile>& files,
                                              std::string_view name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
  if (found == files.end()) return std::nullopt;
  return found->text;
}

std::vector<std::string> names_of(const std::vector<EmbeddedFile>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const EmbeddedFile& file : files) names.emplace_back(file.name);
  return names;
}

}  // namespace stepcast
