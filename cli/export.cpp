#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "cli/output.hpp"
#include "cli/run_input.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/export_run.hpp"
#include "sim/parallel/names.hpp"

namespace stepcast::cli {

namespace {

struct ExportOptions {
  std::string framework, out;
  RunInput run;
};

Framework framework_named(const std::string& name) {
  if (const auto framework = value_named<Framework>(name)) return *framework;
  throw InputError(Problem{
      "", "export", "must be one of megatron, torchtitan, deepspeed, found \"" + name + "\""});
}

// How the launcher calls the file when it goes to stdout.
std::string default_path(Framework framework) {
  return framework == Framework::deepspeed ? "ds_config.json" : "run.toml";
}

int run_export(const ExportOptions& options, Console& console) {
  const Framework framework = framework_named(options.framework);
  const bool to_file = !options.out.empty() && options.out != "-";
  if (to_file) check_writable(options.out);
  const ExportedRun exported = naming(name_of(options.run), [&] {
    return export_run(framework, read_run(options.run),
                      to_file ? options.out : default_path(framework));
  });
  for (const std::string& warning : exported.warnings)
    console.err << "stepcast: warning: " << warning << "\n";
  if (to_file) {
    write_file_atomically(options.out, exported.text);
    if (!exported.launcher.empty()) console.out << exported.launcher << "\n";
  } else {
    console.out << exported.text;
  }
  return answered;
}

}  // namespace

void add_export_run(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "Write a run as another framework's own file");
  verb->add_option("framework", options->framework, "megatron, torchtitan or deepspeed")
      ->type_name("FRAMEWORK")
      ->required();
  verb->add_option("run", options->run.file, "Run file (stepcast.run)")
      ->type_name("RUN.json")
      ->required();
  verb->add_option("--out", options->out, "Write there instead of to stdout")->type_name("FILE");
  verb->footer(
      "Example: stepcast export megatron examples/llama-3-70b-64-h100/tp4-pp4-cp2.json --out "
      "run.sh\n"
      "megatron: a launch script; torchtitan: TOML; deepspeed: JSON, launcher line within.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_export(*options, console); };
  });
}

}  // namespace stepcast::cli
