#include "sim/predict/action_timer.hpp"

#include "sim/predict/step_simulator.hpp"

namespace stepcast {

Seconds time_action(const Run& run, const Profile& profile, const CostModel& costs,
                    const Chunk& chunk, ActionKind kind) {
  static const StepProgram no_program;
  const FrameworkRules& rules = framework_rules(run.framework, run.framework_release);
  const Block block = compile_action(run, rules, profile.device.compute_capability, chunk, kind);
  detail::StepSimulator simulator(run, no_program, profile, costs, SimulationDetail::operations);
  return simulator.time_alone(block);
}

}  // namespace stepcast
