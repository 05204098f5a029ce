#include "reports/score_rows.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/errors.hpp"
#include "common/json_text.hpp"
#include "reports/parallel_jobs.hpp"
#include "reports/score_readers.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

[[noreturn]] void refuse(const ScoreFile& file, const std::string& found) {
  throw InputError(Problem{file.name, "",
                           "must be a JSON array of published runs or field reports, Megatron "
                           "golden values (an object with \"rows\"), or a CSV of GEMM, attention "
                           "or collective times, found " +
                               found});
}

std::vector<ScoreJob> json_jobs(const ScoreFile& file, ProfileLibrary& profiles) {
  std::vector<Problem> problems;
  const nlohmann::json document = parse_json(file.name, file.text, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  if (document.is_array() && is_field_reports(document))
    return field_report_jobs(file, document, profiles);
  if (document.is_array()) return published_jobs(file, document, profiles);
  if (document.is_object() && document.contains("rows")) {
    const auto& rows = document["rows"];
    const bool golden = rows.is_array() && !rows.empty() && rows[0].is_object() &&
                        rows[0].contains("args") && rows[0].contains("case");
    if (golden) return golden_jobs(file, document, profiles);
    if (rows.is_array()) return published_jobs(file, rows, profiles);
  }
  refuse(file, shown(document));
}

std::vector<ScoreJob> csv_jobs(const ScoreFile& file, ProfileLibrary& profiles) {
  const CsvTable table = parse_csv(file.name, file.text);
  if (is_gemm_table(table)) return gemm_jobs(file, table, profiles);
  if (is_attention_table(table)) return attention_jobs(file, table, profiles);
  if (is_collective_table(table)) return collective_jobs(file, table, profiles);
  refuse(file, "a table with the columns " + join(table.columns, ", "));
}

}  // namespace

std::vector<ScoreJob> read_score_jobs(const ScoreFile& file, ProfileLibrary& profiles) {
  const std::size_t first = file.text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) refuse(file, "an empty file");
  if (file.text[first] == '[' || file.text[first] == '{') return json_jobs(file, profiles);
  return csv_jobs(file, profiles);
}

std::vector<ScoredRow> run_score_jobs(const std::vector<ScoreJob>& jobs,
                                      const std::function<void()>& on_done) {
  std::vector<std::vector<ScoredRow>> results(jobs.size());
  for_each_in_parallel(jobs.size(), [&](std::size_t i) {
    results[i] = jobs[i]();
    on_done();
  });
  std::vector<ScoredRow> rows;
  for (auto& result : results)
    rows.insert(rows.end(), std::make_move_iterator(result.begin()),
                std::make_move_iterator(result.end()));
  return rows;
}

}  // namespace stepcast
