#pragma once

#include <vector>

#include "calibrate/csv.hpp"
#include "calibrate/import_plan.hpp"

namespace stepcast::calibrate {

// Attention calls of a CSV file: forward and backward times of the plan's implementations, and a
// constant "attention.kv_write_factor" added to `profile` when their share was subtracted (see
// fit_kv_write). A call that is listed twice for one kernel: the first counts. Rows of forward and
// backward together, and with unequal head widths, are left out. Problems stay with the table.
[[nodiscard]] std::vector<AttentionPoint> attention_points(CsvTable& table, const ImportPlan& plan,
                                                           Profile& profile);

}  // namespace stepcast::calibrate
