#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/import_run.hpp"
#include "reports/pipeline_layout.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

void survives(const std::string& format, const std::vector<std::string>& samples, int rounds) {
  fuzz::survives_text(samples, rounds, [&](const std::string& text) {
    std::vector<std::string> remarks;
    const ImportOptions options{8, "dgx-h100", "", {}};
    EXPECT_TRUE(import_run(format, "broken", text, options, remarks).is_object());
  });
}

TEST(FuzzImportRun, BrokenScriptsAreReported) {
  survives("megatron",
           {"# stepcast: {\"gpus\": 8, \"parallel.order\": \"tp-cp-ep-dp-pp\"}\nTP=2\nARGS=(\n"
            "  --num-layers 4 # four\n  --hidden-size=64\n)\nexport A=\"${X:-1} $TP\"\n"
            "torchrun --nnodes 1 --nproc_per_node 8 p.py ${ARGS[@]} --num-attention-heads 4 \\\n"
            "  --bf16 --seq-length 64 --max-position-embeddings 64 --vocab-size 99 "
            "--tensor-model-parallel-size $TP --pipeline-model-parallel-size 2 "
            "--pipeline-model-parallel-layout 'Et*2|(t|)*1tL' --recompute-granularity full "
            "--recompute-method block --recompute-num-layers 1\n"},
           800);
}

TEST(FuzzImportRun, BrokenTomlIsReported) {
  survives("torchtitan",
           {"[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [\"float8\"]\n"
            "[training]\nlocal_batch_size = 4\nseq_len = 4096\n[parallelism]\n"
            "tensor_parallel_degree = 2\npipeline_parallel_degree = 2\n"
            "pipeline_parallel_schedule = \"Interleaved1F1B\"\n"
            "pipeline_parallel_layers_per_stage = 9\n[activation_checkpoint]\nmode = \"full\"\n"},
           800);
}

TEST(FuzzImportRun, BrokenJsonAndYamlAreReported) {
  survives("deepspeed",
           {R"({"train_batch_size": 16, "gradient_accumulation_steps": 2, "bf16": {"enabled": true},
                "zero_optimization": {"stage": 1}, "stepcast": {"run": {"gpus": 8},
                "launcher": "deepspeed p.py --num-layers 4 --hidden-size 64 --seq-length 64
                --num-attention-heads 4 --max-position-embeddings 64 --vocab-size 9"}})"},
           800);
  survives("nemo",
           {"trainer: {num_nodes: 1, devices: 8, precision: bf16}\nmodel:\n  num_layers: 4\n"
            "  hidden_size: 64\n  num_attention_heads: 4\n  encoder_seq_length: 64\n"
            "  max_position_embeddings: 64\n  tensor_model_parallel_size: 2\n"},
           800);
}

TEST(FuzzPipelineLayout, AnyTextIsALayoutOrNone) {
  fuzz::survives_text({"Ettt|(tt|)*29,m|L", "((t*9)*9|)*9"}, 3000,
                      [](const std::string& text) { static_cast<void>(layers_of_layout(text)); });
}

}  // namespace
}  // namespace stepcast
