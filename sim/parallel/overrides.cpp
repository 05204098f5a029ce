#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// The words between the dots; empty when a word is.
std::vector<std::string> words_of_path(const std::string& path) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    if (end == start) return {};
    words.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

void assign(Json& document, const std::string& assignment, std::vector<Problem>& problems) {
  const std::string where = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  const auto words = words_of_path(assignment.substr(0, equals));
  if (equals == std::string::npos || words.empty()) {
    problems.push_back({"", where, "must be path=value such as parallel.tensor=4"});
    return;
  }
  Json* at = &document;
  std::string path;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    path += (i == 0 ? "" : ".") + words[i];
    Json& next = (*at)[words[i]];
    if (next.is_null()) next = Json::object();
    if (!next.is_object()) {
      problems.push_back({"", where, path + " is " + next.dump() + ", which has no members"});
      return;
    }
    at = &next;
  }
  (*at)[words.back()] = value_of(assignment.substr(equals + 1));
}

}  // namespace

Json with_overrides(Json document, const std::vector<std::string>& assignments) {
  if (document.is_null()) document = Json::object();
  std::vector<Problem> problems;
  if (!document.is_object()) problems.push_back({"", "", "must be a JSON object"});
  if (problems.empty())
    for (const std::string& assignment : assignments) assign(document, assignment, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return document;
}

}  // namespace stepcast
