#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cost/profile.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/program/layer.hpp"
#include "sim/program/operation.hpp"

namespace stepcast::test {

// Costs that a reader can add up: a memory-bound kernel takes one second a byte, a product one
// second for each of its rows, attention one second for each query; nothing else takes time.
class PlainCosts final : public CostModel {
 public:
  [[nodiscard]] Estimate gemm(const GemmShape& shape, DataType, GemmPass) const override {
    return {Seconds{static_cast<double>(shape.m)}, 0.1, Basis::measured};
  }
  [[nodiscard]] Estimate batched_gemm(std::int64_t batch, const GemmShape&,
                                      DataType) const override {
    return {Seconds{static_cast<double>(batch)}, 0.2, Basis::interpolated};
  }
  [[nodiscard]] Estimate attention(const AttentionShape& shape, AttentionPass,
                                   AttentionKernel) const override {
    return {Seconds{static_cast<double>(shape.query_length)}, 0.2, Basis::extrapolated};
  }
  [[nodiscard]] Estimate memory_bound(Bytes moved, MemoryKernel) const override {
    return {Seconds{moved.value()}, 0.0, Basis::analytical};
  }
  [[nodiscard]] Seconds kernel_gap() const override { return gap; }
  [[nodiscard]] std::optional<Estimate> node_collective(CollectiveOp, std::int64_t,
                                                        Bytes) const override {
    return std::nullopt;
  }
  Seconds gap;
};

inline Profile plain_profile() {
  Profile profile;
  profile.name = "plain";
  profile.device.name = "plain device";
  profile.device.multiprocessors = 100;
  profile.device.peak[DataType::bf16] = FlopsPerSecond{1e15};
  profile.device.memory_bandwidth = BytesPerSecond{1e15};
  profile.device.memory = gibibytes(80);
  profile.device.compute_capability = 9.0;
  profile.device.nvlink_bandwidth = BytesPerSecond{450e9};
  const auto constant = [&](const char* name, double value) {
    profile.constants[name] = {value, "", "", "", "assumption"};
  };
  constant("overlap.compute_slowdown", 0.25);
  constant("overlap.collective_slowdown", 2.0);
  constant("nvlink.p2p_bandwidth_bytes_per_s", 100e9);
  return profile;
}

// A llama-like model small enough to count by hand: 8 layers, hidden 512, 8 heads of 64, 4 of keys
// and values, FFN 1024, vocabulary 1024; sequence 128.
inline nlohmann::json small_run() {
  return nlohmann::json::parse(R"({
    "model": {"name": "small", "layers": 8, "hidden": 512, "heads": 8, "kv_heads": 4,
              "head_dim": 64, "ffn": 1024, "vocabulary": 1024},
    "cluster": {"server": "dgx-h100", "gpus": 8},
    "framework": "megatron",
    "parallel": {"data": 1},
    "training": {"sequence_length": 128, "global_batch": 8, "micro_batch": 1},
    "overlap": {}})");
}

inline Run run_with(const std::vector<std::string>& overrides) {
  nlohmann::json document = with_overrides(small_run(), overrides);
  std::int64_t gpus = 1;
  for (const char* axis : {"tensor", "pipeline", "context", "data"})
    gpus *= document["parallel"].value(axis, std::int64_t{1});
  document["cluster"]["gpus"] = gpus;
  return parse_run("run.json", document);
}

inline std::vector<Kernel> kernels_of(const Block& block) {
  std::vector<Kernel> kernels;
  for (const Operation& operation : block.operations)
    if (const auto* compute = std::get_if<Compute>(&operation.work))
      kernels.insert(kernels.end(), compute->kernels.begin(), compute->kernels.end());
  return kernels;
}

struct Call {
  std::string name;
  CollectiveOp op;
  double size;
};
inline std::vector<Call> calls_of(const Block& block, Lane lane) {
  std::vector<Call> calls;
  for (const Operation& operation : block.operations)
    if (const auto* work = std::get_if<Communication>(&operation.work);
        work && operation.lane == lane)
      calls.push_back({operation.name, work->op, work->size.value()});
  return calls;
}
inline std::size_t count(const std::vector<Call>& calls, CollectiveOp op) {
  std::size_t found = 0;
  for (const Call& call : calls) found += call.op == op ? 1 : 0;
  return found;
}

inline Block forward(const Run& run, const std::string& release = "") {
  BlockBuilder block;
  LayerWriter(run, framework_rules(run.framework, release), 9.0).layer_forward(block);
  return block.take();
}
inline Block backward(const Run& run, bool whole_layer = false, const std::string& release = "") {
  BlockBuilder block;
  LayerWriter(run, framework_rules(run.framework, release), 9.0).layer_backward(block, whole_layer);
  return block.take();
}

inline std::vector<GemmShape> products(const Block& block) {
  std::vector<GemmShape> shapes;
  for (const Kernel& kernel : kernels_of(block))
    if (const auto* call = std::get_if<GemmCall>(&kernel.call)) shapes.push_back(call->shape);
  return shapes;
}

// The design's numeric vectors, or null where they are not beside this checkout.
inline nlohmann::json vectors() {
  std::ifstream file(STEPCAST_SOURCE_DIR "/../shared/design/semantics_vectors.json");
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

// The model of a vector as a run of one layer's worth of settings.
inline Run run_of_vector(const nlohmann::json& all, const nlohmann::json& inputs,
                         bool sequence_parallel) {
  const nlohmann::json& m = all.at("models").at(inputs.at("model").get<std::string>());
  const std::int64_t t = inputs.at("tp"), c = inputs.at("cp"), b = inputs.at("b");
  const nlohmann::json document{
      {"model",
       {{"name", "vector"},
        {"layers", m.at("L")},
        {"hidden", m.at("h")},
        {"heads", m.at("a")},
        {"kv_heads", m.at("kv")},
        {"head_dim", m.at("d")},
        {"ffn", m.at("f")},
        {"vocabulary", m.at("V")},
        {"gated_mlp", m.at("gated")}}},
      {"cluster", {{"server", "dgx-h100"}, {"gpus", t * c}}},
      {"parallel",
       {{"tensor", t}, {"context", c}, {"data", 1}, {"sequence_parallel", sequence_parallel}}},
      {"training", {{"sequence_length", inputs.at("s")}, {"global_batch", b}, {"micro_batch", b}}}};
  return parse_run("vector", document);
}

inline GemmShape shape_of(const nlohmann::json& mnk) { return {mnk[0], mnk[1], mnk[2]}; }

}  // namespace stepcast::test
