#include "common/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace stepcast {
namespace {

struct FakeTerminal {
  std::ostringstream out;
  Seconds time;
  [[nodiscard]] ProgressSink sink(bool terminal) {
    return {.out = &out, .terminal = terminal, .now = [this] { return time; }};
  }
};

TEST(Progress, PrintsNothingForShortWorkInALog) {
  FakeTerminal fake;
  {
    Progress progress("search", 2, fake.sink(false));
    fake.time = Seconds{1.9};
    progress.advance(2);
  }
  EXPECT_EQ(fake.out.str(), "");
}

TEST(Progress, AddsALineOfALogEveryTwoSeconds) {
  FakeTerminal fake;
  Progress progress("search", 10, fake.sink(false));
  fake.time = Seconds{3};
  progress.advance(2);  // 3 s for 2: 8 more take 12 s
  fake.time = Seconds{4};
  progress.advance(3);
  fake.time = Seconds{5.5};
  progress.advance(5);
  EXPECT_EQ(fake.out.str(), "search: 2/10, 12 s left\nsearch: 10/10\n");
}

TEST(Progress, RedrawsOneLineOfATerminalAndErasesIt) {
  FakeTerminal fake;
  {
    Progress progress("search", 4, fake.sink(true));
    fake.time = Seconds{0.05};
    progress.advance();  // too soon
    fake.time = Seconds{1};
    progress.advance();
  }
  EXPECT_EQ(fake.out.str(), "\r\x1b[Ksearch: 2/4, 1 s left\r\x1b[K");
}

TEST(Progress, SpellsTimes) {
  EXPECT_EQ(time_text(Seconds{0.2}), "1 s");
  EXPECT_EQ(time_text(Seconds{185}), "3 min 5 s");
  EXPECT_EQ(time_text(Seconds{7800}), "2 h 10 min");
}

}  // namespace
}  // namespace stepcast
