#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// Communicators of one kind that exist on one side only: same ranks in the same order is the same
// communicator.
struct CommunicatorChange {
  std::string kind;        // tensor, context, data, pipeline, embedding
  std::int64_t ranks = 1;  // of one
  std::int64_t count = 0;
  std::string tier;  // slowest tier that one of them crosses: nvlink, pcie, nic, spine, core
};

struct CommunicatorChanges {
  std::vector<CommunicatorChange> added, removed;
};

// Groups of one rank do not communicate and do not count. "data" is what reduces gradients: the
// data and context ranks together. On other machines every communicator is new.
[[nodiscard]] CommunicatorChanges communicator_changes(const Run& from, const Run& to);

}  // namespace stepcast
