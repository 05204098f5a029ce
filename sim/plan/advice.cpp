#include "sim/plan/advice.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "sim/parallel/rules.hpp"
#include "sim/plan/advice_conditions.hpp"
#include "sim/predict/predict.hpp"

namespace stepcast {
namespace {

// Servers are doubled this often in search of room.
constexpr int most_doublings = 6;
// Strong scaling is looked at up to twice the GPUs.
constexpr std::int64_t data_beyond = 2;

Prediction predicted(const Run& run, const Profile& profile) {
  return predict(run, profile, KeepTrace::no, SimulationDetail::actions).prediction;
}

// Whether the cluster is so many servers and no more is known of it.
bool resizable(const Cluster& cluster) {
  return !cluster.explicit_graph && cluster.changes.dead_nodes.empty() &&
         cluster.changes.slow_links.empty();
}

Cluster resized(const Cluster& cluster, std::int64_t gpus) {
  const std::int64_t each = cluster.server.gpus;
  return build_cluster(cluster.server, (gpus + each - 1) / each, cluster.fabric, {.gpus = gpus});
}

// The choice with its prediction; what does not fit when predicted is not chosen again.
std::optional<RankedRun> predicted_choice(AdviceCase& advice, Choice& choice) {
  while (true) {
    choice = choose(advice);
    if (!choice.best) return std::nullopt;
    Run run = advice.run_of(choice.best->candidate);
    Prediction prediction = predicted(run, advice.profile());
    if (prediction.verdict != MemoryVerdict::out_of_memory)
      return RankedRun{std::move(run), std::move(prediction)};
    advice.exclude(degrees_of(run.parallel));
  }
}

std::vector<Run> data_runs(const Run& chosen) {
  std::vector<Run> runs;
  const std::int64_t replica = chosen.gpus() / chosen.parallel.data;
  for (std::int64_t data = 1; data <= data_beyond * chosen.parallel.data; data *= 2) {
    Run run = chosen;
    run.parallel.data = data;
    if (data * run.parallel.context == 1) {
      run.parallel.sharding = Sharding::none;
      run.overlap.param_gather = false;
    }
    if (replica * data > most_gpus) break;
    run.cluster = resized(chosen.cluster, replica * data);
    runs.push_back(std::move(run));
  }
  return runs;
}

class Predictions {
 public:
  Predictions(const Profile& profile, const AdviceHooks& hooks, std::size_t all)
      : profile_(profile), hooks_(hooks), all_(all) {}

  // Of each run that breaks no rule.
  std::vector<std::optional<Prediction>> of(const std::vector<const Run*>& runs) {
    std::vector<std::optional<Prediction>> predictions(runs.size());
    tbb::parallel_for(std::size_t{0}, runs.size(), [&](std::size_t i) {
      if (runs[i] && check_rules(*runs[i]).empty()) predictions[i] = predicted(*runs[i], profile_);
      hooks_.progress(++done_, all_);
    });
    return predictions;
  }

