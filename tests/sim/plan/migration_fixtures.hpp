#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/parallel/run_json.hpp"

namespace stepcast::migration_fixtures {

// Four layers whose sizes are easy to add up, on `gpus` GPUs of H100 servers. Elements:
//   linear_qkv  (8 + 2 * 4) * 8 = 128 rows x 64   8192
//   linear_proj                     64 x 64       4096
//   linear_fc1  2 * 128 =          256 rows x 64 16384
//   linear_fc2                      64 x 128      8192    split over tensor ranks: 36864 a layer
//   two norms                       2 * 64         128    replicated
//   word embedding, LM head       1024 x 64      65536    each; no padding up to 8 tensor ranks
//   final norm                                      64
inline constexpr std::int64_t layer_split = 36864, layer_norms = 128, table = 65536,
                              final_norm = 64;
inline constexpr std::int64_t layer = layer_split + layer_norms;
inline constexpr std::int64_t whole_model = 4 * layer + 2 * table + final_norm;  // 279104

inline Run tiny_run(int gpus, const std::vector<std::string>& assignments = {}) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "model": {"name": "tiny", "layers": 4, "hidden": 64, "heads": 8, "kv_heads": 4, "ffn": 128,
              "vocabulary": 1024},
    "training": {"sequence_length": 128, "global_batch": 16}})");
  document["cluster"] = {{"server", "dgx-h100"}, {"gpus", gpus}};
  return parse_run("run.json", with_overrides(std::move(document), assignments));
}

// Of bf16 training: 2 bytes a parameter; 4 for the master copy and 2 * 4 for the moments.
inline constexpr double parameter_bytes = 2, optimizer_bytes = 12;

}  // namespace stepcast::migration_fixtures
