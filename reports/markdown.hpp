#pragma once

#include <string>
#include <vector>

namespace stepcast {

// Text of a user (a model's name, a path, a message) as plain words of GitHub Markdown: what
// Markdown or HTML would read as markup is escaped, an "@" calls nobody, line breaks become blanks
// and other control characters are dropped.
[[nodiscard]] std::string markdown_text(const std::string& text);

// A GitHub table; cells are escaped by markdown_text. A column of numbers is aligned to the right.
// Precondition: one cell a header in each row.
[[nodiscard]] std::string markdown_table(const std::vector<std::string>& headers,
                                         const std::vector<std::vector<std::string>>& rows);

}  // namespace stepcast
