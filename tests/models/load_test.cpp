#include "models/load.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "models/parameters.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

struct Published {
  const char* preset;
  std::int64_t total;
};

// Totals as the model cards on huggingface.co show them (count of the safetensors files); gpt-oss:
// arXiv 2508.10925 table 1 (116.83 B, 20.91 B); deepseek-v3: README_WEIGHTS.md beside the weights
// (671 B main model, here without the routers' correction biases, which gradients do not train).
TEST(Presets, HaveThePublishedTotals) {
  const Published models[] = {
      {"gpt2", 124439808},
      {"gpt2-medium", 354823168},
      {"gpt2-large", 774030080},
      {"gpt2-xl", 1557611200},
      {"llama-2-7b", 6738415616},
      {"llama-2-13b", 13015864320},
      {"llama-2-70b", 68976648192},
      {"llama-3-8b", 8030261248},
      {"llama-3-70b", 70553706496},
      {"llama-3-405b", 405853388800},
      {"llama-3.2-1b", 1235814400},
      {"llama-3.2-3b", 3212749824},
      {"mistral-7b", 7241732096},
      {"mixtral-8x7b", 46702792704},
      {"mixtral-8x22b", 140620634112},
      {"qwen2.5-0.5b", 494032768},
      {"qwen2.5-1.5b", 1543714304},
      {"qwen2.5-3b", 3085938688},
      {"qwen2.5-7b", 7615616512},
      {"qwen2.5-14b", 14770033664},
      {"qwen2.5-32b", 32763876352},
      {"qwen2.5-72b", 72706203648},
      {"qwen3-4b", 4022468096},
      {"qwen3-8b", 8190735360},
      {"qwen3-14b", 14768307200},
      {"qwen3-32b", 32762123264},
      {"qwen3-30b-a3b", 30532122624},
      {"qwen3-235b-a22b", 235093634560},
      {"gemma-2-2b", 2614341888},
      {"gemma-2-9b", 9241705984},
      {"gemma-2-27b", 27227128320},
      {"phi-3-mini", 3821079552},
      {"phi-3-medium", 13960238080},
      {"deepseek-v2-lite", 15706484224},
      {"deepseek-v2", 235741434880},
      {"deepseek-v3", 671026404352},
      {"gpt-oss-20b", 20914757184},
      {"gpt-oss-120b", 116829156672},
  };
  for (const Published& model : models)
    EXPECT_EQ(count_parameters(load_model(model.preset)).total, model.total) << model.preset;
}

// Sizes that only rounded figures are published of.
TEST(Presets, HaveThePublishedSizes) {
  const std::pair<const char*, double> billions[] = {
      {"gpt3-175b", 175},       {"megatron-22b", 22},  {"megatron-175b", 175},
      {"megatron-530b", 530},   {"megatron-1t", 1008},  // arXiv 2205.05198 table 3; 2104.04473
      {"nemotron-4-15b", 15.6},                         // arXiv 2402.16819: 3.2 and 12.5
      {"nemotron-4-340b", 341},                         // arXiv 2406.11704: 9.4 and 331.6
      {"qwen3-0.6b", 0.6},      {"qwen3-1.7b", 1.7},    // arXiv 2505.09388 table 1
      {"kimi-k2", 1026},                                // arXiv 2507.20534: 1.04 T
  };
  for (const auto& [preset, size] : billions)
    EXPECT_NEAR(static_cast<double>(count_parameters(load_model(preset)).total) / 1e9, size,
                0.025 * size)
        << preset;
}

// Mixtral: arXiv 2401.04088 (13 B); Qwen3: 3.3 B and 22 B; gpt-oss: 5.13 B and 3.61 B without the
// word embedding (arXiv 2508.10925 table 1), whose 201088 * 2880 rows we count.
TEST(Presets, HaveThePublishedActiveParameters) {
  const auto active = [](const char* preset) {
    return static_cast<double>(count_parameters(load_model(preset)).active) / 1e9;
  };
  EXPECT_NEAR(active("mixtral-8x7b"), 12.9, 0.05);
  EXPECT_NEAR(active("qwen3-30b-a3b"), 3.35, 0.05);
  EXPECT_NEAR(active("qwen3-235b-a22b"), 22.2, 0.05);
  EXPECT_NEAR(active("gpt-oss-120b"), 5.13 + 0.579, 0.005);
  EXPECT_NEAR(active("gpt-oss-20b"), 3.61 + 0.579, 0.005);
}

TEST(Presets, AllLoadAndAreNamedForTheirFile) {
  EXPECT_GE(model_presets().size(), 40U);
  for (const std::string& name : model_presets()) {
    const Transformer model = load_model(name);
    EXPECT_EQ(model.name, name);
    EXPECT_GT(count_parameters(model).total, 0) << name;
  }
}

TEST(Presets, AreFoundInAnyCase) {
  EXPECT_EQ(load_model("Llama-3-70B"), load_model("llama-3-70b"));
}

TEST(Presets, LeavePaddingToTheFramework) {
  const Transformer model = load_model("gpt3-175b");
  EXPECT_EQ(model.vocabulary, 50257);
  // SEMANTICS params/gpt3_175b: 51200 rows at tensor parallelism 8.
  EXPECT_EQ(count_parameters(model, padded_vocabulary(model.vocabulary, 8)).total, 174615846912);
}

