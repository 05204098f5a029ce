#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/parallel/run_json.hpp"
#include "sim/plan/search_request.hpp"
#include "tests/sim/plan/plan_fixtures.hpp"

namespace stepcast::test {

// What to advise on: a preset on servers of eight H100.
inline SearchRequest advice_request(const std::string& model, int servers,
                                    std::int64_t sequence_length, std::int64_t global_batch,
                                    const std::vector<std::string>& overrides = {}) {
  nlohmann::json document{
      {"model", model},
      {"cluster", "dgx-h100:" + std::to_string(servers)},
      {"training", {{"sequence_length", sequence_length}, {"global_batch", global_batch}}}};
  Run base = parse_search_base("advice", with_overrides(document, overrides));
  base.overlap = {true, true, false, true};
  SearchRequest request;
  request.bases.push_back(std::move(base));
  request.top = 3;
  return request;
}

}  // namespace stepcast::test
