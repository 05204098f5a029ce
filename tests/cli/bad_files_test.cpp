#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

TEST(BadFiles, AreRefusedWithTheWholeMessage) {
  const std::vector<BadInput> inputs{
      {"missing model key",
       {"model", "show", "m.json"},
       {{"m.json",
         "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
         "\"vocab_size\": 32000, \"intermediate_size\": 11008}"}},
       "stepcast: m.json: num_attention_heads: missing (also known as n_head, n_heads, "
       "num_heads)\n"},
      {"heads do not divide hidden",
       {"model", "show", "m.json"},
       {{"m.json",
         "{\"format\": \"stepcast.model\", \"version\": 1, \"layers\": 2, \"hidden\": 100, "
         "\"heads\": 3, \"ffn\": 400, \"vocabulary\": 1000}"}},
       "stepcast: m.json: heads: must divide hidden (100), found 3\n"},
      {"unknown model key",
       {"model", "show", "m.json"},
       {{"m.json",
         "{\"format\": \"stepcast.model\", \"version\": 1, \"layers\": 2, \"hiden\": 128, "
         "\"hidden\": 128, \"heads\": 4, \"ffn\": 400, \"vocabulary\": 1000}"}},
       "stepcast: m.json: hiden: unknown key (did you mean \"hidden\"?)\n"},
      {"missing model file",
       {"model", "show", "dir/m.json"},
       {},
       "stepcast: --model: no file \"dir/m.json\"\n"},
      {"unknown fabric",
       {"topology", "show", "c.json"},
       {{"c.json",
         "{\"format\": \"stepcast.topology\", \"version\": 1, \"server\": \"dgx-h100\", "
         "\"nodes\": 4, \"fabric\": {\"kind\": \"torus\"}}"}},
       "stepcast: c.json: fabric.kind: must be one of single_switch, leaf_spine, rail_optimized, "
       "three_level_fat_tree, found \"torus\"\n"},
      {"negative bandwidth",
       {"topology", "show", "c.json"},
       {{"c.json",
         "{\"format\": \"stepcast.topology\", \"version\": 1, \"server\": \"dgx-h100\", "
         "\"nodes\": 4, \"overrides\": {\"nic_bandwidth_GBps\": -50}}"}},
       "stepcast: c.json: overrides.nic_bandwidth_GBps: must be > 0, found -50\n"},
      {"wrong unit",
       {"topology", "show", "c.json"},
       {{"c.json",
         "{\"format\": \"stepcast.topology\", \"version\": 1, \"server\": \"dgx-h100\", "
         "\"nodes\": 4, \"overrides\": {\"nic_bandwidth_Gbps\": 400}}"}},
       "stepcast: c.json: overrides.nic_bandwidth_Gbps: unknown key (did you mean "
       "\"nic_bandwidth_GBps\"?)\n"},
      {"all nodes dead",
       {"topology", "show", "c.json"},
       {{"c.json",
         "{\"format\": \"stepcast.topology\", \"version\": 1, \"server\": \"dgx-h100\", "
         "\"nodes\": 1, \"overrides\": {\"dead_nodes\": [0]}}"}},
       "stepcast: c.json: overrides.dead_nodes: no server is left\n"},
      {"dead node that is not there",
       {"topology", "show", "c.json"},
       {{"c.json",
         "{\"format\": \"stepcast.topology\", \"version\": 1, \"server\": \"dgx-h100\", "
         "\"nodes\": 2, \"overrides\": {\"dead_nodes\": [5]}}"}},
       "stepcast: c.json: overrides.dead_nodes[0]: must be one of the 2 servers, 0 to 1, found "
       "5\n"},
      {"profile without tables",
       {"profile", "check", "p.json"},
       {{"p.json", "{\"format\": \"stepcast.profile\", \"version\": 1, \"name\": \"p\"}"}},
       "stepcast: p.json: device: missing\n"
       "stepcast: p.json: gemm: missing\n"
       "stepcast: p.json: attention: missing\n"
       "stepcast: p.json: memory_bound: missing\n"
       "stepcast: p.json: collectives: missing\n"
       "stepcast: p.json: constants: missing\n"},
      {"profile of another format",
       {"profile", "show", "p.json"},
       {{"p.json", "{\"format\": \"stepcast.run\", \"version\": 1}"}},
       "stepcast: p.json: format: must be \"stepcast.profile\", found \"stepcast.run\"\n"
       "stepcast: p.json: name: missing\n"
       "stepcast: p.json: device: missing\n"
       "stepcast: p.json: gemm: missing\n"
       "stepcast: p.json: attention: missing\n"
       "stepcast: p.json: memory_bound: missing\n"
       "stepcast: p.json: collectives: missing\n"
       "stepcast: p.json: constants: missing\n"},
      {"import from nowhere",
       {"profile", "import", "nowhere", "--name", "h100-sxm"},
       {},
       "stepcast: nowhere/gemm_h100_sxm.csv: no such file, expected in a folder of measurements\n"
       "stepcast: nowhere/attention_h100_sxm.csv: no such file, expected in a folder of "
       "measurements\n"
       "stepcast: nowhere/collectives.csv: no such file, expected in a folder of measurements\n"},
      {"empty score file",
       {"score", "rows.json"},
       {{"rows.json", ""}},
       "stepcast: rows.json: must be a JSON array of published runs or field reports, Megatron "
       "golden values (an object with \"rows\"), or a CSV of GEMM, attention or collective times, "
       "found an empty file\n"},
      {"other JSON to score",
       {"score", "rows.json"},
       {{"rows.json", "{\"a\": 1}"}},
       "stepcast: rows.json: must be a JSON array of published runs or field reports, Megatron "
       "golden values (an object with \"rows\"), or a CSV of GEMM, attention or collective times, "
       "found an object\n"},
      {"rows without id",
       {"score", "rows.json"},
       {{"rows.json", "[{\"gpus\": 8}]"}},
       "stepcast: rows.json: [0]: must be an object with an \"id\" (a published run)\n"},
      {"other table to score",
       {"score", "t.csv"},
       {{"t.csv",
         "a,b\n"
         "1,2\n"}},
       "stepcast: t.csv: must be a JSON array of published runs or field reports, Megatron "
       "golden values (an object with \"rows\"), or a CSV of GEMM, attention or collective times, "
       "found a table with the columns a, b\n"},
      {"ragged table",
       {"score", "t.csv"},
       {{"t.csv",
         "m,n,k,dtype,layout,measured_us\n"
         "1,2\n"}},
       "stepcast: t.csv: line 2: has 2 fields, the header has 6\n"},
      {"compare with a broken prediction",
       {"compare", "run.json", "p.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"},
        {"p.json", "{\"format\": \"stepcast.prediction\", \"version\": 1}"}},
       "stepcast: p.json: step_time_s: missing\n"
       "stepcast: p.json: tokens_per_s: missing\n"
       "stepcast: p.json: tokens_per_s_per_gpu: missing\n"
       "stepcast: p.json: model_tflops_per_gpu: missing\n"
       "stepcast: p.json: hardware_tflops_per_gpu: missing\n"
       "stepcast: p.json: mfu: missing\n"
       "stepcast: p.json: hfu: missing\n"
       "stepcast: p.json: gpus: missing\n"
       "stepcast: p.json: micro_batches: missing\n"
       "stepcast: p.json: breakdown: missing\n"
       "stepcast: p.json: communication: missing\n"
       "stepcast: p.json: links: missing\n"
       "stepcast: p.json: warnings: missing\n"
       "stepcast: p.json: provenance: missing\n"
       "stepcast: p.json: memory: missing\n"
       "stepcast: p.json: basis: missing\n"
       "stepcast: p.json: inputs: missing\n"},
      {"problems in both runs",
       {"compare", "run.json", "b.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "0, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"},
        {"b.json",
         "{\"model\": \"llama-3-7b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: run.json: parallel.tensor: must be a whole number >= 1, found 0\n"
       "stepcast: b.json: model: no preset or file \"llama-3-7b\" (did you mean "
       "\"llama-3-8b\"?)\n"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

}  // namespace
}  // namespace stepcast::cli
