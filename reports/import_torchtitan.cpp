#include "reports/import_torchtitan.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/json_node.hpp"
#include "models/load.hpp"
#include "reports/framework_flags.hpp"
#include "reports/import_run.hpp"
#include "reports/torchtitan_flavors.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

std::string present_name(const std::string& key) {
  if (key == "training.batch_size") return "training.local_batch_size";
  for (const std::string section : {"training.", "experimental."})
    for (const char* group : {"data_parallel_", "tensor_parallel_", "pipeline_parallel_",
                              "context_parallel_", "enable_async_tensor_parallel"})
      if (key.starts_with(section + group)) return "parallelism." + key.substr(section.size());
  return key;
}

void collect(const toml::table& table, const std::string& prefix, Settings& settings) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const toml::table* inner = node.as_table()) {
      collect(*inner, key + ".", settings);
    } else if (const toml::array* list = node.as_array()) {
      std::string joined;
      for (const toml::node& element : *list)
        joined += (joined.empty() ? "" : " ") + text_of(element);
      settings.push_back({key, joined});
    } else {
      settings.push_back({present_name(key), text_of(node)});
    }
  }
}

// --- the document ---

std::optional<std::int64_t> layers_of(const Json& model) {
  if (model.is_null()) return std::nullopt;
  const JsonReader reader("", model);
  const std::int64_t layers = parse_model(reader.root()).layers;
  reader.throw_if_problems();
  return layers;
}

Json read_model(ForeignSettings& settings) {
  const std::string name = settings.word("model.name");
  const std::string flavor = settings.word("model.flavor");
  const std::string preset = preset_of({name, flavor});
  if (!preset.empty()) return preset;
  settings.problem("model.flavor",
                   fmt::format("no model is known for name \"{}\" and flavor \"{}\"; give --model",
                               name.substr(0, 60), flavor.substr(0, 60)));
  return {};
}

// Replicas and shards of the data-parallel ranks: DDP, FSDP, or both (HSDP).
void read_sharding(ForeignSettings& settings, Json& parallel) {
  const std::string key = "parallelism.data_parallel_shard_degree";
  const std::int64_t data = parallel["data"];
  const std::int64_t replicas =
      settings.count("parallelism.data_parallel_replicate_degree").value_or(1);
  const bool rest = !settings.has(key) || settings.word(key) == "-1";
  const std::int64_t shards =
      rest ? std::max<std::int64_t>(1, data / replicas) : settings.count(key).value_or(1);
  if (replicas > data || shards > data || replicas * shards != data)
    settings.problem(key, fmt::format("{} replicas of {} shards are not the {} data-parallel ranks",
                                      replicas, shards, data));
  const bool fsdp = shards > 1 || (rest && replicas == 1);
  const bool kept = settings.word("parallelism.fsdp_reshard_after_forward") == "never";
  parallel["sharding"] = !fsdp          ? "none"
                         : replicas > 1 ? "hybrid"
                         : kept         ? "gradients"
                                        : "parameters";
  if (fsdp && replicas > 1)
    settings.remark(key, fmt::format("{} replicas of {} shards: a run does not hold the sizes",
                                     replicas, shards));
}

// With a pipeline the local batch is cut into micro-batches, without one it is the micro-batch.
void read_batch(ForeignSettings& settings, Json& document) {
  const std::string global = "training.global_batch_size";
  Json& training = document["training"];
  const std::int64_t data = document["parallel"]["data"];
  const bool pipelined = document["parallel"]["pipeline"] > 1;
  const std::int64_t local = settings.count("training.local_batch_size").value_or(8);
  const std::int64_t piece =
      settings.count("parallelism.pipeline_parallel_microbatch_size").value_or(1);
  training["micro_batch"] = pipelined ? piece : local;
  const bool given = settings.has(global) && settings.word(global) != "-1";
  const std::int64_t all = local * data;
  training["global_batch"] = given ? settings.count(global).value_or(all) : all;
  if (pipelined && training["global_batch"] > all)
    settings.remark(global, fmt::format("{} sequences are accumulated in rounds of {}, each with "
                                        "its own pipeline flush; read as one round",
                                        training["global_batch"].get<std::int64_t>(), all));
}

