#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/units.hpp"
#include "sim/cost/cost_model.hpp"
#include "sim/parallel/rank_groups.hpp"

namespace stepcast {

// What one kernel is, exactly enough to cost it or to launch it.
struct GemmCall {
  GemmShape shape;
  DataType type = DataType::bf16;
  GemmPass pass = GemmPass::forward;
};
struct BatchedGemmCall {
  std::int64_t batch = 1;
  GemmShape shape;
  DataType type = DataType::bf16;
};
struct AttentionCall {
  AttentionShape shape;
  AttentionPass pass = AttentionPass::forward;
  AttentionKernel kernel = AttentionKernel::flash2;
};
struct MemoryCall {
  Bytes moved;
  MemoryKernel kernel = MemoryKernel::fused;
};

enum class CostKind { gemm, attention, memory_bound, optimizer };

struct Kernel {
  std::string name;
  std::variant<GemmCall, BatchedGemmCall, AttentionCall, MemoryCall> call;
  CostKind kind = CostKind::memory_bound;
  // Multiprocessors that a matrix product leaves to the user-buffer communication it was split for
  // (cuBLAS SM margin), whether or not that is running.
  std::int64_t reserved_multiprocessors = 0;
};

// Kernels of one rank that follow each other with nothing to wait for in between.
struct Compute {
  std::vector<Kernel> kernels;
  bool recompute = false;
};

// What moves the bytes: an NCCL kernel beside whatever runs, multiprocessors that the product
// beside it has left free, or copy engines.
enum class Engines { multiprocessors, reserved, copy };

struct Communication {
  GroupKind group = GroupKind::tensor;
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;  // nccl-tests convention (sim/network/collectives.hpp)
  Engines engines = Engines::multiprocessors;
};

// The host issues launches for this long.
struct HostIssue {
  Seconds time;
};

// Streams of one rank. Operations of one lane run in the order of the block.
enum class Lane { compute, tensor, context, data, host };

struct Operation {
  std::string name;
  Lane lane = Lane::compute;
  std::variant<Compute, Communication, HostIssue> work;
  std::vector<std::uint32_t> after;  // earlier operations of the block
  // Also waits for this one of the stage's parameter gathers (StageProgram::gathers).
  std::optional<std::uint32_t> after_gather = {};
};

// What one action (a chunk's forward or backward for one micro-batch) executes on one rank.
// An operation with empty `after` waits for the end of the action before it.
struct Block {
  std::vector<Operation> operations;
  std::vector<std::uint32_t> exits;  // the action has ended when these have
};

// Writes a block in program order, joining kernels that nothing separates.
class BlockBuilder {
 public:
  using Handle = std::uint32_t;

  void compute(Kernel kernel);
  // Launches after the kernels so far; the next kernel does not wait for it.
  Handle launch(const std::string& name, Lane lane, const Communication& communication);
  void wait(Handle handle);  // the next kernel waits
  void blocking(const std::string& name, Lane lane, const Communication& communication) {
    wait(launch(name, lane, communication));
  }
  // The host issues what follows for `time`, beside the device: kernels after the next call of
  // issue, and the end of the block, wait for it.
  void issue(Seconds time);
  // The next kernel waits for the stage's parameter gather of this index.
  void wait_for_gather(std::uint32_t gather);
  void mark_recompute(bool recompute);
  [[nodiscard]] Block take();

 private:
  Block block_;
  std::vector<std::uint32_t> pending_;  // what the next kernel waits for
  std::vector<std::uint32_t>
      last_compute_;  // the newest compute operation, if any (0 or 1 entries)
  std::vector<std::uint32_t> last_issue_;
  std::optional<std::uint32_t> gather_;
  bool open_ = false;  // the newest compute operation may take more kernels
  bool recompute_ = false;
};

}  // namespace stepcast
