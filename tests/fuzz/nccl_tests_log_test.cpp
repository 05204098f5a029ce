#include "sim/network/nccl_tests_log.hpp"

#include <gtest/gtest.h>

#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

TEST(FuzzNcclTestsLog, BrokenLogsAreReadOrReported) {
  const std::string sample =
      "#  Rank  0 Group  0 Pid 11 on n1 device  0 [0x0f] NVIDIA H100 80GB HBM3\n"
      "[1,0]<stdout>: 1048576 262144 float sum -1 1035.3 1.01 1.90 0 643.4 1.63 3.06 0\n"
      "0: 2097152 524288 float sum 671.4 3.12 5.86 5e-07 671.8 3.12 5.85 5e-07\n";
  fuzz::survives_text({sample}, 3000, [](const std::string& text) {
    static_cast<void>(parse_nccl_tests_log("nccl.log", text));
  });
}

}  // namespace
}  // namespace stepcast
