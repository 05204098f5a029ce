// The house is tidy: who may include whom, what a file looks like, and that each source has a test.
// The rules are functions from a file's path and text to complaints, so that the first half of this
// file can show each of them failing; the last test holds the tree itself against all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using Complaints = std::vector<std::string>;

struct Source {
  std::string path;  // from the root, with slashes
  std::string text;
};

// A room and the rooms whose headers it may see, itself apart.
const std::map<std::string, std::set<std::string>>& include_table() {
  static const std::map<std::string, std::set<std::string>> table{
      {"common", {}},
      {"models", {"common"}},
      {"topologies", {"common"}},
      {"kernels", {"common"}},
      {"sim/engine", {"common"}},
      {"sim/cost", {"common", "models"}},
      {"sim/parallel", {"common", "models", "topologies"}},
      {"sim/network", {"common", "models", "topologies", "sim/cost", "sim/parallel"}},
      {"sim/memory", {"common", "models", "topologies", "sim/cost", "sim/parallel"}},
      {"sim/program",
       {"common", "models", "topologies", "sim/cost", "sim/parallel", "sim/network", "sim/memory"}},
      {"sim/predict",
       {"common", "models", "topologies", "sim/engine", "sim/cost", "sim/parallel", "sim/network",
        "sim/memory", "sim/program"}},
      {"sim/plan",
       {"common", "models", "topologies", "sim/engine", "sim/cost", "sim/parallel", "sim/network",
        "sim/memory", "sim/program", "sim/predict"}},
      {"calibrate",
       {"common", "models", "topologies", "kernels", "sim/cost", "sim/parallel", "sim/network",
        "sim/memory", "sim/program"}},
      {"reports",
       {"common", "models", "topologies", "sim/engine", "sim/cost", "sim/parallel", "sim/network",
        "sim/memory", "sim/program", "sim/predict", "sim/plan"}},
      {"cli",
       {"common", "models", "topologies", "kernels", "sim/engine", "sim/cost", "sim/parallel",
        "sim/network", "sim/memory", "sim/program", "sim/predict", "sim/plan", "calibrate",
        "reports"}}};
  return table;
}

// Files that are one table of constants, which may be as long as the table.
const std::set<std::string>& long_tables() {
  static const std::set<std::string> files{};
  return files;
}

// "sim/engine" of "sim/engine/engine.hpp"; "" outside the house.
std::string room_of(const std::string& path) {
  for (const auto& [room, visible] : include_table()) {
    if (path.starts_with(room + "/")) return room;
  }
  return "";
}

bool is_header(const std::string& path) { return path.ends_with(".hpp") || path.ends_with(".cuh"); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The name between the quotes or brackets of an #include line, or "".
std::string included(const std::string& line) {
  const std::string directive = "#include ";
  if (!line.starts_with(directive) || line.size() < directive.size() + 2) return "";
  const auto end = line.find_last_of("\">");
  return line.substr(directive.size() + 1, end - directive.size() - 1);
}

Complaints check_includes(const Source& source) {
  Complaints complaints;
  const std::string room = room_of(source.path);
  if (room.empty()) return complaints;
  for (const std::string& line : lines_of(source.text)) {
    const std::string target = room_of(included(line));
    if (target.empty() || target == room || include_table().at(room).contains(target)) continue;
    complaints.push_back(source.path + ": " + room + " may not include " + target);
  }
  return complaints;
}

Complaints check_vendor_headers(const Source& source) {
  static const std::vector<std::string> heavy{
      "nlohmann/json.hpp", "boost/", "CLI/", "cuda", "cublas", "nccl", "mpi.h"};
  Complaints complaints;
  if (room_of(source.path).empty() || !is_header(source.path)) return complaints;
  for (const std::string& line : lines_of(source.text)) {
    const std::string name = included(line);
    if (std::ranges::any_of(heavy, [&](const auto& start) { return name.starts_with(start); }))
      complaints.push_back(source.path + ": " + name + " belongs in a .cpp");
  }
  return complaints;
}

std::size_t columns(const std::string& line) {  // of UTF-8 text
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

Complaints check_layout(const Source& source) {
  // Written in halves, for this file is checked too.
  static const std::vector<std::string> unfinished{std::string("TO") + "DO",
                                                   std::string("FIX") + "ME"};
  Complaints complaints;
  const auto lines = lines_of(source.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = source.path + ":" + std::to_string(i + 1);
    if (columns(lines[i]) > 100) complaints.push_back(where + ": longer than 100 columns");
    for (const auto& word : unfinished) {
      if (lines[i].find(word) != std::string::npos) complaints.push_back(where + ": " + word);
    }
    if (is_header(source.path) && lines[i].starts_with("using namespace"))
      complaints.push_back(where + ": using namespace in a header");
  }
  if (lines.size() > 400 && !long_tables().contains(source.path))
    complaints.push_back(source.path + ": longer than 400 lines");
  if (is_header(source.path) && (lines.empty() || lines.front() != "#pragma once"))
    complaints.push_back(source.path + ": does not begin with #pragma once");
  return complaints;
}

// Functions outside classes, found by clang-format's layout: they open and close in the first
// column, and nothing between does.
Complaints check_function_length(const Source& source) {
  Complaints complaints;
  if (room_of(source.path).empty()) return complaints;
  const auto lines = lines_of(source.text);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == "}" && i - first + 1 > 70)
      complaints.push_back(source.path + ":" + std::to_string(first + 1) + ": over 70 lines");
    if (!lines[i].empty() && lines[i].front() != ' ') first = i;
  }
  return complaints;
}

