#pragma once

#include <compare>
#include <cstdint>

namespace stepcast {

// An index into one kind of array; ids of different kinds do not mix.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace stepcast
