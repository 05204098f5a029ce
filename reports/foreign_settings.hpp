#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/errors.hpp"

namespace stepcast {

// One setting in another program's own spelling: "--num-layers" "80", "training.seq_len" "8192",
// or a switch "--bf16" "".
struct Setting {
  std::string key, value;
  friend bool operator==(const Setting&, const Setting&) = default;
};
using Settings = std::vector<Setting>;

// The settings of another program's file by key. Remembers what was asked for, so that the rest can
// be named, and collects every problem. A key that is set twice has its last value, as argparse
// has it.
class ForeignSettings {
 public:
  ForeignSettings(std::string file, const Settings& settings);
  void set(const Setting& setting) { values_[setting.key] = setting.value; }

  [[nodiscard]] bool has(const std::string& key);
  void ignore(const std::vector<std::string>& keys);  // says nothing that a run holds
  [[nodiscard]] std::string text(const std::string& key);  // whole value, "" if absent
  [[nodiscard]] std::string word(const std::string& key);  // first word of the value
  // nullopt if absent, "auto", or (with a problem) no whole number >= 1 or no number >= 0.
  [[nodiscard]] std::optional<std::int64_t> count(const std::string& key);
  [[nodiscard]] std::optional<double> number(const std::string& key);
  // As `fallback` if absent or "auto"; "true", "1" or nothing at all is true.
  [[nodiscard]] bool boolean(const std::string& key, bool fallback);

  void problem(const std::string& key, const std::string& message);
  // Something that was read in another sense than written, or not at all.
  void remark(const std::string& key, const std::string& message);
  void throw_if_problems() const;

  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  // Keys that nobody asked for, sorted.
  [[nodiscard]] std::vector<std::string> unused() const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, std::string> values_;
  std::set<std::string> asked_;
  std::vector<Problem> problems_;
  std::vector<std::string> remarks_;
};

}  // namespace stepcast
