#include "reports/published_choices.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/errors.hpp"
#include "reports/breakdown.hpp"
#include "reports/forecast.hpp"
#include "reports/text_table.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {

namespace {

using Assignments = std::vector<std::string>;

Assignments joined(Assignments first, const Assignments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// --- Meta ---

// The paper's memory optimisations (tensors freed early, a schedule with fewer micro-batches in
// flight) are not simulated: by the forecast's count 8k tokens without recompute need 90.7 of the
// 79.2 GiB. Larger GPUs stand in for them, for all configurations alike.
Assignments llama(const char* sequence_length, const char* batch) {
  return {R"(cluster={"server": "dgx-h100", "nodes": 2048, "overrides": {"gpu_memory_GiB": 96}})",
          "model=llama-3.1-405b",
          "training.sequence_length=" + std::string(sequence_length),
          "training.global_batch=" + std::string(batch),
          "training.recompute=none",
          "overlap.grad_reduce=true",
          "overlap.param_gather=true",
          "overlap.pipeline=true"};
}

PublishedChoice llama_8k() {
  return {.name = "Llama 3 405B, 16,384 H100, 8k tokens",
          .source = "arXiv 2407.21783 table 4, row 2",
          .given = llama("8192", "2048"),
          .chosen = {"parallel.tensor=8", "parallel.pipeline=16", "parallel.context=1",
                     "parallel.data=128"},
          .pinned = {"recompute"},
          .why_pinned = "the paper avoids recompute"};
}

PublishedChoice llama_128k() {
  return {.name = "Llama 3 405B, 16,384 H100, 128k tokens",
          .source = "arXiv 2407.21783 table 4, row 3",
          .given = llama("131072", "128"),
          .chosen = {"parallel.tensor=8", "parallel.pipeline=16", "parallel.context=16",
                     "parallel.data=8"},
          .pinned = {"recompute"},
          .why_pinned = "the paper avoids recompute at 8k (assumption: here too)"};
}

PublishedChoice within_servers(PublishedChoice choice) {
  choice.name += ", TP and CP as published";
  choice.pinned.insert({"tensor", "context"});
  choice.why_pinned +=
      "; it keeps tensor parallelism inside a server, and context parallelism for long sequences";
  return choice;
}

// --- Megatron-LM ---

Assignments megatron(const char* model, const char* servers, const char* batch,
                     const char* release) {
  return {"model=" + std::string(model),
          "cluster=dgx-a100:" + std::string(servers),
          "framework_release=" + std::string(release),
          "training.sequence_length=2048",
          "training.global_batch=" + std::string(batch),
          "training.precision=fp16",
          "training.gradient_dtype=fp32",
          "training.attention=unfused",
          "overlap.grad_reduce=false",
          "overlap.param_gather=false",
          "overlap.pipeline=false",
          "parallel.sharding=none"};
}

struct MegatronDegrees {
  int pipeline, data, virtual_stages, micro_batch;
};

Assignments megatron_choice(const MegatronDegrees& degrees) {
  return {"parallel.tensor=8",
          fmt::format("parallel.pipeline={}", degrees.pipeline),
          "parallel.context=1",
          fmt::format("parallel.data={}", degrees.data),
          fmt::format("parallel.virtual_stages={}", degrees.virtual_stages),
          fmt::format("training.micro_batch={}", degrees.micro_batch)};
}

PublishedChoice megatron_2021(std::string name, std::string source, Assignments given,
                              const MegatronDegrees& degrees) {
  return {
      .name = std::move(name),
      .source = std::move(source),
      .given = std::move(given),
      .chosen = joined(megatron_choice(degrees),
                       {"training.recompute=full", "parallel.sequence_parallel=false"}),
      .pinned = {"context", "sequence_parallel", "sharding", "stage_layers", "order", "recompute"},
      .why_pinned =
          "Megatron-LM of 2021 had no context or sequence parallelism, no sharded "
          "optimizer, equal stages, one rank order; it recomputed everything"};
}

PublishedChoice megatron_2022(std::string name, std::string source, Assignments given,
                              const MegatronDegrees& degrees) {
  return {.name = std::move(name),
          .source = std::move(source),
          .given = std::move(given),
          .chosen = joined(megatron_choice(degrees),
                           {"training.recompute=selective", "parallel.sequence_parallel=true"}),
          .pinned = {"context", "sharding", "stage_layers", "order"},
          .why_pinned =
              "Megatron-LM of 2022 had no context parallelism, no sharded optimizer, "
              "equal stages and one rank order"};
}

// --- the check ---

// Members of a search by the assignments that set them.
std::string member_of(const std::string& assignment) {
  const std::string path = assignment.substr(0, assignment.find('='));
  return path.substr(path.find('.') + 1);
}

RankedRun found(const SearchRequest& request, const Profile& profile,
                const PublishedChoice& choice) {
  SearchResult result = search(request, profile);
  if (result.best.empty())
    throw InputError(Problem{"", choice.name, "does not fit in memory by this profile"});
  return std::move(result.best.front());
}

}  // namespace

const std::vector<PublishedChoice>& published_choices() {
  static const std::string sc21 = "arXiv 2104.04473 table 1, examples/sc21/run_table_1.sh";
  static const std::string korthikanti = "arXiv 2205.05198 table 5";
  static const std::vector<PublishedChoice> choices{
      llama_8k(),
      within_servers(llama_8k()),
      llama_128k(),
      within_servers(llama_128k()),
      megatron_2021("GPT-3 175B, 1,024 A100", "NVIDIA/Megatron-LM v2.5 README",
                    megatron("megatron-175b", "128", "1536", "megatron-2021"), {16, 8, 1, 1}),
      megatron_2021("GPT 1T, 3,072 A100", sc21,
                    megatron("megatron-1t", "384", "3072", "megatron-2021"), {64, 6, 1, 1}),
      megatron_2022("GPT-3 175B, 64 A100", korthikanti,
                    megatron("megatron-175b", "8", "64", "megatron-2022"), {8, 1, 3, 1}),
      megatron_2022("GPT 1T, 512 A100", korthikanti,
                    megatron("megatron-1t", "64", "512", "megatron-2022"), {64, 1, 1, 1})};
  return choices;
}

Run base_of(const PublishedChoice& choice) {
  return parse_search_base(
      choice.name, with_overrides(nlohmann::json::object(), joined(choice.given, choice.chosen)));
}

CheckedChoice check_choice(const PublishedChoice& choice, const Profile& profile,
                           SearchLimits limits) {
  // Search and forecast may count bytes of one configuration a little differently.
  constexpr double same_memory = 1.001;
  SearchRequest request;
  request.bases = {base_of(choice)};
  request.pinned = choice.pinned;
  request.limits = limits;
  request.top = 1;
  SearchRequest as_published = request;
  for (const std::string& assignment : choice.chosen)
    as_published.pinned.insert(member_of(assignment));
  as_published.limits = {};
  RankedRun published = found(as_published, profile, choice);
  const Prediction& had = published.prediction;
  request.limits.memory_margin =
      1.0 - same_memory * memory_needed(had).value() / had.memory_capacity.value();
  RankedRun best = found(request, profile, choice);
  const double gap = had.step_p50 / best.prediction.step_p50 - 1.0;
  std::vector<DifferenceTerm> terms = step_time_terms(had, best.prediction);
  return {std::move(published), std::move(best), gap, std::move(terms)};
}

std::string choice_sentence(const PublishedChoice& choice, const CheckedChoice& checked) {
  constexpr double worth_a_word = 0.01;  // of the step
  const auto described = [](const RankedRun& one) {
    const Forecast forecast = make_forecast("", one.prediction, one.run);
    return fmt::format("{} ({} s, {} GiB)", parallel_line(forecast),
                       three_digits(one.prediction.step_p50.value()),
                       gib(memory_needed(one.prediction).value()));
  };
  std::vector<std::string> terms;
  for (const DifferenceTerm& term : checked.terms)
    if (std::fabs(term.value) >= worth_a_word * checked.published.prediction.step_p50.value())
      terms.push_back(fmt::format("{} {:+.2f} s", term.name, term.value));
  return fmt::format("{}: published {}; best with its memory {}, {} % over it{}", choice.name,
                     described(checked.published), described(checked.best),
                     signed_percent(checked.gap), terms.empty() ? "" : ": " + join(terms, ", "));
}

}  // namespace stepcast
