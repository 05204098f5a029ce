#include "sim/program/step_program.hpp"

#include <algorithm>
#include <optional>

#include "sim/program/layer.hpp"

namespace stepcast {
namespace {

// Bytes of one token that tensor rank 0 broadcasts to its group (MEMORY_EXACT 4: tokens, labels and
// positions in int64, the loss mask in fp32; Megatron-LM training/utils.py
// get_batch_on_this_tp_rank).
constexpr double token_bytes = 8, label_bytes = 8, position_bytes = 8, loss_mask_bytes = 4;

class StepCompiler {
 public:
  StepCompiler(const Run& run, const FrameworkRules& rules, double compute_capability)
      : run_(run), rules_(rules), layers_(run, rules, compute_capability), shape_(run) {}

  StepProgram compile();
  [[nodiscard]] Block action(const Chunk& chunk, ActionKind kind) const {
    const std::int64_t stage = chunk.embedding ? 0 : 1;
    return kind == ActionKind::forward ? forward(stage, chunk, {}) : backward(stage, chunk, false);
  }

 private:
  StageProgram compile_stage(std::int64_t stage, const std::vector<Chunk>& layout,
                             StageOrder order);
  ChunkProgram compile_chunk(std::int64_t stage, const Chunk& chunk,
                             std::optional<std::uint32_t> first_gather) const;
  std::vector<Operation> gathers(const Chunk& chunk) const;
  Block forward(std::int64_t stage, const Chunk& chunk,
                std::optional<std::uint32_t> first_gather) const;
  Block backward(std::int64_t stage, const Chunk& chunk, bool reduce_gradients) const;
  Block reduce(const std::vector<Chunk>& layout) const;
  Block update(const std::vector<Chunk>& layout) const;

  void broadcast(BlockBuilder& block, double bytes_per_token) const;
  void gather_received(BlockBuilder& block) const;
  void reduce_gradients(BlockBuilder& block, std::int64_t parameters, bool blocking) const;

  [[nodiscard]] std::int64_t replicas() const { return run_.parallel.data * run_.parallel.context; }
  [[nodiscard]] bool sharded() const { return run_.parallel.sharding != Sharding::none; }
  [[nodiscard]] bool gathers_by_layer() const { return run_.parallel.pipeline == 1; }
  [[nodiscard]] bool buckets_overlap(std::int64_t stage) const;
  [[nodiscard]] std::int64_t parameters_of(const Chunk& chunk) const {
    return stage_parameters(run_, {chunk}).total();
  }
  [[nodiscard]] Bytes gradient_bytes(std::int64_t parameters) const {
    return size_of(run_.training.gradient_dtype) * static_cast<double>(parameters);
  }
  [[nodiscard]] bool recomputed(std::int64_t layer_in_chunk) const {
    const Recompute& recompute = run_.training.recompute;
    return recompute.kind == RecomputeKind::full &&
           (!recompute.layers || layer_in_chunk < *recompute.layers);
  }

