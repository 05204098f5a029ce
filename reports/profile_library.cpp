#include "reports/profile_library.hpp"

#include <utility>

#include "sim/cost/profile_cost_model.hpp"

namespace stepcast {

const LoadedProfile& ProfileLibrary::get(const std::string& name_or_path) {
  const std::scoped_lock lock(mutex_);
  auto& entry = loaded_[name_or_path];
  if (!entry) {
    auto loaded = std::make_unique<LoadedProfile>();
    loaded->profile = load_profile(name_or_path);
    loaded->costs = std::make_unique<ProfileCostModel>(loaded->profile);
    entry = std::move(loaded);
  }
  return *entry;
}

}  // namespace stepcast