// cli/*.cpp is exercised through the command itself, by tests/cli.
bool needs_test(const std::string& path) {
  const std::string room = room_of(path);
  return path.ends_with(".cpp") && !room.empty() && room != "cli";
}

std::string test_of(const std::string& path) {
  return "tests/" + path.substr(0, path.size() - std::string(".cpp").size()) + "_test.cpp";
}

Complaints check_tests(const std::set<std::string>& paths) {
  Complaints complaints;
  for (const auto& path : paths) {
    if (needs_test(path) && !paths.contains(test_of(path)))
      complaints.push_back(path + ": no " + test_of(path));
  }
  return complaints;
}

// Two headers that define one name differently break every program that includes both somewhere.
Complaints check_type_names(const std::vector<Source>& sources) {
  std::map<std::string, std::string> homes;
  Complaints complaints;
  for (const Source& source : sources) {
    if (!source.path.ends_with(".hpp") || source.path.starts_with("tests/")) continue;
    std::string space;
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kind, name;
      words >> kind >> name;
      if (kind == "enum") words >> name;
      if (!line.starts_with(kind) || !line.ends_with("{")) continue;
      if (kind == "namespace") space = name;
      if (kind != "struct" && kind != "class" && kind != "enum") continue;
      const auto [home, first] = homes.emplace(space + "::" + name, source.path);
      if (!first)
        complaints.push_back(source.path + ": " + home->first + " is already in " + home->second);
    }
  }
  return complaints;
}

Complaints check_all(const std::vector<Source>& sources) {
  Complaints complaints;
  std::set<std::string> paths;
  for (const auto& source : sources) {
    paths.insert(source.path);
    for (const auto& check :
         {check_includes, check_vendor_headers, check_layout, check_function_length}) {
      const auto found = check(source);
      complaints.insert(complaints.end(), found.begin(), found.end());
    }
  }
  const auto untested = check_tests(paths);
  complaints.insert(complaints.end(), untested.begin(), untested.end());
  const auto clashes = check_type_names(sources);
  complaints.insert(complaints.end(), clashes.begin(), clashes.end());
  return complaints;
}

std::vector<Source> read_house() {
  static const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh"};
  static const std::vector<std::string> folders{
      "common", "models", "topologies", "kernels", "sim", "calibrate", "reports", "cli", "tests"};
  const fs::path root = STEPCAST_SOURCE_DIR;
  std::vector<Source> sources;
  for (const auto& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!kinds.contains(entry.path().extension().string())) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      sources.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
    }
  }
  return sources;
}

TEST(IncludeTable, NamesTheUpwardInclude) {
  EXPECT_THAT(check_includes({"common/units.hpp", "#include \"models/load.hpp\"\n"}),
              ElementsAre("common/units.hpp: common may not include models"));
  EXPECT_THAT(check_includes({"sim/engine/a.cpp", "#include \"sim/cost/profile.hpp\"\n"}),
              ElementsAre("sim/engine/a.cpp: sim/engine may not include sim/cost"));
  EXPECT_THAT(check_includes({"sim/plan/a.cpp", "#include \"kernels/probe.hpp\"\n"}),
              ElementsAre("sim/plan/a.cpp: sim/plan may not include kernels"));
}

TEST(IncludeTable, AllowsDownwardInclude) {
  EXPECT_THAT(check_includes({"cli/a.cpp", "#include \"reports/text.hpp\"\n#include <map>\n"}),
              IsEmpty());
  EXPECT_THAT(check_includes({"sim/cost/a.cpp", "#include \"sim/cost/profile.hpp\"\n"}), IsEmpty());
}

