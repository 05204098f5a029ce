#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/plan/migration_tensors.hpp"

namespace stepcast {

// Names one matrix of the model: `slot` counts through the inventory's lists (embedding, dense
// layer, mixture layer, head); layer and expert are 0 where there is none.
struct TensorKey {
  std::uint32_t slot = 0;
  std::int64_t layer = 0, expert = 0;
  friend auto operator<=>(const TensorKey&, const TensorKey&) = default;
};

struct ShardPiece {
  TensorKey key;
  TensorBlock block;
};
// What a rank holds, by key.
using Shard = std::vector<ShardPiece>;

enum class StateKind { parameters, optimizer };

// Which elements of the model's tensors every rank holds, of the parameters or of the optimizer's
// master copy and moments. Ranks with one id hold the same.
//
// Without sharding the optimizer's elements are the parameters'. A sharded optimizer of Megatron-LM
// (and, assumption, of DeepSpeed) owns an equal range of every bucket of a flat buffer: parameters
// of a model chunk in reverse order, each at a multiple of 64 elements, buckets padded to
// lcm(ranks, 128) (SEMANTICS 5.1; Megatron-LM core/distributed/param_and_grad_buffer.py). Sharded
// parameters, and all sharding of torchtitan, are cut along rows of each tensor (FSDP2).
// Precondition: no latent attention.
class ShardMap {
 public:
  ShardMap(const Run& run, StateKind kind);
  [[nodiscard]] std::uint32_t id_of(std::uint32_t rank) const { return ids_[rank]; }
  [[nodiscard]] const Shard& shard(std::uint32_t id) const { return shards_[id]; }
  // Ids are 0 .. size() - 1, numbered by first rank.
  [[nodiscard]] std::size_t size() const { return shards_.size(); }

 private:
  std::vector<std::uint32_t> ids_;
  std::vector<Shard> shards_;
};

// Elements of `shard` that none of `held` has.
[[nodiscard]] std::int64_t elements_missing(const Shard& shard,
                                            const std::vector<const Shard*>& held);

// The tensor that a key names. Precondition: a key of a ShardMap of the same model.
[[nodiscard]] const ModelTensor& tensor_of(const TensorInventory& inventory, const TensorKey& key);

}  // namespace stepcast
