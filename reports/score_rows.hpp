#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/profile_library.hpp"
#include "reports/score.hpp"

namespace stepcast {

// The scoring of one row of a file: one result a metric. Independent of the others; may be called
// from any thread, once.
using ScoreJob = std::function<std::vector<ScoredRow>()>;

struct ScoreFile {
  std::string name;     // in messages and in the ids of CSV rows (without folder)
  std::string text;     // its content
  std::string profile;  // used for every row, or "": chosen by file name, row or run
};

// Finds out by content what a file holds - published runs or field reports (JSON arrays),
// Megatron's golden values (JSON object with "rows"), or a GEMM, attention or collective table
// (CSV) - and splits it into jobs. Throws InputError when it is none of these. `profiles` must
// outlive the jobs.
[[nodiscard]] std::vector<ScoreJob> read_score_jobs(const ScoreFile& file,
                                                    ProfileLibrary& profiles);

// Runs the jobs on all cores; results in the order of the jobs. `on_done` is called after each job,
// from any thread.
[[nodiscard]] std::vector<ScoredRow> run_score_jobs(const std::vector<ScoreJob>& jobs,
                                                    const std::function<void()>& on_done);

}  // namespace stepcast
