#include "reports/import_nemo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::Contains;
using testing::Not;

TEST(ImportNemo, KeysBecomeArguments) {
  const Settings settings = read_nemo("r.yaml",
                                      "trainer:\n  num_nodes: 4\n  devices: 8\n  precision: bf16\n"
                                      "model:\n  tensor_model_parallel_size: 2\n"
                                      "  virtual_pipeline_model_parallel_size: null\n"
                                      "  encoder_seq_length: 2048\n  sequence_parallel: True\n"
                                      "  optim:\n    name: mcore_distributed_optim\n"
                                      "    overlap_grad_sync: true\n");
  for (const Setting& expected :
       {Setting{"--nnodes", "4"}, Setting{"--nproc-per-node", "8"}, Setting{"--bf16", ""},
        Setting{"--tensor-model-parallel-size", "2"}, Setting{"--seq-length", "2048"},
        Setting{"--sequence-parallel", ""}, Setting{"--use-distributed-optimizer", ""},
        Setting{"--overlap-grad-reduce", ""}})
    EXPECT_THAT(settings, Contains(expected)) << expected.key;
  EXPECT_EQ(settings.size(), 8U);
}

TEST(ImportNemo, SwitchesThatAreOffAndTextToResolveAreAbsent) {
  EXPECT_EQ(read_nemo("r.yaml", "sequence_parallel: False\nffn_hidden_size: ${multiply:4, 8}\n"),
            Settings{});
}

TEST(ImportNemo, ReadsRecipesWithMegatronsOwnNames) {
  EXPECT_THAT(
      read_nemo("r.yaml", "overrides:\n  seq_length: 8192\n  use_torch_fsdp2: true\n"),
      testing::ElementsAre(Setting{"--seq-length", "8192"}, Setting{"--use-torch-fsdp2", ""}));
}

TEST(ImportNemo, ReportsSyntaxAndOtherRecipes) {
  EXPECT_THROW(static_cast<void>(read_nemo("r.yaml", "a: [1\nb: 2")), InputError);
  EXPECT_THROW(static_cast<void>(read_nemo("r.yaml", "pipe_parallel_size: 1")), InputError);
}

}  // namespace
}  // namespace stepcast
