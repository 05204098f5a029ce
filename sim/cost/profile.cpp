#include "sim/cost/profile.hpp"

#include <algorithm>
#include <filesystem>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast {

const std::vector<EmbeddedFile>& embedded_profiles();

double Profile::constant(const std::string& constant_name) const {
  const auto found = constants.find(constant_name);
  if (found == constants.end())
    throw InputError(Problem{"", "profile " + name, "has no constant " + constant_name});
  return found->second.value;
}

double Profile::constant(const std::string& constant_name, double fallback) const {
  const auto found = constants.find(constant_name);
  return found == constants.end() ? fallback : found->second.value;
}

Profile load_profile(const std::string& name_or_path) {
  if (const auto text = find_embedded(embedded_profiles(), name_or_path))
    return parse_profile(name_or_path + ".json", std::string(*text));
  if (std::filesystem::exists(name_or_path))
    return parse_profile(name_or_path, read_file(name_or_path));
  const std::vector<std::string> presets = profile_presets();
  std::string known;
  for (const std::string& preset : presets) known += (known.empty() ? "" : ", ") + preset;
  std::string message = "no profile preset or file \"" + name_or_path + "\"";
  if (const std::string close = nearest(name_or_path, presets); !close.empty())
    message += " (did you mean \"" + close + "\"?)";
  throw InputError(Problem{"", "profile", message + "; presets: " + known});
}

std::vector<std::string> profile_presets() {
  std::vector<std::string> names = names_of(embedded_profiles());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace stepcast
