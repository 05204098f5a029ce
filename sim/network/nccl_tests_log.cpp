#include "sim/network/nccl_tests_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>
#include <sstream>
#include <utility>

#include "common/errors.hpp"

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

std::optional<CollectiveOp> named_op(const std::string& line) {
  static const std::array<std::pair<const char*, CollectiveOp>, 6> programs{
      {{"all_reduce_perf", CollectiveOp::all_reduce},
       {"all_gather_perf", CollectiveOp::all_gather},
       {"reduce_scatter_perf", CollectiveOp::reduce_scatter},
       {"alltoall_perf", CollectiveOp::all_to_all},
       {"broadcast_perf", CollectiveOp::broadcast},
       {"sendrecv_perf", CollectiveOp::send_recv}}};
  for (const auto& [program, op] : programs)
    if (line.find(program) != std::string::npos) return op;
  return std::nullopt;
}

// "#  Rank 15 Group 0 Pid 1943538 on hostX device 7 [0xd8] NVIDIA H100 80GB HBM3"
void read_rank(const std::string& line, NcclTestsLog& log) {
  static const std::regex rank(
      R"(^#\s+Rank\s+([0-9]{1,7})\s.*\sdevice\s+[0-9]+\s+\[[^\]]*\]\s*(.*\S)?\s*$)");
  std::smatch match;
  if (!std::regex_match(line, match, rank)) return;
  log.ranks = std::max(log.ranks, static_cast<std::int64_t>(std::stol(match[1])) + 1);
  if (log.gpu.empty()) log.gpu = match[2];
}

// Bus over algorithm bandwidth, from the row that states it most exactly.
double bandwidth_ratio(const std::vector<NcclTestsRow>& rows) {
  const auto exact = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.algbw < b.algbw; });
  return exact->algbw.value() > 0.0 ? exact->busbw / exact->algbw : 0.0;
}

void deduce(NcclTestsLog& log) {
  const double ratio = bandwidth_ratio(log.rows);
  constexpr double rounding = 0.02;  // of two decimals
  if (!log.op && ratio > 1.0 + rounding) log.op = CollectiveOp::all_reduce;
  if (log.ranks < 2) log.ranks = 0;
  if (log.ranks == 0 && log.op == CollectiveOp::all_reduce && ratio > 0.9 && ratio < 1.999)
    log.ranks = std::llround(2.0 / (2.0 - ratio));
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
    if (!log.op) log.op = named_op(line);
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
