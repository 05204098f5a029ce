#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json_node.hpp"

namespace stepcast {

// The names under which Hugging Face files hold one fact, the usual one first; "a.b" is b inside a.
using Names = std::vector<std::string>;

namespace names {
inline const Names layers{"num_hidden_layers", "n_layer", "num_layers", "n_layers"};
inline const Names hidden{"hidden_size", "n_embd", "d_model", "n_embed", "model_dim"};
inline const Names heads{"num_attention_heads", "n_head", "n_heads", "num_heads"};
inline const Names kv_heads{"num_key_value_heads",
                            "num_kv_heads",
                            "n_head_kv",
                            "n_kv_heads",
                            "multi_query_group_num",
                            "num_query_groups",
                            "attn_config.kv_n_heads",
                            "num_key_value_head"};
inline const Names head_dim{"head_dim", "kv_channels", "attention_head_dim", "head_size"};
inline const Names ffn{"intermediate_size",          "n_inner",         "ffn_hidden_size",
                       "ffn_config.ffn_hidden_size", "ffn_dim",         "d_ff",
                       "inner_hidden_size",          "intermediate_dim"};
inline const Names vocabulary{"vocab_size", "padded_vocab_size", "n_vocab"};
inline const Names positions{
    "max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len",
    "max_sequence_length"};
inline const Names experts{"num_local_experts", "n_routed_experts", "num_experts",
                           "moe_num_experts",   "num_moe_experts",  "ffn_config.moe_num_experts"};
inline const Names experts_per_token{"num_experts_per_tok",
                                     "experts_per_token",
                                     "num_experts_per_token",
                                     "moe_top_k",
                                     "moe_topk",
                                     "moe_k",
                                     "top_k_experts",
                                     "num_selected_experts",
                                     "moe_router_topk",
                                     "ffn_config.moe_top_k"};
inline const Names expert_ffn{"moe_intermediate_size", "moe_ffn_hidden_size",
                              "expert_ffn_hidden_size", "expert_intermediate_size"};
}  // namespace names

// The first of the names that is present and not null.
[[nodiscard]] std::optional<Node> find_any(const Node& node, const Names& names);
// The name under which it was found, or the usual one.
[[nodiscard]] std::string name_found(const Node& node, const Names& names);

// Counts larger than this are a problem, so that products of a few of them fit into 64 bits.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 30;

// "hidden_size: missing (also known as n_embd, d_model)" and 1 if absent.
[[nodiscard]] std::int64_t count_of(const Node& node, const Names& names,
                                    std::optional<std::int64_t> fallback = std::nullopt);
[[nodiscard]] std::optional<std::int64_t> find_count(const Node& node, const Names& names);
// As find_count, and the most frequent value of a list.
[[nodiscard]] std::optional<std::int64_t> find_usual_count(const Node& node, const Names& names);
// 0 where absent; a count that may be 0.
[[nodiscard]] std::int64_t whole_of(const Node& node, const Names& names);
// `value`, or 1 and a problem at the name that the document uses if it is larger than `most`.
[[nodiscard]] std::int64_t at_most(std::int64_t most, std::int64_t value, const Node& node,
                                   const Names& names);
[[nodiscard]] std::optional<bool> find_bool(const Node& node, const Names& names);
[[nodiscard]] std::optional<double> find_number(const Node& node, const Names& names);
[[nodiscard]] std::string text_of(const Node& node, const Names& names);
// The strings of an array; empty where it is absent or something else.
[[nodiscard]] std::vector<std::string> texts_of(const Node& node, const Names& names);
// The whole numbers of an array, or of one number alone; empty where absent.
[[nodiscard]] std::vector<std::int64_t> integers_of(const Node& node, const Names& names);

// The value that occurs most often (of equals, the smallest); precondition: not empty.
[[nodiscard]] std::int64_t most_frequent(const std::vector<std::int64_t>& values);

}  // namespace stepcast
