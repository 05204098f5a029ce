#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/advice_words.hpp"
#include "sim/plan/advice.hpp"

namespace stepcast {

// A stepcast.advice document (schemas/advice.json); its sentences are in the language.
[[nodiscard]] nlohmann::json to_json(const Advice& advice, const SearchRequest& request,
                                     Language language);

}  // namespace stepcast
