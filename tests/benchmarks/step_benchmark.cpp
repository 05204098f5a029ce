// One training step of GPT-3 175B on 1,024 GPUs (TP 8, PP 16 interleaved, global batch 1,536), one
// rank a stage: the time of the whole forecast, and simulated events a second.

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/cost/profile.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {
namespace {

Run gpt3(std::int64_t global_batch) {
  nlohmann::json document = nlohmann::json::parse(R"({
      "model": "gpt3-175b", "cluster": "dgx-a100:128", "framework_release": "megatron-2022",
      "parallel": {"tensor": 8, "pipeline": 16, "virtual_stages": 3, "data": 8},
      "training": {"sequence_length": 2048, "micro_batch": 1, "precision": "fp16",
                   "attention": "unfused", "recompute": "full"},
      "overlap": {"pipeline": false}})");
  document["training"]["global_batch"] = global_batch;
  return parse_run("gpt3", std::move(document));
}

void forecast_step(benchmark::State& state) {
  const Run run = gpt3(state.range(0));
  const Profile profile = load_profile("a100-sxm-80gb");
  std::uint64_t events = 0;
  for (auto _ : state) events += predict(run, profile).prediction.events;
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(forecast_step)->Arg(384)->Arg(1536)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
