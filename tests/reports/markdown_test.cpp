#include "reports/markdown.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(MarkdownText, LeavesPlainWordsAlone) {
  EXPECT_EQ(markdown_text("llama-3-70b on 64 GPUs, TP 4 (5 virtual): 14.3 s, 52.1 %"),
            "llama-3-70b on 64 GPUs, TP 4 (5 virtual): 14.3 s, 52.1 %");
}

TEST(MarkdownText, EscapesWhatMarkdownAndHtmlReadAsMarkup) {
  EXPECT_EQ(markdown_text("a|b"), "a\\|b");
  EXPECT_EQ(markdown_text("`rm -rf`"), "\\`rm -rf\\`");
  EXPECT_EQ(markdown_text("<script>x</script>"), "\\<script\\>x\\</script\\>");
  EXPECT_EQ(markdown_text("![i](u) **b** _c_ ~d~ # $e$ &lt; {f}"),
            "\\!\\[i\\](u) \\*\\*b\\*\\* \\_c\\_ \\~d\\~ \\# \\$e\\$ \\&lt; \\{f\\}");
  EXPECT_EQ(markdown_text("back\\slash"), "back\\\\slash");
}

TEST(MarkdownText, StaysOnOneLine) {
  EXPECT_EQ(markdown_text("a\nb\r\n| c |\td"), "a b  \\| c \\| d");
}

TEST(MarkdownText, DropsControlCharacters) {
  EXPECT_EQ(markdown_text(std::string("a\x1b[31m\0b\x7f", 8)), "a\\[31mb");
}

TEST(MarkdownText, CallsNobody) { EXPECT_EQ(markdown_text("@octocat"), "@\u200boctocat"); }

TEST(MarkdownTable, AlignsColumnsOfNumbersToTheRight) {
  EXPECT_EQ(markdown_table({"term", "s", "note"}, {{"GEMM", "+4.00", "x"}, {"bubble", "-", "1"}}),
            "| term | s | note |\n"
            "| --- | ---: | --- |\n"
            "| GEMM | +4.00 | x |\n"
            "| bubble | - | 1 |\n");
}

TEST(MarkdownTable, KeepsItsShapeWithHostileCells) {
  EXPECT_EQ(markdown_table({"a|b"}, {{"x\n| --- |"}}),
            "| a\\|b |\n"
            "| --- |\n"
            "| x \\| --- \\| |\n");
}

TEST(MarkdownTable, MayBeEmpty) {
  EXPECT_EQ(markdown_table({"a", "b"}, {}), "| a | b |\n| --- | --- |\n");
}

}  // namespace
}  // namespace stepcast
