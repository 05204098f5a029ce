#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/output.hpp"
#include "cli/size.hpp"
#include "cli/verbs.hpp"
#include "models/load.hpp"
#include "reports/model_text.hpp"

namespace stepcast::cli {

namespace {

struct ModelOptions {
  std::string name, json;
  std::string sequence_length = "4096";
};

int show_model(const ModelOptions& options, Console& console) {
  check_writable(options.json);
  const std::int64_t tokens = parse_count("--sequence-length", options.sequence_length, 1);
  const Transformer model = load_model(options.name);
  write_result(model_document(model), model_text(model, tokens), options.json, console);
  return answered;
}

}  // namespace

void add_model(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App* verb = app.add_subcommand("model", "Show models");
  CLI::App* show = verb->add_subcommand("show", "Print the shape, parameters and FLOPs");
  show->add_option("name", options->name, "Preset, Hugging Face config.json or model file")
      ->type_name("NAME|FILE")
      ->required();
  show->add_option("--sequence-length", options->sequence_length, "For FLOPs; default 4096")
      ->type_name("N");
  show->add_option("--json", options->json, "Write the model document; - for stdout")
      ->type_name("FILE|-");
  show->footer("Example: stepcast model show llama-3-70b");
  verb->footer("Example: stepcast model show llama-3-70b");
  verb->allow_extras();
  show->allow_extras();
  show->callback([options, &chosen] {
    chosen = [options](Console& console) { return show_model(*options, console); };
  });
}

}  // namespace stepcast::cli
