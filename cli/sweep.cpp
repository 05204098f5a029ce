#include "cli/sweep.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/markdown_output.hpp"
#include "cli/output.hpp"
#include "cli/sweep_axes.hpp"
#include "common/progress.hpp"
#include "reports/parallel_jobs.hpp"
#include "reports/profile_library.hpp"
#include "reports/sweep_json.hpp"
#include "reports/sweep_text.hpp"
#include "sim/parallel/run_json.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast::cli {

namespace {

using nlohmann::json;

// Up to here points are simulated like `predict` does, to the same figures; more take the coarser
// tasks, a tenth of the events (sim/predict/step_simulation.hpp).
constexpr std::size_t most_detailed_points = 40;

using Problems = std::vector<Problem>;

std::string in_words(const Problems& problems) {
  std::string out;
  for (const Problem& problem : problems)
    out += (out.empty() ? "" : "; ") + to_string({"", problem.where, problem.message});
  return out;
}

template <class Work>
Problems problems_of(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

struct Sweeper {
  std::string name;  // of the run, in messages
  SimulationDetail detail = SimulationDetail::operations;
  ProfileLibrary profiles{};

  // Predicts one point; its problems if it cannot be.
  Problems predict_point(SweepPoint& point, const json& document) {
    return problems_of([&] {
      const Run run = parse_run(name, document);
      const Profile& profile = profiles.get(run.profile).profile;
      auto result = predict(run, profile, KeepTrace::no, detail);
      point.forecast = make_forecast(point.label, std::move(result.prediction), run);
    });
  }
};

// A swept path that no run has is a mistake of the command line, not of a value.
void throw_if_unknown(const std::vector<SweepAxis>& axes, const std::vector<Problems>& all) {
  for (const Problems& problems : all)
    for (const Problem& problem : problems)
      for (const SweepAxis& axis : axes)
        if (axis.path.starts_with(problem.where) && problem.message.starts_with("unknown key"))
          throw InputError(Problem{"", "--sweep " + axis.path, problem.message});
}

// What is wrong with the run whatever the values: at every point, and without the sweep.
void throw_if_base_is_wrong(const std::string& name, const json& base,
                            const std::vector<Problems>& all) {
  Problems wrong = problems_of([&] { static_cast<void>(parse_search_base(name, base)); });
  for (const Problems& problems : all)
    std::erase_if(wrong, [&](const Problem& p) { return std::ranges::count(problems, p) == 0; });
  if (!wrong.empty()) throw InputError(std::move(wrong));
}

void load_base_profile(ProfileLibrary& profiles, const json& base, const std::string& name) {
  if (base.is_object() && base.contains("profile") && base["profile"].is_string())
    naming(name, [&] { return &profiles.get(base["profile"].get<std::string>()); });
}

void predict_points(InputSweep& sweep, Sweeper& sweeper, const json& base, Scaling scaling) {
  std::vector<json> documents;
  for (const SweepPoint& point : sweep.points)
    documents.push_back(document_at(base, sweep.axes, point, scaling, sweeper.name));
  std::vector<Problems> problems(documents.size());
  Progress progress("sweep", static_cast<std::int64_t>(documents.size()));
  for_each_in_parallel(documents.size(), [&](std::size_t i) {
    problems[i] = sweeper.predict_point(sweep.points[i], documents[i]);
    progress.advance();
  });
  throw_if_unknown(sweep.axes, problems);
  throw_if_base_is_wrong(sweeper.name, base, problems);
  for (std::size_t i = 0; i < problems.size(); ++i) sweep.points[i].problem = in_words(problems[i]);
}

}  // namespace

int run_sweep(const SweepOptions& options, Console& console) {
  check_writable(options.json);
  check_html(options.html);
  check_markdown(options.markdown, options.json);
  InputSweep sweep;
  sweep.axes = parse_axes(options.sweep);
  sweep.weak_scaling = options.scaling == Scaling::weak;
  check_axes(sweep.axes, options.run, options.scaling);
  const json given = run_document(options.run);
  check_batch(sweep.axes, options.run, given);
  json base = given;
  sweep.data_follows = let_data_follow(base, sweep.axes, options.run);
  sweep.points = sweep_points(sweep.axes);
  const bool detailed = sweep.points.size() <= most_detailed_points;
  Sweeper sweeper{name_of(options.run),
                  detailed ? SimulationDetail::operations : SimulationDetail::actions};
  load_base_profile(sweeper.profiles, base, sweeper.name);
  predict_points(sweep, sweeper, base, options.scaling);
  evaluate(sweep);
  const json document = to_json(sweep, given, detailed ? "operations" : "actions");
  write_html({document}, options.html);
  write_result(document, with_markdown(sweep_text(sweep), sweep_markdown(sweep), options.markdown),
               options.json, console);
  return sweep.best ? answered : nothing_feasible;
}

}  // namespace stepcast::cli
