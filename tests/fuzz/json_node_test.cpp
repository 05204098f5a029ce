#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/json_node.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

// Asks for every member in every way there is; what is wrong must end in the problem list.
void read_everything(const Node& node) {
  if (node.is_array()) {
    for (const Node& element : node.elements()) read_everything(element);
    return;
  }
  if (!node.is_object()) {
    static_cast<void>(node.as_text());
    static_cast<void>(node.as_number());
    static_cast<void>(node.as_integer());
    static_cast<void>(node.as_bool());
    return;
  }
  for (const auto& [key, member] : node.members()) {
    static_cast<void>(node.text(key, "none"));
    static_cast<void>(node.positive(key));
    static_cast<void>(node.count(key, 1));
    static_cast<void>(node.integer(key));
    static_cast<void>(node.boolean(key, false));
    static_cast<void>(node.choice(key, {"tensor", "pipeline"}, "tensor"));
    read_everything(member);
  }
  node.finish();
}

TEST(FuzzJsonNode, BrokenTextIsReported) {
  fuzz::survives_text({fuzz::sample("runs/full.json")}, 3000, [](const std::string& text) {
    const JsonReader reader("broken.json", text);
    reader.expect_format("stepcast.run", 1, true);
    read_everything(reader.root());
    reader.throw_if_problems();
  });
}

TEST(FuzzJsonNode, WrongValuesAreReported) {
  fuzz::survives_documents({fuzz::sample("runs/full.json")}, 1500,
                           [](const nlohmann::json& document) {
                             const JsonReader reader("broken.json", document);
                             reader.expect_format("stepcast.run", 1, true);
                             read_everything(reader.root());
                             reader.throw_if_problems();
                           });
}

}  // namespace
}  // namespace stepcast
