#pragma once

#include <cstdint>
#include <string>

#include "common/units.hpp"

namespace stepcast::cli {

// A message size as nccl-tests writes it: "8", "512K", "1.5M", "16G", "1T"; 1K = 1024, case does
// not matter. `flag` names it in the InputError. Valid: 1 byte up to 2^53 bytes, whole bytes.
[[nodiscard]] Bytes parse_size(const std::string& flag, const std::string& text);

// A whole number from `least` up; InputError otherwise.
[[nodiscard]] std::int64_t parse_count(const std::string& flag, const std::string& text,
                                       std::int64_t least);

// A number > `above`; InputError otherwise.
[[nodiscard]] double parse_number_above(const std::string& flag, const std::string& text,
                                        double above);

}  // namespace stepcast::cli
