#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/foreign_settings.hpp"

namespace stepcast {

// How a framework spells one field of a run. Export writes by these rows and import reads by them.
struct FlagRow {
  enum class Form {
    count,    // a whole number
    number,   // any number
    word,     // one of `words`
    present,  // a switch: there when the field is true
    missing,  // a switch: there when the field is false
    boolean   // true or false, written out
  };
  std::string path;  // in the run document, "parallel.tensor"
  std::string key;   // of the framework: an argument "--num-layers", else "section.key"
  Form form = Form::count;
  std::string absent;  // the run's value when the framework is told nothing; "": the run's default
  std::vector<std::pair<std::string, std::string>> words{};  // the run's word, the framework's
};
using FlagRows = std::vector<FlagRow>;

// Sources: NVIDIA/Megatron-LM megatron/training/arguments.py (d98e8a6); pytorch/torchtitan
// torchtitan/config/job_config.py (238fa99, the last with TOML files); deepspeedai/DeepSpeed
// runtime/config.py and deepspeedai/Megatron-DeepSpeed megatron/arguments.py (f4157be).
[[nodiscard]] const FlagRows& megatron_rows();
[[nodiscard]] const FlagRows& megatron_model_rows();
[[nodiscard]] const FlagRows& torchtitan_rows();
[[nodiscard]] const FlagRows& deepspeed_rows();
[[nodiscard]] const FlagRows& deepspeed_model_rows();

// Sets each row's field of the document from the settings.
void read_rows(const FlagRows& rows, ForeignSettings& settings, nlohmann::json& document);
// The settings of the document's fields. A field that is absent is left out, and so is a word
// that the framework has no name for.
[[nodiscard]] Settings write_rows(const FlagRows& rows, const nlohmann::json& document);

// The member at "parallel.tensor", made where it is absent.
[[nodiscard]] nlohmann::json& member_at(nlohmann::json& document, const std::string& path);
// The same in a document that is only read; null where absent.
[[nodiscard]] const nlohmann::json& member_in(const nlohmann::json& document,
                                              const std::string& path);

}  // namespace stepcast
