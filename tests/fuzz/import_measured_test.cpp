#include <gtest/gtest.h>

#include "calibrate/csv.hpp"
#include "calibrate/import_measured.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast::calibrate {
namespace {

TEST(FuzzImport, BrokenTablesAreReported) {
  const ImportPlan plan = load_import_plan("h100-sxm");
  fuzz::survives_text({fuzz::sample("measured/gemm.csv")}, 1500, [&](const std::string& text) {
    CsvTable table("gemm.csv", text);
    static_cast<void>(gemm_points(table, plan));
  });
  fuzz::survives_text({fuzz::sample("measured/collectives.csv")}, 1500,
                      [&](const std::string& text) {
                        CsvTable table("collectives.csv", text);
                        static_cast<void>(collective_points(table, plan));
                      });
}

}  // namespace
}  // namespace stepcast::calibrate
