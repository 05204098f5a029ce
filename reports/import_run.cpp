#include "reports/import_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "reports/framework_flags.hpp"
#include "reports/import_deepspeed.hpp"
#include "reports/import_megatron.hpp"
#include "reports/import_nemo.hpp"
#include "reports/import_torchtitan.hpp"
#include "reports/shell_words.hpp"
#include "sim/parallel/run_json.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::json;

// --- the note of an exported file ---

Json note_of(const std::string& file, const std::string& text) {
  const std::size_t start = text.find(note_mark);
  if (start == std::string::npos || (start > 0 && text[start - 1] != '\n')) return Json::object();
  const std::size_t from = start + note_mark.size();
  const std::string line = text.substr(from, text.find('\n', from) - from);
  Json note = Json::parse(line, nullptr, false);
  if (note.is_object()) return note;
  throw InputError({file, "# stepcast:", "must be a JSON object on one line"});
}

std::optional<std::int64_t> noted_gpus(const Json& note) {
  const auto gpus = note.find("gpus");
  if (gpus == note.end() || !gpus->is_number_unsigned() || *gpus < 1 || *gpus > most_gpus)
    return std::nullopt;
  return gpus->get<std::int64_t>();
}

void apply_note(ForeignSettings& settings, const Json& note, Json& document) {
  for (const auto& [path, value] : note.items()) {
    const std::size_t dot = path.find('.');
    const auto section = document.find(path.substr(0, dot));
    if (path == "gpus") continue;
    if (path == "cluster" || path == "profile" || path == "framework_release" || path == "model")
      document[path] = value;
    else if (dot != std::string::npos && section != document.end() && section->is_object())
      (*section)[path.substr(dot + 1)] = value;
    else
      settings.problem("# stepcast:", "unknown field \"" + path.substr(0, 60) + "\"");
  }
}

// --- what only the command line knows ---

// "dgx-h100" alone is as many servers as the GPUs need.
Json cluster_of(const std::string& cluster, std::int64_t gpus) {
  std::error_code ignored;
  const bool whole = cluster.find(':') != std::string::npos ||
                     std::filesystem::exists(cluster, ignored) || cluster.ends_with(".json");
  if (whole) return cluster;
  return {{"server", cluster}, {"gpus", gpus}};
}

std::int64_t gpus_of(const ImportOptions& options, const Json& note, ForeignSettings& settings) {
  const std::optional<std::int64_t> launched = launched_gpus(settings);
  if (options.gpus && *options.gpus > most_gpus)
    throw InputError({"", "--gpus", fmt::format("must be at most {}", most_gpus)});
  if (options.gpus) return *options.gpus;
  if (const auto noted = noted_gpus(note); noted && options.cluster.empty()) return *noted;
  if (options.cluster.find(':') != std::string::npos)
    return load_cluster(options.cluster).topology.gpu_count();
  if (launched && *launched <= most_gpus) return *launched;
  throw InputError({settings.file(), "--gpus", "missing: the file does not say how many GPUs"});
}

Json settle_cluster(const ImportOptions& options, std::int64_t gpus, ForeignSettings& settings,
                    const Json& document) {
  if (!options.cluster.empty()) return cluster_of(options.cluster, gpus);
  if (document.contains("cluster")) return document["cluster"];
  settings.remark("--cluster", "not given and not in the file, dgx-h100 taken");
  return cluster_of("dgx-h100", gpus);
}

// --- reading ---

struct Source {
  Settings settings;
  Json note = Json::object();
};

Source read_source(const std::string& format, const std::string& file, const std::string& text) {
  if (format == "deepspeed") {
    Source source;
    source.settings = read_deepspeed(file, text, source.note);
    if (!source.note.is_object()) source.note = Json::object();
    return source;
  }
  if (format == "torchtitan") return {read_toml(file, text), note_of(file, text)};
  if (format == "nemo") return {read_nemo(file, text), Json::object()};
  return {arguments_of(read_shell(file, text).words), note_of(file, text)};
}