  const Run& run_;
  const FrameworkRules& rules_;
  LayerWriter layers_;
  RankShape shape_;
};

// Megatron aligns the reduction over the pipeline: only the first stage overlaps bucket by bucket
// (Megatron-LM distributed_data_parallel_config.py align_grad_reduce).
bool StepCompiler::buckets_overlap(std::int64_t stage) const {
  return replicas() > 1 && run_.overlap.grad_reduce && stage == 0 &&
         run_.parallel.virtual_stages == 1;
}

void StepCompiler::broadcast(BlockBuilder& block, double bytes_per_token) const {
  if (run_.parallel.tensor == 1) return;
  block.blocking("batch broadcast", Lane::tensor,
                 {GroupKind::tensor, CollectiveOp::broadcast,
                  Bytes{shape_.tokens * bytes_per_token}, Engines::multiprocessors});
}

// A boundary tensor that was sent in `tensor` slices is put together over NVLink (Megatron-LM
// scatter_gather_tensors_in_pipeline).
void StepCompiler::gather_received(BlockBuilder& block) const {
  if (run_.parallel.tensor == 1 || run_.parallel.sequence_parallel ||
      rules_.pipeline_payload != PipelinePayload::split_over_tensor)
    return;
  block.blocking(
      "pipeline all-gather", Lane::tensor,
      {GroupKind::tensor, CollectiveOp::all_gather,
       Bytes{shape_.tokens * static_cast<double>(shape_.hidden) * 2.0}, Engines::multiprocessors});
}

void StepCompiler::reduce_gradients(BlockBuilder& block, std::int64_t parameters,
                                    bool blocking) const {
  if (replicas() == 1) return;
  const CollectiveOp op = sharded() ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce;
  const char* name = sharded() ? "gradient reduce-scatter" : "gradient all-reduce";
  const BlockBuilder::Handle handle = block.launch(
      name, Lane::data,
      {GroupKind::data_context, op, gradient_bytes(parameters), Engines::multiprocessors});
  if (blocking) block.wait(handle);
}

Block StepCompiler::forward(std::int64_t stage, const Chunk& chunk,
                            std::optional<std::uint32_t> first_gather) const {
  BlockBuilder block;
  if (first_gather) block.wait_for_gather(*first_gather);
  if (chunk.embedding) {
    broadcast(block, token_bytes);
    broadcast(block, position_bytes);
    layers_.embedding_forward(block);
  } else if (stage > 0 || chunk.first_layer > 0) {
    gather_received(block);
  }
  if (chunk.head) {
    broadcast(block, label_bytes);
    broadcast(block, loss_mask_bytes);
  }
  for (std::int64_t layer = 0; layer < chunk.layers; ++layer) {
    if (first_gather && layer > 0 && gathers_by_layer())
      block.wait_for_gather(*first_gather + static_cast<std::uint32_t>(layer));
    layers_.layer_forward(block);
  }
  if (chunk.head) layers_.head_forward(block);
  return block.take();
}

Block StepCompiler::backward(std::int64_t stage, const Chunk& chunk, bool reduce_now) const {
  BlockBuilder block;
  const bool by_bucket = reduce_now && buckets_overlap(stage);
  if (chunk.head)
    layers_.head_backward(block);
  else
    gather_received(block);
  const std::int64_t total = parameters_of(chunk);
  const std::int64_t per_layer =
      chunk.layers > 0 ? stage_parameters(run_, {{chunk.first_layer, 1, false, false}}).total() : 0;
  if (by_bucket && chunk.head && !chunk.embedding)
    reduce_gradients(block, total - per_layer * chunk.layers, false);
  for (std::int64_t layer = chunk.layers - 1; layer >= 0; --layer) {
    layers_.layer_backward(block, recomputed(layer));
    if (by_bucket) reduce_gradients(block, per_layer, false);
  }
  if (chunk.embedding) {
    layers_.embedding_backward(block);
    if (by_bucket) reduce_gradients(block, total - per_layer * chunk.layers, false);
  }
  if (reduce_now && run_.overlap.grad_reduce && !by_bucket) reduce_gradients(block, total, false);
  return block.take();
}

ChunkProgram StepCompiler::compile_chunk(std::int64_t stage, const Chunk& chunk,
                                         std::optional<std::uint32_t> first_gather) const {
  const bool reduce_in_backward = run_.overlap.grad_reduce && replicas() > 1;
  ChunkProgram program;
  program.forward = forward(stage, chunk, {});
  program.first_forward = first_gather ? forward(stage, chunk, first_gather) : program.forward;
  program.backward = backward(stage, chunk, false);
  program.last_backward = reduce_in_backward ? backward(stage, chunk, true) : program.backward;
  return program;
}

std::vector<Operation> StepCompiler::gathers(const Chunk& chunk) const {
  const std::int64_t pieces = gathers_by_layer() ? std::max<std::int64_t>(chunk.layers, 1) : 1;
  const Bytes total =
      size_of(run_.training.parameter_dtype) * static_cast<double>(parameters_of(chunk));
  const Operation piece{
      "parameter all-gather",
      Lane::data,
      Communication{GroupKind::data_context, CollectiveOp::all_gather,
                    total / static_cast<double>(pieces), Engines::multiprocessors},
      {}};
  return std::vector<Operation>(static_cast<std::size_t>(pieces), piece);
}

Block StepCompiler::reduce(const std::vector<Chunk>& layout) const {
  BlockBuilder block;
  const StageParameters parameters = stage_parameters(run_, layout);
  if (!run_.overlap.grad_reduce) reduce_gradients(block, parameters.total(), true);
  if (run_.parallel.tensor > 1 && run_.parallel.sequence_parallel)
    block.blocking("sequence-parallel gradient all-reduce", Lane::tensor,
                   {GroupKind::tensor, CollectiveOp::all_reduce,
                    gradient_bytes(parameters.replicated), Engines::multiprocessors});
  return block.take();
}

Block StepCompiler::update(const std::vector<Chunk>& layout) const {
  BlockBuilder block;
  const auto parameters = static_cast<double>(stage_parameters(run_, layout).total());
  const double owned = sharded() ? parameters / static_cast<double>(replicas()) : parameters;
  const auto pass = [&](const char* name, double moved) {
    block.compute({name, MemoryCall{Bytes{moved}, MemoryKernel::fused}, CostKind::optimizer});
  };
  if (rules_.gradient_passes > 0.0)
    pass("gradient scaling and zeroing",
         rules_.gradient_passes * parameters * size_of(run_.training.gradient_dtype).value());
  pass("optimizer", rules_.optimizer_bytes_per_parameter * owned);
  if (sharded() && replicas() > 1 && !run_.overlap.param_gather)
    block.blocking("parameter all-gather", Lane::data,
                   {GroupKind::data_context, CollectiveOp::all_gather,
                    size_of(run_.training.parameter_dtype) * parameters, Engines::multiprocessors});
  return block.take();
}

StageProgram StepCompiler::compile_stage(std::int64_t stage, const std::vector<Chunk>& layout,
                                         StageOrder order) {
  StageProgram program;
  program.order = std::move(order);
  program.layout = layout;
  const bool overlap = sharded() && replicas() > 1 && run_.overlap.param_gather;
  for (const Chunk& chunk : layout) {
    std::optional<std::uint32_t> first_gather;
    if (overlap) {
      first_gather = static_cast<std::uint32_t>(program.gathers.size());
      const std::vector<Operation> added = gathers(chunk);
      program.gathers.insert(program.gathers.end(), added.begin(), added.end());
    }
    program.chunks.push_back(compile_chunk(stage, chunk, first_gather));
  }
  program.reduce = reduce(layout);
  program.update = update(layout);
  return program;
}

StepProgram StepCompiler::compile() {
  const ParallelConfig& parallel = run_.parallel;
  std::vector<StageOrder> orders =
      make_schedule({parallel.schedule, parallel.pipeline, parallel.virtual_stages,
                     run_.micro_batches(), parallel.microbatch_group});
  const StageLayout layout = lay_out_stages(run_);
  StepProgram program;
  for (std::size_t stage = 0; stage < layout.stages.size(); ++stage)
    program.stages.push_back(compile_stage(static_cast<std::int64_t>(stage), layout.stages[stage],
                                           std::move(orders[stage])));
  program.boundary_size = boundary_size(run_, rules_);
  program.pipeline_overlap = run_.overlap.pipeline;
  if (run_.model.tied_embeddings && parallel.pipeline > 1)
    program.tied_embedding_size =
        gradient_bytes(shape_.padded_vocabulary_per_rank * run_.model.hidden);
  return program;
}

}  // namespace

Bytes boundary_size(const Run& run, const FrameworkRules& rules) {
  const RankShape shape(run);
  const bool split = rules.pipeline_payload == PipelinePayload::split_over_tensor;
  const double tokens =
      split ? shape.tokens / static_cast<double>(run.parallel.tensor) : shape.residual_tokens;
  return size_of(run.training.parameter_dtype) * (tokens * static_cast<double>(shape.hidden));
}

StepProgram compile_step(const Run& run, const FrameworkRules& rules, double compute_capability) {
  return StepCompiler(run, rules, compute_capability).compile();
}

Block compile_action(const Run& run, const FrameworkRules& rules, double compute_capability,
                     const Chunk& chunk, ActionKind kind) {
  return StepCompiler(run, rules, compute_capability).action(chunk, kind);
}

}  // namespace stepcast
