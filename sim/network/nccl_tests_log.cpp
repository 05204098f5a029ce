#include "sim/network/nccl_tests_log.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>
#include <sstream>

#include "common/errors.hpp"
#include "sim/cost/names.hpp"
#include "topologies/cluster.hpp"

namespace stepcast {
namespace {

constexpr std::size_t longest_line = 512;  // bytes; longer ones are no line of nccl-tests

// "0: ", "[0] ", "[1,0]<stdout>:", "host1: ", also several.
std::string without_launcher_prefix(const std::string& line) {
  static const std::regex prefix(
      R"(^\s*((\[[0-9]+(,[0-9]+)?\](<std(out|err)>)?:?|[0-9]+:|[A-Za-z][A-Za-z0-9_.-]*:))"
      R"((\s+|(?=#)|$))+)");
  return std::regex_replace(line, prefix, "", std::regex_constants::format_first_only);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> number(const std::string& word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool is_whole(const std::string& word) {
  return !word.empty() && std::all_of(word.begin() + (word[0] == '-' ? 1 : 0), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_word(const std::string& word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

// size, count and type: how a row begins.
bool begins_like_row(const std::vector<std::string>& words) {
  return words.size() >= 3 && is_whole(words[0]) && words[0][0] != '-' && is_whole(words[1]) &&
         is_word(words[2]);
}

// time, algbw and busbw behind type, redop (a word) and root (a whole number, before the time,
// which has decimals or is followed by two bandwidths).
std::optional<NcclTestsRow> row_of(const std::vector<std::string>& words) {
  std::size_t at = 3;
  if (at < words.size() && is_word(words[at])) ++at;
  const std::size_t left = words.size() - at;
  if (left == 5 || left == 9) ++at;
  if (words.size() < at + 3) return std::nullopt;
  const auto size = number(words[0]), time = number(words[at]), algbw = number(words[at + 1]),
             busbw = number(words[at + 2]);
  if (!size || !time || !algbw || !busbw || *time < 0.0 || *algbw < 0.0 || *busbw < 0.0)
    return std::nullopt;
  return NcclTestsRow{0, Bytes{*size}, Seconds{*time * 1e-6}, BytesPerSecond{*algbw * 1e9},
                      BytesPerSecond{*busbw * 1e9}};
}

// The program that a line speaks of: "... all_reduce_perf ...".
std::optional<CollectiveOp> program_of(const std::string& line) {
  static const std::regex program(R"(([a-z_]+)_perf)");
  std::smatch match;
  if (!std::regex_search(line, match, program)) return std::nullopt;
  return collective_op_named(match[1].str());
}

// "#  Rank 15 Group 0 Pid 1943538 on hostX device 7 [0xd8] NVIDIA H100 80GB HBM3"
void read_rank(const std::string& line, NcclTestsLog& log) {
  static const std::regex rank(R"(^#\s+Rank\s+([0-9]{1,7})\s.*\sdevice\s+[0-9]+\s+\[.*$)");
  std::smatch match;
  if (std::regex_match(line, match, rank))
    log.ranks = std::max(log.ranks, static_cast<std::int64_t>(std::stol(match[1])) + 1);
}

// Bounds of bus over algorithm bandwidth that all rows agree on; both are rounded to two decimals.
struct RatioBounds {
  double low = 0.0, high = 2.0;  // of any number of ranks
};
RatioBounds ratio_bounds(const std::vector<NcclTestsRow>& rows) {
  constexpr double half_digit = 0.005e9;
  RatioBounds bounds;
  for (const NcclTestsRow& row : rows) {
    const double algbw = row.algbw.value(), busbw = row.busbw.value();
    bounds.low = std::max(bounds.low, (busbw - half_digit) / (algbw + half_digit));
    if (algbw > half_digit)
      bounds.high = std::min(bounds.high, (busbw + half_digit) / (algbw - half_digit));
  }
  return bounds;
}

// The only number of ranks whose ratio is within the bounds, or 0. Ratios rise with the ranks.
std::int64_t ranks_within(CollectiveOp op, const RatioBounds& bounds) {
  std::int64_t found = 0;
  for (std::int64_t ranks = 2; ranks <= most_gpus; ++ranks) {
    const double ratio = bus_bandwidth_factor(op, ranks);
    if (ratio > bounds.high) break;
    if (ratio < bounds.low) continue;
    if (found != 0) return 0;
    found = ranks;
  }
  return found;
}

void deduce(NcclTestsLog& log) {
  const RatioBounds bounds = ratio_bounds(log.rows);
  if (!log.op && bounds.low > 1.0) log.op = CollectiveOp::all_reduce;
  if (log.ranks == 0 && log.op) log.ranks = ranks_within(*log.op, bounds);
}

}  // namespace

NcclTestsLog parse_nccl_tests_log(const std::string& file, const std::string& text) {
  NcclTestsLog log;
  std::istringstream stream(text);
  std::int64_t number_of_line = 0;
  for (std::string raw; std::getline(stream, raw);) {
    ++number_of_line;
    if (raw.size() > longest_line) continue;
    const std::string line = without_launcher_prefix(raw);
    if (!log.op) log.op = program_of(line);
    read_rank(line, log);
    const std::vector<std::string> words = words_of(line);
    if (!begins_like_row(words)) continue;
    if (auto row = row_of(words)) {
      row->line = number_of_line;
      if (row->size > Bytes{} && row->time > Seconds{}) log.rows.push_back(*row);
    } else {
      log.warnings.push_back("line " + std::to_string(number_of_line) +
                             ": begins like a row of nccl-tests but has no time and bandwidths");
    }
  }
  if (log.rows.empty())
    throw InputError(Problem{file, "",
                             "no line of results: expected what nccl-tests prints (size, count, "
                             "type, redop, root, time, algbw, busbw, #wrong)"});
  deduce(log);
  return log;
}

}  // namespace stepcast
