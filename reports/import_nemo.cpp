#include "reports/import_nemo.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>

namespace stepcast {
namespace {

// NeMo's name of a Megatron-LM argument, where it is another.
const std::map<std::string, std::string>& renamed() {
  static const std::map<std::string, std::string> names{
      {"encoder_seq_length", "--seq-length"},
      {"virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank"},
      {"activations_checkpoint_granularity", "--recompute-granularity"},
      {"activations_checkpoint_method", "--recompute-method"},
      {"activations_checkpoint_num_layers", "--recompute-num-layers"},
      {"overlap_grad_sync", "--overlap-grad-reduce"},
      {"overlap_param_sync", "--overlap-param-gather"},
      {"ub_tp_comm_overlap", "--tp-comm-overlap"},
      {"num_moe_experts", "--num-experts"},
      {"num_nodes", "--nnodes"},
      {"devices", "--nproc-per-node"},
      {"num_gpus_per_node", "--nproc-per-node"}};
  return names;
}

struct Leaf {
  std::string path, name, value;
};

constexpr int deepest = 64;

void collect(const YAML::Node& node, const std::string& path, const std::string& name, int depth,
             std::vector<Leaf>& leaves) {
  if (depth > deepest) return;
  if (node.IsMap()) {
    for (const auto& member : node) {
      if (!member.first.IsScalar()) continue;
      const std::string key = member.first.Scalar();
      collect(member.second, path.empty() ? key : path + "." + key, key, depth + 1, leaves);
    }
  } else if (node.IsScalar()) {
    leaves.push_back({path, name, node.Scalar()});
  } else if (node.IsSequence()) {
    std::string joined;
    for (const auto& element : node)
      if (element.IsScalar()) joined += (joined.empty() ? "" : " ") + element.Scalar();
    leaves.push_back({path, name, joined});
  }
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string argument_named(const std::string& name) {
  if (const auto found = renamed().find(name); found != renamed().end()) return found->second;
  std::string argument = name.starts_with("--") ? name : "--" + name;
  std::replace(argument.begin(), argument.end(), '_', '-');
  return argument;
}

// Keys whose value decides which argument is there; empty settings when this is none of them.
Settings by_value(const std::string& name, const std::string& value) {
  const bool yes = value == "true" || value == "1";
  if (name == "precision") {
    if (value.starts_with("bf16")) return {{"--bf16", ""}};
    if (value.starts_with("16")) return {{"--fp16", ""}};
  }
  if (name == "fp8" && yes) return {{"--fp8-format", "hybrid"}};
  if (name == "bias" && !yes) return {{"--disable-bias-linear", ""}};
  if (name == "share_embeddings_and_output_weights" && !yes)
    return {{"--untie-embeddings-and-output-weights", ""}};
  if (name == "overlap_p2p_comm" && !yes) return {{"--no-overlap-p2p-communication", ""}};
  if (name == "activation" && value.find("swiglu") != std::string::npos) return {{"--swiglu", ""}};
  if (name == "num_query_groups")
    return {{"--group-query-attention", ""}, {"--num-query-groups", value}};
  if (name == "normalization")
    return {{"--normalization", value.find("rms") != std::string::npos ? "RMSNorm" : "LayerNorm"}};
  if (name == "name" && (value == "mcore_distributed_optim" || value == "distributed_fused_adam"))
    return {{"--use-distributed-optimizer", ""}};
  return {};
}

// Names that mean something else in a recipe than as an argument.
bool is_no_argument(const std::string& name) {
  static const std::set<std::string> names{"precision", "fp8",  "bias", "activation",
                                           "name",      "type", "model"};
  return names.count(name) > 0;
}

bool is_absent(const std::string& value) {
  return value.empty() || value == "null" || value == "~" || value == "none" || value == "false" ||
         value.find("${") != std::string::npos;
}

void add(const Leaf& leaf, Settings& settings) {
  const std::string value = lower(leaf.value);
  const Settings decided = by_value(leaf.name, value);
  settings.insert(settings.end(), decided.begin(), decided.end());
  if (!decided.empty() || is_absent(value)) return;
  if (leaf.path.ends_with("tokenizer.type"))
    settings.push_back({"--tokenizer-type", leaf.value});
  else if (is_no_argument(leaf.name))
    settings.push_back({leaf.path, leaf.value});
  else
    settings.push_back({argument_named(leaf.name), value == "true" ? "" : leaf.value});
}

}  // namespace

Settings read_nemo(const std::string& file, const std::string& text) {
  std::vector<Leaf> leaves;
  try {
    collect(YAML::Load(text), "", "", 0, leaves);
  } catch (const YAML::Exception& error) {
    throw InputError({file, fmt::format("line {}", error.mark.line + 1), error.msg});
  }
  Settings settings;
  for (const Leaf& leaf : leaves)
    if (leaf.name == "pipe_parallel_size" || leaf.name == "pp_engine")
      throw InputError({file, leaf.path, "is of GPT-NeoX or nanotron, whose recipes are not read"});
  for (const Leaf& leaf : leaves) add(leaf, settings);
  return settings;
}

}  // namespace stepcast
