#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stepcast {

// What a number of an advice is, so that a report can write it for people. SI base units.
enum class FactUnit {
  count,  // sequences, layers, GPUs...
  tokens,
  ratio,  // 0.268
  share,  // written as percent
  bytes,
  seconds,
  bytes_per_second,
  flops_per_second,
  text  // a name or a list; not translated
};

struct Fact {
  std::string name;
  double value = 0.0;
  FactUnit unit = FactUnit::count;
  std::string text{};  // of FactUnit::text
};

// Something to say, without words: a report has a sentence for each id in each language and puts
// the facts into it.
struct Statement {
  std::string id;
  std::vector<Fact> facts;
};

[[nodiscard]] inline Fact text_fact(std::string name, std::string text) {
  return {std::move(name), 0.0, FactUnit::text, std::move(text)};
}

[[nodiscard]] inline Fact count_fact(std::string name, std::int64_t value) {
  return {std::move(name), static_cast<double>(value), FactUnit::count, {}};
}

}  // namespace stepcast