std::string problems_of(auto&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LoadModel, NamesTheNearestPreset) {
  EXPECT_EQ(problems_of([] { (void)load_model("llama-3-7b"); }),
            "--model: no preset or file \"llama-3-7b\" (did you mean \"llama-3-8b\"?)");
}

TEST(LoadModel, ListsThePresetsWhenNoneIsNear) {
  const std::string message = problems_of([] { (void)load_model("zzzz"); });
  EXPECT_TRUE(message.starts_with("--model: no preset or file \"zzzz\" (presets: deepseek-v2, "))
      << message;
}

TEST(LoadModel, NamesAFileThatIsNotThere) {
  EXPECT_EQ(problems_of([] { (void)load_model("no/such/config.json"); }),
            "--model: no file \"no/such/config.json\"");
}

class ModelFile : public testing::Test {
 protected:
  ModelFile() { fs::create_directories(folder_); }
  ~ModelFile() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_ / name, text);
    return (folder_ / name).string();
  }
  fs::path folder_ = fs::temp_directory_path() /
                     (std::string("stepcast_load_") +
                      testing::UnitTest::GetInstance()->current_test_info()->name()) /
                     "tiny-llama";
};

const char* const tiny_llama =
    R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100})";

TEST_F(ModelFile, IsNamedForItsFolderOrItsFile) {
  const std::string path = write("config.json", tiny_llama);
  EXPECT_EQ(load_model(path).name, "tiny-llama");
  EXPECT_EQ(load_model(folder_.string()).name, "tiny-llama");  // the folder itself
  EXPECT_EQ(load_model(write("other_config.json", tiny_llama)).name, "other");
}

TEST_F(ModelFile, NamesEveryMissingKey) {
  const std::string path = write("config.json", R"({"model_type": "llama"})");
  EXPECT_EQ(problems_of([&] { (void)load_model(path); }),
            path + ": hidden_size: missing (also known as n_embd, d_model, n_embed)\n" + path +
                ": num_attention_heads: missing (also known as n_head, n_heads, num_heads)\n" +
                path + ": vocab_size: missing (also known as padded_vocab_size, n_vocab)\n" + path +
                ": num_hidden_layers: missing (also known as n_layer, num_layers, n_layers)\n" +
                path +
                ": intermediate_size: missing (also known as n_inner, ffn_hidden_size, "
                "ffn_config.ffn_hidden_size)");
}

TEST_F(ModelFile, NamesThePlaceOfASyntaxError) {
  const std::string path = write("config.json", "{\"hidden_size\": }");
  EXPECT_TRUE(problems_of([&] {
                (void)load_model(path);
              }).starts_with(path + ": line 1, column 17: not JSON: unexpected '}'"));
}

TEST_F(ModelFile, MayHoldPythonsInfinity) {
  std::string text = tiny_llama;
  text.insert(1, "\"time_step_limit\": [0.0, Infinity], ");
  EXPECT_EQ(load_model(write("config.json", text)).hidden, 64);
}

TEST_F(ModelFile, MayHaveOurForm) {
  const std::string path =
      write("mine.json", R"({"format": "stepcast.model", "version": 1, "layers": 2, "hidden": 64,
                             "heads": 4, "ffn": 256, "vocabulary": 100})");
  EXPECT_EQ(load_model(path).name, "mine");
  EXPECT_EQ(load_model(path).head_dim, 16);
}

std::string problems_in_run(const std::string& text, Transformer* model = nullptr) {
  const JsonReader reader("run.json", text);
  const Transformer parsed = parse_model(reader.root().at("model"));
  if (model != nullptr) *model = parsed;
  std::string lines;
  for (const Problem& problem : reader.problems())
    lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

TEST(ParseModel, ReadsAPresetAndBothForms) {
  Transformer preset, ours, theirs;
  EXPECT_EQ(problems_in_run(R"({"model": "llama-3-8b"})", &preset), "");
  EXPECT_EQ(preset.layers, 32);
  EXPECT_EQ(problems_in_run(R"({"model": {"name": "x", "layers": 2, "hidden": 64, "heads": 4,
                                          "ffn": 256, "vocabulary": 100}})",
                            &ours),
            "");
  EXPECT_EQ(ours.name, "x");
  EXPECT_EQ(problems_in_run(std::string("{\"model\": ") + tiny_llama + "}", &theirs), "");
  EXPECT_EQ(theirs.ffn, 128);
}

TEST(ParseModel, ReportsAtItsOwnPath) {
  EXPECT_EQ(problems_in_run(R"({"model": "llama-3-7b"})"),
            "run.json: model: no preset or file \"llama-3-7b\" (did you mean \"llama-3-8b\"?)");
  EXPECT_EQ(problems_in_run(R"({"model": 3})"),
            "run.json: model: must be a preset name, a path or an object, found 3");
  EXPECT_EQ(problems_in_run(R"({"model": {"layers": 2, "hidden": 64, "heads": 4, "ffn": 256,
                                          "vocabulary": 100, "head_dims": 4}})"),
            "run.json: model.head_dims: unknown key (did you mean \"head_dim\"?)");
}

TEST(ParseModel, ReturnsAHarmlessModelBesideAProblem) {
  Transformer model;
  (void)problems_in_run(R"({"model": "llama-3-7b"})", &model);
  EXPECT_GE(model.heads, 1);
  EXPECT_GE(model.layers, 1);
}

}  // namespace
}  // namespace stepcast
