#include "common/json_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using nlohmann::json;

constexpr std::size_t longest_shown = 60;
constexpr std::size_t deepest = 512;  // a document is copied and printed by recursion

// "line 3, column 14" of the byte before which the parser stopped.
std::string position_in(const std::string& text, std::size_t bytes_read) {
  const std::size_t end = std::min(bytes_read > 0 ? bytes_read - 1 : 0, text.size());
  const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
  const auto lines = std::count(text.begin(), stop, '\n') + 1;
  const std::size_t newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = newline == std::string::npos ? end + 1 : end - newline;
  return "line " + std::to_string(lines) + ", column " + std::to_string(column);
}

// The library's message without its prefix, its context and the raw bytes that it last read.
std::string reason_of(const std::string& message) {
  std::string reason = message.substr(std::min(message.find("] ") + 2, message.size()));
  const std::size_t context = reason.find(" - ");
  if (context != std::string::npos) reason = reason.substr(context + 3);
  const std::size_t last_read = reason.find("; last read: ");
  if (last_read != std::string::npos) {
    const std::size_t end = reason.find("'; expected", last_read);
    reason.erase(last_read, end == std::string::npos ? end : end + 1 - last_read);
  }
  return reason;
}

// Builds the document, and notes keys that an object holds twice.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(const std::string& file, const std::string& text, std::vector<Problem>& problems)
      : file_(file), text_(text), problems_(problems) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name))
      problems_.push_back({file_, member_path(path(), name), "is written twice"});
    keys_.back() = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputError({file_, position_in(text_, position), "not JSON: " + reason_of(error.what())});
  }
  json take() { return std::move(root_); }

 private:
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[keys_.back()] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool put(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json container) {
    if (open_.size() == deepest)
      throw InputError({file_, "", "nested more than " + std::to_string(deepest) + " levels deep"});
    open_.push_back(place(std::move(container)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }
  [[nodiscard]] std::string path() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i)
      text = open_[i]->is_object() ? member_path(text, keys_[i])
                                   : element_path(text, open_[i]->size() - 1);
    return text;
  }

  const std::string& file_;
  const std::string& text_;
  std::vector<Problem>& problems_;
  json root_;
  std::vector<json*> open_;
  std::vector<std::string> keys_;  // the key being filled in each open object
};

}  // namespace

json parse_json(const std::string& file, const std::string& text, std::vector<Problem>& problems) {
  Builder builder(file, text, problems);
  json::sax_parse(text, &builder);
  return builder.take();
}

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return std::isnan(value.get<double>()) ? "NaN" : "an infinite number";
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= longest_shown) return text;
  std::size_t cut = longest_shown;
  while ((static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // whole characters
  return text.substr(0, cut) + "...";
}

std::string member_path(const std::string& path, const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '/' || c == ' ';
  });
  if (!plain) return path + "[" + shown(json(key)) + "]";
  return path.empty() ? key : path + "." + key;
}

std::string element_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace stepcast
