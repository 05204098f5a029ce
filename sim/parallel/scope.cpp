#include "sim/parallel/scope.hpp"

namespace stepcast {
namespace {

template <class Value>
Problem not_yet(const std::string& path, const Value& value, const std::string& message) {
  return {"", path + " = " + std::string(value), message};
}

void check_model(const Run& run, std::vector<Problem>& problems) {
  if (run.model.moe)
    problems.push_back(not_yet("model", run.model.name,
                               "mixture-of-experts models are counted (stepcast model show) but "
                               "not simulated yet"));
  if (run.model.latent_attention)
    problems.push_back(not_yet("model", run.model.name,
                               "models with multi-head latent attention are counted (stepcast "
                               "model show) but not simulated yet"));
  if (run.parallel.expert > 1)
    problems.push_back(not_yet("parallel.expert", std::to_string(run.parallel.expert),
                               "expert parallelism is not simulated yet (try 1)"));
}

void check_schedule(const ParallelConfig& parallel, std::vector<Problem>& problems) {
  switch (parallel.schedule) {
    case ScheduleKind::gpipe:
    case ScheduleKind::one_f_one_b:
    case ScheduleKind::interleaved: return;
    default: break;
  }
  problems.push_back(not_yet("parallel.schedule", name_of(parallel.schedule),
                             "not simulated yet (try gpipe, 1f1b, interleaved)"));
}

}  // namespace

std::vector<Problem> check_scope(const Run& run) {
  const ParallelConfig& parallel = run.parallel;
  std::vector<Problem> problems;
  check_model(run, problems);
  check_schedule(parallel, problems);
  if (parallel.context > 1 && parallel.context_kind != ContextKind::ring)
    problems.push_back(not_yet("parallel.context_kind", name_of(parallel.context_kind),
                               "not simulated yet (try ring)"));
  if (parallel.sharding != Sharding::none && parallel.sharding != Sharding::optimizer)
    problems.push_back(not_yet("parallel.sharding", name_of(parallel.sharding),
                               "not simulated yet (try none, optimizer)"));
  return problems;
}

}  // namespace stepcast
