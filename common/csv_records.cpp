#include "common/csv_records.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

// Splits text into records. Reports a quote that is never closed.
class Splitter {
 public:
  Splitter(const std::string& text, std::vector<Problem>& problems, std::string file)
      : text_(text), problems_(problems), file_(std::move(file)) {}

  std::vector<CsvRecord> split() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      CsvRecord record = next();
      const bool blank = record.cells.size() == 1 && record.cells.front().empty();
      if (!blank) records.push_back(std::move(record));
    }
    return records;
  }

 private:
  CsvRecord next() {
    CsvRecord record{line_, {}};
    while (true) {
      record.cells.push_back(peek() == '"' ? quoted() : plain());
      if (peek() != ',') break;
      ++at_;
    }
    if (peek() == '\r') ++at_;
    if (peek() == '\n') {
      ++at_;
      ++line_;
    }
    return record;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  std::string quoted() {
    const std::size_t opened = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[at_++];
      } else {
        ++at_;
        return cell + plain();  // text after the closing quote is kept
      }
    }
    problems_.push_back({file_, "line " + std::to_string(opened), "a quoted cell is never closed"});
    return cell;
  }

  const std::string& text_;
  std::vector<Problem>& problems_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<CsvRecord> split_csv(const std::string& file, const std::string& text,
                                 std::vector<Problem>& problems) {
  return Splitter(text, problems, file).split();
}

}  // namespace stepcast
