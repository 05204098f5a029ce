#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/parallel/run_json.hpp"
#include "tests/fuzz/mutate.hpp"

namespace stepcast {
namespace {

// Each round builds a two-node cluster, so there are fewer rounds than elsewhere.
TEST(FuzzRun, WrongValuesAreReported) {
  fuzz::survives_documents({fuzz::sample("runs/full.json"), fuzz::sample("runs/short.json")}, 250,
                           [](const nlohmann::json& document) {
                             const auto run = parse_run("run.json", document);
                             EXPECT_GE(run.gpus(), 1);
                             EXPECT_GE(run.micro_batches(), 1);
                           });
}

TEST(FuzzRun, WhatIsAcceptedIsWrittenAndReadBack) {
  fuzz::survives_documents({fuzz::sample("runs/short.json")}, 100,
                           [](const nlohmann::json& document) {
                             const auto run = parse_run("run.json", document);
                             const nlohmann::json written = to_json(run);
                             EXPECT_EQ(written, to_json(parse_run("written.json", written)));
                           });
}

TEST(FuzzRun, BrokenAssignmentsAreReported) {
  const nlohmann::json good = nlohmann::json::parse(fuzz::sample("runs/full.json"));
  fuzz::survives_text({"parallel.tensor=4", "training.recompute={\"kind\": \"full\"}"}, 300,
                      [&](const std::string& assignment) {
                        static_cast<void>(with_overrides(good, {assignment}));
                      });
}

}  // namespace
}  // namespace stepcast
