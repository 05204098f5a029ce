#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "sim/cost/cost_model.hpp"

namespace stepcast {

// One size of an nccl-tests run: its out-of-place time. Sizes are nccl-tests' (collectives.hpp).
struct NcclTestsRow {
  std::int64_t line = 0;  // of the log, from 1
  Bytes size;
  Seconds time;
  BytesPerSecond algbw, busbw;  // as printed, two decimals of 1e9 B/s
};

struct NcclTestsLog {
  std::vector<NcclTestsRow> rows;  // those with bytes and a time, as they come
  // By the program's name ("all_reduce_perf"), or all_reduce by busbw / algbw > 1; nullopt: not to
  // be told.
  std::optional<CollectiveOp> op;
  // From the list of ranks, or the only number whose busbw / algbw (bus_bandwidth_factor) all rows
  // agree on within their two decimals; 0: unknown.
  std::int64_t ranks = 0;
  std::vector<std::string> warnings;
};

// Reads what nccl-tests prints, in all its variants: lines prefixed by a launcher ("0:", "[0]",
// "[1,0]<stdout>:"), with or without the redop and root columns, one or two measurements a line,
// errors as numbers or "N/A", gaps and missing heads. Other lines are passed over; one that begins
// like a row and is not one becomes a warning. Throws InputError when there is no row at all.
[[nodiscard]] NcclTestsLog parse_nccl_tests_log(const std::string& file, const std::string& text);

}  // namespace stepcast
