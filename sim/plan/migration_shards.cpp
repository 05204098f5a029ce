#include "sim/plan/migration_shards.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/parameters.hpp"
#include "sim/parallel/rank_groups.hpp"
#include "sim/parallel/sharding.hpp"
#include "sim/parallel/stage_layout.hpp"

namespace stepcast {
namespace {

enum class Partition { whole, rows, flat };

Partition partition_of(const Run& run, StateKind kind) {
  const Sharding sharding = run.parallel.sharding;
  const bool shards_parameters = sharding == Sharding::parameters || sharding == Sharding::hybrid;
  if (sharding == Sharding::none) return Partition::whole;
  if (shards_parameters || run.framework == Framework::torchtitan)
    return kind == StateKind::optimizer || shards_parameters ? Partition::rows : Partition::whole;
  return kind == StateKind::optimizer ? Partition::flat : Partition::whole;
}

// Where a rank stands in the model and among those that hold the same part of it.
struct ModelPlace {
  std::int64_t pipeline = 0, tensor = 0, expert = 0, expert_tensor = 0;
  friend auto operator<=>(const ModelPlace&, const ModelPlace&) = default;
};
struct RankPlace {
  ModelPlace model;
  std::int64_t replica = 0, expert_replica = 0;
};

// Ranks of a stage in the order of the expert grid, expert-tensor fastest (SEMANTICS 8).
std::vector<RankPlace> places_of(const Run& run) {
  const ParallelConfig& parallel = run.parallel;
  std::vector<RankPlace> places(static_cast<std::size_t>(run.gpus()));
  for (const auto& group : rank_groups(parallel, GroupKind::data_context))
    for (std::size_t i = 0; i < group.size(); ++i) {
      RankPlace& place = places[group[i]];
      const RankCoordinates at = coordinates_of(parallel, group[i]);
      place.replica = static_cast<std::int64_t>(i);
      place.model = {.pipeline = at.pipeline, .tensor = at.tensor};
      if (!run.model.moe) continue;
      const std::int64_t local = at.tensor + parallel.tensor * place.replica;
      place.model.expert_tensor = local % parallel.expert_tensor;
      place.model.expert = local / parallel.expert_tensor % parallel.expert;
      place.expert_replica = local / (parallel.expert_tensor * parallel.expert);
    }
  return places;
}

// A tensor as one rank holds it: its blocks in local order.
struct LocalTensor {
  TensorKey key;
  std::vector<TensorBlock> blocks;
  bool expert = false;
  bool shared_embedding = false;
  [[nodiscard]] std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const TensorBlock& block : blocks) sum += block.elements();
    return sum;
  }
};
using LocalChunk = std::vector<LocalTensor>;

class ModelCutter {
 public:
  explicit ModelCutter(const Run& run)
      : run_(run), inventory_(tensor_inventory(run)), layout_(lay_out_stages(run)) {}

