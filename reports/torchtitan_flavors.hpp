#pragma once

#include <string>

#include "models/transformer.hpp"

namespace stepcast {

// How torchtitan calls a model: [model] name and flavor.
struct TorchtitanFlavor {
  std::string name, flavor;
};

// The preset of that shape, or "". Source: torchtitan/models/*/__init__.py (238fa99).
[[nodiscard]] std::string preset_of(const TorchtitanFlavor& flavor);
// The flavor of that shape; empty strings when torchtitan has none.
[[nodiscard]] TorchtitanFlavor flavor_of(const Transformer& model);

}  // namespace stepcast
