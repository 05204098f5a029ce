#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/csv.hpp"
#include "reports/published_runs.hpp"
#include "reports/score_rows.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

TEST(FuzzCsv, BrokenTextIsReported) {
  fuzz::survives_text({fuzz::sample("score/gemm.csv")}, 5000, [](const std::string& text) {
    const CsvTable table = parse_csv("gemm.csv", text);
    for (const CsvRow& row : table.rows) static_cast<void>(row.number("m"));
  });
}

TEST(FuzzScore, BrokenFilesAreReported) {
  ProfileLibrary profiles;
  fuzz::survives_text({fuzz::sample("score/gemm.csv"), fuzz::sample("score/published.json")}, 500,
                      [&](const std::string& text) {
                        static_cast<void>(read_score_jobs({"rows", text, "h100-sxm"}, profiles));
                      });
}

TEST(FuzzScore, WrongRowsAreSkippedWithAReason) {
  fuzz::survives_documents({fuzz::sample("score/published.json")}, 200,
                           [](const nlohmann::json& document) {
                             if (!document.is_array() || document.empty()) return;
                             const auto run = published_run(document[0]);
                             if (const auto* reason = std::get_if<std::string>(&run)) {
                               EXPECT_FALSE(reason->empty());
                             }
                           });
}

}  // namespace
}  // namespace stepcast
