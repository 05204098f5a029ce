#include "reports/shell_arithmetic.hpp"

#include <cctype>
#include <charconv>

namespace stepcast {
namespace {

using Value = std::optional<std::int64_t>;

Value whole(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Value within(std::int64_t value) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  return value > most || value < -most ? std::nullopt : Value(value);
}

Value combined(char sign, Value left, Value right) {
  if (!left || !right) return std::nullopt;
  if ((sign == '/' || sign == '%') && *right == 0) return std::nullopt;
  const double product = static_cast<double>(*left) * static_cast<double>(*right);
  if (sign == '*' && (product > 9e15 || product < -9e15)) return std::nullopt;
  switch (sign) {
    case '*': return within(*left * *right);
    case '/': return within(*left / *right);
    case '%': return within(*left % *right);
    case '+': return within(*left + *right);
    default: return within(*left - *right);
  }
}

class Expression {
 public:
  Expression(const std::string& text,
             const std::function<std::optional<std::string>(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  Value whole_value() {
    const Value value = sum(0);
    return peek() == '\0' && at_ == text_.size() ? value : std::nullopt;
  }

 private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  Value sum(int depth) {
    Value left = product(depth);
    while (peek() == '+' || peek() == '-') {
      const char sign = text_[at_++];
      left = combined(sign, left, product(depth));
    }
    return left;
  }

  Value product(int depth) {
    Value left = operand(depth);
    while (peek() == '*' || peek() == '/' || peek() == '%') {
      const char sign = text_[at_++];
      left = combined(sign, left, operand(depth));
    }
    return left;
  }

  Value operand(int depth) {
    constexpr int deepest = 32;
    if (peek() == '(') {
      if (depth >= deepest) return std::nullopt;
      ++at_;
      const Value inside = sum(depth + 1);
      if (peek() != ')') return std::nullopt;
      ++at_;
      return inside;
    }
    return number_or_name();
  }

  Value number_or_name() {
    if (peek() == '$') ++at_;
    const bool braced = peek() == '{';
    if (braced) ++at_;
    std::string word;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      word += text_[at_++];
    if (braced && peek() != '}') return std::nullopt;
    if (braced) ++at_;
    if (const Value number = whole(word)) return within(*number);
    const auto text = word.empty() ? std::nullopt : value_of_(word);
    const Value number = text ? whole(*text) : std::nullopt;
    return number ? within(*number) : std::nullopt;
  }

  const std::string& text_;
  const std::function<std::optional<std::string>(const std::string&)>& value_of_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> shell_arithmetic(
    const std::string& expression,
    const std::function<std::optional<std::string>(const std::string&)>& value_of) {
  return Expression(expression, value_of).whole_value();
}

}  // namespace stepcast
