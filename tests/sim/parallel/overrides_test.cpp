#include <gmock/gmock.h>

#include "run_fixtures.hpp"

namespace stepcast {
namespace {

using testing_runs::Json;

std::string message_of(const std::vector<std::string>& assignments) {
  try {
    static_cast<void>(with_overrides(Json{{"cluster", "dgx-h100:8"}}, assignments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Overrides, SetMembersAndMakeObjectsOnTheWay) {
  EXPECT_EQ(with_overrides(Json::object(), {"parallel.tensor=4", "parallel.pipeline=2"}),
            (Json{{"parallel", {{"tensor", 4}, {"pipeline", 2}}}}));
}

TEST(Overrides, ValuesAreJsonOrElseText) {
  const Json document = with_overrides(
      nullptr, {"a=true", "b=1f1b", "c=[1,2]", "d={\"first\":3}", "e=2.5", "f=", "g=x=y"});
  EXPECT_EQ(document, (Json{{"a", true},
                            {"b", "1f1b"},
                            {"c", {1, 2}},
                            {"d", {{"first", 3}}},
                            {"e", 2.5},
                            {"f", ""},
                            {"g", "x=y"}}));
}

TEST(Overrides, TheLastAssignmentCounts) {
  EXPECT_EQ(with_overrides(Json{{"model", "a"}}, {"model=b", "model=c"}), (Json{{"model", "c"}}));
}

TEST(Overrides, NameEveryAssignmentThatCannotBeDone) {
  EXPECT_EQ(message_of({"tensor", "=4", "parallel..tensor=4"}),
            "--set tensor: must be path=value such as parallel.tensor=4\n"
            "--set =4: must be path=value such as parallel.tensor=4\n"
            "--set parallel..tensor=4: must be path=value such as parallel.tensor=4");
}

TEST(Overrides, DoNotReachIntoText) {
  EXPECT_EQ(message_of({"cluster.nodes=4"}),
            "--set cluster.nodes=4: cluster is \"dgx-h100:8\", which has no members");
}

TEST(Overrides, NeedAnObject) {
  EXPECT_THROW(static_cast<void>(with_overrides(Json::array(), {"a=1"})), InputError);
}

}  // namespace
}  // namespace stepcast
