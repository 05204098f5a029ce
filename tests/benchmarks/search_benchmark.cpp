// Searching: every candidate simulated (no pruning), and the whole search with pruning, in
// candidates a second of one core; and the two searches that Calculon is known by (530B and 1T of
// the Megatron papers).

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"
#include "sim/plan/search.hpp"

namespace stepcast {
namespace {

SearchRequest request_of(const char* text) {
  SearchRequest request;
  request.bases.push_back(parse_search_base("search", nlohmann::json::parse(text)));
  request.bases.front().overlap = {true, true, false, true};
  return request;
}

void run_search(benchmark::State& state, SearchRequest request) {
  const tbb::global_control one_core(tbb::global_control::max_allowed_parallelism, 1);
  const Profile profile = load_profile(request.bases.front().profile);
  std::int64_t candidates = 0, simulated = 0;
  for (auto _ : state) {
    const SearchCounts counts = search(request, profile).counts;
    candidates += counts.candidates;
    simulated += counts.simulated;
  }
  const auto rate = benchmark::Counter::kIsRate;
  state.counters["candidates/s"] = benchmark::Counter(static_cast<double>(candidates), rate);
  state.counters["simulated/s"] = benchmark::Counter(static_cast<double>(simulated), rate);
}

constexpr const char* llama_70b = R"({"model": "llama-3-70b", "cluster": "dgx-h100:8",
    "training": {"sequence_length": 8192, "global_batch": 128}})";

void simulate_every_candidate(benchmark::State& state) {
  SearchRequest request = request_of(llama_70b);
  request.prune = false;
  request.limits.tensor = 8;
  request.limits.micro_batch = 2;
  run_search(state, request);
}
BENCHMARK(simulate_every_candidate)->Unit(benchmark::kMillisecond);

void search_llama_70b(benchmark::State& state) { run_search(state, request_of(llama_70b)); }
BENCHMARK(search_llama_70b)->Unit(benchmark::kMillisecond);

void search_530b(benchmark::State& state) {
  run_search(state, request_of(R"({"model": "megatron-530b", "cluster": "dgx-a100:280",
      "framework_release": "megatron-2022",
      "training": {"sequence_length": 2048, "global_batch": 2240, "precision": "fp16",
                   "attention": "unfused"}})"));
}
BENCHMARK(search_530b)->Unit(benchmark::kMillisecond);

void search_1t(benchmark::State& state) {
  run_search(state, request_of(R"({"model": "megatron-1t", "cluster": "dgx-a100:512",
      "framework_release": "megatron-2022",
      "training": {"sequence_length": 2048, "global_batch": 4096, "precision": "fp16",
                   "attention": "unfused"}})"));
}
BENCHMARK(search_1t)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
