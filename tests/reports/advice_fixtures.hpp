#pragma once

#include <utility>

#include "sim/plan/advice.hpp"
#include "tests/sim/plan/advice_fixtures.hpp"

namespace stepcast::test {

// A real advice, made once: Llama-3-8B on one server, whose rules and search differ.
inline const SearchRequest& small_request() {
  static const SearchRequest request = advice_request("llama-3-8b", 1, 8192, 64);
  return request;
}
inline const Advice& small_advice() {
  static const Advice advice = advise(small_request(), h100());
  return advice;
}

inline Advice short_advice() {
  Advice advice;
  advice.shortfall = Shortfall{true, 100e9, 80e9, 32};
  return advice;
}

}  // namespace stepcast::test
