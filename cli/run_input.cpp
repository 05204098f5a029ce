#include "cli/run_input.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "common/json_text.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast::cli {

using nlohmann::json;

json read_document(const std::string& path) {
  std::vector<Problem> problems;
  json document = parse_json(path, read_file(path), problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return document;
}

void add_run_options(CLI::App& verb, RunInput& input, const std::string& file_is) {
  verb.add_option("run", input.file, file_is)->type_name("RUN.json");
  verb.add_option("--model", input.model, "Preset, Hugging Face config.json or model file")
      ->type_name("M");
  verb.add_option("--cluster", input.cluster, "dgx-h100:8, or a topology file")->type_name("C");
  verb.add_option("--profile", input.profile, "Preset or profile file; default: the GPU's")
      ->type_name("P");
  verb.add_option("--framework", input.framework, "megatron, torchtitan or deepspeed")
      ->type_name("F");
}

std::string name_of(const RunInput& input) {
  return input.file.empty() ? "command line" : input.file;
}

json run_document(const RunInput& input) {
  json document = input.file.empty() ? json::object() : read_document(input.file);
  if (document.is_object()) {
    const std::pair<const char*, const std::string&> flags[] = {{"model", input.model},
                                                                {"cluster", input.cluster},
                                                                {"profile", input.profile},
                                                                {"framework", input.framework}};
    for (const auto& [key, value] : flags)
      if (!value.empty()) document[key] = value;
    document = with_overrides(std::move(document), input.set);
  }
  return document;
}

Run read_run(const RunInput& input) { return parse_run(name_of(input), run_document(input)); }

}  // namespace stepcast::cli
