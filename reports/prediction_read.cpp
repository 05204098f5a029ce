#include <nlohmann/json.hpp>
#include <utility>

#include "common/json_node.hpp"
#include "reports/breakdown.hpp"
#include "reports/forecast_json.hpp"
#include "reports/prediction_json.hpp"

namespace stepcast {

namespace {

double number_at(const Node& object, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return object.number(std::string(key));
  return object.at(std::string(key.substr(0, dot))).number(std::string(key.substr(dot + 1)));
}

StageBreakdown read_breakdown(const Node& node) {
  StageBreakdown stage;
  stage.stage = node.integer("stage");
  stage.total = Seconds{node.number("total_s")};
  for (const BreakdownTerm& term : breakdown_terms())
    stage.*term.value = Seconds{number_at(node, term.key)};
  return stage;
}

CommunicationTotal read_communication(const Node& node) {
  CommunicationTotal total;
  total.group = node.text("group");
  total.op = node.text("op");
  total.algorithm = node.text("algorithm");
  total.protocol = node.text("protocol");
  total.ranks = node.integer("ranks");
  total.bytes_per_rank = Bytes{node.number("bytes_per_rank")};
  total.calls = node.integer("calls");
  total.time = Seconds{node.number("time_s")};
  total.exposed = Seconds{node.number("exposed_s")};
  total.busbw = BytesPerSecond{node.number("busbw_bytes_per_s")};
  total.tier = node.text("tier");
  return total;
}

StageMemory read_stage_memory(const Node& node) {
  StageMemory stage;
  stage.stage = node.integer("stage");
  for (const MemoryTerm& term : memory_terms())
    stage.*term.value = Bytes{node.number(std::string(term.key))};
  stage.static_allocated = Bytes{node.number("static_allocated_bytes")};
  stage.peak_allocated = Bytes{node.number("peak_allocated_bytes")};
  stage.peak_at = Seconds{node.number("peak_at_s")};
  for (const Node& part : node.at("alive_at_peak").elements())
    stage.alive_at_peak.push_back({part.text("name"), Bytes{part.number("bytes")}});
  return stage;
}

MemoryVerdict read_verdict(const Node& memory) {
  const std::string word = memory.choice("verdict", {"fits", "tight", "out_of_memory"}, "fits");
  if (word == "tight") return MemoryVerdict::tight;
  return word == "fits" ? MemoryVerdict::fits : MemoryVerdict::out_of_memory;
}

void read_speed(const Node& root, Prediction& p) {
  const Node step = root.at("step_time_s");
  p.step_p10 = Seconds{step.number("p10")};
  p.step_p50 = Seconds{step.positive("p50")};
  p.step_p90 = Seconds{step.number("p90")};
  p.tokens_per_s = root.number("tokens_per_s");
  p.tokens_per_s_per_gpu = root.number("tokens_per_s_per_gpu");
  const Node model = root.at("model_tflops_per_gpu");
  p.model_flops_per_gpu_causal = FlopsPerSecond{model.number("causal") * 1e12};
  p.model_flops_per_gpu_full = FlopsPerSecond{model.number("full") * 1e12};
  p.hardware_flops_per_gpu = FlopsPerSecond{root.number("hardware_tflops_per_gpu") * 1e12};
  p.mfu_causal = root.at("mfu").number("causal");
  p.mfu_full = root.at("mfu").number("full");
  p.hfu = root.number("hfu");
  p.gpus = root.count("gpus");
  p.micro_batches = root.count("micro_batches");
}

void read_lists(const Node& root, Prediction& p) {
  for (const Node& node : root.at("breakdown").elements())
    p.breakdown.push_back(read_breakdown(node));
  if (root.at("breakdown").is_array() && p.breakdown.empty())
    root.problem("breakdown", "must hold at least one stage");
  for (const Node& node : root.at("communication").elements())
    p.communication.push_back(read_communication(node));
  for (const Node& node : root.at("links").elements())
    p.links.push_back({node.text("tier"), BytesPerSecond{node.number("capacity_bytes_per_s")},
                       node.number("mean_utilisation"), node.number("peak_utilisation")});
  for (const Node& node : root.at("warnings").elements())
    p.warnings.push_back({node.text("code"), node.text("message")});
  for (const Node& node : root.at("provenance").at("sources").elements())
    p.sources.push_back(node.as_text());
}

void read_memory(const Node& memory, Prediction& p) {
  p.verdict = read_verdict(memory);
  p.memory_capacity = Bytes{memory.number("capacity_bytes")};
  p.worst_stage = memory.integer("worst_stage");
  for (const Node& node : memory.at("stages").elements())
    p.memory.push_back(read_stage_memory(node));
}

}  // namespace

Forecast forecast_from_json(const std::string& file, const nlohmann::json& document) {
  const JsonReader reader(file, document);
  reader.expect_format("stepcast.prediction", 1, true);
  const Node root = reader.root();
  Prediction prediction;
  read_speed(root, prediction);
  read_lists(root, prediction);
  read_memory(root.at("memory"), prediction);
  const Node basis = root.at("basis");
  prediction.basis = {basis.number("measured"), basis.number("interpolated"),
                      basis.number("extrapolated"), basis.number("analytical")};
  if (const auto simulation = root.find("simulation"))
    prediction.events = static_cast<std::uint64_t>(simulation->integer("events"));
  auto inputs = flatten(root.at("inputs").json());
  reader.throw_if_problems();
  return {file, std::move(prediction), std::move(inputs)};
}

}  // namespace stepcast
