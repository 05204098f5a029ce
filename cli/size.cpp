#include "cli/size.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/errors.hpp"

namespace stepcast::cli {

namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53

// The number that all of `text` spells, or nullopt.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

std::optional<double> factor_of(char suffix) {
  switch (std::toupper(static_cast<unsigned char>(suffix))) {
    case 'K': return 1024.0;
    case 'M': return 1024.0 * 1024.0;
    case 'G': return 1024.0 * 1024.0 * 1024.0;
    case 'T': return 1024.0 * 1024.0 * 1024.0 * 1024.0;
    default: return std::nullopt;
  }
}

}  // namespace

Bytes parse_size(const std::string& flag, const std::string& text) {
  std::string digits = text;
  double factor = 1.0;
  if (!text.empty())
    if (const auto suffix = factor_of(text.back())) {
      factor = *suffix;
      digits.pop_back();
    }
  const auto number = number_of<double>(digits);
  const double bytes = number ? *number * factor : 0.0;
  if (!(bytes >= 1.0) || bytes > largest_exact || std::trunc(bytes) != bytes)
    throw InputError(Problem{
        "", flag,
        fmt::format("must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
                    "found \"{}\"",
                    text)});
  return Bytes{bytes};
}

std::int64_t parse_count(const std::string& flag, const std::string& text, std::int64_t least) {
  const auto number = number_of<std::int64_t>(text);
  if (!number || *number < least)
    throw InputError(
        Problem{"", flag, fmt::format("must be a whole number >= {}, found \"{}\"", least, text)});
  return *number;
}

double parse_number_above(const std::string& flag, const std::string& text, double above) {
  const auto number = number_of<double>(text);
  if (!number || !std::isfinite(*number) || !(*number > above))
    throw InputError(
        Problem{"", flag, fmt::format("must be a number > {}, found \"{}\"", above, text)});
  return *number;
}

}  // namespace stepcast::cli
