#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "reports/html_report.hpp"
#include "tests/cli/run_cli.hpp"

namespace stepcast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json documents_of(const std::string& page) {
  const std::string open = "id=\"documents\">";
  const std::size_t from = page.find(open) + open.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Html, OfAPredictionHoldsTheDocumentThatJsonWritesAndItsTimeline) {
  if (!html_reports_missing().empty()) GTEST_SKIP() << html_reports_missing();
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--html",
                       folder.path("page.html"), "--json", folder.path("p.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json documents = documents_of(read(folder.path("page.html")));
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0], json::parse(read(folder.path("p.json"))));
  EXPECT_EQ(documents[1]["format"], "stepcast.timeline");
  EXPECT_EQ(documents[1]["stages"].size(), 2U);
}

TEST(Html, OfAComparisonHoldsTheDocumentThatJsonWrites) {
  if (!html_reports_missing().empty()) GTEST_SKIP() << html_reports_missing();
  const Folder folder;
  const std::string a = folder.file("a.json", small_run_text);
  const std::string b = folder.file("b.json", small_run_text);
  const Ran ran =
      run({"compare", a, b, "--html", folder.path("page.html"), "--json", folder.path("c.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(documents_of(read(folder.path("page.html"))),
            json::array({json::parse(read(folder.path("c.json")))}));
}

TEST(Html, IsTheSameBytesForTheSameRun) {
  if (!html_reports_missing().empty()) GTEST_SKIP() << html_reports_missing();
  const Folder folder;
  const std::string file = folder.file("run.json", small_run_text);
  for (const char* name : {"a.html", "b.html"})
    EXPECT_EQ(run({"predict", file, "--html", folder.path(name)}).code, 0);
  EXPECT_EQ(read(folder.path("a.html")), read(folder.path("b.html")));
}

TEST(Html, WantsAFile) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--html", "-"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "stepcast: --html: must be a file, found \"-\"\n");
}

TEST(Html, SaysBeforeTheWorkThatItCannotBeWritten) {
  const Folder folder;
  const Ran ran = run({"predict", folder.file("run.json", small_run_text), "--html",
                       folder.path("missing/page.html")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  const std::string reason(html_reports_missing());
  EXPECT_THAT(ran.err, HasSubstr(reason.empty() ? "cannot write " : reason));
}

}  // namespace
}  // namespace stepcast::cli
