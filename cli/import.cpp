#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/output.hpp"
#include "cli/size.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/import_run.hpp"

namespace stepcast::cli {

namespace {

struct ImportVerbOptions {
  std::string format, file, gpus, out;
  ImportOptions import;
};

void check_format(const std::string& format) {
  const std::vector<std::string> formats = import_formats();
  if (std::find(formats.begin(), formats.end(), format) != formats.end()) return;
  throw InputError(
      Problem{"", "import",
              "must be one of megatron, torchtitan, deepspeed, nemo, found \"" + format + "\""});
}

int run_import(const ImportVerbOptions& options, Console& console) {
  check_format(options.format);
  check_writable(options.out);
  ImportOptions import = options.import;
  if (!options.gpus.empty()) import.gpus = parse_count("--gpus", options.gpus, 1);
  std::vector<std::string> remarks;
  const nlohmann::json document =
      import_run(options.format, options.file, read_file(options.file), import, remarks);
  for (const std::string& remark : remarks) console.err << "stepcast: " << remark << "\n";
  const bool to_file = !options.out.empty() && options.out != "-";
  if (to_file)
    write_file_atomically(options.out, document.dump(2) + "\n");
  else
    console.out << document.dump(2) << "\n";
  return answered;
}

}  // namespace

void add_import_run(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ImportVerbOptions>();
  CLI::App* verb = app.add_subcommand("import", "Read another framework's file as a run");
  verb->add_option("format", options->format, "megatron, torchtitan, deepspeed or nemo")
      ->type_name("FORMAT")
      ->required();
  verb->add_option("file", options->file, "Launch script, TOML, JSON or YAML")
      ->type_name("FILE")
      ->required();
  verb->add_option("--gpus", options->gpus, "GPUs; default: what the file says")->type_name("N");
  verb->add_option("--cluster", options->import.cluster, "dgx-h100, dgx-h100:8 or a file")
      ->type_name("C");
  verb->add_option("--model", options->import.model, "In place of the file's model")
      ->type_name("M");
  verb->add_option("--set", options->import.set, "Replace one value of the run; may be repeated")
      ->type_name("path=value")
      ->allow_extra_args(false);
  verb->add_option("--out", options->out, "Write there instead of to stdout")
      ->type_name("RUN.json");
  verb->footer("Example: stepcast import megatron train_llama3.sh --gpus 64 --cluster dgx-h100");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_import(*options, console); };
  });
}

}  // namespace stepcast::cli
