// Cost against the number of GPUs: a collective over all of them with its placement on the graph,
// and a step of Llama 3 405B (TP 8, PP 16), clusters built beforehand.

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "sim/cost/profile_cost_model.hpp"
#include "sim/network/collectives.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {
namespace {

// 1 GiB all-reduce over every GPU: routes and link loads of its ring, then its time. Routes are
// found anew each time, in a topology that has answered none.
void collective_all_reduce(benchmark::State& state) {
  const Profile profile = load_profile("h100-sxm");
  const ProfileCostModel costs(profile);
  const std::string name = "dgx-h100:" + std::to_string(state.range(0) / 8);
  for (auto _ : state) {
    state.PauseTiming();
    const Cluster cluster = load_cluster(name);
    state.ResumeTiming();
    const CollectiveModel model(cluster, profile, costs);
    benchmark::DoNotOptimize(model.estimate(CollectiveOp::all_reduce, Bytes{1 << 30},
                                            place_first_ranks(cluster, state.range(0))));
  }
}
BENCHMARK(collective_all_reduce)
    ->Arg(64)
    ->Arg(1024)
    ->Arg(4096)
    ->Arg(16384)
    ->Unit(benchmark::kMillisecond);

void step_405b(benchmark::State& state) {
  nlohmann::json document = nlohmann::json::parse(R"({
      "model": "llama-3-405b",
      "parallel": {"tensor": 8, "pipeline": 16, "sequence_parallel": true, "sharding": "optimizer",
                   "stage_layers": {"account_for_embedding": true, "account_for_loss": true}},
      "training": {"sequence_length": 8192}})");
  document["cluster"] = "dgx-h100:" + std::to_string(state.range(0) / 8);
  document["training"]["global_batch"] = state.range(0) / 8;  // 16 micro-batches a replica
  const Profile profile = load_profile("h100-sxm");
  std::uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Run run = parse_run("405b", document);
    state.ResumeTiming();
    events += predict(run, profile).prediction.events;
  }
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kAvgIterations);
}
BENCHMARK(step_405b)->Arg(128)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
