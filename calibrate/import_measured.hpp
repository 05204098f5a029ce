#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/csv.hpp"
#include "calibrate/import_plan.hpp"

namespace stepcast::calibrate {

// Makes a profile from a folder of CSV files of measured kernels (GEMM, attention, collectives; one
// row a measurement, columns as listed in docs/profiles.md) and a plan: reads and checks the
// tables, fits the cost models' parameters, and records how well they predict points left out.
// Deterministic. Takes about ten seconds for each GPU. Throws InputError with every problem of
// every file, named by file, line and column.
//
// GEMM: forward layouts; time is the median over software stacks where given, else the one
// measurement; low and high are their range. Attention: forward and backward apart; from times that
// include the KV-cache write, which training does not do, a fitted share is subtracted.
// Collectives: inside one NVLink domain, NCCL's own choice of algorithm; medians where sources
// repeat a size.
[[nodiscard]] Profile import_measured(const std::filesystem::path& folder, const ImportPlan& plan);

// With the plan of this name: `stepcast profile import FOLDER --name h100-sxm`.
[[nodiscard]] Profile import_measured(const std::filesystem::path& folder,
                                      const std::string& profile_name);

// The tables alone, for tests and scoring. Problems stay with the table.
[[nodiscard]] std::vector<GemmPoint> gemm_points(CsvTable& table, const ImportPlan& plan);
[[nodiscard]] std::vector<CollectivePoint> collective_points(CsvTable& table,
                                                             const ImportPlan& plan);

}  // namespace stepcast::calibrate
