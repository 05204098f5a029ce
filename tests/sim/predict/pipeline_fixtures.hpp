#pragma once

#include <string>
#include <vector>

#include "sim/predict/step_simulation.hpp"
#include "tests/sim/program/program_fixtures.hpp"

namespace stepcast::test {

struct Shape {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::int64_t stages = 4, micro_batches = 8, virtual_stages = 1, group = 0;
  double forward = 1.0, backward = 2.0;  // of a whole stage
  double last_stage_factor = 1.0;
  double transfer = 0.0;  // seconds of one boundary tensor
  bool overlap = true;
};

inline Block one_kernel(double seconds) {
  BlockBuilder block;
  block.compute({"work", MemoryCall{Bytes{seconds}, MemoryKernel::fused}, CostKind::memory_bound});
  return block.take();
}

// A pipeline whose stages take the given times, with nothing at the end of the step.
inline StepSimulation simulate(const Shape& shape,
                               SimulationDetail detail = SimulationDetail::operations) {
  const std::string kind(name_of(shape.kind));
  const auto run = run_with(
      {"model.layers=" + std::to_string(shape.stages * shape.virtual_stages),
       "parallel.pipeline=" + std::to_string(shape.stages),
       "parallel.virtual_stages=" + std::to_string(shape.virtual_stages),
       "parallel.schedule=" + kind,
       "parallel.microbatch_group=" + std::to_string(shape.group > 0 ? shape.group : shape.stages),
       "training.global_batch=" + std::to_string(shape.micro_batches)});
  StepProgram program;
  const std::vector<StageOrder> orders = make_schedule(
      {shape.kind, shape.stages, shape.virtual_stages, shape.micro_batches, shape.group});
  const auto chunks = static_cast<std::size_t>(shape.virtual_stages);
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
    const double factor =
        (stage + 1 == shape.stages ? shape.last_stage_factor : 1.0) / static_cast<double>(chunks);
    StageProgram one;
    one.order = orders[static_cast<std::size_t>(stage)];
    const Block forward = one_kernel(shape.forward * factor),
                backward = one_kernel(shape.backward * factor);
    one.layout.assign(chunks, {.layers = 1, .head = stage + 1 == shape.stages});
    one.chunks.assign(chunks, {forward, forward, backward, backward});
    program.stages.push_back(std::move(one));
  }
  // 100 GB/s over NVLink, beside which computation runs undisturbed; latencies are microseconds.
  program.boundary_size = Bytes{shape.transfer * 100e9};
  program.pipeline_overlap = shape.overlap;
  const PlainCosts costs;
  Profile profile = plain_profile();
  profile.constants["overlap.compute_slowdown"].value = 0.0;
  profile.constants["overlap.collective_slowdown"].value = 1.0;
  return simulate_step(run, program, profile, costs, detail);
}

inline double makespan(const Shape& shape) {
  return to_seconds(simulate(shape).report.end).value();
}

inline constexpr double latency_slack = 2e-3;  // a few hundred hops of some microseconds

}  // namespace stepcast::test
