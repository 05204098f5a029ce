#pragma once

#include <string_view>

namespace stepcast {

// The product's version ("0.1.0"), as CMake's project() says.
[[nodiscard]] std::string_view product_version();

}  // namespace stepcast
