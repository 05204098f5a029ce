#include "calibrate/import_plan.hpp"

#include <algorithm>
#include <filesystem>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "common/json_node.hpp"
#include "sim/cost/names.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast {

const std::vector<EmbeddedFile>& embedded_import_plans();

namespace calibrate {
namespace {

template <class Set>
auto named_members(const Node& node, const std::string& key, const Set& set) {
  std::map<std::string, typename Set::value_type> result;
  const auto map = node.find(key);
  if (!map) return result;
  for (const auto& [name, value] : map->members()) {
    const auto found = named(set, value.as_text());
    if (found)
      result[name] = *found;
    else if (value.is_string())
      value.problem("unknown name \"" + value.as_text() + "\"");
  }
  return result;
}

ImportPlan parse_plan(const std::string& file, const std::string& text) {
  const JsonReader reader(file, text);
  reader.expect_format("stepcast.profile_import", 1, true);
  const Node root = reader.root();
  ImportPlan plan;
  plan.profile = parse_profile(root.at("profile"));
  const Node from = root.at("take");
  plan.gemm_file = from.text("gemm_file", "");
  plan.gemm_types = named_members(from, "gemm_types", all_data_types);
  plan.gemm_memory_bandwidth = plan.profile.device.memory_bandwidth;
  if (from.has("measured_memory_bandwidth_bytes_per_s"))
    plan.gemm_memory_bandwidth =
        BytesPerSecond{from.positive("measured_memory_bandwidth_bytes_per_s")};
  plan.attention_file = from.text("attention_file", "");
  plan.attention_implementations =
      named_members(from, "attention_implementations", all_attention_kernels);
  plan.kv_write_implementation = from.text("kv_write_implementation", "");
  plan.collectives_file = from.text("collectives_file", "");
  if (const auto gpus = from.find("collective_gpus"))
    for (const Node& gpu : gpus->elements()) plan.collective_gpus.push_back(gpu.as_text());
  plan.nvlink_domain = from.count("nvlink_domain", 8);
  from.finish();
  root.finish();
  reader.throw_if_problems();
  return plan;
}

}  // namespace

ImportPlan load_import_plan(const std::string& name_or_path) {
  if (const auto text = find_embedded(embedded_import_plans(), name_or_path))
    return parse_plan(name_or_path + ".json", std::string(*text));
  if (std::filesystem::exists(name_or_path))
    return parse_plan(name_or_path, read_file(name_or_path));
  std::string message = "no constants for a profile \"" + name_or_path + "\"";
  if (const std::string close = nearest(name_or_path, import_plans()); !close.empty())
    message += " (did you mean \"" + close + "\"?)";
  std::string known;
  for (const std::string& name : import_plans()) known += (known.empty() ? "" : ", ") + name;
  throw InputError(Problem{"", "--name", message + "; known: " + known});
}

std::vector<std::string> import_plans() {
  std::vector<std::string> names = names_of(embedded_import_plans());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace calibrate
}  // namespace stepcast
