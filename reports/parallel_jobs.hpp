#pragma once

#include <cstddef>
#include <functional>

namespace stepcast {

// Calls work(0) ... work(count - 1) on all cores, each once, in no particular order. After all have
// ended, rethrows the exception of the lowest index that threw.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace stepcast
