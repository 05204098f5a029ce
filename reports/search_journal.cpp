#include "reports/search_journal.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/version.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

json candidate_json(const Candidate& c) {
  return {c.base,
          c.tensor,
          c.pipeline,
          c.context,
          c.data,
          c.virtual_stages,
          c.micro_batch,
          c.sequence_parallel,
          static_cast<int>(c.schedule),
          static_cast<int>(c.context_kind),
          static_cast<int>(c.sharding),
          static_cast<int>(c.order),
          static_cast<int>(c.split),
          static_cast<int>(c.recompute),
          c.recompute_layers};
}

Candidate candidate_of(const json& list) {
  Candidate c;
  c.base = list.at(0);
  c.tensor = list.at(1);
  c.pipeline = list.at(2);
  c.context = list.at(3);
  c.data = list.at(4);
  c.virtual_stages = list.at(5);
  c.micro_batch = list.at(6);
  c.sequence_parallel = list.at(7);
  c.schedule = static_cast<ScheduleKind>(list.at(8).get<int>());
  c.context_kind = static_cast<ContextKind>(list.at(9).get<int>());
  c.sharding = static_cast<Sharding>(list.at(10).get<int>());
  c.order = static_cast<RankOrder>(list.at(11).get<int>());
  c.split = static_cast<StageSplit>(list.at(12).get<int>());
  c.recompute = static_cast<RecomputeKind>(list.at(13).get<int>());
  c.recompute_layers = list.at(14);
  return c;
}

void write_line(const std::string& path, const std::string& line) {
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << line << '\n' << std::flush;
  if (!file) throw EnvironmentError(path + ": cannot be written");
}

}  // namespace

std::string unit_result_line(const UnitResult& result) {
  json kept = json::array();
  for (const FoundCandidate& found : result.kept)
    kept.push_back({{"candidate", candidate_json(found.candidate)},
                    {"time_s", found.cost.time},
                    {"memory_bytes", found.cost.memory},
                    {"gpus", found.gpus}});
  const SearchCounts& counts = result.counts;
  return json{{"unit", result.unit},
              {"counts",
               {counts.candidates, counts.invalid, counts.pruned_memory, counts.pruned_time,
                counts.simulated}},
              {"kept", std::move(kept)}}
      .dump();
}

UnitResult unit_result_of(const std::string& line) {
  const json document = json::parse(line);
  const json& counts = document.at("counts");
  UnitResult result;
  result.unit = document.at("unit");
  result.counts = {counts.at(0), counts.at(1), counts.at(2), counts.at(3), counts.at(4)};
  for (const json& kept : document.at("kept"))
    result.kept.push_back({candidate_of(kept.at("candidate")),
                           {kept.at("time_s"), kept.at("memory_bytes")},
                           kept.at("gpus")});
  return result;
}

std::string request_key(const SearchRequest& request) {
  json bases = json::array();
  for (const Run& base : request.bases) bases.push_back(to_json(base));
  const SearchLimits& limits = request.limits;
  return json{{"format", "stepcast.search_journal"},
              {"version", product_version()},
              {"bases", std::move(bases)},
              {"pinned", request.pinned},
              {"limits",
               {limits.tensor, limits.pipeline, limits.context, limits.data, limits.virtual_stages,
                limits.micro_batch, limits.memory_margin, limits.complexity.value_or(-1)}},
              {"objective", static_cast<int>(request.objective)},
              {"top", request.top}}
      .dump();
}

SearchJournal::SearchJournal(std::string path, const SearchRequest& request)
    : path_(std::move(path)) {
  const std::string key = request_key(request);
  const bool started = std::filesystem::exists(path_);
  std::string whole = key + '\n';
  if (started) {
    std::istringstream lines(read_file(path_));
    std::string line;
    std::getline(lines, line);
    if (line != key && !line.empty())
      throw InputError(Problem{path_, "",
                               "is the journal of another search (or another version); name "
                               "another file, or remove it"});
    while (std::getline(lines, line)) {
      if (lines.eof()) break;  // no newline: the search was killed while it wrote this line
      try {
        UnitResult result = unit_result_of(line);
        known_.emplace(result.unit, std::move(result));
        whole += line + '\n';
      } catch (const std::exception&) {
        throw InputError(Problem{path_, "",
                                 "is damaged: \"" + line.substr(0, 40) +
                                     "...\" is not a unit's result; remove the file"});
      }
    }
  }
  write_file_atomically(path_, whole);
}

std::vector<UnitResult> SearchJournal::results() const {
  std::vector<UnitResult> all;
  for (const auto& [unit, result] : known_) all.push_back(result);
  return all;
}

void SearchJournal::append(const UnitResult& result) {
  if (known_.emplace(result.unit, result).second) write_line(path_, unit_result_line(result));
}

}  // namespace stepcast
