#pragma once

#include <string_view>

namespace stepcast {

// What public reports (field_reports.json) say about which of two configurations was faster, as far
// as their prose says it: a JSON array of
//   {report, case, row, sides: [{name, row, speed}]}  a comparison that can be forecast, or
//   {report, skipped}                                 one that cannot, and why.
// `row` holds members of a published run (published_runs.hpp) over what the report's own fields
// give; a side's `row` goes over that. Sides are in order, fastest first; `speed` (any unit, higher
// is faster) where the report has a number. A report may have several cases.
[[nodiscard]] std::string_view field_ranking_table();

}  // namespace stepcast
