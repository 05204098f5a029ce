#include "cli/team.hpp"

#include <gtest/gtest.h>

namespace stepcast::cli {
namespace {

TEST(Team, WithoutMpirunIsOneThatLeads) {
  const Team team;
  EXPECT_EQ(team.size(), 1U);
  EXPECT_TRUE(team.leads());
  EXPECT_EQ(team.all("mine"), std::vector<std::string>{"mine"});
  team.abandon(2);  // nobody waits
}

}  // namespace
}  // namespace stepcast::cli
