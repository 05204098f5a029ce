#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/errors.hpp"

namespace stepcast {

// Reads one JSON document with exact paths and collects every problem instead of stopping at the
// first. A getter that fails records a problem and returns a harmless value; call
// JsonReader::throw_if_problems() once, after reading.
class JsonReader;

// A value inside a document: the value, its path, the shared problem list. Cheap to copy; valid
// while its JsonReader lives. Paths are written "parallel.tensor" and "stages[3].bytes".
class Node {
 public:
  [[nodiscard]] bool has(const std::string& key) const;  // present and not null
  [[nodiscard]] Node at(const std::string& key) const;   // problem "missing" if absent
  [[nodiscard]] std::optional<Node> find(const std::string& key) const;  // absent or null: nullopt
  [[nodiscard]] std::vector<Node> elements() const;                      // of an array
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;  // of an object, sorted

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_bool() const;

  // This value itself.
  [[nodiscard]] std::string as_text() const;
  [[nodiscard]] double as_number() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] std::int64_t as_count() const;  // "must be a whole number >= 1, found 0"
  [[nodiscard]] bool as_bool() const;

  // Members; the forms with a fallback accept an absent or null key.
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback) const;
  [[nodiscard]] double number(const std::string& key) const;
  [[nodiscard]] double number(const std::string& key, double fallback) const;
  [[nodiscard]] double positive(const std::string& key) const;  // "must be > 0, found 0"
  [[nodiscard]] std::int64_t integer(const std::string& key) const;
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  [[nodiscard]] std::int64_t count(const std::string& key) const;  // as as_count()
  [[nodiscard]] std::int64_t count(const std::string& key, std::int64_t fallback) const;
  [[nodiscard]] bool boolean(const std::string& key, bool fallback) const;
  // One of `choices`; otherwise "must be one of a, b, c, found \"x\"" (with the nearest named).
  [[nodiscard]] std::string choice(const std::string& key, const std::vector<std::string>& choices,
                                   const std::string& fallback) const;

  void problem(const std::string& message) const;                          // at this path
  void problem(const std::string& key, const std::string& message) const;  // at a member
  // Reports each member that no getter asked for: "unknown key (did you mean \"tensor\"?)".
  void finish() const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] const nlohmann::json& json() const { return *value_; }

 private:
  friend class JsonReader;
  struct Shared;
  Node(std::shared_ptr<Shared> shared, const nlohmann::json* value, std::string path);
  void ask(const std::string& key) const;

  std::shared_ptr<Shared> shared_;
  const nlohmann::json* value_;
  std::string path_;
};

class JsonReader {
 public:
  // Throws InputError with file, line and column if `text` is not JSON. `file` names it in
  // messages.
  JsonReader(std::string file, const std::string& text);
  JsonReader(std::string file, const char* text) : JsonReader(std::move(file), std::string(text)) {}
  JsonReader(std::string file, nlohmann::json document);
  [[nodiscard]] Node root() const;
  // Checks "format" and "version" (both may be absent when `required` is false).
  void expect_format(const std::string& format, int version, bool required) const;
  [[nodiscard]] const std::vector<Problem>& problems() const;
  void throw_if_problems() const;

 private:
  std::shared_ptr<Node::Shared> shared_;
};

}  // namespace stepcast
