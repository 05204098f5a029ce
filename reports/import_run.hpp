#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/foreign_settings.hpp"

namespace stepcast {

// What the command line says beside the file; it wins over the file.
struct ImportOptions {
  std::optional<std::int64_t> gpus;
  std::string cluster;  // "dgx-h100:8", "dgx-h100" for as many servers as `gpus` need, path
  std::string model;    // in place of the model in the file
  std::vector<std::string> set;  // "training.sequence_length=4096"
};

[[nodiscard]] std::vector<std::string> import_formats();

// The run document (docs/run.md) of another framework's file. `format` is one of import_formats();
// a file that `stepcast export` wrote also says which cluster it was written for. The document has
// been read as a run once: only that it cannot be simulated yet, or that its sequence length is
// missing, becomes a remark. Remarks also name what was read in another sense and what was not
// used. Throws InputError with every problem.
[[nodiscard]] nlohmann::json import_run(const std::string& format, const std::string& file,
                                        const std::string& text, const ImportOptions& options,
                                        std::vector<std::string>& remarks);

// What an exported file keeps beside the framework's own settings ("# stepcast: {...}"): values by
// path in the run document ("cluster", "parallel.schedule") and the number of GPUs ("gpus").
inline constexpr std::string_view note_mark = "# stepcast: ";

// Sets parallel.data to the GPUs that tensor, pipeline and context leave; problem at "--gpus" when
// they leave none or a part.
void set_data_degree(ForeignSettings& settings, std::int64_t gpus, nlohmann::json& document);

// Layers of the longest pipeline chunk when they are divided evenly.
[[nodiscard]] std::int64_t layers_per_chunk(const nlohmann::json& document, std::int64_t layers);

}  // namespace stepcast
