#include "reports/foreign_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace stepcast {
namespace {

bool is_auto(const std::string& text) { return text == "auto"; }

// The whole text as a number.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string found(const std::string& text) {
  constexpr std::size_t most = 60;
  const std::string shown = text.size() <= most ? text : text.substr(0, most) + "...";
  return text.find('$') == std::string::npos
             ? ", found \"" + shown + "\""
             : ", found \"" + shown + "\", which this file does not define";
}

}  // namespace

ForeignSettings::ForeignSettings(std::string file, const Settings& settings)
    : file_(std::move(file)) {
  for (const Setting& setting : settings) set(setting);
}

bool ForeignSettings::has(const std::string& key) {
  asked_.insert(key);
  return values_.count(key) > 0;
}

void ForeignSettings::ignore(const std::vector<std::string>& keys) {
  asked_.insert(keys.begin(), keys.end());
}

std::string ForeignSettings::text(const std::string& key) {
  return has(key) ? values_.at(key) : std::string{};
}

std::string ForeignSettings::word(const std::string& key) {
  const std::string whole = text(key);
  return whole.substr(0, whole.find(' '));
}

std::optional<std::int64_t> ForeignSettings::count(const std::string& key) {
  const std::string value = word(key);
  if (!has(key) || is_auto(value)) return std::nullopt;
  const auto number = parsed<std::int64_t>(value);
  constexpr std::int64_t most = std::int64_t{1} << 31;  // so that products of two stay whole
  if (number && *number > most) {
    problem(key, "must be at most 2147483648" + found(value));
    return std::nullopt;
  }
  if (number && *number >= 1) return number;
  problem(key, "must be a whole number >= 1" + found(value));
  return std::nullopt;
}

std::optional<double> ForeignSettings::number(const std::string& key) {
  const std::string value = word(key);
  if (!has(key) || is_auto(value)) return std::nullopt;
  const auto number = parsed<double>(value);
  if (number && std::isfinite(*number) && *number >= 0.0) return number;
  problem(key, "must be a number >= 0" + found(value));
  return std::nullopt;
}

bool ForeignSettings::boolean(const std::string& key, bool fallback) {
  std::string value = word(key);
  if (!has(key) || is_auto(value)) return fallback;
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (value.empty() || value == "true" || value == "1") return true;
  if (value != "false" && value != "0") problem(key, "must be true or false" + found(value));
  return false;
}

void ForeignSettings::problem(const std::string& key, const std::string& message) {
  problems_.push_back({file_, key, message});
}

void ForeignSettings::remark(const std::string& key, const std::string& message) {
  remarks_.push_back(key + ": " + message);
}

void ForeignSettings::throw_if_problems() const {
  if (!problems_.empty()) throw InputError(problems_);
}

std::vector<std::string> ForeignSettings::unused() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_)
    if (asked_.count(key) == 0) keys.push_back(key);
  return keys;
}

}  // namespace stepcast