  // The tensors of each model chunk of a rank, in module order.
  [[nodiscard]] std::vector<LocalChunk> chunks(const ModelPlace& place) const {
    std::vector<LocalChunk> all;
    bool has_table = false;
    for (const Chunk& chunk : layout_.stages[static_cast<std::size_t>(place.pipeline)]) {
      LocalChunk& local = all.emplace_back();
      if (chunk.embedding) add(local, place, inventory_.embedding, 0, 0);
      has_table |= chunk.embedding;
      for (std::int64_t i = 0; i < chunk.layers; ++i)
        add_layer(local, place, chunk.first_layer + i);
      if (chunk.head) add(local, place, inventory_.head, head_slot(), 0);
      if (chunk.head && run_.model.tied_embeddings && !has_table)
        add(local, place, {inventory_.embedding.front()}, 0, 0);
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t head_slot() const {
    return inventory_.embedding.size() + inventory_.dense_layer.size() +
           inventory_.mixture_layer.size();
  }

  void add_layer(LocalChunk& to, const ModelPlace& place, std::int64_t layer) const {
    const std::size_t dense_slot = inventory_.embedding.size();
    if (is_mixture_layer(run_.model, layer))
      add(to, place, inventory_.mixture_layer, dense_slot + inventory_.dense_layer.size(), layer);
    else
      add(to, place, inventory_.dense_layer, dense_slot, layer);
  }

  void add(LocalChunk& to, const ModelPlace& place, const std::vector<ModelTensor>& tensors,
           std::size_t first_slot, std::int64_t layer) const {
    const ParallelConfig& parallel = run_.parallel;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const ModelTensor& tensor = tensors[i];
      const TensorKey key{static_cast<std::uint32_t>(first_slot + i), layer};
      if (tensor.experts == 0) {
        const bool shared = key.slot == 0 && run_.model.tied_embeddings && parallel.pipeline > 1;
        to.push_back({.key = key,
                      .blocks = blocks_of(tensor, place.tensor, parallel.tensor),
                      .shared_embedding = shared});
        continue;
      }
      const std::int64_t share = tensor.experts / parallel.expert;
      for (std::int64_t e = place.expert * share; e < (place.expert + 1) * share; ++e)
        to.push_back({.key = {key.slot, layer, e},
                      .blocks = blocks_of(tensor, place.expert_tensor, parallel.expert_tensor),
                      .expert = true});
    }
  }

  const Run& run_;
  TensorInventory inventory_;
  StageLayout layout_;
};

// Rectangles of the elements [from, to) of a row-major block: a part of a row, whole rows, a part.
void add_range(const TensorKey& key, const TensorBlock& block, std::int64_t from, std::int64_t to,
               Shard& shard) {
  const std::int64_t width = block.right - block.left;
  while (from < to) {
    const std::int64_t row = from / width, column = from % width;
    const bool whole_rows = column == 0 && to - from >= width;
    const std::int64_t rows = whole_rows ? (to - from) / width : 1;
    const std::int64_t end = whole_rows ? width : std::min(width, column + to - from);
    shard.push_back(
        {key,
         {block.first + row, block.first + row + rows, block.left + column, block.left + end}});
    from += whole_rows ? rows * width : end - column;
  }
}

// Elements [from, to) of a tensor in its local order.
void add_range(const LocalTensor& tensor, std::int64_t from, std::int64_t to, Shard& shard) {
  std::int64_t start = 0;
  for (const TensorBlock& block : tensor.blocks) {
    const std::int64_t size = block.elements();
    const std::int64_t first = std::max<std::int64_t>(from - start, 0);
    const std::int64_t last = std::min(to - start, size);
    if (first < last) add_range(tensor.key, block, first, last, shard);
    start += size;
  }
}

struct PlacedTensor {
  const LocalTensor* tensor = nullptr;
  std::int64_t start = 0;
};
struct Bucket {
  std::int64_t start = 0, end = 0;
  std::vector<PlacedTensor> tensors{};
};

// The flat buffer of a chunk's dense or expert tensors. `bucket_size` 0: one bucket.
std::vector<Bucket> flat_buffer(const LocalChunk& chunk, bool expert, std::int64_t ranks,
                                std::int64_t bucket_size) {
  const auto up = [](std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  const std::int64_t end_multiple = bucket_end_multiple(ranks, BucketPadding::plain);
  std::vector<Bucket> buckets(1);
  std::int64_t next = 0;
  const auto close = [&] {
    next = buckets.back().end = up(next, end_multiple);
    buckets.push_back({.start = next});
  };
  for (auto tensor = chunk.rbegin(); tensor != chunk.rend(); ++tensor) {
    if (tensor->expert != expert) continue;
    next = up(next, parameter_start_multiple);
    if (tensor->shared_embedding && !buckets.back().tensors.empty()) close();
    buckets.back().tensors.push_back({&*tensor, next});
    next += tensor->elements();
    const bool full = bucket_size > 0 && next - buckets.back().start >= bucket_size;
    if (full || tensor->shared_embedding) close();
  }
  if (buckets.back().tensors.empty())
    buckets.pop_back();
  else
    buckets.back().end = up(next, end_multiple);
  return buckets;
}

void add_share(const std::vector<Bucket>& buckets, std::int64_t index, std::int64_t ranks,
               Shard& shard) {
  for (const Bucket& bucket : buckets) {
    const std::int64_t share = (bucket.end - bucket.start) / ranks;
    const std::int64_t from = bucket.start + index * share;
    for (const PlacedTensor& placed : bucket.tensors) {
      const std::int64_t first = std::max<std::int64_t>(from - placed.start, 0);
      const std::int64_t last = std::min(from + share - placed.start, placed.tensor->elements());
      if (first < last) add_range(*placed.tensor, first, last, shard);
    }
  }
}

// What ranks at one place of the model share out among themselves.
class ReplicaCutter {
 public:
  ReplicaCutter(const Run& run, Partition partition, std::vector<LocalChunk> chunks,
                std::int64_t pipeline)
      : partition_(partition), chunks_(std::move(chunks)) {
    const ParallelConfig& parallel = run.parallel;
    ranks_ = parallel.data * parallel.context;
    expert_ranks_ = parallel.tensor * ranks_ /
                    std::max<std::int64_t>(1, parallel.expert_tensor * parallel.expert);
    if (partition != Partition::flat) return;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const bool in_buckets = run.framework == Framework::megatron && run.overlap.grad_reduce &&
                              pipeline == 0 && i == 0;
      const std::int64_t size = in_buckets ? gradient_bucket_size(ranks_) : 0;
      dense_.push_back(flat_buffer(chunks_[i], false, ranks_, size));
      if (run.model.moe) expert_.push_back(flat_buffer(chunks_[i], true, expert_ranks_, size));
    }
  }

  [[nodiscard]] Shard shard(const RankPlace& place) const {
    Shard shard;
    if (partition_ == Partition::flat) {
      for (const auto& buckets : dense_) add_share(buckets, place.replica, ranks_, shard);
      for (const auto& buckets : expert_)
        add_share(buckets, place.expert_replica, expert_ranks_, shard);
    } else {
      for (const LocalChunk& chunk : chunks_)
        for (const LocalTensor& tensor : chunk) add_rows(tensor, place, shard);
    }
    std::stable_sort(shard.begin(), shard.end(),
                     [](const auto& a, const auto& b) { return a.key < b.key; });
    return shard;
  }

 private:
  // All of it, or its share of every block's rows.
  void add_rows(const LocalTensor& tensor, const RankPlace& place, Shard& shard) const {
    const bool whole = partition_ == Partition::whole;
    const std::int64_t ranks = whole ? 1 : tensor.expert ? expert_ranks_ : ranks_;
    const std::int64_t index = whole ? 0 : tensor.expert ? place.expert_replica : place.replica;
    for (const TensorBlock& block : tensor.blocks) {
      const std::int64_t size = (block.last - block.first + ranks - 1) / ranks;
      const std::int64_t first = std::min(block.last, block.first + index * size);
      const std::int64_t last = std::min(block.last, first + size);
      if (first < last) shard.push_back({tensor.key, {first, last, block.left, block.right}});
    }
  }

  Partition partition_;
  std::vector<LocalChunk> chunks_;
  std::int64_t ranks_ = 1, expert_ranks_ = 1;
  std::vector<std::vector<Bucket>> dense_, expert_;
};

// What is left of `block` without `other`.
void subtract(const TensorBlock& block, const TensorBlock& other, std::vector<TensorBlock>& rest) {
  const std::int64_t first = std::max(block.first, other.first);
  const std::int64_t last = std::min(block.last, other.last);
  const std::int64_t left = std::max(block.left, other.left);
  const std::int64_t right = std::min(block.right, other.right);
  if (first >= last || left >= right) {
    rest.push_back(block);
    return;
  }
  const TensorBlock parts[] = {{block.first, first, block.left, block.right},
                               {last, block.last, block.left, block.right},
                               {first, last, block.left, left},
                               {first, last, right, block.right}};
  for (const TensorBlock& part : parts)
    if (part.elements() > 0) rest.push_back(part);
}

struct KeyLess {
  bool operator()(const ShardPiece& a, const TensorKey& b) const { return a.key < b; }
  bool operator()(const TensorKey& a, const ShardPiece& b) const { return a < b.key; }
};

}  // namespace

