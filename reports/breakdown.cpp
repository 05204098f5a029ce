#include "reports/breakdown.hpp"

#include "common/errors.hpp"

namespace stepcast {

const std::array<BreakdownTerm, 13>& breakdown_terms() {
  using S = StageBreakdown;
  static const std::array<BreakdownTerm, 13> terms{{
      {"compute_s.gemm", "GEMM", &S::gemm},
      {"compute_s.attention", "attention", &S::attention},
      {"compute_s.memory_bound", "memory-bound", &S::memory_bound},
      {"recompute_s", "recompute", &S::recompute},
      {"optimizer_s", "optimizer", &S::optimizer},
      {"host_s", "host", &S::host},
      {"exposed_communication_s.tensor", "exposed tensor", &S::exposed_tensor},
      {"exposed_communication_s.context", "exposed context", &S::exposed_context},
      {"exposed_communication_s.pipeline", "exposed pipeline", &S::exposed_pipeline},
      {"exposed_communication_s.data", "exposed data", &S::exposed_data},
      {"exposed_communication_s.expert", "exposed expert", &S::exposed_expert},
      {"exposed_communication_s.other", "exposed other", &S::exposed_other},
      {"bubble_s", "bubble", &S::bubble},
  }};
  return terms;
}

const std::array<MemoryTerm, 6>& memory_terms() {
  using M = StageMemory;
  static const std::array<MemoryTerm, 6> terms{{
      {"parameters_bytes", "parameters", &M::parameters},
      {"gradients_bytes", "gradients", &M::gradients},
      {"optimizer_bytes", "optimizer", &M::optimizer},
      {"activations_bytes", "activations", &M::activations},
      {"transient_bytes", "transient", &M::transient},
      {"overhead_bytes", "overhead", &M::overhead},
  }};
  return terms;
}

std::size_t critical_stage(const Prediction& prediction) {
  STEPCAST_CHECK(!prediction.breakdown.empty());
  const auto waiting = [&](std::size_t i) {
    return prediction.breakdown[i].bubble + prediction.breakdown[i].exposed_pipeline;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < prediction.breakdown.size(); ++i)
    if (waiting(i) < waiting(best)) best = i;
  return best;
}

std::size_t fullest_stage(const Prediction& prediction) {
  STEPCAST_CHECK(!prediction.memory.empty());
  const auto need = [&](std::size_t i) {
    return prediction.memory[i].peak_allocated + prediction.memory[i].overhead;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < prediction.memory.size(); ++i)
    if (need(best) < need(i)) best = i;
  return best;
}

Bytes memory_needed(const Prediction& prediction) {
  if (prediction.memory.empty()) return Bytes{0};
  const StageMemory& stage = prediction.memory[fullest_stage(prediction)];
  return stage.peak_allocated + stage.overhead;
}

Seconds exposed_communication(const StageBreakdown& stage) {
  return stage.exposed_tensor + stage.exposed_context + stage.exposed_pipeline +
         stage.exposed_data + stage.exposed_expert + stage.exposed_other;
}

}  // namespace stepcast
