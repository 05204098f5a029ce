#include "sim/cost/memoised_cost_model.hpp"

namespace stepcast {
namespace {

template <class Key, class Compute>
Estimate remembered(std::map<Key, Estimate>& known, const Key& key, const Compute& compute) {
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, compute()).first->second;
}

}  // namespace

Estimate MemoisedCostModel::gemm(const GemmShape& shape, DataType type, GemmPass pass) const {
  return remembered(gemm_, {shape, type, pass}, [&] { return inner_.gemm(shape, type, pass); });
}

Estimate MemoisedCostModel::batched_gemm(std::int64_t batch, const GemmShape& shape,
                                         DataType type) const {
  return remembered(batched_gemm_, {batch, shape, type},
                    [&] { return inner_.batched_gemm(batch, shape, type); });
}

Estimate MemoisedCostModel::attention(const AttentionShape& shape, AttentionPass pass,
                                      AttentionKernel kernel) const {
  return remembered(attention_, {shape, pass, kernel},
                    [&] { return inner_.attention(shape, pass, kernel); });
}

Estimate MemoisedCostModel::memory_bound(Bytes moved, MemoryKernel kernel) const {
  return inner_.memory_bound(moved, kernel);
}

std::optional<Estimate> MemoisedCostModel::node_collective(CollectiveOp op, std::int64_t ranks,
                                                           Bytes size) const {
  return inner_.node_collective(op, ranks, size);
}

}  // namespace stepcast