ShardMap::ShardMap(const Run& run, StateKind kind) {
  const Partition partition = partition_of(run, kind);
  const ModelCutter cutter(run);
  std::map<ModelPlace, ReplicaCutter> cutters;
  std::map<std::tuple<ModelPlace, std::int64_t, std::int64_t>, std::uint32_t> known;
  for (const RankPlace& place : places_of(run)) {
    const bool whole = partition == Partition::whole;
    const auto [at, is_new] = known.try_emplace(
        {place.model, whole ? 0 : place.replica, whole ? 0 : place.expert_replica},
        static_cast<std::uint32_t>(shards_.size()));
    if (is_new) {
      auto found = cutters.find(place.model);
      if (found == cutters.end())
        found = cutters
                    .try_emplace(place.model, run, partition, cutter.chunks(place.model),
                                 place.model.pipeline)
                    .first;
      shards_.push_back(found->second.shard(place));
    }
    ids_.push_back(at->second);
  }
}

std::int64_t elements_missing(const Shard& shard, const std::vector<const Shard*>& held) {
  std::int64_t missing = 0;
  for (const ShardPiece& piece : shard) {
    std::vector<TensorBlock> left{piece.block}, next;
    for (const Shard* other : held) {
      const auto [begin, end] =
          std::equal_range(other->begin(), other->end(), piece.key, KeyLess{});
      for (auto known = begin; known != end && !left.empty(); ++known) {
        next.clear();
        for (const TensorBlock& block : left) subtract(block, known->block, next);
        std::swap(left, next);
      }
    }
    for (const TensorBlock& block : left) missing += block.elements();
  }
  return missing;
}

const ModelTensor& tensor_of(const TensorInventory& inventory, const TensorKey& key) {
  std::size_t slot = key.slot;
  const std::vector<ModelTensor>* lists[] = {&inventory.embedding, &inventory.dense_layer,
                                             &inventory.mixture_layer, &inventory.head};
  for (const auto* list : lists) {
    if (slot < list->size()) return (*list)[slot];
    slot -= list->size();
  }
  check_failed("a slot of the inventory", __FILE__, __LINE__);
}

}  // namespace stepcast
