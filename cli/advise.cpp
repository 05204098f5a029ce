#include "sim/plan/advice.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/search_input.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/progress.hpp"
#include "reports/advice_json.hpp"
#include "reports/advice_text.hpp"

namespace stepcast::cli {

namespace {

struct AdviseOptions {
  SearchInput input;
  std::string language = "en";
  std::string json, html, markdown;
};

// Progress lines that are opened by the first report of their work.
class Reporter {
 public:
  explicit Reporter(std::string label) : label_(std::move(label)) {}
  void report(std::size_t done, std::size_t all) {
    const std::scoped_lock lock(mutex_);
    if (!progress_) progress_ = std::make_unique<Progress>(label_, static_cast<std::int64_t>(all));
    if (done > done_) progress_->advance(static_cast<std::int64_t>(done - done_));
    done_ = std::max(done, done_);
    if (done_ == all) progress_.reset();
  }

 private:
  std::string label_;
  std::mutex mutex_;
  std::unique_ptr<Progress> progress_;
  std::size_t done_ = 0;
};

Language read_language(const std::string& name) {
  const std::optional<Language> language = language_named(name);
  if (!language)
    throw InputError(Problem{"", "--lang", "must be en or zh, found \"" + name + "\""});
  return *language;
}

SearchRequest read_request(const SearchInput& input) {
  SearchRequest request = read_search_request(input);
  if (request.bases.size() != 1)
    throw InputError(
        Problem{"", "--gpus", "an advice is for one number of GPUs, found \"" + input.gpus + "\""});
  return request;
}

int run_advise(const AdviseOptions& options, Console& console) {
  const Language language = read_language(options.language);
  check_writable(options.json);
  check_html(options.html);
  check_markdown(options.markdown, options.json);
  const SearchRequest request = read_request(options.input);
  const Profile profile = load_profile(request.bases.front().profile);
  Reporter predictions("predictions"), candidates("search");
  AdviceHooks hooks;
  hooks.progress = [&](std::size_t done, std::size_t all) { predictions.report(done, all); };
  hooks.search.progress = [&](std::size_t done, std::size_t all) { candidates.report(done, all); };
  const Advice advice = advise(request, profile, hooks);
  const Run& base = request.bases.front();
  const nlohmann::json document = to_json(advice, request, language);
  write_html({document}, options.html);
  write_result(document,
               with_markdown(advice_text(advice, base, language),
                             advice_markdown(advice, base, language), options.markdown),
               options.json, console);
  return advice.recommended ? answered : nothing_feasible;
}

}  // namespace

void add_advise(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<AdviseOptions>();
  options->input.top = "5";
  CLI::App* verb = app.add_subcommand("advise", "Choose DP, PP, TP and CP by rules, and say why");
  add_search_options(*verb, options->input);
  verb->add_option("--lang", options->language, "en or zh (default: en)")->type_name("LANG");
  verb->add_option("--json", options->json, "Write the advice document; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--html", options->html, "Write a page that opens offline")->type_name("FILE");
  verb->add_option("--markdown", options->markdown, "Write it as Markdown; - for stdout")
      ->type_name("FILE|-");
  verb->footer(
      "Example:\n"
      "  stepcast advise --model llama-3-70b --cluster dgx-h100:8 --sequence-length 131072 \\\n"
      "    --global-batch 32\n"
      "Exit code 1: no valid configuration fits; the answer says what is missing.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_advise(*options, console); };
  });
}

}  // namespace stepcast::cli
