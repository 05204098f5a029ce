#pragma once

#include <cstdint>
#include <vector>

#include "sim/parallel/stage_layout.hpp"
#include "sim/program/framework_rules.hpp"
#include "sim/program/operation.hpp"
#include "sim/program/schedule.hpp"

namespace stepcast {

// What one virtual stage executes. The first forward of a step may wait for gathered parameters,
// and the last backward may release gradient buckets (SEMANTICS 5.1).
struct ChunkProgram {
  Block forward, first_forward;
  Block backward, last_backward;
};

struct StageProgram {
  StageOrder order;
  std::vector<Chunk> layout;
  std::vector<ChunkProgram> chunks;
  // Parameter all-gathers that overlap with the first forwards, in the order of use; they start
  // with the step, one after the other (overlap_param_gather). One a chunk, or one a layer without
  // a pipeline.
  std::vector<Operation> gathers;
  // After the last backward: the rest of the gradient reduction and sequence-parallel gradients.
  Block reduce;
  // After the step's barrier (gradient norm over every stage): optimizer and parameter gather.
  Block update;
};

// One training step of one rank for each pipeline stage.
struct StepProgram {
  std::vector<StageProgram> stages;
  Bytes boundary_size;            // activation or gradient sent over a stage boundary by one rank
  bool pipeline_overlap = false;  // transfers beside computation; otherwise each exchange blocks
  Bytes tied_embedding_size;      // all-reduce between first and last stage; 0: none
};

// Compiles the run. Precondition: it passed check_rules and check_scope.
[[nodiscard]] StepProgram compile_step(const Run& run, const FrameworkRules& rules,
                                       double compute_capability);

// Activation or gradient that one rank sends over a stage boundary.
[[nodiscard]] Bytes boundary_size(const Run& run, const FrameworkRules& rules);

// One action of a chunk that neither waits for parameters nor reduces gradients.
[[nodiscard]] Block compile_action(const Run& run, const FrameworkRules& rules,
                                   double compute_capability, const Chunk& chunk, ActionKind kind);

}  // namespace stepcast
