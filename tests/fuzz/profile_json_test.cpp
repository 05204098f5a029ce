#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/cost/profile_json.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

TEST(FuzzProfile, BrokenTextIsReported) {
  fuzz::survives_text({fuzz::sample("profiles/tiny.json")}, 800, [](const std::string& text) {
    static_cast<void>(parse_profile("tiny.json", text));
  });
}

TEST(FuzzProfile, WrongValuesAreReported) {
  fuzz::survives_documents(
      {fuzz::sample("profiles/tiny.json")}, 1000, [](const nlohmann::json& document) {
        const Profile profile = parse_profile("tiny.json", document.dump());
        // What is accepted can be written and read again.
        static_cast<void>(parse_profile("written.json", profile_text(profile)));
      });
}

}  // namespace
}  // namespace stepcast
