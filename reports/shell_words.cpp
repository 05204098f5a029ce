#include "reports/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "common/errors.hpp"
#include "reports/shell_arithmetic.hpp"

namespace stepcast {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, Words>;

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

Words split(const std::string& text) {
  Words words;
  std::string word;
  for (const char c : text + " ") {
    if (!std::isspace(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class Reader {
 public:
  Reader(const std::string& file, const std::string& text, Variables& variables, int depth)
      : file_(file), text_(text), variables_(variables), depth_(depth) {}

  ShellScript read();
  enum class Quotes { drop, keep };
  // The text with its expansions done: of a default value, or (quotes kept) of a here-document.
  std::string expand_all(Quotes quotes);

 private:
  enum class Quoted { no, yes };
  // A word being read: whole fields before it when an expansion held several.
  struct Fields {
    Words done;
    std::string open;
    bool started = false;
  };

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks();
  void skip_to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void step();
  bool read_assignment();
  Words read_array();
  Words read_word();
  void read_piece(Fields& fields);
  void read_double_quoted(Fields& fields);
  void read_expansion(Fields& fields, Quoted quoted);
  std::string read_braced(Words& values);
  std::string read_command_substitution();
  void open_here_document();
  void read_here_documents();
  void add(Fields& fields, const Words& values, Quoted quoted);
  void add_command_word(const std::string& word);
  void store(const std::string& name, const Words& values, bool append);
  void charge(std::size_t size);

  const std::string& file_;
  const std::string& text_;
  Variables& variables_;
  int depth_;
  std::size_t at_ = 0;
  bool command_start_ = true;
  std::size_t expanded_ = 0;
  std::vector<std::pair<std::string, bool>> awaited_;  // ends of here-documents, and if they expand
  ShellScript script_;
};

// Expansions of expansions double a script's size each time.
void Reader::charge(std::size_t size) {
  constexpr std::size_t most = std::size_t{1} << 24;
  expanded_ += size;
  if (expanded_ > most) throw InputError({file_, "", "variables expand to more than 16 MiB"});
}

void Reader::skip_blanks() {
  while (take(" ") || take("\t") || take("\r") || take("\\\n") || take("\\\r\n")) continue;
}

void Reader::store(const std::string& name, const Words& values, bool append) {
  Words& variable = variables_[name];
  if (!append) variable.clear();
  for (const std::string& value : values) variable.push_back(value);
  charge(joined(variable).size() + variable.size());
}

void Reader::add(Fields& fields, const Words& values, Quoted quoted) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Words parts = quoted == Quoted::yes ? Words{values[i]} : split(values[i]);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      charge(parts[j].size() + 1);
      if (i + j > 0) fields.done.push_back(std::exchange(fields.open, ""));
      fields.open += parts[j];
      fields.started = true;
    }
  }
}

// "$((TP * 2))" becomes its value; $(...) and `...` stay as they are.
std::string Reader::read_command_substitution() {
  const std::size_t start = at_;
  if (take("`")) {
    at_ = std::min(text_.find('`', at_), text_.size() - 1) + 1;
    return text_.substr(start, at_ - start);
  }
  int open = 0;
  do {
    if (peek() == '(') ++open;
    if (peek() == ')') --open;
    ++at_;
  } while (!at_end() && (open > 0 || peek(0) == '('));
  const std::string whole = text_.substr(start, at_ - start);
  if (!whole.starts_with("$((") || !whole.ends_with("))")) return whole;
  const auto value = shell_arithmetic(whole.substr(3, whole.size() - 5), [&](const auto& name) {
    const auto known = variables_.find(name);
    return known == variables_.end() ? std::nullopt : std::optional(joined(known->second));
  });
  return value ? std::to_string(*value) : whole;
}

// After "${": the values of "NAME}", "NAME[@]}" or "NAME:-default}"; the text itself when nothing
// is known.
std::string Reader::read_braced(Words& values) {
  const std::size_t start = at_;
  for (int open = 1; !at_end() && open > 0; ++at_) {
    if (peek() == '{') ++open;
    if (peek() == '}') --open;
  }
  const std::string inside = text_.substr(start, at_ - start - (at_ > start ? 1 : 0));
  const auto end = std::find_if_not(inside.begin(), inside.end(), is_name_character);
  const std::string name(inside.begin(), end);
  const std::string rest(end, inside.end());
  if (const auto known = variables_.find(name);
      known != variables_.end() && !rest.starts_with("#") && !name.empty()) {
    values = known->second;
    return "";
  }
  const std::size_t dash = rest.starts_with(":-") ? 2 : rest.starts_with("-") ? 1 : 0;
  constexpr int deepest = 8;
  if (dash == 0 || depth_ >= deepest) return "${" + inside + "}";
  const std::string otherwise = rest.substr(dash);
  values = {Reader(file_, otherwise, variables_, depth_ + 1).expand_all(Quotes::drop)};
  return "";
}

void Reader::read_expansion(Fields& fields, Quoted quoted) {
  if (peek() == '`' || peek(1) == '(') {
    fields.open += read_command_substitution();
    fields.started = true;
    return;
  }
  ++at_;
  Words values;
  std::string unknown;
  if (take("{")) {
    unknown = read_braced(values);
  } else {
    const std::size_t start = at_;
    while (is_name_character(peek())) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    const auto known = variables_.find(name);
    if (known == variables_.end())
      unknown = "$" + name;
    else
      values = known->second;
  }
  if (!unknown.empty()) values = {unknown};
  add(fields, values, unknown.empty() ? quoted : Quoted::yes);
}

void Reader::read_double_quoted(Fields& fields) {
  fields.started = true;
  for (++at_; !at_end() && peek() != '"';) {
    if (take("\\\n")) continue;
    if (peek() == '\\' && std::string("\\\"$`").find(peek(1)) != std::string::npos) {
      fields.open += peek(1);
      at_ += 2;
    } else if (peek() == '$' || peek() == '`') {
      read_expansion(fields, Quoted::yes);
    } else {
      fields.open += text_[at_++];
    }
  }
  if (!at_end()) ++at_;
}

void Reader::read_piece(Fields& fields) {
  if (take("\\\n") || take("\\\r\n")) return;
  switch (peek()) {
    case '\\':
      ++at_;
      if (!at_end()) fields.open += text_[at_++];
      fields.started = true;
      return;
    case '\'': {
      const std::size_t close = std::min(text_.find('\'', at_ + 1), text_.size());
      fields.open += text_.substr(at_ + 1, close - at_ - 1);
      at_ = std::min(close + 1, text_.size());
      fields.started = true;
      return;
    }
    case '"': read_double_quoted(fields); return;
    case '$':
    case '`': read_expansion(fields, Quoted::no); return;
    default: fields.open += text_[at_++]; fields.started = true;
  }
}

Words Reader::read_word() {
  Fields fields;
  while (!at_end() && std::string(" \t\r\n;&|<>()").find(peek()) == std::string::npos)
    read_piece(fields);
  if (fields.started) fields.done.push_back(fields.open);
  return fields.done;
}

std::string Reader::expand_all(Quotes quotes) {
  Fields fields;
  while (!at_end()) {
    if (peek() == '$' || peek() == '`')
      read_expansion(fields, Quoted::yes);
    else if (quotes == Quotes::drop && (peek() == '"' || peek() == '\''))
      ++at_;
    else
      fields.open += text_[at_++];
  }
  fields.done.push_back(fields.open);
  return joined(fields.done);
}

// After "NAME=(", to its ")".
Words Reader::read_array() {
  Words values;
  while (!at_end()) {
    skip_blanks();
    if (take(")")) break;
    if (peek() == '#') {
      skip_to_line_end();
    } else if (std::string("\n;&|<>(").find(peek()) != std::string::npos && !at_end()) {
      ++at_;
    } else {
      for (std::string& word : read_word()) values.push_back(std::move(word));
    }
  }
  return values;
}

bool Reader::read_assignment() {
  std::size_t end = at_;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  const bool append = text_.compare(end, 2, "+=") == 0;
  const std::size_t value = end + (append ? 2 : 1);
  if (end == at_ || (!append && (end >= text_.size() || text_[end] != '='))) return false;
  const std::string name = text_.substr(at_, end - at_);
  at_ = value;
  if (take("(")) {
    store(name, read_array(), append);
  } else if (append && variables_.count(name) > 0) {
    store(name, {joined(variables_[name]) + joined(read_word())}, false);
  } else {
    store(name, {joined(read_word())}, false);
  }
  return true;
}

void Reader::open_here_document() {
  take("-");
  skip_blanks();
  const bool expands = peek() != '\'' && peek() != '"' && peek() != '\\';
  awaited_.emplace_back(joined(read_word()), expands);
}

void Reader::read_here_documents() {
  for (const auto& [end_word, expands] : awaited_) {
    std::string body;
    while (!at_end()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (joined(split(line)) == end_word) break;
      body += line + "\n";
    }
    if (expands) body = Reader(file_, body, variables_, depth_ + 1).expand_all(Quotes::keep);
    charge(body.size());
    script_.documents.push_back(std::move(body));
  }
  awaited_.clear();
}

// A quoted command within a command ("bash -c '...'") is a script of its own.
void Reader::add_command_word(const std::string& word) {
  constexpr int deepest = 4;
  const bool is_command = word.find(" --") != std::string::npos || word.find("\n--") == 0;
  if (!is_command || depth_ >= deepest) {
    script_.words.push_back(word);
    return;
  }
  charge(word.size());
  ShellScript inner = Reader(file_, word, variables_, depth_ + 1).read();
  for (std::string& inner_word : inner.words) script_.words.push_back(std::move(inner_word));
}

void Reader::step() {
  static const std::set<std::string> transparent{"export", "declare", "local", "readonly",
                                                 "then",   "else",    "do",    "{"};
  if (peek() == '\n') {
    ++at_;
    read_here_documents();
    command_start_ = true;
  } else if (peek() == '#') {
    skip_to_line_end();
  } else if (take("<<")) {
    open_here_document();
  } else if (std::string(";&|()<>").find(peek()) != std::string::npos) {
    command_start_ = peek() != '<' && peek() != '>';
    ++at_;
  } else if (!command_start_ || !read_assignment()) {
    const Words words = read_word();
    command_start_ = command_start_ && words.size() == 1 && transparent.count(words.front()) > 0;
    if (!command_start_)
      for (const std::string& word : words) add_command_word(word);
  }
}

ShellScript Reader::read() {
  for (skip_blanks(); !at_end(); skip_blanks()) step();
  read_here_documents();
  return std::move(script_);
}

bool is_argument(const std::string& word) { return word.size() > 2 && word.starts_with("--"); }

// "-m" ends the values before it, "-1" is one.
bool is_short_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-' &&
         !std::isdigit(static_cast<unsigned char>(word[1])) && word[1] != '.';
}

}  // namespace

ShellScript read_shell(const std::string& file, const std::string& text) {
  Variables variables;
  ShellScript script = Reader(file, text, variables, 0).read();
  if (std::any_of(script.words.begin(), script.words.end(), is_argument)) return script;
  for (const auto& [name, values] : variables)
    for (const std::string& value : values)
      for (std::string& word : split(value)) script.words.push_back(std::move(word));
  return script;
}

Settings arguments_of(const std::vector<std::string>& words) {
  Settings settings;
  bool taking = false;
  for (const std::string& word : words) {
    if (is_argument(word)) {
      const std::size_t equals = std::min(word.find('='), word.size());
      std::string name = word.substr(0, equals);
      std::replace(name.begin(), name.end(), '_', '-');
      settings.push_back({name, equals < word.size() ? word.substr(equals + 1) : ""});
      taking = equals == word.size();
    } else if (is_short_option(word)) {
      taking = false;
    } else if (taking) {
      std::string& value = settings.back().value;
      value += (value.empty() ? "" : " ") + word;
    }
  }
  return settings;
}

}  // namespace stepcast
