#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/schedule.hpp"

namespace stepcast {

// A pipeline whose actions take known times. Index of a chunk: stage * virtual_stages + chunk.
struct PipelineTimes {
  std::int64_t stages = 1, virtual_stages = 1, micro_batches = 1;
  std::vector<double> forward, backward;  // seconds by chunk
  std::vector<double> ready;              // by chunk: its first forward starts no sooner
  std::vector<double> transfer;           // by stage: one boundary tensor to the next stage (the
                                          // last stage's: to the first)
  bool overlap = false;                   // transfers beside computation, else both sides wait
};

struct PipelineEnds {
  std::vector<double> stage;  // when the last action has ended
  std::vector<double> chunk;  // when the chunk's last backward has
};

// Plays the orders of make_schedule with the rules of simulate_step but no engine: nothing slows
// anything down, so it is never slower than the simulation and equal to it where nothing overlaps.
// About ten nanoseconds an action.
class PipelineReplay {
 public:
  [[nodiscard]] const PipelineEnds& play(const PipelineTimes& times,
                                         const std::vector<StageOrder>& orders);

 private:
  struct Stage {
    std::size_t group = 0;           // next group to run
    double clock = 0.0;              // end of the group before
    double taken = 0.0;              // when what it sent had been taken
    double arrived = 0.0;            // when the next group's inputs had arrived
    std::int64_t waiting_for = 0;    // results sent and not taken yet
    double sending[2] = {0.0, 0.0};  // each direction's stream is busy until
  };

  void run_stage(std::int64_t stage);
  [[nodiscard]] bool take_inputs(std::int64_t stage, std::size_t begin, std::size_t end);
  void finish(std::int64_t stage, const Action& action, double ended);
  [[nodiscard]] std::int64_t neighbour(std::int64_t stage, const Action& action, int step,
                                       std::int32_t& chunk) const;
  [[nodiscard]] std::size_t slot(std::int64_t stage, const Action& action) const;
  [[nodiscard]] double transfer_time(std::int64_t from, std::int64_t to) const;

  const PipelineTimes* times_ = nullptr;
  const std::vector<StageOrder>* orders_ = nullptr;
  std::vector<Stage> stages_;
  std::vector<double> produced_;  // by slot of the consumer
  std::vector<std::int64_t> todo_;
  PipelineEnds ends_;
};

}  // namespace stepcast
