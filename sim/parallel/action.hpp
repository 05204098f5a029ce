#pragma once

#include <cstdint>

namespace stepcast {

enum class ActionKind { forward, backward };

// One step of a pipeline rank's order: the forward or backward of one chunk for one micro-batch.
struct Action {
  ActionKind kind = ActionKind::forward;
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

}  // namespace stepcast
