#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/plan/search.hpp"

namespace stepcast {

// A unit's result as one line of JSON that reads back to the same bits.
[[nodiscard]] std::string unit_result_line(const UnitResult& result);
// Throws std::runtime_error on anything else.
[[nodiscard]] UnitResult unit_result_of(const std::string& line);

// Everything that a search's results depend on, as one line: another request has another key.
[[nodiscard]] std::string request_key(const SearchRequest& request);

// Results on disk as they come, so that a killed search goes on where it was: the request's key,
// then a line for each finished unit.
class SearchJournal {
 public:
  // Opens `path`, or starts it. Throws InputError if it belongs to another request,
  // EnvironmentError if it cannot be written. A last line that was cut off is dropped.
  SearchJournal(std::string path, const SearchRequest& request);

  [[nodiscard]] std::vector<UnitResult> results() const;  // so far, by unit
  // Unless it is there already.
  void append(const UnitResult& result);

 private:
  std::string path_;
  std::map<std::size_t, UnitResult> known_;
};

}  // namespace stepcast