// Stages of a looped schedule: two a rank, or as many as layers_per_stage makes.
void read_pipeline(ForeignSettings& settings, const std::optional<std::int64_t>& layers,
                   Json& document) {
  const std::string key = "parallelism.pipeline_parallel_layers_per_stage";
  Json& parallel = document["parallel"];
  const std::int64_t pipeline = parallel["pipeline"];
  const auto less = [&](const std::string& end) {
    const std::string name = "parallelism.pipeline_parallel_" + end + "_stage_less_layers";
    const std::string found = settings.has(name) ? settings.word(name) : "1";
    if (found != "0" && found != "1")
      settings.remark(name, "read as 1; a run counts embedding and loss as one layer or none");
    return pipeline > 1 && found != "0";
  };
  const bool first = less("first"), last = less("last");
  parallel["stage_layers"] = {{"account_for_embedding", first}, {"account_for_loss", last}};
  const bool single = parallel["schedule"] == "1f1b" || parallel["schedule"] == "gpipe";
  if (pipeline == 1) parallel["schedule"] = "1f1b";
  parallel["virtual_stages"] = single || pipeline == 1 ? 1 : 2;
  parallel["microbatch_group"] = pipeline;
  const auto each = settings.count(key);
  if (!each || !layers || pipeline == 1) return;
  const std::int64_t units = *layers + (first ? 1 : 0) + (last ? 1 : 0);
  const std::int64_t stages = (units + *each - 1) / *each;
  if (stages % pipeline != 0)
    settings.problem(
        key, fmt::format("makes {} stages, which {} ranks cannot share evenly", stages, pipeline));
  parallel["virtual_stages"] = std::max<std::int64_t>(1, stages / pipeline);
}

void read_precision(ForeignSettings& settings, Json& training) {
  const std::string key = "training.mixed_precision_param";
  const std::string found = settings.has(key) ? settings.word(key) : "bfloat16";
  const bool low = found == "bfloat16" || training["parameter_dtype"] == "bf16";
  if (!low) settings.problem(key, "must be bfloat16: training in fp32 is not forecast");
  const bool fp8 = settings.text("model.converters").find("float8") != std::string::npos;
  training["precision"] = fp8 ? "fp8" : "bf16";
  settings.ignore({"training.mixed_precision_reduce"});  // float32 is all there is
  training["gradient_dtype"] = "fp32";
  training["optimizer_dtype"] = training["parameter_dtype"];
}

// Every n-th layer is nearest to the first 1/n of them; "op" keeps matrix products by turns.
void read_checkpointing(ForeignSettings& settings, const std::optional<std::int64_t>& layers,
                        Json& document) {
  Json& recompute = document["training"]["recompute"];
  const std::string key = "activation_checkpoint.mode";
  const std::string mode = settings.has(key) ? settings.word(key) : "selective";
  const std::string option_key = "activation_checkpoint.selective_ac_option";
  const std::string option = settings.has(option_key) ? settings.word(option_key) : "2";
  recompute = {{"kind", mode}};
  if (mode == "none" || mode == "full") return;
  if (mode == "selective" && option == "op") {
    recompute["modules"] = {"core_attn"};
    settings.remark(option_key, "\"op\" is read as selective recompute of core_attn");
    return;
  }
  if (mode != "selective") settings.problem(key, "must be one of none, selective, full");
  const std::int64_t every = settings.has(option_key) ? settings.count(option_key).value_or(1) : 2;
  recompute = {{"kind", "full"}};
  if (every > 1 && layers)
    recompute["layers"] = std::max<std::int64_t>(1, layers_per_chunk(document, *layers) / every);
  if (every > 1)
    settings.remark(option_key,
                    fmt::format("every {}th layer is read as as many layers in a row", every));
}

}  // namespace

Settings read_toml(const std::string& file, const std::string& text) {
  Settings settings;
  try {
    const toml::table table = toml::parse(text, file);
    collect(table, "", settings);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw InputError({file, fmt::format("line {}, column {}", at.line, at.column),
                      std::string(error.description())});
  }
  return settings;
}

Json torchtitan_document(ForeignSettings& settings, std::int64_t gpus, const Json& model) {
  Json document = Json::object();
  read_rows(torchtitan_rows(), settings, document);
  const Json found = model.is_null() ? read_model(settings) : model;
  if (model.is_null() && !found.is_null()) document["model"] = found;
  const auto layers = layers_of(found);
  Json& parallel = document["parallel"];
  if (parallel["context"] == 1) parallel["context_kind"] = "ring";
  parallel["order"] = "tp-cp-ep-dp-pp";
  parallel["sequence_parallel"] = parallel["tensor"] > 1;
  set_data_degree(settings, gpus, document);
  read_pipeline(settings, layers, document);
  read_sharding(settings, parallel);
  read_batch(settings, document);
  read_precision(settings, document["training"]);
  read_checkpointing(settings, layers, document);
  document["training"]["attention"] = "flash";
  document["overlap"]["grad_reduce"] = true;
  document["overlap"]["param_gather"] =
      parallel["sharding"] == "parameters" || parallel["sharding"] == "hybrid";
  document["overlap"]["pipeline"] = parallel["virtual_stages"] > 1;
  return document;
}

}  // namespace stepcast
