#include "reports/export_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/json_node.hpp"
#include "models/load.hpp"
#include "models/model_json.hpp"
#include "reports/export_deepspeed.hpp"
#include "reports/export_megatron.hpp"
#include "reports/export_torchtitan.hpp"
#include "reports/foreign_settings.hpp"
#include "reports/framework_flags.hpp"
#include "reports/import_deepspeed.hpp"
#include "reports/import_megatron.hpp"
#include "reports/import_torchtitan.hpp"
#include "reports/torchtitan_flavors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// The run under another framework's rules; its release has no meaning there.
Run run_under(Framework framework, const Run& run) {
  Json document = to_json(run);
  document["framework"] = name_of(framework);
  document.erase("framework_release");
  return parse_run(fmt::format("as a {} run", name_of(framework)), document);
}

Settings settings_of(Framework framework, const Run& run) {
  switch (framework) {
    case Framework::megatron: return megatron_settings(run);
    case Framework::torchtitan: return torchtitan_settings(run);
    case Framework::deepspeed: return deepspeed_settings(run);
  }
  return {};
}

// A model that torchtitan has no name for is no part of its settings.
Json torchtitan_read_back(ForeignSettings& settings, const Run& run) {
  const bool named = !flavor_of(run.model).name.empty();
  return torchtitan_document(settings, run.gpus(), named ? Json() : to_json(run.model));
}

Json read_back(Framework framework, const Settings& settings, const Run& run) {
  ForeignSettings read("", settings);
  const std::int64_t gpus = run.gpus();
  Json document = framework == Framework::megatron ? megatron_document(read, gpus, ReadModel::yes)
                  : framework == Framework::deepspeed
                      ? deepspeed_document(read, gpus, ReadModel::yes)
                      : torchtitan_read_back(read, run);
  if (!document.contains("model")) return document;
  const JsonReader reader("", document["model"]);
  document["model"] = to_json(parse_model(reader.root()));
  return document;
}

// Fields that no time or memory depends on.
bool is_silent(const std::string& path, const Run& run) {
  return path == "model.name" || path == "model.not_counted" ||
         (path == "model.max_positions" && run.model.position != PositionKind::learned);
}

class Comparison {
 public:
  Comparison(Framework framework, const Run& run)
      : framework_(framework), run_(run), written_(to_json(run)) {
    note_ = {{"gpus", run.gpus()}, {"cluster", written_["cluster"]}};
    if (run.profile != run.cluster.server.gpu) note_["profile"] = run.profile;
    if (!run.framework_release.empty()) note_["framework_release"] = run.framework_release;
  }

  void compare(const Json& back) {
    for (const char* section : {"parallel", "training", "overlap"})
      compare_members(section, written_[section], member_in(back, section));
    if (back.contains("model"))
      compare_members("model", to_json(run_.model), member_in(back, "model"));
    else
      keep_model();
  }

  [[nodiscard]] std::string note() const {
    return note_.dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  [[nodiscard]] std::vector<std::string> warnings() && { return std::move(warnings_); }

 private:
  void compare_members(const std::string& section, const Json& wanted, const Json& back) {
    for (const auto& [key, value] : wanted.items()) {
      const std::string path = section + "." + key;
      const Json& found = member_in(back, key);
      if (found == value) continue;
      note_[path] = value;
      if (is_silent(path, run_)) continue;
      warnings_.push_back(fmt::format("{} = {} has no setting in {}, which trains with {}", path,
                                      value.dump(), name_of(framework_), found.dump()));
    }
  }

  void keep_model() {
    note_["model"] = written_["model"];
    warnings_.push_back(fmt::format("model = {} has no name in {}: register its shape there",
                                    run_.model.name, name_of(framework_)));
  }

  Framework framework_;
  const Run& run_;
  Json written_, note_;
  std::vector<std::string> warnings_;
};

ExportedRun rendered(Framework framework, const Settings& settings, const Run& run,
                     const std::string& note, const std::string& path) {
  switch (framework) {
    case Framework::megatron: return {megatron_script(settings, run, note), "", {}};
    case Framework::torchtitan: return {torchtitan_toml(settings, run, note, path), "", {}};
    case Framework::deepspeed:
      return {
          deepspeed_json(settings, run, note, path), deepspeed_launcher(settings, run, path), {}};
  }
  return {};
}

}  // namespace

ExportedRun export_run(Framework framework, const Run& given, const std::string& path) {
  const bool other = given.framework != framework;
  const Run run = other ? run_under(framework, given) : given;
  const Settings settings = settings_of(framework, run);
  Comparison comparison(framework, run);
  comparison.compare(read_back(framework, settings, run));
  ExportedRun exported = rendered(framework, settings, run, comparison.note(), path);
  if (other)
    exported.warnings.push_back(fmt::format("the run is for {}; written as {} would train it",
                                            name_of(given.framework), name_of(framework)));
  for (std::string& warning : std::move(comparison).warnings())
    exported.warnings.push_back(std::move(warning));
  return exported;
}

}  // namespace stepcast
