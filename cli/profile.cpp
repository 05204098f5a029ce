#include "sim/cost/profile.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "calibrate/import_measured.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "common/files.hpp"
#include "reports/profile_summary.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast::cli {

namespace {

struct ProfileOptions {
  std::string name, json;
};

int show_profile(const ProfileOptions& options, Console& console) {
  check_writable(options.json);
  const Profile profile = load_profile(options.name);
  if (options.json == "-") {
    console.out << profile_text(profile);
    return answered;
  }
  if (!options.json.empty()) write_file_atomically(options.json, profile_text(profile));
  console.out << profile_summary(profile);
  return answered;
}

std::string points_line(const Profile& profile) {
  return std::to_string(profile.gemm.size()) + " GEMM, " +
         std::to_string(profile.attention.size()) + " attention and " +
         std::to_string(profile.collectives.size()) + " collective points";
}

int check_profile(const ProfileOptions& options, Console& console) {
  const Profile profile = load_profile(options.name);
  const std::vector<std::string> gaps = profile_gaps(profile);
  console.out << profile.name << ": valid, " << points_line(profile) << "\n";
  for (const std::string& gap : gaps) console.out << "  " << gap << "\n";
  return answered;
}

struct ImportOptions {
  std::string folder, name, out;
};

int import_profile(const ImportOptions& options, Console& console) {
  check_writable(options.out);
  const Profile profile = calibrate::import_measured(options.folder, options.name);
  if (options.out.empty() || options.out == "-") {
    console.out << profile_text(profile);
    return answered;
  }
  write_file_atomically(options.out, profile_text(profile));
  console.out << options.out << ": " << points_line(profile) << "\n";
  return answered;
}

void add_import(CLI::App& verb, Action& chosen) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* sub = verb.add_subcommand("import", "Make a profile from tables of measurements");
  sub->add_option("folder", options->folder, "Folder of CSV files")
      ->type_name("FOLDER")
      ->required();
  sub->add_option("--name", options->name,
                  "Preset whose device facts and constants to use, or a "
                  "file of them")
      ->type_name("NAME|FILE")
      ->required();
  sub->add_option("--out", options->out, "Profile file; default: stdout")->type_name("FILE|-");
  sub->footer("Example: stepcast profile import measured --name h100-sxm --out h100.json");
  sub->allow_extras();
  sub->callback([options, &chosen] {
    chosen = [options](Console& console) { return import_profile(*options, console); };
  });
}

CLI::App* add_named(CLI::App& verb, const char* name, const char* what, ProfileOptions& options) {
  CLI::App* sub = verb.add_subcommand(name, what);
  sub->add_option("name", options.name, "Preset or profile file")
      ->type_name("NAME|FILE")
      ->required();
  sub->allow_extras();
  return sub;
}

}  // namespace

void add_profile(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* verb = app.add_subcommand("profile", "Show, check and import measured profiles");
  verb->footer("Example: stepcast profile show h100-sxm");
  verb->allow_extras();
  CLI::App* show = add_named(*verb, "show", "Print the device, points and constants", *options);
  show->add_option("--json", options->json, "Write the profile document; - for stdout")
      ->type_name("FILE|-");
  show->footer("Example: stepcast profile show h100-sxm");
  show->callback([options, &chosen] {
    chosen = [options](Console& console) { return show_profile(*options, console); };
  });
  CLI::App* check =
      add_named(*verb, "check", "Say whether a profile is valid and what it lacks", *options);
  check->footer("Example: stepcast profile check h100-sxm");
  check->callback([options, &chosen] {
    chosen = [options](Console& console) { return check_profile(*options, console); };
  });
  add_import(*verb, chosen);
}

}  // namespace stepcast::cli
