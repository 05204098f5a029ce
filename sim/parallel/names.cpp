#include "sim/parallel/names.hpp"

#include "common/errors.hpp"

namespace stepcast {
namespace {

template <class Enum>
std::string_view find_name(Enum value) {
  for (const auto& entry : name_table<Enum>())
    if (entry.first == value) return entry.second;
  STEPCAST_CHECK(!"an enumerator without a name");
  return "";
}

}  // namespace

template <>
const NameTable<Framework>& name_table<Framework>() {
  static const NameTable<Framework> table{{Framework::megatron, "megatron"},
                                          {Framework::torchtitan, "torchtitan"},
                                          {Framework::deepspeed, "deepspeed"}};
  return table;
}

template <>
const NameTable<ScheduleKind>& name_table<ScheduleKind>() {
  static const NameTable<ScheduleKind> table{{ScheduleKind::gpipe, "gpipe"},
                                             {ScheduleKind::one_f_one_b, "1f1b"},
                                             {ScheduleKind::interleaved, "interleaved"},
                                             {ScheduleKind::zb_h1, "zb-h1"},
                                             {ScheduleKind::zb_v, "zb-v"},
                                             {ScheduleKind::dualpipe, "dualpipe"},
                                             {ScheduleKind::dualpipev, "dualpipev"},
                                             {ScheduleKind::bfs, "bfs"},
                                             {ScheduleKind::actions, "actions"}};
  return table;
}

template <>
const NameTable<ContextKind>& name_table<ContextKind>() {
  static const NameTable<ContextKind> table{{ContextKind::ring, "ring"},
                                            {ContextKind::all_gather, "all_gather"},
                                            {ContextKind::ulysses, "ulysses"},
                                            {ContextKind::hierarchical, "hierarchical"}};
  return table;
}

template <>
const NameTable<Sharding>& name_table<Sharding>() {
  static const NameTable<Sharding> table{{Sharding::none, "none"},
                                         {Sharding::optimizer, "optimizer"},
                                         {Sharding::gradients, "gradients"},
                                         {Sharding::parameters, "parameters"},
                                         {Sharding::hybrid, "hybrid"}};
  return table;
}

template <>
const NameTable<RecomputeKind>& name_table<RecomputeKind>() {
  static const NameTable<RecomputeKind> table{{RecomputeKind::none, "none"},
                                              {RecomputeKind::selective, "selective"},
                                              {RecomputeKind::full, "full"}};
  return table;
}

template <>
const NameTable<AttentionKind>& name_table<AttentionKind>() {
  static const NameTable<AttentionKind> table{{AttentionKind::flash, "flash"},
                                              {AttentionKind::unfused, "unfused"}};
  return table;
}

template <>
const NameTable<DataType>& name_table<DataType>() {
  static const NameTable<DataType> table{{DataType::fp32, "fp32"},
                                         {DataType::bf16, "bf16"},
                                         {DataType::fp16, "fp16"},
                                         {DataType::fp8, "fp8"}};
  return table;
}

std::string_view name_of(Framework value) { return find_name(value); }
std::string_view name_of(ScheduleKind value) { return find_name(value); }
std::string_view name_of(ContextKind value) { return find_name(value); }
std::string_view name_of(Sharding value) { return find_name(value); }
std::string_view name_of(RecomputeKind value) { return find_name(value); }
std::string_view name_of(AttentionKind value) { return find_name(value); }

}  // namespace stepcast
