#pragma once

#include <string>
#include <vector>

#include "sim/cost/profile.hpp"

namespace stepcast {

// What `stepcast profile show` prints: the device, how much was measured of each kind, rates of
// memory-bound kernels, constants with status and source, and where the data come from.
[[nodiscard]] std::string profile_summary(const Profile& profile);

// What a forecast could miss with this profile: kinds of measurement that it has none of, and
// constants that are assumptions. Empty: nothing.
[[nodiscard]] std::vector<std::string> profile_gaps(const Profile& profile);

}  // namespace stepcast