 private:
  const Profile& profile_;
  const AdviceHooks& hooks_;
  std::size_t all_;
  std::atomic<std::size_t> done_{0};
};

Outcomes outcomes_of(AdviceCase& advice, const Completion& chosen,
                     const std::vector<Degrees>& around, Predictions& predictions) {
  Outcomes outcomes;
  const Degrees own = degrees_of(advice.run_of(chosen.candidate).parallel);
  for (const Degrees& degrees : around) {
    Outcome& outcome = outcomes[degrees];
    outcome.completion = chosen;
    if (degrees != own) {  // the same micro-batch where it can be
      outcome.completion =
          advice.complete(degrees, MayRecompute::yes, chosen.candidate.micro_batch);
      if (!outcome.completion.fits)
        outcome.completion = advice.complete(degrees, MayRecompute::yes);
    }
    if (outcome.completion.valid) outcome.run = advice.run_of(outcome.completion.candidate);
  }
  std::vector<const Run*> runs;
  for (const auto& [degrees, outcome] : outcomes)
    runs.push_back(outcome.run ? &*outcome.run : nullptr);
  std::vector<std::optional<Prediction>> found = predictions.of(runs);
  std::size_t i = 0;
  for (auto& [degrees, outcome] : outcomes) outcome.prediction = std::move(found[i++]);
  return outcomes;
}

std::vector<DegreePoint> data_curve(const std::vector<Run>& runs, Predictions& predictions) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  const std::vector<std::optional<Prediction>> found = predictions.of(pointers);
  std::vector<DegreePoint> curve;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    DegreePoint point{runs[i].parallel.data, runs[i].gpus(), {}, false, {}};
    if (found[i]) {
      point.tokens_per_s_per_gpu = found[i]->tokens_per_s_per_gpu;
      point.fits = found[i]->verdict != MemoryVerdict::out_of_memory;
    } else {
      point.problem = to_string(check_rules(runs[i]).front());
    }
    curve.push_back(std::move(point));
  }
  return curve;
}

std::vector<Alternative> alternatives_of(const Degrees& chosen, const Outcomes& outcomes) {
  std::vector<Alternative> all;
  for (const Degrees& degrees : neighbours_of(chosen)) {
    const Outcome& outcome = outcomes.at(degrees);
    Alternative one{
        degrees, outcome.completion.problem, outcome.fits(), outcome.completion.memory, {}};
    if (outcome.prediction) one.ranked = RankedRun{*outcome.run, *outcome.prediction};
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Alternative& a, const Alternative& b) {
    const auto speed = [](const Alternative& one) {
      return one.fits ? one.ranked->prediction.tokens_per_s_per_gpu : one.ranked ? -1.0 : -2.0;
    };
    return speed(a) > speed(b);
  });
  return all;
}

// More of the same servers until the rules find room.
std::optional<std::int64_t> gpus_with_room(const SearchRequest& request, const Profile& profile) {
  const Cluster& cluster = request.bases.front().cluster;
  const std::int64_t own = cluster.topology.gpu_count();
  if (!resizable(cluster) || request.pinned.contains("data")) return std::nullopt;
  SearchRequest larger = request;
  for (int i = 1; i <= most_doublings && (own << i) <= most_gpus; ++i) {
    larger.bases.front().cluster = resized(cluster, own << i);
    AdviceCase advice(larger, profile);
    if (choose(advice).best) return own << i;
  }
  return std::nullopt;
}

}  // namespace

Advice advise(const SearchRequest& request, const Profile& profile, const AdviceHooks& hooks) {
  Advice result;
  AdviceCase advice(request, profile);
  Choice choice;
  result.recommended = predicted_choice(advice, choice);
  if (!result.recommended) {
    result.shortfall = Shortfall{choice.valid_seen, choice.least_memory, advice.capacity(),
                                 gpus_with_room(request, profile)};
    return result;
  }
  const Run& chosen = result.recommended->run;
  const Degrees degrees = degrees_of(chosen.parallel);
  const std::vector<Degrees> around = degrees_around(degrees);
  const std::vector<Run> scaled =
      resizable(chosen.cluster) ? data_runs(chosen) : std::vector<Run>{chosen};
  Predictions predictions(profile, hooks, around.size() + scaled.size());
  const Outcomes outcomes = outcomes_of(advice, *choice.best, around, predictions);
  result.strategies = strategies_of(advice, degrees, outcomes, data_curve(scaled, predictions));
  result.alternatives = alternatives_of(degrees, outcomes);
  result.rules = explain(advice, choice);
  result.groups = group_supplies(result.strategies);
  result.conditions = conditions_of(advice, choice, result.groups);
  result.notes = notes_of(chosen, advice);
  SearchResult found = search(request, profile, hooks.search);
  result.counts = found.counts;
  if (!found.best.empty()) result.search_best = std::move(found.best.front());
  return result;
}

}  // namespace stepcast
