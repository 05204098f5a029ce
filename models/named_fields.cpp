#include "models/named_fields.hpp"

#include <algorithm>
#include <map>

#include "common/errors.hpp"

namespace stepcast {
namespace {

std::optional<Node> find_path(const Node& node, const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return node.find(name);
  const auto inner = node.find(name.substr(0, dot));
  if (!inner || !inner->is_object()) return std::nullopt;
  return inner->find(name.substr(dot + 1));
}

std::int64_t bounded(const Node& value, std::int64_t count) {
  if (count <= largest_count) return count;
  value.problem("must be <= " + std::to_string(largest_count) + ", found " + std::to_string(count));
  return 1;
}

std::int64_t count_in(const Node& value) { return bounded(value, value.as_count()); }

}  // namespace

std::optional<Node> find_any(const Node& node, const Names& names) {
  for (const std::string& name : names)
    if (const auto found = find_path(node, name)) return found;
  return std::nullopt;
}

std::string name_found(const Node& node, const Names& names) {
  for (const std::string& name : names)
    if (find_path(node, name)) return name;
  return names.front();
}

std::int64_t count_of(const Node& node, const Names& names, std::optional<std::int64_t> fallback) {
  if (const auto found = find_any(node, names)) return count_in(*found);
  if (fallback) return *fallback;
  if (!node.is_object()) return 1;  // reported by find_any
  std::string others;
  for (std::size_t i = 1; i < names.size() && i <= 3; ++i)
    others += (others.empty() ? "" : ", ") + names[i];
  node.problem(names.front(),
               others.empty() ? "missing" : "missing (also known as " + others + ")");
  return 1;
}

std::optional<std::int64_t> find_count(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  if (!found) return std::nullopt;
  return count_in(*found);
}

std::optional<std::int64_t> find_usual_count(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  if (!found) return std::nullopt;
  if (!found->is_array()) return count_in(*found);
  std::vector<std::int64_t> counts;
  for (const Node& element : found->elements()) counts.push_back(count_in(element));
  if (!counts.empty()) return most_frequent(counts);
  found->problem("must not be empty");
  return 1;
}

std::int64_t whole_of(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  if (!found) return 0;
  const std::int64_t value = found->as_integer();
  if (value >= 0) return bounded(*found, value);
  found->problem("must be a whole number >= 0, found " + std::to_string(value));
  return 0;
}

std::int64_t at_most(std::int64_t most, std::int64_t value, const Node& node, const Names& names) {
  if (value <= most) return value;
  if (const auto found = find_any(node, names))
    found->problem("must be <= " + std::to_string(most) + ", found " + std::to_string(value));
  return 1;
}

std::optional<bool> find_bool(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  if (!found) return std::nullopt;
  return found->as_bool();
}

std::optional<double> find_number(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  if (!found) return std::nullopt;
  return found->as_number();
}

std::string text_of(const Node& node, const Names& names) {
  const auto found = find_any(node, names);
  return found && found->is_string() ? found->as_text() : "";
}

std::vector<std::string> texts_of(const Node& node, const Names& names) {
  std::vector<std::string> texts;
  const auto found = find_any(node, names);
  if (!found || !found->is_array()) return texts;
  for (const Node& element : found->elements())
    if (element.is_string()) texts.push_back(element.as_text());
  return texts;
}

std::vector<std::int64_t> integers_of(const Node& node, const Names& names) {
  std::vector<std::int64_t> integers;
  const auto found = find_any(node, names);
  if (!found) return integers;
  if (!found->is_array()) return {found->as_integer()};
  for (const Node& element : found->elements()) integers.push_back(element.as_integer());
  return integers;
}

std::int64_t most_frequent(const std::vector<std::int64_t>& values) {
  STEPCAST_CHECK(!values.empty());
  std::map<std::int64_t, std::size_t> times;
  for (const std::int64_t value : values) ++times[value];
  return std::max_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace stepcast
