#include "reports/pipeline_layout.hpp"

#include <charconv>

namespace stepcast {
namespace {

constexpr std::size_t longest = 1 << 20;

// "*3" at `at` as 3, moving `at` behind it; nullopt when no such thing is there.
std::optional<std::size_t> times_at(const std::string& text, std::size_t& at) {
  if (at >= text.size() || text[at] != '*') return std::nullopt;
  std::size_t times = 0;
  const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), times);
  if (error != std::errc{} || times > longest) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  return times;
}

// Appends `part` `times` times; false when that is longer than any layout.
bool repeat(std::string& out, const std::string& part, std::size_t times) {
  if (part.empty()) return true;
  if (times > longest / part.size() || out.size() + times * part.size() > longest) return false;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return true;
}

// Every "x*n" written out; x is what `part_at` takes from the text.
template <class PartAt>
std::optional<std::string> unrolled(const std::string& text, PartAt part_at) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string part = part_at(text, at);
    if (!repeat(out, part, times_at(text, at).value_or(1))) return std::nullopt;
  }
  return out;
}

// "(tt|)" without its parentheses, or one character.
std::string group_at(const std::string& text, std::size_t& at) {
  const std::size_t close = text[at] == '(' ? text.find(')', at) : std::string::npos;
  if (close == std::string::npos) return text.substr(at++, 1);
  std::string part = text.substr(at + 1, close - at - 1);
  at = close + 1;
  return part;
}

std::string character_at(const std::string& text, std::size_t& at) { return text.substr(at++, 1); }

}  // namespace

std::string pipeline_layout(const std::vector<std::int64_t>& every, std::int64_t virtual_stages) {
  std::string text = "E";
  for (std::int64_t chunk = 0; chunk < virtual_stages; ++chunk)
    for (std::size_t stage = 0; stage < every.size(); ++stage)
      text +=
          (chunk == 0 && stage == 0 ? "t*" : "|t*") + std::to_string(every[stage] / virtual_stages);
  return text + "L";
}

std::optional<std::vector<std::int64_t>> layers_of_layout(const std::string& text) {
  std::string plain;
  for (const char c : text)
    if (c != ',' && c != ' ' && c != '"') plain += c;
  // Groups first, then single characters, as Megatron-LM does it.
  auto flat = unrolled(plain, group_at);
  if (flat) flat = unrolled(*flat, character_at);
  if (!flat) return std::nullopt;
  std::vector<std::int64_t> layers{0};
  for (const char c : *flat) {
    if (c == '|')
      layers.push_back(0);
    else if (c == 't')
      ++layers.back();
    else if (c != 'E' && c != 'L' && c != 'm')
      return std::nullopt;
  }
  return layers;
}

}  // namespace stepcast
