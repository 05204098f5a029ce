#include "reports/comparison_inputs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "reports/comparison_metrics.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

using Inputs = std::map<std::string, std::string>;

// cluster "dgx-h100:8" as the object says it; other names stay.
void spell_out_cluster(Inputs& inputs) {
  const auto found = inputs.find("cluster");
  if (found == inputs.end()) return;
  const std::string name = found->second;
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos || name.ends_with(".json")) return;
  inputs.erase(found);
  inputs["cluster.server"] = name.substr(0, colon);
  inputs["cluster.nodes"] = name.substr(colon + 1);
}

std::vector<Inputs> comparable_inputs(const std::vector<Forecast>& forecasts) {
  std::vector<Inputs> all;
  for (const Forecast& forecast : forecasts) all.push_back(forecast.inputs);
  const auto is_name = [](const Inputs& inputs) { return inputs.contains("cluster"); };
  if (!std::all_of(all.begin(), all.end(), is_name))
    for (Inputs& inputs : all) spell_out_cluster(inputs);
  return all;
}

// "[0] from [1] and [3]".
std::string pairs_in_words(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  std::map<std::size_t, std::vector<std::string>> by_first;
  for (const auto& [a, b] : pairs) by_first[a].push_back("[" + std::to_string(b) + "]");
  std::vector<std::string> groups;
  for (const auto& [a, others] : by_first)
    groups.push_back("[" + std::to_string(a) + "] from " + join_words(others));
  return join(groups, ", nor ");
}

// The different values of an input, or "" where it is the same everywhere.
std::string values_of(const std::vector<InputChange>& changed, const std::string& path) {
  std::vector<std::string> words;
  for (const InputChange& change : changed)
    if (change.path == path)
      for (const auto& value : change.values) {
        const std::string word = value.value_or("none");
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
      }
  return join_words(words);
}

}  // namespace

std::vector<InputChange> inputs_changed(const std::vector<Forecast>& forecasts) {
  const std::vector<Inputs> all = comparable_inputs(forecasts);
  std::set<std::string> paths;
  for (const Inputs& inputs : all)
    for (const auto& [path, value] : inputs) paths.insert(path);
  std::vector<InputChange> changed;
  for (const std::string& path : paths) {
    InputChange change{path, {}};
    for (const Inputs& inputs : all) {
      const auto found = inputs.find(path);
      change.values.push_back(found == inputs.end() ? std::nullopt : std::optional(found->second));
    }
    const auto differs = [&](const auto& value) { return value != change.values.front(); };
    if (std::any_of(change.values.begin(), change.values.end(), differs))
      changed.push_back(std::move(change));
  }
  return changed;
}

std::vector<std::pair<std::size_t, std::size_t>> overlapping_pairs(
    const std::vector<Forecast>& forecasts) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < forecasts.size(); ++a)
    for (std::size_t b = a + 1; b < forecasts.size(); ++b)
      if (intervals_overlap(forecasts[a].prediction, forecasts[b].prediction))
        pairs.emplace_back(a, b);
  return pairs;
}

std::vector<std::string> comparison_notes(
    const std::vector<InputChange>& changed,
    const std::vector<std::pair<std::size_t, std::size_t>>& overlapping) {
  std::vector<std::string> notes;
  if (!overlapping.empty())
    notes.push_back("the forecast cannot tell " + pairs_in_words(overlapping) +
                    ": their P10-P90 intervals overlap");
  if (const std::string profiles = values_of(changed, "profile"); !profiles.empty())
    notes.push_back("costs come from different profiles (" + profiles +
                    "): where these are different GPUs, ranking is by GPU and not by money, for "
                    "what an hour of each costs is unknown here");
  for (const auto& change : changed)
    if (change.path == "model" || change.path == "model.name")
      notes.push_back("models differ (" + values_of(changed, change.path) +
                      "): a token of one is not the work of a token of another");
  if (const std::string batches = values_of(changed, "training.global_batch"); !batches.empty())
    notes.push_back("global batches differ (" + batches +
                    "): compare tokens/s/GPU, not step times; how training converges is not "
                    "forecast");
  return notes;
}

}  // namespace stepcast
