#include "reports/forecast_json.hpp"

#include <nlohmann/json.hpp>

#include "common/json_text.hpp"

namespace stepcast {

namespace {

void add_leaves(const nlohmann::json& value, const std::string& path,
                std::map<std::string, std::string>& leaves) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      add_leaves(member, member_path(path, key), leaves);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      add_leaves(value[i], element_path(path, i), leaves);
  } else if (!value.is_null()) {
    leaves[path] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

}  // namespace

std::map<std::string, std::string> flatten(const nlohmann::json& document) {
  std::map<std::string, std::string> leaves;
  add_leaves(document, "", leaves);
  return leaves;
}

}  // namespace stepcast
