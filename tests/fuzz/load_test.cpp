#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/json_node.hpp"
#include "models/load.hpp"
#include "models/parameters.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

TEST(FuzzModel, WrongConfigsAreReported) {
  fuzz::survives_documents(
      {fuzz::sample("models/nested_moe.json"), fuzz::sample("models/latent.json"),
       fuzz::sample("models/gpt2_like.json")},
      800, [](const nlohmann::json& document) {
        const JsonReader reader("config.json", document);
        const Transformer model = parse_model(reader.root());
        reader.throw_if_problems();
        EXPECT_GT(count_parameters(model).total, 0) << document;
      });
}

}  // namespace
}  // namespace stepcast
