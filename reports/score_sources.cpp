#include "reports/score_sources.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace stepcast {

std::string source_family(const std::string& source) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> families{{
      {"VIA-Research/vTrain data/ground_truth_multi", "vTrain multi-node"},
      {"VIA-Research/vTrain data/ground_truth_single", "vTrain single-node"},
      {"Korthikanti et al. 2022 (arXiv 2205.05198) Table 5", "Korthikanti 2022 Table 5"},
      {"Korthikanti et al. 2022 Figure 1", "Korthikanti 2022 Figure 1"},
      {"Korthikanti et al. 2022 abstract", "Korthikanti 2022 abstract"},
      {"Narayanan et al. SC'21", "Megatron SC'21 Table 1"},
      {"Smith et al. 2022 (arXiv 2201.11990)", "MT-NLG 530B"},
  }};
  for (const auto& [prefix, family] : families)
    if (source.starts_with(prefix)) return std::string(family);
  const std::string first_word = source.substr(0, source.find(' '));
  if (first_word.find('/') != std::string::npos) return first_word;
  std::size_t end = source.size();
  for (const char* mark : {" row ", " (", " \"", ": ", "; "})
    end = std::min(end, source.find(mark));
  return source.substr(0, end);
}

}  // namespace stepcast
