#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

TEST(BadRuns, AreRefusedWithTheWholeMessage) {
  const std::vector<BadInput> inputs{
      {"missing file",
       {"predict", "nofile.json"},
       {},
       "stepcast: cannot read nofile.json: No such file or directory\n"},
      {"broken JSON",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\",\n"
         " \"cluster\": }"}},
       "stepcast: run.json: line 2, column 13: not JSON: unexpected '}'; expected '[', '{', or a "
       "literal\n"},
      {"duplicate key",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"model\": \"llama-3-70b\", \"cluster\": "
         "\"dgx-h100:1\", \"training\": {\"sequence_length\": 4096}}"}},
       "stepcast: run.json: model: is written twice\n"},
      {"not an object",
       {"predict", "run.json"},
       {{"run.json", "[1, 2]"}},
       "stepcast: run.json: must be a JSON object\n"},
      {"wrong format",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}, \"format\": \"stepcast.topology\"}"}},
       "stepcast: run.json: format: must be \"stepcast.run\", found \"stepcast.topology\"\n"},
      {"wrong version",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}, \"version\": 7}"}},
       "stepcast: run.json: version: must be 1, found 7\n"},
      {"empty run",
       {"predict", "run.json"},
       {{"run.json", "{}"}},
       "stepcast: run.json: model: missing\n"
       "stepcast: run.json: cluster: missing\n"
       "stepcast: run.json: training.sequence_length: missing\n"},
      {"unknown key",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"tensr\": 4}, \"training\": {\"sequence_length\": 4096, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.tensr: unknown key (did you mean \"tensor\"?)\n"},
      {"unknown top-level key",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}, \"paralel\": {}}"}},
       "stepcast: run.json: paralel: unknown key (did you mean \"parallel\"?)\n"},
      {"several problems at once",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "0, \"pipeline\": 1.5}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "\"many\"}}"}},
       "stepcast: run.json: parallel.tensor: must be a whole number >= 1, found 0\n"
       "stepcast: run.json: parallel.pipeline: must be a whole number >= 1, found 1.5\n"
       "stepcast: run.json: training.global_batch: must be a whole number >= 1, found \"many\"\n"},
      {"text for a number",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "\"four\", \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.tensor: must be a whole number >= 1, found \"four\"\n"},
      {"negative degree",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": -2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: run.json: parallel.pipeline: must be a whole number >= 1, found -2\n"},
      {"huge degree",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "1e+300, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.tensor: must be a whole number below 2^63, found 1e+300\n"},
      {"unknown schedule",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"schedule\": \"1f2b\"}, \"training\": {\"sequence_length\": "
         "4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.schedule: must be one of gpipe, 1f1b, interleaved, zb-h1, "
       "zb-v, dualpipe, dualpipev, bfs, found \"1f2b\" (did you mean \"1f1b\"?)\n"},
      {"unknown framework",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}, \"framework\": \"megatorn\"}"}},
       "stepcast: run.json: framework: must be one of megatron, torchtitan, deepspeed, found "
       "\"megatorn\" (did you mean \"megatron\"?)\n"},
      {"unknown release",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}, \"framework_release\": \"megatron-1999\"}"}},
       "stepcast: run.json: framework_release = \"megatron-1999\": must be one of megatron-core, "
       "nemo-25, nemo-24, nemo-24-flash2, megatron-2022, megatron-2021\n"},
      {"unknown precision",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16, \"precision\": \"bf61\"}}"}},
       "stepcast: run.json: training.precision: must be one of bf16, fp16, fp8, found \"bf61\" "
       "(did you mean \"bf16\"?)\n"},
      {"unknown order",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"order\": \"tp-zp\"}, \"training\": {\"sequence_length\": "
         "4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.order: must be an order of tp, cp, ep, dp and pp such as "
       "\"tp-cp-ep-dp-pp\", found \"tp-zp\"\n"},
      {"tensor does not divide heads",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "3, \"pipeline\": 1}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: run.json: parallel.tensor * parallel.pipeline * parallel.context = 3: must "
       "divide the 8 GPUs of dgx-h100:1\n"
       "stepcast: run.json: parallel.tensor = 3: must divide the 32 attention heads of "
       "llama-3-8b (try 1, 2, 4, 8)\n"
       "stepcast: run.json: parallel.tensor = 3: must divide the 8 KV heads of llama-3-8b or be "
       "a multiple of them (try 1, 2, 4, 8)\n"
       "stepcast: run.json: parallel.tensor = 3: must divide the MLP width 14336 of llama-3-8b "
       "(try 1, 2, 4, 8)\n"},
      {"too many ranks",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "8, \"pipeline\": 4}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: run.json: parallel.tensor * parallel.pipeline * parallel.context = 32: must "
       "divide the 8 GPUs of dgx-h100:1\n"},
      {"data does not fill the cluster",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"data\": 3}, \"training\": {\"sequence_length\": 4096, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.data = 3: must divide the 1 data-parallel ranks that tensor "
       "4 * pipeline 2 * context 1 leave of the 8 GPUs of dgx-h100:1 (try 1)\n"
       "stepcast: run.json: training.global_batch = 16: must be a multiple of micro_batch 1 * "
       "data 3 = 3 (try 15, 18)\n"},
      {"batch does not divide",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 1}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "15}}"}},
       "stepcast: run.json: training.global_batch = 15: must be a multiple of micro_batch 1 * "
       "data 2 = 2 (try 14, 16)\n"},
      {"layers do not divide",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": {\"server\": \"dgx-h100\", \"gpus\": 5}, "
         "\"parallel\": {\"tensor\": 1, \"pipeline\": 5, \"data\": 1}, \"training\": "
         "{\"sequence_length\": 4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.pipeline = 5: must divide the 32 layers of llama-3-8b (try "
       "1, 2, 4, 8, 16, 32), or give parallel.stage_layers\n"},
      {"stage layers do not sum",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"stage_layers\": [16, 15]}, \"training\": "
         "{\"sequence_length\": 4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.stage_layers = [16, 15]: must add up to the 32 layers of "
       "llama-3-8b, found 31\n"},
      {"virtual stages without interleaving",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"virtual_stages\": 2, \"schedule\": \"1f1b\"}, \"training\": "
         "{\"sequence_length\": 4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.virtual_stages = 2: schedule 1f1b has one stage a rank (try "
       "1, or schedule interleaved)\n"},
      {"virtual stages do not divide",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"virtual_stages\": 5}, \"training\": {\"sequence_length\": "
         "4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.virtual_stages = 5: pipeline 2 * virtual_stages 5 = 10 must "
       "divide the 32 layers of llama-3-8b (try 1, 2, 4, 8, 16), or give parallel.stage_layers\n"},
      {"sequence does not divide context",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "2, \"pipeline\": 2, \"context\": 2}, \"training\": {\"sequence_length\": 4097, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: training.sequence_length = 4097: must be a multiple of 2 * context = "
       "4 (try 4096, 4100)\n"},
      {"schedule not simulated",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"schedule\": \"zb-h1\"}, \"training\": {\"sequence_length\": "
         "4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.schedule = zb-h1: not simulated yet (try gpipe, 1f1b, "
       "interleaved)\n"},
      {"sharding not simulated",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2, \"sharding\": \"parameters\"}, \"training\": "
         "{\"sequence_length\": 4096, \"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.sharding = parameters: Megatron-LM's FSDP needs pipeline 1 "
       "and expert 1 (try optimizer)\n"
       "stepcast: run.json: parallel.sharding = parameters: not simulated yet (try none, "
       "optimizer)\n"},
      {"mixture not simulated",
       {"predict", "run.json"},
       {{"run.json",
         "{\"model\": \"mixtral-8x7b\", \"cluster\": \"dgx-h100:1\", \"parallel\": "
         "{\"tensor\": 4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, "
         "\"global_batch\": 16}}"}},
       "stepcast: run.json: parallel.sequence_parallel = false: a mixture of experts with "
       "parallel.tensor > 1 needs it (try true)\n"
       "stepcast: run.json: model = mixtral-8x7b: mixture-of-experts models are counted "
       "(stepcast model show) but not simulated yet\n"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

}  // namespace
}  // namespace stepcast::cli
