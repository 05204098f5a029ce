#include "sim/cost/profile_cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "common/errors.hpp"
#include "sim/cost/names.hpp"

namespace stepcast {
namespace {

// assumption: deviations of ln(true / time) of the simple models.
constexpr double sigma_memory_bound = 0.1;
constexpr double sigma_batched = 0.2;

// Whole tiles of 64 along the head width, for compute.
GemmShape padded_head(GemmShape shape) {
  std::int64_t* least = &shape.m;
  if (shape.n < *least) least = &shape.n;
  if (shape.k < *least) least = &shape.k;
  *least = (*least + 63) / 64 * 64;
  return shape;
}

// A type without a fit of its own gets bf16's: same kernels, other rate.
std::map<DataType, GemmFit> fits_of(const Profile& profile) {
  std::map<DataType, GemmFit> fits = profile.gemm_fit;
  const auto bf16 = fits.find(DataType::bf16);
  const GemmFit other = bf16 != fits.end() ? bf16->second : GemmFit{};
  for (const auto& [type, peak] : profile.device.peak) fits.emplace(type, other);
  return fits;
}

}  // namespace

ProfileCostModel::ProfileCostModel(const Profile& profile, const CostOptions& options)
    : name_(profile.name),
      device_(profile.device),
      attention_(profile),
      rates_(profile.memory_bound),
      collectives_(profile.collectives),
      wgrad_ratio_(profile.constant("gemm.wgrad_ratio", 1.0)),
      accumulate_bytes_(profile.constant("gemm.accumulate_bytes", 0.0)),
      kernel_gap_(profile.constant("host.kernel_gap_s", 0.0)) {
  if (options.sustained) {
    sustained_residual_ = profile.constant("gemm.sustained_residual", 1.0);
    sustained_residual_fp8_ = profile.constant("gemm.sustained_residual_fp8", 1.0);
  }
  const std::map<DataType, GemmFit> fits = fits_of(profile);
  for (const auto& [type, peak] : device_.peak)
    gemm_.emplace(type, GemmModel(gemm_device(device_, type), type, fits.at(type), profile.gemm));
}

const GemmModel& ProfileCostModel::gemm_model(DataType type) const {
  const auto own = gemm_.find(type);
  const bool has_table = own != gemm_.end() && !own->second.points().empty();
  if (type == DataType::fp16 && !has_table && gemm_.contains(DataType::bf16))
    return gemm_.at(DataType::bf16);
  if (own == gemm_.end())
    throw InputError(Problem{"", "profile " + name_,
                             device_.name + " does not compute in " + std::string(name_of(type))});
  return own->second;
}

Estimate ProfileCostModel::gemm(const GemmShape& shape, DataType type, GemmPass pass) const {
  Estimate estimate = gemm_model(type).time(shape);
  estimate.time =
      estimate.time * (type == DataType::fp8 ? sustained_residual_fp8_ : sustained_residual_);
  if (pass == GemmPass::forward || pass == GemmPass::dgrad) return estimate;
  estimate.time = estimate.time * wgrad_ratio_;
  if (pass == GemmPass::wgrad_accumulate) {
    const double outputs = static_cast<double>(shape.m) * static_cast<double>(shape.n);
    estimate.time += Bytes{accumulate_bytes_ * outputs} / device_.memory_bandwidth;
  }
  if (estimate.basis == Basis::measured) estimate.basis = Basis::interpolated;
  return estimate;
}

Estimate ProfileCostModel::batched_gemm(std::int64_t batch, const GemmShape& shape,
                                        DataType type) const {
  STEPCAST_CHECK(batch >= 1);
  const GemmModel& model = gemm_model(type);
  const Seconds time =
      batched_gemm_time(model.device(), type, model.base(), batch, padded_head(shape), shape);
  return {time * sustained_residual_, sigma_batched, Basis::analytical};
}

Estimate ProfileCostModel::attention(const AttentionShape& shape, AttentionPass pass,
                                     AttentionKernel kernel) const {
  Estimate estimate = attention_.time(shape, pass, kernel);
  estimate.time = estimate.time * sustained_residual_;
  return estimate;
}

Estimate ProfileCostModel::memory_bound(Bytes moved, MemoryKernel kernel) const {
  const auto found = rates_.find(kernel);
  if (found == rates_.end())
    throw InputError(Problem{"", "profile " + name_,
                             "no rate for memory-bound kernel " + std::string(name_of(kernel))});
  const MemoryKernelRate& rate = found->second;
  const Seconds time = rate.fixed + moved / (device_.memory_bandwidth * rate.bandwidth_share);
  const bool measured = rate.source.starts_with("measured");
  return {time, sigma_memory_bound, measured ? Basis::interpolated : Basis::analytical};
}

std::optional<Estimate> ProfileCostModel::node_collective(CollectiveOp op, std::int64_t ranks,
                                                          Bytes size) const {
  return collectives_.time(op, ranks, size);
}

}  // namespace stepcast
