#include "sim/program/operation_cost.hpp"

#include <algorithm>

namespace stepcast {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

Bytes gemm_traffic(const GemmShape& shape, DataType type) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  return size_of(type) * (m * k + k * n + m * n);
}

Flops gemm_flops(const GemmShape& shape) {
  return Flops{2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
               static_cast<double>(shape.k)};
}

// Query-key pairs of one head; causal counts the lower triangle as half the square.
double attention_pairs(const AttentionShape& shape) {
  const double square =
      static_cast<double>(shape.query_length) * static_cast<double>(shape.key_length);
  return shape.causal ? square / 2.0 : square;
}

// Forward runs two products, flash backward five (FlashAttention benchmark_flash_attention.py).
Flops attention_flops(const AttentionCall& call) {
  const double products = call.pass == AttentionPass::forward ? 2.0 : 5.0;
  return Flops{products * 2.0 * attention_pairs(call.shape) *
               static_cast<double>(call.shape.batch * call.shape.heads * call.shape.head_dim)};
}

Bytes attention_traffic(const AttentionShape& shape) {
  const double query = static_cast<double>(shape.query_length * shape.heads);
  const double key = static_cast<double>(shape.key_length * shape.kv_heads);
  return Bytes{2.0 * static_cast<double>(shape.batch * shape.head_dim) * (2.0 * query + 2.0 * key)};
}

}  // namespace

OperationCosts::OperationCosts(const Profile& profile, const CostModel& costs,
                               const CollectiveModel& collectives)
    : profile_(profile), costs_(costs), collectives_(collectives) {}

OperationCosts::KernelCost OperationCosts::cost(const Kernel& kernel) const {
  return std::visit(
      Overloaded{
          [&](const GemmCall& call) {
            return KernelCost{costs_.gemm(call.shape, call.type, call.pass),
                              gemm_traffic(call.shape, call.type), gemm_flops(call.shape)};
          },
          [&](const BatchedGemmCall& call) {
            const auto batch = static_cast<double>(call.batch);
            return KernelCost{costs_.batched_gemm(call.batch, call.shape, call.type),
                              gemm_traffic(call.shape, call.type) * batch,
                              gemm_flops(call.shape) * batch};
          },
          [&](const AttentionCall& call) {
            return KernelCost{costs_.attention(call.shape, call.pass, call.kernel),
                              attention_traffic(call.shape), attention_flops(call)};
          },
          [&](const MemoryCall& call) {
            return KernelCost{costs_.memory_bound(call.moved, call.kernel), call.moved, Flops{}};
          }},
      kernel.call);
}

CostedOperation OperationCosts::compute(const Compute& work) const {
  CostedOperation result;
  Bytes moved;
  Seconds longest;
  for (const Kernel& kernel : work.kernels) {
    KernelCost one = cost(kernel);
    const auto all = static_cast<double>(profile_.device.multiprocessors);
    one.estimate.time =
        one.estimate.time * (all / (all - static_cast<double>(kernel.reserved_multiprocessors)));
    if (one.estimate.time > longest) {
      longest = one.estimate.time;
      result.parts.longest = static_cast<std::size_t>(&kernel - work.kernels.data());
    }
    const auto kind = static_cast<std::size_t>(kernel.kind);
    result.parts.seconds[kind] += one.estimate.time;
    result.parts.sigma_seconds[kind] += one.estimate.time.value() * one.estimate.relative_sigma;
    result.parts.by_basis[static_cast<std::size_t>(one.estimate.basis)] += one.estimate.time;
    result.parts.host += costs_.kernel_gap();
    result.parts.hardware_flops += one.flops;
    result.duration += one.estimate.time + costs_.kernel_gap();
    moved += one.moved;
  }
  result.memory_share =
      std::min(1.0, (moved / result.duration).value() / profile_.device.memory_bandwidth.value());
  return result;
}

CostedOperation OperationCosts::communication(CollectiveOp op, Bytes size, Engines engines,
                                              const Placement& placement) const {
  CostedOperation result;
  result.collective = collectives_.estimate(op, size, placement);
  result.latency = result.collective.latency;
  result.duration = result.collective.transfer;
  if (result.duration.value() <= 0.0) return result;
  const BytesPerSecond rate = result.collective.wire_bytes / result.duration;
  for (const TierUse& use : result.collective.use)
    result.use.push_back({use.tier, std::min(1.0, use.seconds_per_byte * rate.value())});
  // Every byte on the wire is read once and written once.
  result.memory_share =
      std::min(1.0, 2.0 * rate.value() / profile_.device.memory_bandwidth.value());
  if (engines == Engines::multiprocessors) {
    result.held_share = profile_.constant("overlap.compute_slowdown");
    result.speed_beside_compute = 1.0 / profile_.constant("overlap.collective_slowdown");
  }
  return result;
}

}  // namespace stepcast
