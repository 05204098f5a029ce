#include "reports/html_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/prediction_json.hpp"
#include "tests/reports/report_fixtures.hpp"

namespace stepcast {
namespace {

using namespace report_fixtures;
using nlohmann::json;

#define STEPCAST_NEEDS_HTML() \
  if (!html_reports_missing().empty()) GTEST_SKIP() << html_reports_missing()

// What the page's own script reads.
json documents_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"documents\">";
  const std::size_t from = page.find(open) + open.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(HtmlReport, HoldsTheDocumentsAsTheyAre) {
  STEPCAST_NEEDS_HTML();
  const json prediction = to_json(small_prediction(), small_run());
  const json other{{"format", "stepcast.other"}, {"name", "\u00e9 \u2028 \\u003c"}};
  EXPECT_EQ(documents_of(html_report({prediction, other})), (json{prediction, other}));
  EXPECT_EQ(documents_of(html_report({})), json::array());
}

TEST(HtmlReport, NamesCannotLeaveTheirString) {
  STEPCAST_NEEDS_HTML();
  for (const char* name :
       {"</script><script>alert(1)</script>", "<!--<script>", "\"'`&<img src=x>"}) {
    const json document{{"format", "stepcast.other"}, {"name", name}};
    const std::string page = html_report({document});
    EXPECT_EQ(documents_of(page)[0], document);
    EXPECT_EQ(page.size() - html_report({}).size(), [&] {
      std::size_t size = document.dump().size();
      for (const char c : document.dump()) size += c == '<' ? 5 : 0;  // "<" becomes 6 characters
      return size;
    }());
  }
}

TEST(HtmlReport, ReplacesBytesThatAreNotText) {
  STEPCAST_NEEDS_HTML();
  EXPECT_EQ(documents_of(html_report({json{{"name", "a\xff"}}}))[0]["name"], "a\ufffd");
}

TEST(HtmlReport, RefersToNothingOutside) {
  STEPCAST_NEEDS_HTML();
  const std::string page = html_report({});
  EXPECT_EQ(page.find("src=\"/"), std::string::npos);
  EXPECT_EQ(page.find("<link rel=\"stylesheet\""), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(HtmlReport, SaysWhyThereIsNone) {
  EXPECT_EQ(html_reports_missing().empty(), !embedded_html_template().empty());
}

}  // namespace
}  // namespace stepcast
