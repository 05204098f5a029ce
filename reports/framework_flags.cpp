#include "reports/framework_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

using Json = nlohmann::json;
using Form = FlagRow::Form;

void read_word(const FlagRow& row, ForeignSettings& settings, Json& field) {
  const std::string found = settings.word(row.key);
  const auto known = std::find_if(row.words.begin(), row.words.end(),
                                  [&](const auto& pair) { return pair.second == found; });
  if (known != row.words.end()) {
    field = known->first;
    return;
  }
  std::vector<std::string> choices;
  for (const auto& [ours, theirs] : row.words) choices.push_back(theirs);
  settings.problem(row.key, fmt::format("must be one of {}, found \"{}\"", fmt::join(choices, ", "),
                                        found.substr(0, 60)));
}

// The field's value, or null when the settings do not say.
Json read_field(const FlagRow& row, ForeignSettings& settings) {
  Json field;
  const bool there = settings.has(row.key);
  if (row.form == Form::present) return there && settings.boolean(row.key, true);
  if (row.form == Form::missing) return !(there && settings.boolean(row.key, true));
  if (!there) return field;
  if (row.form == Form::word) read_word(row, settings, field);
  if (row.form == Form::boolean) field = settings.boolean(row.key, row.absent == "true");
  if (row.form == Form::count)
    if (const auto value = settings.count(row.key)) field = *value;
  if (row.form == Form::number)
    if (const auto value = settings.number(row.key)) field = *value;
  return field;
}

Json absent_value(const FlagRow& row) {
  return row.form == Form::word ? Json(row.absent) : Json::parse(row.absent);
}

// The framework's word, or "" when it has none.
std::string foreign_word(const FlagRow& row, const Json& field) {
  for (const auto& [ours, theirs] : row.words)
    if (field == ours) return theirs;
  return "";
}

}  // namespace

void read_rows(const FlagRows& rows, ForeignSettings& settings, Json& document) {
  for (const FlagRow& row : rows) {
    Json field = read_field(row, settings);
    if (field.is_null() && !row.absent.empty()) field = absent_value(row);
    if (!field.is_null()) member_at(document, row.path) = std::move(field);
  }
}

Settings write_rows(const FlagRows& rows, const Json& document) {
  Settings settings;
  for (const FlagRow& row : rows) {
    const Json& field = member_in(document, row.path);
    if (field.is_null()) continue;
    const bool is_switch = row.form == Form::present || row.form == Form::missing;
    if (is_switch) {
      if (field == (row.form == Form::present)) settings.push_back({row.key, ""});
      continue;
    }
    const std::string value = row.form == Form::word ? foreign_word(row, field) : field.dump();
    if (!value.empty()) settings.push_back({row.key, value});
  }
  return settings;
}

Json& member_at(Json& document, const std::string& path) {
  Json* at = &document;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    at = &(*at)[path.substr(start, end - start)];
    start = end + 1;
  }
  return *at;
}

const Json& member_in(const Json& document, const std::string& path) {
  static const Json nothing;
  const Json* at = &document;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    const auto found = at->find(path.substr(start, end - start));
    if (found == at->end()) return nothing;
    at = &*found;
    start = end + 1;
  }
  return *at;
}

}  // namespace stepcast
