#include "reports/json_numbers.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace stepcast {

nlohmann::json bytes_json(Bytes bytes) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double value = bytes.value();
  if (std::trunc(value) == value && std::fabs(value) <= exact)
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace stepcast
