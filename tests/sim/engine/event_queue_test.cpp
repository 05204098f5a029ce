#include "sim/engine/event_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace stepcast {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> slots_in_order(EventQueue& queue) {
  std::vector<std::uint32_t> slots;
  while (!queue.empty()) slots.push_back(queue.pop().slot);
  return slots;
}

TEST(EventQueue, PopsByTime) {
  EventQueue queue;
  queue.set({SimTime{30}, 0, 0});
  queue.set({SimTime{10}, 1, 1});
  queue.set({SimTime{20}, 2, 2});
  EXPECT_THAT(slots_in_order(queue), ElementsAre(1, 2, 0));
}

TEST(EventQueue, BreaksTiesByTaskNotBySlot) {
  EventQueue queue;
  queue.set({SimTime{5}, 9, 0});
  queue.set({SimTime{5}, 7, 1});
  queue.set({SimTime{5}, 8, 2});
  EXPECT_THAT(slots_in_order(queue), ElementsAre(1, 2, 0));
}

TEST(EventQueue, MovesAnEventEitherWay) {
  EventQueue queue;
  for (std::uint32_t slot = 0; slot < 4; ++slot) queue.set({SimTime{10 * slot}, slot, slot});
  queue.set({SimTime{100}, 0, 0});
  queue.set({SimTime{5}, 3, 3});
  EXPECT_THAT(slots_in_order(queue), ElementsAre(3, 1, 2, 0));
}

TEST(EventQueue, ForgetsARemovedEventAndIgnoresAnAbsentOne) {
  EventQueue queue;
  queue.set({SimTime{1}, 0, 0});
  queue.set({SimTime{2}, 1, 1});
  queue.remove(0);
  queue.remove(0);
  queue.remove(77);
  EXPECT_THAT(slots_in_order(queue), ElementsAre(1));
}

TEST(EventQueue, TakesASlotAgainAfterItsEvent) {
  EventQueue queue;
  queue.set({SimTime{1}, 0, 0});
  queue.pop();
  queue.set({SimTime{2}, 5, 0});
  EXPECT_EQ(queue.pop(), (EventQueue::Event{SimTime{2}, 5, 0}));
  EXPECT_TRUE(queue.empty());
}

// Against an ordered set that holds the same events.
TEST(EventQueue, AgreesWithAnOrderedSetUnderRandomUse) {
  using Key = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;
  std::mt19937 random(1);
  EventQueue queue;
  std::set<Key> model;
  std::vector<Key> pending(50);
  for (int step = 0; step < 20000; ++step) {
    const auto slot = static_cast<std::uint32_t>(random() % pending.size());
    const bool present = model.contains(pending[slot]);
    switch (random() % 3) {
      case 0:
        if (present) model.erase(pending[slot]);
        pending[slot] = {random() % 100, slot * 7 % 50, slot};
        model.insert(pending[slot]);
        queue.set({SimTime{std::get<0>(pending[slot])}, slot * 7 % 50, slot});
        break;
      case 1:
        if (present) model.erase(pending[slot]);
        queue.remove(slot);
        break;
      default:
        ASSERT_EQ(queue.empty(), model.empty());
        if (model.empty()) break;
        const EventQueue::Event event = queue.pop();
        ASSERT_EQ(Key(event.at.ps, event.tie, event.slot), *model.begin());
        model.erase(model.begin());
    }
  }
}

}  // namespace
}  // namespace stepcast
