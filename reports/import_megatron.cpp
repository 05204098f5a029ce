#include "reports/import_megatron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/framework_flags.hpp"
#include "reports/import_run.hpp"
#include "reports/pipeline_layout.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// A gated MLP without a width: 8/3 of the hidden size, in multiples of 64 (arguments.py).
std::int64_t default_ffn(std::int64_t hidden, bool gated) {
  return gated ? (4 * hidden * 2 / 3) / 64 * 64 : 4 * hidden;
}

void read_mixture(ForeignSettings& arguments, Json& model) {
  const auto experts = arguments.count("--num-experts");
  if (!experts || *experts == 1) return;
  model["moe"] = {
      {"experts", *experts},
      {"experts_per_token", arguments.count("--moe-router-topk").value_or(2)},
      {"expert_ffn", arguments.count("--moe-ffn-hidden-size").value_or(model["ffn"])},
      {"shared_ffn", arguments.count("--moe-shared-expert-intermediate-size").value_or(0)}};
  if (arguments.has("--moe-layer-freq"))
    arguments.remark("--moe-layer-freq", "every layer is read as a mixture of experts");
}

void read_model(ForeignSettings& arguments, Json& document) {
  Json& model = document["model"];
  read_rows(megatron_model_rows(), arguments, document);
  require_shape(arguments, model);
  if (arguments.has("--group-query-attention"))
    model["kv_heads"] = arguments.count("--num-query-groups").value_or(1);
  if (arguments.has("--use-rotary-position-embeddings")) model["position"] = "rotary";
  const bool bias = model["mlp_bias"];
  model["attention_output_bias"] = bias;
  model["qkv_bias"] = bias || arguments.has("--add-qkv-bias");
  read_mixture(arguments, model);
  read_vocabulary(arguments, model);
  read_positions(arguments, document);
  for (const char* unlike : {"--multi-latent-attention", "--hybrid-layer-pattern", "--window-size"})
    if (arguments.has(unlike))
      arguments.problem(unlike, "is not read from arguments; give --model with its config.json");
}

// --- pipeline ---

void read_layout(ForeignSettings& arguments, const std::string& key, Json& parallel) {
  const auto chunks = layers_of_layout(arguments.text(key));
  const std::int64_t pipeline = parallel["pipeline"];
  if (!chunks || static_cast<std::int64_t>(chunks->size()) % pipeline != 0) {
    arguments.problem(key, fmt::format("must be a layout such as \"Et*3|t*4|t*3L\" with a multiple "
                                       "of pipeline {} parts",
                                       pipeline));
    return;
  }
  std::vector<std::int64_t> every(static_cast<std::size_t>(pipeline), 0);
  bool equal = true;
  for (std::size_t i = 0; i < chunks->size(); ++i) {
    every[i % every.size()] += (*chunks)[i];
    equal = equal && (*chunks)[i] == (*chunks)[i % every.size()];
  }
  parallel["virtual_stages"] = chunks->size() / every.size();
  parallel["stage_layers"] = every;
  if (!equal)
    arguments.remark(key, "the chunks of a stage differ; only each stage's sum of layers is kept");
}

void read_stage_layers(ForeignSettings& arguments, Json& parallel) {
  Json layers{{"account_for_embedding", arguments.has("--account-for-embedding-in-pipeline-split")},
              {"account_for_loss", arguments.has("--account-for-loss-in-pipeline-split")}};
  if (const auto first = arguments.count("--decoder-first-pipeline-num-layers"))
    layers["first"] = *first;
  if (const auto last = arguments.count("--decoder-last-pipeline-num-layers"))
    layers["last"] = *last;
  parallel["stage_layers"] = layers;
}

std::int64_t read_virtual_stages(ForeignSettings& arguments, const Json& parallel) {
  if (const auto stages = arguments.count("--num-virtual-stages-per-pipeline-rank")) return *stages;
  const std::string key = "--num-layers-per-virtual-pipeline-stage";
  const auto each = arguments.count(key);
  const auto layers = each ? arguments.count("--num-layers") : std::nullopt;
  if (!each || !layers) return 1;
  const std::int64_t of_stage = *layers / parallel["pipeline"].get<std::int64_t>();
  if (of_stage % *each == 0 && of_stage > 0) return of_stage / *each;
  arguments.problem(key,
                    fmt::format("must divide the {} layers of a stage, found {}", of_stage, *each));
  return 1;
}

