#include "reports/prediction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reports/breakdown.hpp"
#include "reports/stage_tables.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

std::string headline(const Prediction& p) {
  TextTable speed({{"step time (s)"}, {"p10-p90 (s)"}, {"tokens/s/GPU"}, {"tokens/s"}});
  speed.add_row({three_digits(p.step_p50.value()),
                 three_digits(p.step_p10.value()) + "-" + three_digits(p.step_p90.value()),
                 three_digits(p.tokens_per_s_per_gpu), three_digits(p.tokens_per_s)});
  TextTable use({{"FLOPs counted", Align::left}, {"TFLOP/s/GPU"}, {"of peak (%)"}});
  const auto add = [&](const char* name, FlopsPerSecond rate, double share) {
    use.add_row({name, three_digits(rate.value() / 1e12), percent(share)});
  };
  add("MFU, causal attention", p.model_flops_per_gpu_causal, p.mfu_causal);
  add("MFU, full attention", p.model_flops_per_gpu_full, p.mfu_full);
  add("HFU, with recompute", p.hardware_flops_per_gpu, p.hfu);
  return speed.str() + "\n" + use.str();
}

std::string communication_table(const Prediction& prediction) {
  TextTable table({{"group", Align::left},
                   {"operation", Align::left},
                   {"algorithm", Align::left},
                   {"ranks"},
                   {"GB per rank"},
                   {"calls"},
                   {"time (s)"},
                   {"exposed (s)"},
                   {"busbw (GB/s)"},
                   {"tier", Align::left}});
  for (const CommunicationTotal& total : prediction.communication)
    table.add_row({total.group, total.op, total.algorithm + "/" + total.protocol,
                   std::to_string(total.ranks), three_digits(total.bytes_per_rank.value() / 1e9),
                   std::to_string(total.calls), three_digits(total.time.value()),
                   three_digits(total.exposed.value()), three_digits(total.busbw.value() / 1e9),
                   total.tier});
  return table.empty() ? "" : table.str();
}

std::string link_table(const Prediction& prediction) {
  TextTable table({{"links", Align::left}, {"capacity (GB/s)"}, {"mean use (%)"}, {"peak (%)"}});
  for (const LinkUtilisation& link : prediction.links)
    table.add_row({link.tier, three_digits(link.capacity.value() / 1e9), percent(link.mean),
                   percent(link.peak)});
  return table.empty() ? "" : table.str();
}

std::string basis_line(const BasisShares& basis) {
  return fmt::format(
      "costs, % of busy time: {} measured, {} interpolated, {} extrapolated, {} analytical\n",
      percent(basis.measured), percent(basis.interpolated), percent(basis.extrapolated),
      percent(basis.analytical));
}

std::string coloured(const std::string& text, MemoryVerdict verdict, Colour colour) {
  if (colour == Colour::no) return text;
  const char* code = verdict == MemoryVerdict::fits    ? "\033[32m"
                     : verdict == MemoryVerdict::tight ? "\033[33m"
                                                       : "\033[31m";
  return code + text + "\033[0m";
}

std::string inputs_table(const Forecast& forecast) {
  TextTable table({{"input", Align::left}, {"value", Align::left}});
  for (const auto& [path, value] : forecast.inputs) table.add_row({path, value});
  return table.empty() ? "" : table.str();
}

}  // namespace

std::string memory_sentence(const Prediction& p) {
  if (p.memory.empty()) return "no memory forecast";
  const StageMemory& stage = p.memory[fullest_stage(p)];
  const double need = memory_needed(p).value();
  const double capacity = p.memory_capacity.value();
  const double free = capacity - need;
  const char* verdict = p.verdict == MemoryVerdict::fits    ? "fits"
                        : p.verdict == MemoryVerdict::tight ? "tight"
                                                            : "out of memory";
  return fmt::format("{}: {} of {} GiB, {} GiB ({} %) {} on stage {}", verdict, gib(need),
                     gib(capacity), gib(std::abs(free)), percent(std::abs(free) / capacity),
                     free < 0 ? "too much" : "free", stage.stage);
}

std::string prediction_text(const Forecast& forecast, const TextOptions& options) {
  const Prediction& p = forecast.prediction;
  std::vector<std::string> parts{configuration_line(forecast) + "\n",
                                 headline(p),
                                 breakdown_table(p),
                                 communication_table(p),
                                 link_table(p),
                                 memory_table(p)};
  std::string verdict = coloured(memory_sentence(p), p.verdict, options.colour) + "\n";
  parts.push_back("memory " + verdict);
  parts.push_back(alive_table(p, 6));
  parts.push_back(basis_line(p.basis));
  std::string warnings;
  for (const Warning& warning : p.warnings)
    warnings += "warning (" + warning.code + "): " + warning.message + "\n";
  parts.push_back(warnings);
  if (options.inputs == ShowInputs::yes) parts.push_back(inputs_table(forecast));
  std::erase(parts, "");
  return join(parts, "\n");
}

}  // namespace stepcast
