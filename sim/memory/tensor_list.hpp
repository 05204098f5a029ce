#pragma once

#include <string>
#include <vector>

#include "common/units.hpp"

namespace stepcast {

enum class TensorClass { parameter, gradient, optimizer, activation, transient };

// A tensor by what it is for: those of one name are added together in reports.
struct MemoryTensor {
  std::string name;
  TensorClass kind = TensorClass::transient;
  Bytes bytes;
  friend bool operator==(const MemoryTensor&, const MemoryTensor&) = default;
};

// Tensors that come and go together.
using TensorList = std::vector<MemoryTensor>;

[[nodiscard]] inline Bytes total(const TensorList& tensors) {
  Bytes sum;
  for (const MemoryTensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

inline void add(TensorList& to, const TensorList& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Leaves out what has no bytes, so that a list names only what exists.
inline void add(TensorList& to, std::string name, TensorClass kind, double bytes) {
  if (bytes > 0) to.push_back({std::move(name), kind, Bytes{bytes}});
}

}  // namespace stepcast
