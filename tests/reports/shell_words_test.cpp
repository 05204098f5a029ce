#include "reports/shell_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace stepcast {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(const std::string& text) { return read_shell("run.sh", text).words; }

TEST(ShellWords, JoinsContinuedLinesAndDropsComments) {
  EXPECT_THAT(words("# start\npython train.py --a 1 \\\n  --b # why\n"),
              ElementsAre("python", "train.py", "--a", "1", "--b"));
}

TEST(ShellWords, ExpandsVariablesArraysAndDefaults) {
  EXPECT_THAT(words("TP=4\nARGS=(\n --tp $TP # width\n --s ${SEQ:-8192}\n)\nrun ${ARGS[@]} $X"),
              ElementsAre("run", "--tp", "4", "--s", "8192", "$X"));
  EXPECT_THAT(words("A=\"--a 1\"\nA+=\" --b\"\nexport B=2\nrun $A \"$B\""),
              ElementsAre("run", "--a", "1", "--b", "2"));
}

TEST(ShellWords, KeepsQuotedTextTogether) {
  EXPECT_THAT(words("run --a \"x y\" 'p|q' r\\ s"), ElementsAre("run", "--a", "x y", "p|q", "r s"));
}

TEST(ShellWords, ReadsACommandWithinQuotes) {
  EXPECT_THAT(words("N=2\nsrun bash -c \"python t.py --n $N --m\""),
              ElementsAre("srun", "bash", "-c", "python", "t.py", "--n", "2", "--m"));
}

TEST(ShellWords, LeavesCommandSubstitutionAlone) {
  EXPECT_THAT(words("run --n $(wc -l < hosts) --w $((2*X))"),
              ElementsAre("run", "--n", "$(wc -l < hosts)", "--w", "$((2*X))"));
}

TEST(ShellWords, ComputesArithmetic) {
  EXPECT_THAT(words("N=4\nW=$(($N * 8))\nrun --w $W"), ElementsAre("run", "--w", "32"));
}

TEST(ShellWords, KeepsHereDocumentsApart) {
  const ShellScript script =
      read_shell("run.sh", "S=1\ncat <<EOF > ds.json\n{\"stage\": $S}\nEOF\nrun --a");
  EXPECT_THAT(script.documents, ElementsAre("{\"stage\": 1}\n"));
  EXPECT_THAT(script.words, ElementsAre("cat", "ds.json", "run", "--a"));
}

TEST(ShellWords, ReadsAFileOfVariablesAlone) {
  EXPECT_THAT(words("GPT_ARGS=\"--num-layers 2 --swiglu\""),
              ElementsAre("--num-layers", "2", "--swiglu"));
}

TEST(ShellWords, RefusesExpansionsThatGrowWithoutEnd) {
  std::string text = "A=0123456789\n";
  for (int i = 0; i < 40; ++i) text += "A=\"$A$A\"\n";
  EXPECT_THROW(words(text), InputError);
}

TEST(ArgumentsOf, TakesValuesEqualsSignsAndSwitches) {
  EXPECT_EQ(
      arguments_of({"torchrun", "--nproc_per_node", "8", "-m", "x", "--a=1", "--b", "--c", "p", "q",
                    "--d", "-1"}),
      (Settings{
          {"--nproc-per-node", "8"}, {"--a", "1"}, {"--b", ""}, {"--c", "p q"}, {"--d", "-1"}}));
}

}  // namespace
}  // namespace stepcast
