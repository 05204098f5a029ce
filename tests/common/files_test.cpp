#include "common/files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/errors.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() { fs::create_directories(folder_); }
  ~Files() override { fs::remove_all(folder_); }
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_ =
      fs::temp_directory_path() / (std::string("stepcast_files_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string refusal(auto&& action) {
  try {
    action();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST_F(Files, AreReadBackByteForByte) {
  const std::string text("a\r\nb\0c", 6);
  write_file_atomically(folder_ / "x.json", text);
  EXPECT_EQ(read_file(folder_ / "x.json"), text);
}

TEST_F(Files, NameTheFileAndTheReasonWhenUnreadable) {
  const fs::path path = folder_ / "none.json";
  EXPECT_EQ(refusal([&] { (void)read_file(path); }),
            "cannot read " + path.string() + ": No such file or directory");
  EXPECT_EQ(refusal([&] { (void)read_file(folder_); }),
            "cannot read " + folder_.string() + ": Is a directory");
}

TEST_F(Files, NameTheFileAndTheReasonWhenUnwritable) {
  const fs::path path = folder_ / "no_folder" / "x.json";
  EXPECT_EQ(refusal([&] { write_file_atomically(path, "x"); }),
            "cannot write " + path.string() + ": No such file or directory");
  EXPECT_EQ(refusal([&] { write_file_atomically(folder_, "x"); }),
            "cannot write " + folder_.string() + ": Is a directory");
}

TEST_F(Files, ReplaceTheOldTextAndLeaveNothingBeside) {
  write_file_atomically(folder_ / "x", "a long old text");
  write_file_atomically(folder_ / "x", "new");
  EXPECT_EQ(read_file(folder_ / "x"), "new");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, KeepASymbolicLinkAndReplaceItsTarget) {
  write_file_atomically(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "new");
}

TEST_F(Files, WriteADeviceInPlace) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(EmbeddedFiles, AreFoundByName) {
  const std::vector<EmbeddedFile> files{{"a", "one"}, {"b", "two"}};
  EXPECT_EQ(find_embedded(files, "b"), "two");
  EXPECT_EQ(find_embedded(files, "c"), std::nullopt);
  EXPECT_EQ(names_of(files), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace stepcast
