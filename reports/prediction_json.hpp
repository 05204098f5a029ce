#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/forecast.hpp"

namespace stepcast {

// A stepcast.prediction document, version 1 (schemas/prediction.json). Keys are sorted and numbers
// written so that they read back exactly: equal predictions give equal bytes.
[[nodiscard]] nlohmann::json to_json(const Prediction& prediction, const Run& run);

// Reads such a document back (the memory timeline is not part of it). Throws InputError with every
// problem; `file` names it in messages and becomes the label.
[[nodiscard]] Forecast forecast_from_json(const std::string& file, const nlohmann::json& document);

// Two spaces of indentation and a final newline. Bytes that are not UTF-8 (of a file's name)
// become U+FFFD.
[[nodiscard]] std::string document_text(const nlohmann::json& document);

}  // namespace stepcast
