#include "sim/memory/ledger.hpp"

#include <algorithm>

#include "common/errors.hpp"

namespace stepcast {
namespace {

void add_to(TensorList& list, const MemoryTensor& tensor, double count) {
  const Bytes bytes = tensor.bytes * count;
  for (MemoryTensor& known : list) {
    if (known.name == tensor.name && known.kind == tensor.kind) {
      known.bytes += bytes;
      return;
    }
  }
  list.push_back({tensor.name, tensor.kind, bytes});
}

}  // namespace

BundleId Ledger::define(TensorList tensors) {
  const Bytes bytes = total(tensors);
  bundles_.push_back({std::move(tensors), bytes});
  alive_.push_back(0);
  alive_at_peak_.push_back(0);
  return BundleId{static_cast<std::uint32_t>(bundles_.size() - 1)};
}

void Ledger::allocate(BundleId bundle, SimTime at, std::size_t count) {
  alive_[bundle.index] += count;
  if (bundles_[bundle.index].bytes == Bytes{0} || count == 0) return;
  allocated_ += bundles_[bundle.index].bytes * static_cast<double>(count);
  record(at);
  if (allocated_ > peak_) {
    peak_ = allocated_;
    peak_at_ = at;
    if (history_) alive_at_peak_ = alive_;
  }
}

void Ledger::release(BundleId bundle, SimTime at, std::size_t count) {
  STEPCAST_CHECK(alive_[bundle.index] >= count);
  alive_[bundle.index] -= count;
  if (bundles_[bundle.index].bytes == Bytes{0} || count == 0) return;
  allocated_ = allocated_ - bundles_[bundle.index].bytes * static_cast<double>(count);
  record(at);
}

void Ledger::record(SimTime at) {
  if (history_) timeline_.emplace_back(to_seconds(at), allocated_);
}

TensorList Ledger::alive_at_peak() const {
  TensorList list;
  for (std::size_t i = 0; i < alive_at_peak_.size(); ++i) {
    if (alive_at_peak_[i] == 0) continue;
    for (const MemoryTensor& tensor : bundles_[i].tensors)
      add_to(list, tensor, static_cast<double>(alive_at_peak_[i]));
  }
  std::stable_sort(list.begin(), list.end(), [](const MemoryTensor& a, const MemoryTensor& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return list;
}

}  // namespace stepcast
