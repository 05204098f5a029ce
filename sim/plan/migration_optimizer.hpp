#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// Whether a checkpoint format carries the optimizer from one run to the other.
struct CheckpointFormat {
  Framework framework = Framework::megatron;
  std::string format;
  bool allows = false;
  std::string reason;
  std::optional<std::string> save_flag;  // what to set when saving; none: nothing to set
  std::optional<std::string> load_flag;
};

struct OptimizerVerdict {
  bool moves = false;   // some format of the old run's framework carries the state
  std::string use;      // the first that does; "" without
  std::string verdict;  // the answer in a sentence
  std::int64_t from_shards = 1, to_shards = 1;  // ranks that share one model part's state
  std::vector<CheckpointFormat> formats;        // of all three frameworks
};
// Source: SEMANTICS 10; Megatron-LM core/optimizer/distrib_optimizer.py and
// megatron/training/checkpointing.py (d98e8a6); torchtitan config/job_config.py (Checkpoint);
// DeepSpeed checkpoint/ds_to_universal.py.
[[nodiscard]] OptimizerVerdict optimizer_verdict(const Run& from, const Run& to);

}  // namespace stepcast