TEST(IncludeTable, HasNoCycle) {
  // Whoever a room may include may not include the room.
  for (const auto& [room, visible] : include_table()) {
    for (const auto& lower : visible)
      EXPECT_FALSE(include_table().at(lower).contains(room)) << room << " and " << lower;
  }
}

TEST(VendorHeaders, BelongInSourceFiles) {
  const std::string text = "#pragma once\n#include <nlohmann/json.hpp>\n";
  EXPECT_THAT(check_vendor_headers({"models/load.hpp", text}),
              ElementsAre("models/load.hpp: nlohmann/json.hpp belongs in a .cpp"));
  EXPECT_THAT(check_vendor_headers({"models/load.cpp", text}), IsEmpty());
  EXPECT_THAT(check_vendor_headers({"models/a.hpp", "#include <nlohmann/json_fwd.hpp>\n"}),
              IsEmpty());
}

TEST(Layout, CountsColumnsNotBytes) {
  EXPECT_THAT(check_layout({"a.cpp", std::string(101, 'x') + "\n"}),
              ElementsAre("a.cpp:1: longer than 100 columns"));
  std::string micro;
  for (int i = 0; i < 100; ++i) micro += "\u00b5";  // two bytes each
  EXPECT_THAT(check_layout({"a.cpp", micro + "\n"}), IsEmpty());
}

TEST(Layout, RefusesUnfinishedWork) {
  const std::string word = std::string("TO") + "DO";
  EXPECT_THAT(check_layout({"a.cpp", "int x;\n// " + word + ": more\n"}),
              ElementsAre("a.cpp:2: " + word));
}

TEST(Layout, WantsPragmaOnceFirst) {
  EXPECT_THAT(check_layout({"a.hpp", "// words\n#pragma once\n"}),
              ElementsAre("a.hpp: does not begin with #pragma once"));
  EXPECT_THAT(check_layout({"a.hpp", "#pragma once\n"}), IsEmpty());
}

TEST(Layout, RefusesUsingNamespaceInHeaders) {
  EXPECT_THAT(check_layout({"a.hpp", "#pragma once\nusing namespace std;\n"}),
              ElementsAre("a.hpp:2: using namespace in a header"));
}

TEST(Layout, RefusesLongFiles) {
  std::string text;
  for (int i = 0; i < 401; ++i) text += "int x;\n";
  EXPECT_THAT(check_layout({"a.cpp", text}), ElementsAre("a.cpp: longer than 400 lines"));
}

TEST(FunctionLength, CountsFromSignatureToBrace) {
  std::string body = "\n";
  for (int i = 0; i < 68; ++i) body += "  f();\n";
  const std::string before = "#include <map>\n\n";
  EXPECT_THAT(check_function_length({"cli/a.cpp", before + "void g() {\n" + body + "}\n"}),
              ElementsAre("cli/a.cpp:3: over 70 lines"));
  const std::string half = body.substr(0, body.size() / 2);
  const std::string two = "void g() {\n" + half + "}\nvoid h() {\n" + half + "}\n";
  EXPECT_THAT(check_function_length({"cli/a.cpp", before + two}), IsEmpty());
}

TEST(TypeNames, MeanOneThing) {
  const std::string type = "namespace stepcast {\nstruct Point {\n};\n";
  EXPECT_THAT(check_type_names({{"a.hpp", type}, {"b.hpp", type}}),
              ElementsAre("b.hpp: stepcast::Point is already in a.hpp"));
  EXPECT_THAT(check_type_names({{"a.hpp", type}, {"b.cpp", type}}), IsEmpty());
  EXPECT_THAT(check_type_names({{"a.hpp", type}, {"b.hpp", "namespace other {\nstruct Point {\n"}}),
              IsEmpty());
}

TEST(TestFiles, MirrorTheSources) {
  EXPECT_THAT(check_tests({"sim/engine/engine.cpp"}),
              ElementsAre("sim/engine/engine.cpp: no tests/sim/engine/engine_test.cpp"));
  EXPECT_THAT(check_tests({"sim/engine/engine.cpp", "tests/sim/engine/engine_test.cpp"}),
              IsEmpty());
  EXPECT_THAT(check_tests({"cli/main.cpp", "common/units.hpp"}), IsEmpty());
}

TEST(House, IsTidy) {
  const auto sources = read_house();
  ASSERT_FALSE(sources.empty());
  for (const auto& complaint : check_all(sources)) ADD_FAILURE() << complaint;
}

}  // namespace
