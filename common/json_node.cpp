#include "common/json_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/json_text.hpp"

namespace stepcast {

using Json = nlohmann::json;

struct Node::Shared {
  std::string file;
  Json document;
  std::vector<Problem> problems;
  std::map<const Json*, std::set<std::string>> asked;  // by object

  void add(Problem problem) {
    if (std::find(problems.begin(), problems.end(), problem) == problems.end())
      problems.push_back(std::move(problem));
  }
};

namespace {

// Stands for a value that is not there and has been reported: its getters stay silent.
const Json& absent() {
  static const Json value;
  return value;
}

bool is_absent(const Json* value) { return value == &absent(); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string must_be(const std::string& rule, const Json& value) {
  return "must be " + rule + ", found " + shown(value);
}

// A number without fraction that fits into 64 bits; 1e3 and 8.0 are whole.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (!(std::abs(number) <= exact) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

bool too_large(const Json& value) {
  return value.is_number() && value.get<double>() > 9007199254740992.0;
}

}  // namespace

Node::Node(std::shared_ptr<Shared> shared, const Json* value, std::string path)
    : shared_(std::move(shared)), value_(value), path_(std::move(path)) {}

void Node::ask(const std::string& key) const { shared_->asked[value_].insert(key); }

const std::string& Node::file() const { return shared_->file; }

void Node::problem(const std::string& message) const {
  if (!is_absent(value_)) shared_->add({shared_->file, path_, message});
}

void Node::problem(const std::string& key, const std::string& message) const {
  if (!is_absent(value_)) shared_->add({shared_->file, member_path(path_, key), message});
}

bool Node::is_object() const { return value_->is_object(); }
bool Node::is_array() const { return value_->is_array(); }
bool Node::is_string() const { return value_->is_string(); }
bool Node::is_number() const { return value_->is_number(); }
bool Node::is_bool() const { return value_->is_boolean(); }

std::optional<Node> Node::find(const std::string& key) const {
  if (!is_object()) {
    problem(must_be("an object", *value_));
    return std::nullopt;
  }
  ask(key);
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return Node(shared_, &*found, member_path(path_, key));
}

bool Node::has(const std::string& key) const { return find(key).has_value(); }

Node Node::at(const std::string& key) const {
  if (const auto found = find(key)) return *found;
  if (is_object()) problem(key, "missing");
  return Node(shared_, &absent(), member_path(path_, key));
}

std::vector<Node> Node::elements() const {
  std::vector<Node> nodes;
  if (!is_array()) {
    problem(must_be("an array", *value_));
    return nodes;
  }
  nodes.reserve(value_->size());
  for (const Json& element : *value_)
    nodes.push_back(Node(shared_, &element, element_path(path_, nodes.size())));
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is_object()) {
    problem(must_be("an object", *value_));
    return nodes;
  }
  for (const auto& [key, value] : value_->items()) {
    ask(key);
    nodes.emplace_back(key, Node(shared_, &value, member_path(path_, key)));
  }
  return nodes;
}

std::string Node::as_text() const {
  if (is_string()) return value_->get<std::string>();
  problem(must_be("text", *value_));
  return "";
}

double Node::as_number() const {
  if (is_number() && std::isfinite(value_->get<double>())) return value_->get<double>();
  problem(must_be("a number", *value_));
  return 0.0;
}

std::int64_t Node::as_integer() const {
  if (const auto number = whole(*value_)) return *number;
  problem(must_be(too_large(*value_) ? "a whole number below 2^63" : "a whole number", *value_));
  return 0;
}

bool Node::as_bool() const {
  if (is_bool()) return value_->get<bool>();
  problem(must_be("true or false", *value_));
  return false;
}

std::string Node::text(const std::string& key) const { return at(key).as_text(); }

std::string Node::text(const std::string& key, const std::string& fallback) const {
  const auto found = find(key);
  return found ? found->as_text() : fallback;
}

double Node::number(const std::string& key) const { return at(key).as_number(); }

double Node::number(const std::string& key, double fallback) const {
  const auto found = find(key);
  return found ? found->as_number() : fallback;
}

double Node::positive(const std::string& key) const {
  const Node value = at(key);
  const double number = value.as_number();
  if (number > 0.0) return number;
  if (value.is_number()) value.problem(must_be("> 0", *value.value_));
  return 1.0;
}

std::int64_t Node::integer(const std::string& key) const { return at(key).as_integer(); }

std::int64_t Node::integer(const std::string& key, std::int64_t fallback) const {
  const auto found = find(key);
  return found ? found->as_integer() : fallback;
}

std::int64_t Node::as_count() const {
  const auto number = whole(*value_);
  if (number && *number >= 1) return *number;
  const char* rule = too_large(*value_) ? "a whole number below 2^63" : "a whole number >= 1";
  problem(must_be(rule, *value_));
  return 1;
}

std::int64_t Node::count(const std::string& key) const { return at(key).as_count(); }

std::int64_t Node::count(const std::string& key, std::int64_t fallback) const {
  const auto found = find(key);
  return found ? found->as_count() : fallback;
}

bool Node::boolean(const std::string& key, bool fallback) const {
  const auto found = find(key);
  return found ? found->as_bool() : fallback;
}

std::string Node::choice(const std::string& key, const std::vector<std::string>& choices,
                         const std::string& fallback) const {
  const auto found = find(key);
  if (!found) return fallback;
  const std::string word = found->is_string() ? found->as_text() : "";
  if (found->is_string() && std::find(choices.begin(), choices.end(), word) != choices.end())
    return word;
  const std::string hint = nearest(word, choices);
  found->problem(must_be("one of " + joined(choices), *found->value_) +
                 (hint.empty() ? "" : " (did you mean \"" + hint + "\"?)"));
  return fallback;
}

void Node::finish() const {
  if (!is_object()) return problem(must_be("an object", *value_));
  const std::set<std::string>& known = shared_->asked[value_];
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : value_->items()) {
    if (known.contains(key)) continue;
    const std::string hint = nearest(key, names);
    problem(key, hint.empty() ? "unknown key (known keys: " + joined(names) + ")"
                              : "unknown key (did you mean \"" + hint + "\"?)");
  }
}

JsonReader::JsonReader(std::string file, const std::string& text)
    : shared_(std::make_shared<Node::Shared>()) {
  shared_->file = std::move(file);
  shared_->document = parse_json(shared_->file, text, shared_->problems);
}

JsonReader::JsonReader(std::string file, Json document)
    : shared_(std::make_shared<Node::Shared>()) {
  shared_->file = std::move(file);
  shared_->document = std::move(document);
}

Node JsonReader::root() const { return Node(shared_, &shared_->document, ""); }

void JsonReader::expect_format(const std::string& format, int version, bool required) const {
  const Node document = root();
  if (const auto found = document.find("format")) {
    if (found->json() != Json(format)) found->problem(must_be(shown(Json(format)), found->json()));
  } else if (required) {
    document.problem("format", "missing");
  }
  if (const auto found = document.find("version")) {
    if (found->json() != Json(version))
      found->problem(must_be(std::to_string(version), found->json()));
  } else if (required) {
    document.problem("version", "missing");
  }
}

const std::vector<Problem>& JsonReader::problems() const { return shared_->problems; }

void JsonReader::throw_if_problems() const {
  if (!shared_->problems.empty()) throw InputError(shared_->problems);
}

}  // namespace stepcast
