#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sim/cost/cost_model.hpp"
#include "sim/cost/profile.hpp"

namespace stepcast {

struct LoadedProfile {
  Profile profile;
  std::unique_ptr<const CostModel> costs;  // over `profile`
};

// Profiles by name, each loaded once. Safe to call from several threads; what get() returns lives
// as long as the library.
class ProfileLibrary {
 public:
  // Throws what load_profile throws.
  [[nodiscard]] const LoadedProfile& get(const std::string& name_or_path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const LoadedProfile>> loaded_;
};

}  // namespace stepcast
