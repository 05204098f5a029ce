#include "sim/plan/migration_knob_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast {
namespace {

TEST(KnobTable, HasEveryKnobOfARunOnceWithAReason) {
  std::set<std::string> knobs;
  for (const detail::KnobRow& row : detail::knob_rows()) {
    EXPECT_TRUE(knobs.insert(row.knob).second) << row.knob;
    EXPECT_STRNE(row.reason, "") << row.knob;
  }
  const nlohmann::json run = to_json(migration_fixtures::tiny_run(1));
  for (const char* group : {"parallel", "training", "overlap"})
    for (const auto& [key, value] : run[group].items())
      EXPECT_TRUE(knobs.contains(std::string(group) + "." + key)) << group << "." << key;
}

}  // namespace
}  // namespace stepcast
