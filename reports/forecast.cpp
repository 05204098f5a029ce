#include "reports/forecast.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reports/forecast_json.hpp"
#include "reports/text_table.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

// The first of `paths` that is set, or "".
std::string input(const Forecast& forecast, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto found = forecast.inputs.find(path);
    if (found != forecast.inputs.end()) return found->second;
  }
  return "";
}

// Adds "TP 4"; `unless` is the value not worth a word.
void add_degree(std::vector<std::string>& words, const std::string& name, const std::string& value,
                const std::string& unless = "") {
  if (!value.empty() && value != unless) words.push_back(name + " " + value);
}

std::string pipeline_words(const Forecast& forecast) {
  const std::string depth = input(forecast, {"parallel.pipeline"});
  const std::string chunks = input(forecast, {"parallel.virtual_stages"});
  if (depth.empty() || depth == "1") return depth;
  std::vector<std::string> notes;
  if (!chunks.empty() && chunks != "1") notes.push_back(chunks + " virtual");
  const std::string schedule = input(forecast, {"parallel.schedule"});
  if (!schedule.empty()) notes.push_back(schedule);
  return notes.empty() ? depth : depth + " (" + join(notes, ", ") + ")";
}

std::string training_words(const Forecast& forecast) {
  std::vector<std::string> words;
  add_degree(words, "sequence", input(forecast, {"training.sequence_length"}));
  add_degree(words, "global batch", input(forecast, {"training.global_batch"}));
  add_degree(words, "micro-batch", input(forecast, {"training.micro_batch"}));
  add_degree(words, "", input(forecast, {"training.precision"}));
  add_degree(words, "recompute",
             input(forecast, {"training.recompute", "training.recompute.kind"}));
  add_degree(words, "sharding", input(forecast, {"parallel.sharding"}));
  for (std::string& word : words) word.erase(0, word.find_first_not_of(' '));
  return join(words, ", ");
}

}  // namespace

Forecast make_forecast(std::string label, Prediction prediction, const Run& run) {
  return {std::move(label), std::move(prediction), flatten(to_json(run))};
}

std::string parallel_line(const Forecast& forecast) {
  std::vector<std::string> words;
  add_degree(words, "TP", input(forecast, {"parallel.tensor"}));
  add_degree(words, "PP", pipeline_words(forecast));
  add_degree(words, "CP", input(forecast, {"parallel.context"}), "1");
  add_degree(words, "EP", input(forecast, {"parallel.expert"}), "1");
  add_degree(words, "DP", input(forecast, {"parallel.data"}));
  return join(words, ", ");
}

std::string configuration_line(const Forecast& forecast) {
  std::string cluster = input(forecast, {"cluster", "cluster.name"});
  if (cluster.empty()) {
    cluster = input(forecast, {"cluster.server", "cluster.server.name"});
    const std::string nodes = input(forecast, {"cluster.nodes"});
    if (!nodes.empty()) cluster += ":" + nodes;
  }
  std::string line = input(forecast, {"model", "model.name"});
  line += " on " + std::to_string(forecast.prediction.gpus) + " GPUs";
  if (!cluster.empty()) line += " of " + cluster;
  const std::string framework = input(forecast, {"framework"});
  if (!framework.empty()) line += ", " + framework;
  line += "\n  " + parallel_line(forecast);
  const std::string training = training_words(forecast);
  return training.empty() ? line : line + "\n  " + training;
}

}  // namespace stepcast
