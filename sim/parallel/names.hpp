#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/data_type.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// The words of a run file for each enumeration, in declaration order.
template <class Enum>
using NameTable = std::vector<std::pair<Enum, std::string>>;
template <class Enum>
[[nodiscard]] const NameTable<Enum>& name_table();

template <>
const NameTable<Framework>& name_table<Framework>();
template <>
const NameTable<ScheduleKind>& name_table<ScheduleKind>();
template <>
const NameTable<ContextKind>& name_table<ContextKind>();
template <>
const NameTable<Sharding>& name_table<Sharding>();
template <>
const NameTable<RecomputeKind>& name_table<RecomputeKind>();
template <>
const NameTable<AttentionKind>& name_table<AttentionKind>();
template <>
const NameTable<DataType>& name_table<DataType>();

template <class Enum>
[[nodiscard]] std::vector<std::string> words_of() {
  std::vector<std::string> names;
  for (const auto& entry : name_table<Enum>()) names.push_back(entry.second);
  return names;
}

template <class Enum>
[[nodiscard]] std::optional<Enum> value_named(const std::string& name) {
  const auto& table = name_table<Enum>();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& e) { return e.second == name; });
  if (found == table.end()) return std::nullopt;
  return found->first;
}

}  // namespace stepcast
