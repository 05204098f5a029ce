#pragma once

#include <string_view>

#include "common/units.hpp"

namespace stepcast {

enum class DataType { fp32, bf16, fp16, fp8 };

[[nodiscard]] constexpr Bytes size_of(DataType type) {
  switch (type) {
    case DataType::fp32: return Bytes{4};
    case DataType::bf16:
    case DataType::fp16: return Bytes{2};
    case DataType::fp8: return Bytes{1};
  }
  return Bytes{0};
}

[[nodiscard]] constexpr std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::fp32: return "fp32";
    case DataType::bf16: return "bf16";
    case DataType::fp16: return "fp16";
    case DataType::fp8: return "fp8";
  }
  return "";
}

}  // namespace stepcast
