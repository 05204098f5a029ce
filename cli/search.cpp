#include "sim/plan/search.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/search_input.hpp"
#include "cli/team.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/progress.hpp"
#include "reports/search_journal.hpp"
#include "reports/search_report.hpp"

namespace stepcast::cli {

namespace {

struct SearchOptions {
  SearchInput input;
  std::string json, html, markdown, journal;
  bool timing = false;
};

std::string joined(const std::vector<UnitResult>& results) {
  std::string text;
  for (const UnitResult& result : results) text += unit_result_line(result) + '\n';
  return text;
}

void add_lines(const std::string& text, std::vector<UnitResult>& results) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) results.push_back(unit_result_of(line));
}

// Searches with everybody in the team; all members return the same result.
SearchResult search_together(const SearchRequest& request, const Profile& profile, const Team& team,
                             SearchJournal* journal) {
  std::vector<UnitResult> earlier;
  std::map<std::size_t, UnitResult> known;
  if (journal) earlier = journal->results();
  if (team.size() > 1) {
    const std::vector<std::string> texts = team.all(joined(earlier));
    earlier.clear();
    add_lines(texts.front(), earlier);
  }
  for (UnitResult& result : earlier) {
    const std::size_t unit = result.unit;
    known.emplace(unit, std::move(result));
  }
  std::unique_ptr<Progress> progress;
  std::size_t reported = 0;
  SearchHooks hooks;
  hooks.process = team.rank();
  hooks.processes = team.size();
  hooks.known = [&](std::size_t unit) {
    const auto found = known.find(unit);
    return found == known.end() ? nullptr : &found->second;
  };
  hooks.exchange = [&](std::vector<UnitResult> own) {
    if (team.size() > 1) {
      const std::vector<std::string> texts = team.all(joined(own));
      own.clear();
      for (const std::string& text : texts) add_lines(text, own);
    }
    if (journal)
      for (const UnitResult& result : own) journal->append(result);
    return own;
  };
  hooks.progress = [&](std::size_t done, std::size_t units) {
    if (!team.leads()) return;
    if (!progress)
      progress = std::make_unique<Progress>("search", static_cast<std::int64_t>(units));
    progress->advance(static_cast<std::int64_t>(done - reported));
    reported = done;
  };
  return search(request, profile, hooks);
}

struct PreparedSearch {
  SearchRequest request;
  TrainingBudget budget;
  Profile profile;
};

PreparedSearch prepare(const SearchOptions& options) {
  check_writable(options.json);
  check_html(options.html);
  check_markdown(options.markdown, options.json);
  SearchRequest request = read_search_request(options.input);
  Profile profile = load_profile(request.bases.front().profile);
  return {std::move(request), read_budget(options.input), std::move(profile)};
}

int search_as_prepared(const SearchOptions& options, const PreparedSearch& prepared,
                       const Team& team, Console& console) {
  const auto started = std::chrono::steady_clock::now();
  const SearchRequest& request = prepared.request;
  std::unique_ptr<SearchJournal> journal;
  if (!options.journal.empty() && team.leads())
    journal = std::make_unique<SearchJournal>(options.journal, request);
  const SearchResult result = search_together(request, prepared.profile, team, journal.get());
  const int code = result.best.empty() ? nothing_feasible : answered;
  if (!team.leads()) return code;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const nlohmann::json document =
      to_json(result, request, prepared.budget,
              options.timing ? std::optional(took.count()) : std::optional<double>());
  write_html({document}, options.html);
  write_result(document,
               with_markdown(search_text(result, request, prepared.budget),
                             search_markdown(result, request, prepared.budget), options.markdown),
               options.json, console);
  return code;
}

// All processes read the same input, so the leader alone says what is wrong with it. Later, one
// that fails would leave the others waiting: all end.
int run_search(const SearchOptions& options, Console& console) {
  const Team team;
  try {
    const PreparedSearch prepared = prepare(options);
    try {
      return search_as_prepared(options, prepared, team, console);
    } catch (const std::exception& error) {
      if (team.size() > 1) console.err << "stepcast: " << error.what() << std::endl;
      team.abandon(failed);
      throw;
    }
  } catch (const std::exception&) {
    if (team.leads()) throw;
    return failed;
  }
}

}  // namespace

void add_search(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<SearchOptions>();
  CLI::App* verb =
      app.add_subcommand("search", "Find the best of all valid configurations (also under mpirun)");
  SearchInput& input = options->input;
  add_search_options(*verb, input);
  verb->add_option("--objective", input.objective,
                   "time, tokens_per_s_per_gpu, gpu_hours, cost or memory (default: time)")
      ->type_name("WHAT");
  verb->add_option("--top", input.top, "How many of the best to show (default: 10)")
      ->type_name("K");
  verb->add_option("--tokens", input.tokens, "Tokens of the whole training, for GPU-hours")
      ->type_name("N");
  verb->add_option("--price-per-gpu-hour", input.price, "Price of a GPU-hour, for the cost")
      ->type_name("X");
  verb->add_option("--journal", options->journal,
                   "Keep results here as they come; a killed search goes on from it")
      ->type_name("FILE");
  verb->add_option("--json", options->json, "Write the search document; - for stdout")
      ->type_name("FILE|-");
  verb->add_option("--html", options->html, "Write a page that opens offline")->type_name("FILE");
  verb->add_option("--markdown", options->markdown, "Write it as Markdown; - for stdout")
      ->type_name("FILE|-");
  verb->add_flag("--timing", options->timing, "Write the seconds it took into the document");
  verb->footer(
      "Example:\n"
      "  stepcast search --model llama-3-70b --cluster dgx-h100:8 --sequence-length 8192 \\\n"
      "    --global-batch 128\n"
      "  mpirun -n 4 stepcast search --model gpt3-175b --cluster dgx-a100:128 \\\n"
      "    --sequence-length 2048 --global-batch 1536 --json search.json\n"
      "Exit code 1: no valid configuration fits.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_search(*options, console); };
  });
}

}  // namespace stepcast::cli
