#include "models/load.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "common/json_text.hpp"
#include "models/huggingface.hpp"
#include "models/model_check.hpp"
#include "models/model_json.hpp"
#include "models/python_json.hpp"

namespace stepcast {

const std::vector<EmbeddedFile>& embedded_models();  // generated from models/presets

namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_our_form(const Node& node) {
  return node.has("format") || (node.has("layers") && node.has("hidden"));
}

Transformer parse_document(const Node& node, const std::string& name) {
  if (!node.is_object() || !is_our_form(node)) return parse_huggingface(node, name);
  Transformer model = parse_model_json(node);
  if (model.name.empty()) model.name = name;
  return model;
}

Transformer parse_text(const std::string& file, const std::string& text, const std::string& name) {
  const JsonReader reader(file, with_python_numbers(text));
  const Transformer model = parse_document(reader.root(), name);
  reader.throw_if_problems();
  return model;
}

// "llama/config.json" and "llama_config.json" are both named "llama".
std::string name_of_file(const fs::path& path) {
  std::string stem = path.stem().string();
  if (stem == "config" && path.has_parent_path())
    return fs::absolute(path).parent_path().filename().string();
  constexpr std::string_view suffix = "_config";
  if (stem.ends_with(suffix) && stem.size() > suffix.size())
    stem.resize(stem.size() - suffix.size());
  return stem;
}

bool looks_like_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

std::string unknown_model(const std::string& name) {
  if (looks_like_path(name)) return "no file \"" + name + "\"";
  const std::string hint = nearest(lower_case(name), model_presets());
  if (!hint.empty()) return "no preset or file \"" + name + "\" (did you mean \"" + hint + "\"?)";
  std::string known;
  for (const std::string& preset : model_presets()) known += (known.empty() ? "" : ", ") + preset;
  return "no preset or file \"" + name + "\" (presets: " + known + ")";
}

}  // namespace

Transformer load_model(const std::string& name_or_path) {
  const std::string preset = lower_case(name_or_path);
  if (const auto text = find_embedded(embedded_models(), preset))
    return parse_text(preset, std::string(*text), preset);
  fs::path path = name_or_path;
  std::error_code ignored;
  if (!name_or_path.empty() && fs::is_directory(path, ignored)) path /= "config.json";
  if (!fs::exists(path, ignored)) throw InputError({"", "--model", unknown_model(name_or_path)});
  return parse_text(path.string(), read_file(path), name_of_file(path));
}

Transformer parse_model(const Node& node) {
  if (node.is_object()) return parse_document(node, "model");
  if (!node.is_string()) {
    node.problem("must be a preset name, a path or an object, found " + shown(node.json()));
    return harmless_model();
  }
  try {
    return load_model(node.as_text());
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      node.problem(problem.where == "--model" ? problem.message : to_string(problem));
  }
  return harmless_model();
}

std::vector<std::string> model_presets() {
  std::vector<std::string> names = names_of(embedded_models());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace stepcast
