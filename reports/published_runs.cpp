#include "reports/published_runs.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

bool starts_with(const std::string& text, std::string_view prefix) {
  return text.rfind(prefix, 0) == 0;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::int64_t count_of(const Json& object, const char* key, std::int64_t fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : fallback;
}

// --- what the forecast does not cover ---

std::string missing_fields(const Json& row) {
  std::string list;
  for (const Json& field : row.value("missing", Json::array()))
    list += (list.empty() ? "" : ", ") + field.get<std::string>();
  return list;
}

// A count that no machine or model has would only overflow later.
std::string count_out_of_range(const Json& object, std::initializer_list<const char*> keys) {
  constexpr std::int64_t most = 1'000'000'000;
  for (const char* key : keys) {
    const std::int64_t count = count_of(object, key, 1);
    if (count < 1 || count > most) return fmt::format("{} = {} is out of range", key, count);
  }
  return "";
}

std::string reason_to_skip(const Json& row) {
  const Json& arch = row.at("arch");
  if (row.at("completeness") != "full") return "the source does not state " + missing_fields(row);
  if (!arch.is_object() || !arch.value("layers", Json()).is_number())
    return "the source does not state the architecture";
  if (std::string reason = count_out_of_range(arch, {"layers", "hidden", "heads"}); !reason.empty())
    return reason;
  if (std::string reason = count_out_of_range(row, {"tp", "pp", "cp", "dp", "vp"}); !reason.empty())
    return reason;
  if (arch.value("experts", Json()).is_number())
    return "mixture-of-experts models are not simulated yet";
  if (arch.value("attention_type", Json()) == "MLA")
    return "multi-head latent attention is not simulated yet";
  const std::string zero = text_of(row, "zero");
  if (zero == "zero3/fsdp" || zero == "hsdp" || zero == "zero2")
    return "sharding of gradients or parameters (" + zero + ") is not simulated yet";
  const std::string framework = text_of(row, "framework");
  if (framework.find("JAX") != std::string::npos)
    return framework + " is not a simulated framework";
  const std::string precision = text_of(row, "precision");
  if (precision == "mxfp8" || precision == "nvfp4")
    return precision + " kernels are not in the profiles";
  return "";
}

// --- model ---

// Families differ in what the rows' architecture does not say. GPT-3 and BLOOM style models have
// biases and layer norms; dropout 0.1 as in their launch scripts (Megatron-LM examples, NeMo
// GPT-3), none in BLOOM and Nemotron.
Json model_of(const Json& row) {
  const Json& arch = row.at("arch");
  const std::string name = text_of(row, "model");
  const bool gated = arch.at("gated_mlp").get<bool>();
  const bool nemotron = name.find("nemotron") != std::string::npos;
  const bool bloom = starts_with(text_of(row, "framework"), "Megatron-DeepSpeed (Big");
  const bool gpt = !gated && !nemotron;
  const bool dropout = gpt && !bloom;
  const std::int64_t heads = arch.at("heads").get<std::int64_t>();
  const std::int64_t hidden = arch.at("hidden").get<std::int64_t>();
  return Json{{"name", name},
              {"layers", arch.at("layers")},
              {"hidden", hidden},
              {"heads", heads},
              {"kv_heads", count_of(arch, "kv_heads", heads)},
              {"head_dim", count_of(arch, "head_dim", hidden / heads)},
              {"ffn", arch.at("ffn")},
              {"vocabulary", arch.at("vocab")},
              {"max_positions", gpt && !bloom ? row.at("seq_len") : Json(0)},
              {"gated_mlp", gated},
              {"tied_embeddings", arch.value("tied_embeddings", false)},
              {"qkv_bias", gpt},
              {"attention_output_bias", gpt},
              {"mlp_bias", gpt},
              {"embedding_norm", bloom},
              {"norm", gated ? "rms_norm" : "layer_norm"},
              {"position", bloom ? "alibi"
                           : gpt ? "learned"
                                 : "rotary"},
              {"hidden_dropout", dropout ? 0.1 : 0.0},
              {"attention_dropout", dropout ? 0.1 : 0.0}};
}

// --- cluster ---

struct ServerOfGpu {
  std::string_view gpu, server;
};
constexpr std::array<ServerOfGpu, 7> servers{{{"A100-SXM", "dgx-a100"},
                                              {"A100-80GB-SXM", "dgx-a100"},
                                              {"A100-40GB-SXM", "dgx-a100-40gb"},
                                              {"H100-80GB-SXM", "dgx-h100"},
                                              {"H200-141GB-SXM", "dgx-h200"},
                                              {"B200-SXM-180GB", "dgx-b200"},
                                              {"GB200-NVL72", "gb200-nvl72"}}};

// Jean Zay has four 100 Gb/s Omni-Path links a node; vTrain's cluster 800 Gb/s a node, four HDR
// NICs.
Json nic_overrides(const Json& row) {
  const std::string interconnect = text_of(row, "interconnect");
  if (interconnect.find("Omni-Path") != std::string::npos)
    return Json{{"nics", 4}, {"nic_bandwidth_GBps", 12.5}};
  if (interconnect.find("800 Gb/s per node") != std::string::npos) return Json{{"nics", 4}};
  return Json::object();
}

std::variant<Json, std::string> cluster_of(const Json& row) {
  const std::string gpu = text_of(row, "gpu");
  for (const ServerOfGpu& entry : servers) {
    if (entry.gpu != gpu) continue;
    Json cluster{{"server", entry.server}, {"gpus", row.at("gpus")}};
    Json overrides = nic_overrides(row);
    if (!overrides.empty()) cluster["overrides"] = std::move(overrides);
    return cluster;
  }
  return "no profile for GPU " + gpu;
}

// --- framework ---

std::string release_of(const Json& row) {
  const std::string framework = text_of(row, "framework");
  const std::string model = text_of(row, "model");
  const std::string date = text_of(row, "date");
  if (starts_with(framework, "Megatron-DeepSpeed (micro")) return "megatron-deepspeed-2023";
  if (starts_with(framework, "Megatron-DeepSpeed")) return "megatron-deepspeed-2022";
  if (starts_with(framework, "Megatron-Bridge")) return "nemo-25";
  if (starts_with(framework, "NeMo (")) {
    const bool v25_01 = starts_with(text_of(row, "id"), "dgxc-v25.01");
    const bool flash2 = starts_with(model, "gpt") ||
                        model.find("nemotron4-340b") != std::string::npos ||
                        model.find("nemotron-4-340b") != std::string::npos;
    if (v25_01) return flash2 ? "nemo-24-flash2" : "nemo-24";
    return "nemo-25";
  }
  if (framework == "NeMo Megatron") return "megatron-2022";
  if (framework == "Megatron-LM") {
    if (date < "2022") return "megatron-2021";
    if (date < "2023") return "megatron-2022";
  }
  return "megatron-core";
}

// An overlap switch; unknown means the recipe's default.
bool overlaps(const Json& row, const char* key, bool unknown) {
  const Json& overlap = row.at("overlap");
  if (!overlap.is_object()) return unknown;
  const auto found = overlap.find(key);
  return found == overlap.end() || found->is_null() ? unknown : found->get<bool>();
}

Json overlap_of(const Json& row, const std::string& release) {
  const bool modern = starts_with(release, "nemo") || release == "megatron-core";
  const bool sharded = text_of(row, "zero") == "distributed_optimizer";
  const bool interleaved = count_of(row, "vp", 1) > 1;
  // The v25.01 launch script of Nemotron-340B turns on what its YAML leaves off (ACCURACY_HOPPER
  // 4).
  const bool script = starts_with(text_of(row, "id"), "dgxc-v25.01-nemotron4-340b");
  const bool user_buffers = row.at("sequence_parallel") == true && count_of(row, "tp", 1) > 1;
  return Json{{"grad_reduce", overlaps(row, "dp_grad_reduce", modern && sharded)},
              {"param_gather", sharded && overlaps(row, "dp_param_gather", modern)},
              {"tensor", user_buffers && (script || overlaps(row, "tp_comm_overlap", modern))},
              {"pipeline", interleaved && (script || overlaps(row, "pp_p2p", modern))}};
}

// --- training ---

Json recompute_of(const Json& row) {
  const Json& recompute = row.at("recompute");
  if (!recompute.is_object()) return recompute;
  if (recompute.contains("modules"))
    return Json{{"kind", "selective"}, {"modules", recompute.at("modules")}};
  if (recompute.contains("full_layers"))
    return Json{{"kind", "full"}, {"layers", recompute.at("full_layers")}};
  return "none";
}

std::string gradient_type(const Json& row, const std::string& release) {
  // Reduction in 16 bits: NeMo recipes, DDP "torch" of 2021 (bucketed, overlapped), DeepSpeed
  // buffers of BLOOM. Korthikanti, DDP "local" and vTrain: fp32.
  if (starts_with(release, "nemo")) return "bf16";
  if (release == "megatron-2021" && overlaps(row, "dp_grad_reduce", false)) return "fp16";
  if (release == "megatron-deepspeed-2022") return text_of(row, "precision");
  return "fp32";
}

Json training_of(const Json& row, const std::string& release) {
  std::string precision = text_of(row, "precision");
  if (starts_with(precision, "fp8")) precision = "fp8";
  return Json{{"sequence_length", row.at("seq_len")},
              {"global_batch", row.at("global_batch")},
              {"micro_batch", row.at("micro_batch")},
              {"precision", precision},
              {"recompute", recompute_of(row)},
              {"attention", row.at("attention").is_null() ? Json("flash") : row.at("attention")},
              {"gradient_dtype", gradient_type(row, release)}};
}

// --- parallel ---

// NeMo counts embedding and loss as pipeline layers where the layers alone do not divide
// (account_for_embedding_in_pipeline_split); DeepSpeed's pipeline gives the last stage the
// remainder.
Json stage_layers_of(const Json& row) {
  const std::int64_t layers = row.at("arch").at("layers").get<std::int64_t>();
  const std::int64_t pp = count_of(row, "pp", 1), vp = count_of(row, "vp", 1);
  if (layers % (pp * vp) == 0) return nullptr;
  if ((layers + 2) % (pp * vp) == 0)
    return Json{{"account_for_embedding", true}, {"account_for_loss", true}};
  const std::int64_t each = (layers + pp - 1) / pp;
  if (vp > 1 || each * (pp - 1) >= layers) return nullptr;
  Json list = Json::array();
  for (std::int64_t stage = 0; stage + 1 < pp; ++stage) list.push_back(each);
  list.push_back(layers - each * (pp - 1));
  return list;
}

Json parallel_of(const Json& row) {
  const std::int64_t vp = count_of(row, "vp", 1);
  const std::string zero = text_of(row, "zero");
  Json parallel{
      {"tensor", row.at("tp")},
      {"pipeline", row.at("pp")},
      {"context", count_of(row, "cp", 1)},
      {"data", row.at("dp")},
      {"virtual_stages", vp},
      {"schedule", vp > 1 ? "interleaved" : "1f1b"},
      {"sequence_parallel", row.at("sequence_parallel") == true && count_of(row, "tp", 1) > 1},
      {"sharding", zero == "distributed_optimizer" || zero == "zero1" ? "optimizer" : "none"}};
  // SimuMax's context-parallel rows exchange heads, not a ring.
  if (text_of(row, "notes").find("CP uses a2a") != std::string::npos)
    parallel["context_kind"] = "ulysses";
  Json stage_layers = stage_layers_of(row);
  if (!stage_layers.is_null()) parallel["stage_layers"] = std::move(stage_layers);
  return parallel;
}

std::variant<Json, std::string> document_of(const Json& row) {
  if (std::string reason = reason_to_skip(row); !reason.empty()) return reason;
  std::variant<Json, std::string> cluster = cluster_of(row);
  if (std::holds_alternative<std::string>(cluster)) return cluster;
  const std::string release = release_of(row);
  return Json{{"format", "stepcast.run"},
              {"version", 1},
              {"model", model_of(row)},
              {"cluster", std::get<Json>(std::move(cluster))},
              {"framework", starts_with(release, "megatron-deepspeed") ? "deepspeed" : "megatron"},
              {"framework_release", release},
              {"parallel", parallel_of(row)},
              {"training", training_of(row, release)},
              {"overlap", overlap_of(row, release)}};
}

}  // namespace

std::variant<Json, std::string> published_run_document(const Json& row) {
  try {
    return document_of(row);
  } catch (const Json::exception& error) {
    return std::string("the row is not of the expected form: ") + error.what();
  }
}

std::variant<Run, std::string> published_run(const Json& row) {
  std::variant<Json, std::string> document = published_run_document(row);
  if (std::holds_alternative<std::string>(document))
    return std::get<std::string>(std::move(document));
  try {
    return parse_run(text_of(row, "id"), std::get<Json>(std::move(document)));
  } catch (const InputError& error) {
    const Problem& first = error.problems().front();
    return first.where + ": " + first.message;
  }
}

}  // namespace stepcast
