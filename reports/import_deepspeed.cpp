#include "reports/import_deepspeed.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/json_text.hpp"
#include "reports/framework_flags.hpp"
#include "reports/import_run.hpp"
#include "reports/shell_words.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& file, const std::string& text) {
  std::vector<Problem> problems;
  Json json = parse_json(file, text, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  if (!json.is_object()) throw InputError({file, "", "must be a JSON object"});
  return json;
}

void collect(const Json& object, const std::string& prefix, Settings& settings) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix + name;
    if (value.is_object())
      collect(value, key + ".", settings);
    else if (!value.is_null())
      settings.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

void add(Settings& settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
}

// --- the document ---

// train_batch_size = micro-batch * gradient_accumulation_steps * data ranks: two of the three give
// the other, and one alone is without accumulation.
void read_batch(ForeignSettings& settings, Json& document) {
  Json& training = document["training"];
  const std::int64_t data = document["parallel"]["data"];
  const std::string key = "gradient_accumulation_steps";
  const auto given = settings.count(key);
  const auto global = settings.count("train_batch_size");
  const auto micro = settings.count("train_micro_batch_size_per_gpu");
  if (!given && global && micro) return;
  const std::int64_t steps = given.value_or(1);
  const std::int64_t unit = steps * data;
  if (micro && !global && !settings.has("--global-batch-size")) {
    if (*micro > (std::int64_t{1} << 31) / unit)
      settings.problem(key, "makes a batch of more than 2147483648 sequences");
    else
      training["global_batch"] = *micro * unit;
  } else if (global && !micro && !settings.has("--micro-batch-size")) {
    if (*global % unit != 0 || *global < unit)
      settings.problem(key, fmt::format("{} on {} data-parallel ranks must divide train_batch_size "
                                        "{}",
                                        steps, data, *global));
    training["micro_batch"] = std::max<std::int64_t>(1, *global / unit);
  } else if (global && micro && *global / unit != *micro) {
    settings.problem(key, fmt::format("{} * micro-batch {} * {} data-parallel ranks is not "
                                      "train_batch_size {}",
                                      steps, *micro, data, *global));
  }
}

void read_sharding(ForeignSettings& settings, Json& document) {
  const bool in_json = settings.has("zero_optimization.stage");
  const std::string key = in_json ? "zero_optimization.stage" : "--zero-stage";
  const std::string stage = settings.has(key) ? settings.word(key) : "0";
  const std::vector<std::string> shardings{"none", "optimizer", "gradients", "parameters"};
  const bool known = stage.size() == 1 && stage[0] >= '0' && stage[0] <= '3';
  if (!known) settings.problem(key, "must be 0, 1, 2 or 3, found \"" + stage.substr(0, 60) + "\"");
  document["parallel"]["sharding"] =
      shardings[known ? static_cast<std::size_t>(stage[0] - '0') : 0];
}

void read_precision(ForeignSettings& settings, Json& training) {
  bool open = false;
  for (const auto& [key, type] : {std::pair{"bf16.enabled", "bf16"},
                                  {"bfloat16.enabled", "bf16"},
                                  {"--bf16", "bf16"},
                                  {"fp16.enabled", "fp16"},
                                  {"--fp16", "fp16"}}) {
    open = open || settings.word(key) == "auto";
    if (settings.has(key) && settings.boolean(key, false)) training["precision"] = type;
  }
  training["optimizer_dtype"] = "fp32";
  if (training.contains("precision"))
    training["parameter_dtype"] = training["precision"];
  else if (open)
    settings.remark("bf16.enabled", "\"auto\", bf16 taken; say --set training.precision=fp16");
  else
    settings.problem("bf16.enabled",
                     "missing, as is fp16.enabled; training in fp32 is not forecast");
}

void read_recompute(ForeignSettings& settings, Json& document) {
  Json& recompute = document["training"]["recompute"];
  const std::string kind = settings.word("--recompute-granularity");
  const bool full = settings.has("--checkpoint-activations") || kind == "full";
  const bool selective = settings.has("--recompute-activations") || kind == "selective";
  settings.ignore({"--deepspeed-activation-checkpointing"});
  recompute = {{"kind", selective ? "selective" : "none"}};
  if (selective) recompute["modules"] = {"core_attn"};
  if (full) read_full_recompute(settings, document);
}

std::string attention(ForeignSettings& settings) {
  for (const char* key : {"--use-flash-attn", "--use-flash-attn-v1", "--use-flash-attn-v2",
                          "--use-flash-attn-triton", "--use-flash-attn-builder"})
    if (settings.has(key)) return "flash";
  return "unfused";
}

void read_model(ForeignSettings& settings, Json& document) {
  Json& model = document["model"];
  read_rows(deepspeed_model_rows(), settings, document);
  require_shape(settings, model);
  const bool rotary = settings.has("--use-rotary-position-embeddings");
  model["position"] = rotary ? "rotary" : "learned";
  model["qkv_bias"] = model["attention_output_bias"] = model["mlp_bias"];
  if (settings.has("--num-experts") && settings.word("--num-experts") != "1")
    settings.problem("--num-experts", "is not read from arguments; give --model");
  read_vocabulary(settings, model);
  read_positions(settings, document);
}

}  // namespace

Settings read_deepspeed(const std::string& file, const std::string& text, Json& note) {
  Settings settings;
  Json json = Json::object();
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && text[start] != '{') {
    const ShellScript script = read_shell(file, text);
    for (const std::string& document : script.documents)
      if (document.find('{') != std::string::npos) json = parsed(file, document);
    add(settings, arguments_of(script.words));
  } else {
    json = parsed(file, text);
  }
  if (const auto ours = json.find("stepcast"); ours != json.end() && ours->is_object()) {
    if (ours->contains("run")) note = (*ours)["run"];
    if (const auto launcher = ours->find("launcher"); launcher != ours->end())
      add(settings,
          arguments_of(
              read_shell(file, launcher->is_string() ? launcher->get<std::string>() : "").words));
    json.erase("stepcast");
  }
  collect(json, "", settings);
  return settings;
}

Json deepspeed_document(ForeignSettings& settings, std::int64_t gpus, ReadModel model) {
  Json document = Json::object();
  const bool launched = settings.has("--num-layers") || settings.has("--micro-batch-size");
  read_rows(deepspeed_rows(), settings, document);
  Json& parallel = document["parallel"];
  set_data_degree(settings, gpus, document);
  read_batch(settings, document);
  read_sharding(settings, document);
  read_precision(settings, document["training"]);
  parallel["context_kind"] = parallel["context"] > 1 ? "ulysses" : "ring";
  parallel["order"] = "tp-cp-ep-dp-pp";
  parallel["schedule"] = settings.has("--enable-zbh1-pipeline") ? "zb-h1" : "1f1b";
  parallel["virtual_stages"] = parallel["expert_tensor"] = 1;
  parallel["microbatch_group"] = parallel["pipeline"];
  parallel["stage_layers"] = {{"account_for_embedding", false}, {"account_for_loss", false}};
  settings.ignore({"--no-pipeline-parallel", "--deepspeed", "--deepspeed-config"});
  for (const char* overlap : {"param_gather", "tensor", "pipeline"})
    document["overlap"][overlap] = false;
  if (launched) {
    read_recompute(settings, document);
    document["training"]["attention"] = attention(settings);
  }
  if (model == ReadModel::no) return document;
  if (launched)
    read_model(settings, document);
  else
    settings.problem("--model", "missing: DeepSpeed's JSON holds no model");
  return document;
}

}  // namespace stepcast