Json document_of(const std::string& format, ForeignSettings& settings, std::int64_t gpus,
                 const Json& model) {
  const ReadModel read = model.is_null() ? ReadModel::yes : ReadModel::no;
  if (format == "torchtitan") return torchtitan_document(settings, gpus, model);
  if (format == "deepspeed") return deepspeed_document(settings, gpus, read);
  return megatron_document(settings, gpus, read);
}

// What leaves a document worth writing although no forecast can be made of it yet.
bool is_only_open(const Problem& problem) {
  return problem.message.find("not simulated yet") != std::string::npos ||
         (problem.where == "training.sequence_length" && problem.message.starts_with("missing"));
}

void check(const std::string& file, const Json& document, ForeignSettings& settings) {
  try {
    for (const std::string& warning : parse_run(file, document).warnings)
      settings.remark("run", warning);
  } catch (const InputError& error) {
    const std::vector<Problem>& problems = error.problems();
    if (!std::all_of(problems.begin(), problems.end(), is_only_open)) throw;
    for (const Problem& problem : problems)
      settings.remark(problem.where, problem.where == "training.sequence_length"
                                         ? "missing; say --set training.sequence_length=N"
                                         : problem.message);
  }
}

void name_unused(ForeignSettings& settings) {
  const std::vector<std::string> unused = settings.unused();
  if (!unused.empty())
    settings.remark("not part of a run", fmt::format("{}", fmt::join(unused, ", ")));
}

}  // namespace

std::vector<std::string> import_formats() {
  return {"megatron", "torchtitan", "deepspeed", "nemo"};
}

void set_data_degree(ForeignSettings& settings, std::int64_t gpus, Json& document) {
  Json& parallel = document["parallel"];
  double group = 1.0;
  for (const char* axis : {"tensor", "pipeline", "context"}) group *= parallel[axis].get<double>();
  const double data = static_cast<double>(gpus) / group;
  parallel["data"] = std::max<std::int64_t>(1, static_cast<std::int64_t>(data));
  if (data >= 1.0 && parallel["data"].get<double>() * group == static_cast<double>(gpus)) return;
  settings.problem("--gpus", fmt::format("must be a multiple of tensor {} * pipeline {} * context "
                                         "{}, found {}",
                                         parallel["tensor"].get<std::int64_t>(),
                                         parallel["pipeline"].get<std::int64_t>(),
                                         parallel["context"].get<std::int64_t>(), gpus));
}

std::int64_t layers_per_chunk(const Json& document, std::int64_t layers) {
  const std::int64_t pipeline = member_in(document, "parallel.pipeline");
  const std::int64_t chunks = member_in(document, "parallel.virtual_stages");
  return (layers + pipeline * chunks - 1) / (pipeline * chunks);
}

Json import_run(const std::string& format, const std::string& file, const std::string& text,
                const ImportOptions& options, std::vector<std::string>& remarks) {
  const Source source = read_source(format, file, text);
  ForeignSettings settings(file, source.settings);
  const std::int64_t gpus = gpus_of(options, source.note, settings);
  Json model = source.note.value("model", Json());
  if (!options.model.empty()) model = options.model;
  Json document = document_of(format, settings, gpus, model);
  if (document.contains("model") && document["model"].is_object())
    document["model"]["name"] = std::filesystem::path(file).stem().string();
  if (!model.is_null()) document["model"] = model;
  apply_note(settings, source.note, document);
  if (!options.model.empty()) document["model"] = options.model;
  document["cluster"] = settle_cluster(options, gpus, settings, document);
  settings.throw_if_problems();
  document["format"] = "stepcast.run";
  document["version"] = 1;
  document["framework"] = format == "nemo" ? "megatron" : format;
  document = with_overrides(std::move(document), options.set);
  check(file, document, settings);
  name_unused(settings);
  remarks = settings.remarks();
  return document;
}

}  // namespace stepcast