void read_pipeline(ForeignSettings& arguments, Json& document) {
  Json& parallel = document["parallel"];
  parallel["virtual_stages"] = read_virtual_stages(arguments, parallel);
  read_stage_layers(arguments, parallel);
  const std::string layout = "--pipeline-model-parallel-layout";
  if (arguments.has(layout)) read_layout(arguments, layout, parallel);
  const bool interleaved = parallel["virtual_stages"] > 1;
  parallel["schedule"] = interleaved ? "interleaved" : "1f1b";
  const auto group = arguments.count("--microbatch-group-size-per-virtual-pipeline-stage");
  parallel["microbatch_group"] = group && interleaved ? Json(*group) : parallel["pipeline"];
  document["overlap"]["pipeline"] = interleaved && !arguments.has("--no-overlap-p2p-communication");
}

// --- the rest ---

std::string fsdp_sharding(ForeignSettings& arguments) {
  const std::string key = "--data-parallel-sharding-strategy";
  const std::string found = arguments.has(key) ? arguments.word(key) : "no_shard";
  if (found == "no_shard") return "none";
  if (found == "optim") return "optimizer";
  if (found == "optim_grads") return "gradients";
  if (found != "optim_grads_params")
    arguments.problem(key,
                      "must be one of no_shard, optim, optim_grads, optim_grads_params, found \"" +
                          found.substr(0, 60) + "\"");
  return "parameters";
}

void read_sharding(ForeignSettings& arguments, Json& parallel) {
  const bool distributed = arguments.has("--use-distributed-optimizer");
  parallel["sharding"] = distributed ? "optimizer" : "none";
  if (arguments.has("--use-megatron-fsdp")) parallel["sharding"] = fsdp_sharding(arguments);
  if (arguments.has("--use-torch-fsdp2")) parallel["sharding"] = "parameters";
}

void read_moments(ForeignSettings& arguments, Json& training) {
  training["optimizer_dtype"] = "fp32";
  if (!arguments.has("--use-precision-aware-optimizer")) return;
  const std::string key = "--exp-avg-dtype";
  const std::string found = arguments.has(key) ? arguments.word(key) : "fp32";
  training["optimizer_dtype"] = found;
  if (arguments.has("--exp-avg-sq-dtype") && arguments.word("--exp-avg-sq-dtype") != found)
    arguments.remark("--exp-avg-sq-dtype", "read as " + found + ", as the first moment is");
}

void read_precision(ForeignSettings& arguments, Json& training) {
  const bool fp16 = arguments.has("--fp16");
  const bool fp8 = arguments.has("--fp8-format");
  if (!arguments.has("--bf16") && !fp16)
    arguments.problem("--bf16", "missing, as is --fp16; training in fp32 is not forecast");
  const std::string wide = fp16 ? "fp16" : "bf16";
  training["precision"] = fp8 ? "fp8" : wide;
  training["parameter_dtype"] = arguments.has("--fp8-param-gather") ? "fp8" : wide;
  const bool wide_gradients = !fp16 || arguments.has("--accumulate-allreduce-grads-in-fp32");
  training["gradient_dtype"] = arguments.has("--grad-reduce-in-bf16") ? "bf16"
                               : wide_gradients                       ? "fp32"
                                                                      : "fp16";
  read_moments(arguments, training);
}

void read_recompute(ForeignSettings& arguments, Json& document) {
  const std::string key = "--recompute-granularity";
  Json& recompute = document["training"]["recompute"];
  recompute = {{"kind", "none"}};
  const std::string kind = arguments.has(key)                         ? arguments.word(key)
                           : arguments.has("--recompute-activations") ? "selective"
                                                                      : "none";
  if (kind == "full") {
    read_full_recompute(arguments, document);
  } else if (kind == "selective") {
    Json modules = Json::array();
    std::string rest = arguments.text("--recompute-modules");
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      modules.push_back(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    if (modules.empty()) modules.push_back("core_attn");
    recompute = {{"kind", "selective"}, {"modules", modules}};
  } else if (kind != "none") {
    arguments.problem(key, "must be full or selective, found \"" + kind.substr(0, 60) + "\"");
  }
}

std::string attention(ForeignSettings& arguments) {
  const std::string backend = arguments.word("--attention-backend");
  if (backend == "unfused" || backend == "local") return "unfused";
  const bool local = arguments.word("--transformer-impl") == "local";
  return local && !arguments.has("--use-flash-attn") ? "unfused" : "flash";
}

}  // namespace

