#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/csv.hpp"
#include "reports/score_rows.hpp"
#include "sim/cost/estimate.hpp"

namespace stepcast {

// One reader a kind of file; see read_score_jobs.
[[nodiscard]] std::vector<ScoreJob> published_jobs(const ScoreFile& file,
                                                   const nlohmann::json& rows,
                                                   ProfileLibrary& profiles);
[[nodiscard]] std::vector<ScoreJob> golden_jobs(const ScoreFile& file,
                                                const nlohmann::json& document,
                                                ProfileLibrary& profiles);
[[nodiscard]] std::vector<ScoreJob> field_report_jobs(const ScoreFile& file,
                                                      const nlohmann::json& reports,
                                                      ProfileLibrary& profiles);
[[nodiscard]] std::vector<ScoreJob> gemm_jobs(const ScoreFile& file, const CsvTable& table,
                                              ProfileLibrary& profiles);
[[nodiscard]] std::vector<ScoreJob> attention_jobs(const ScoreFile& file, const CsvTable& table,
                                                   ProfileLibrary& profiles);
[[nodiscard]] std::vector<ScoreJob> collective_jobs(const ScoreFile& file, const CsvTable& table,
                                                    ProfileLibrary& profiles);

// Whether a JSON array holds field reports (and not published runs).
[[nodiscard]] bool is_field_reports(const nlohmann::json& document);

// The columns by which a table is recognised.
[[nodiscard]] bool is_gemm_table(const CsvTable& table);
[[nodiscard]] bool is_attention_table(const CsvTable& table);
[[nodiscard]] bool is_collective_table(const CsvTable& table);

// A time_s row of a CSV file: id "name:line", the file's stem as source.
[[nodiscard]] ScoredRow kernel_row(const ScoreFile& file, const CsvRow& row);
// Sets predicted, and p10 and p90 of a log-normal with the estimate's relative_sigma.
void set_prediction(ScoredRow& row, const Estimate& estimate);
[[nodiscard]] std::vector<ScoredRow> skip(ScoredRow row, std::string reason);

// "gemm_h100_sxm.csv" -> "h100-sxm" when that is a preset, else "".
[[nodiscard]] std::string profile_of_file_name(const std::string& name, const std::string& prefix);

}  // namespace stepcast
