#pragma once

#include <string>
#include <vector>

#include "reports/foreign_settings.hpp"

namespace stepcast {

// What a launch script says, without running it.
struct ShellScript {
  std::vector<std::string> words;      // of its commands, in order
  std::vector<std::string> documents;  // its here-documents ("<<EOF")
};

// Reads a shell script, or bare arguments: comments, line continuations, quotes, variables and
// arrays that the file itself sets, "${NAME:-default}", here-documents, and a command quoted within
// another. What the file does not define stays as "$NAME". Nothing is executed: every branch of an
// `if` is read, $(...) stays as it is, $((...)) is computed. A file that only sets variables yields
// their values as words. Throws InputError when variables grow beyond any real script.
[[nodiscard]] ShellScript read_shell(const std::string& file, const std::string& text);

// The "--name value ...", "--name=value" and "--name" among the words; "_" in names is "-".
[[nodiscard]] Settings arguments_of(const std::vector<std::string>& words);

}  // namespace stepcast