void require_shape(ForeignSettings& arguments, Json& model) {
  for (const auto& [key, argument] : {std::pair{"layers", "--num-layers"},
                                      {"hidden", "--hidden-size"},
                                      {"heads", "--num-attention-heads"}}) {
    if (model.contains(key)) continue;
    if (!arguments.has(argument)) arguments.problem(argument, "missing (or give --model)");
    model[key] = 1;
  }
  if (!model.contains("ffn")) model["ffn"] = default_ffn(model["hidden"], model["gated_mlp"]);
}

// Without a tokenizer Megatron's is GPT-2's (50257 tokens); NullTokenizer adds one to the size.
void read_vocabulary(ForeignSettings& arguments, Json& model) {
  const bool null_tokenizer = arguments.word("--tokenizer-type") == "NullTokenizer";
  if (const auto padded = arguments.count("--padded-vocab-size")) {
    model["vocabulary"] = *padded;
  } else if (const auto size = arguments.count("--vocab-size")) {
    model["vocabulary"] = *size + (null_tokenizer ? 1 : 0);
  } else if (!arguments.has("--tokenizer-type") ||
             arguments.word("--tokenizer-type") == "GPT2BPETokenizer") {
    model["vocabulary"] = 50257;
    arguments.remark("--vocab-size", "missing, 50257 taken (GPT-2's tokenizer)");
  } else {
    model["vocabulary"] = 1;
    arguments.problem("--vocab-size", "missing, and the tokenizer " +
                                          arguments.word("--tokenizer-type").substr(0, 60) +
                                          " is not at hand (or give --model)");
  }
}

// A table of rotary positions holds nothing, so its usual size, the sequence length, is no fact of
// the model.
void read_positions(ForeignSettings& arguments, Json& document) {
  const auto positions = arguments.count("--max-position-embeddings");
  Json& model = document["model"];
  const bool is_length = positions && member_in(document, "training.sequence_length") == *positions;
  if (positions && (model["position"] == "learned" || !is_length))
    model["max_positions"] = *positions;
}

void read_full_recompute(ForeignSettings& arguments, Json& document) {
  Json& recompute = document["training"]["recompute"];
  recompute = {{"kind", "full"}};
  const auto layers = arguments.count("--recompute-num-layers");
  if (arguments.word("--recompute-method") == "block" && layers) {
    const auto all = arguments.count("--num-layers");
    if (!all || *layers <= layers_per_chunk(document, *all)) recompute["layers"] = *layers;
  } else if (layers && *layers > 1) {
    arguments.remark("--recompute-num-layers",
                     fmt::format("every layer keeps its own input, not one in {}", *layers));
  }
}

std::optional<std::int64_t> launched_gpus(ForeignSettings& arguments) {
  const auto first = [&](const std::vector<std::string>& keys) {
    std::optional<std::int64_t> value;
    for (const std::string& key : keys)
      if (!value && arguments.word(key).find_first_not_of("0123456789") == std::string::npos)
        value = arguments.count(key);
    return value;
  };
  arguments.ignore({"--node-rank", "--master-addr", "--master-port"});
  const auto each = first({"--nproc-per-node", "--num-gpus"});
  if (!each || *each > 1024) return std::nullopt;
  const auto nodes = first({"--nnodes", "--num-nodes"});
  if (!nodes && (arguments.has("--nnodes") || arguments.has("--num-nodes"))) return std::nullopt;
  return *each * std::min<std::int64_t>(nodes.value_or(1), 1 << 20);
}

Json megatron_document(ForeignSettings& arguments, std::int64_t gpus, ReadModel model) {
  Json document = Json::object();
  read_rows(megatron_rows(), arguments, document);
  Json& parallel = document["parallel"];
  const bool pipeline_before_data = arguments.has("--use-tp-pp-dp-mapping");
  parallel["order"] = pipeline_before_data ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp";
  const Json experts = arguments.has("--num-experts") ? parallel["tensor"] : Json(1);
  parallel["expert_tensor"] =
      arguments.count("--expert-tensor-parallel-size").value_or(experts.get<std::int64_t>());
  read_pipeline(arguments, document);
  read_sharding(arguments, parallel);
  set_data_degree(arguments, gpus, document);
  read_precision(arguments, document["training"]);
  read_recompute(arguments, document);
  document["training"]["attention"] = attention(arguments);
  if (model == ReadModel::yes) read_model(arguments, document);
  return document;
}

}  // namespace stepcast
