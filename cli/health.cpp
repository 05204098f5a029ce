#include "reports/health.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/collective_input.hpp"
#include "cli/output.hpp"
#include "cli/size.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "common/files.hpp"
#include "reports/health_json.hpp"
#include "reports/profile_library.hpp"

namespace stepcast::cli {

namespace {

struct HealthOptions {
  std::string log, cluster, profile, json, op, ranks;
};

CollectiveOp op_of(const HealthOptions& options, const NcclTestsLog& log) {
  if (!options.op.empty()) return parse_op(options.op);
  if (log.op) return *log.op;
  throw InputError(Problem{options.log, "",
                           "does not say which collective it measured; name it, as in "
                           "--op all_gather"});
}

std::int64_t ranks_of(const HealthOptions& options, const NcclTestsLog& log,
                      const Cluster& cluster) {
  if (!options.ranks.empty()) return ranks_on(cluster, parse_count("--ranks", options.ranks, 2));
  const auto gpus = static_cast<std::int64_t>(cluster.topology.gpu_count());
  if (log.ranks > gpus)
    throw InputError(Problem{"", "--cluster",
                             "must have the " + std::to_string(log.ranks) + " GPUs of " +
                                 options.log + ", " + cluster.name + " has " +
                                 std::to_string(gpus)});
  return ranks_on(cluster, log.ranks);
}

int run_health(const HealthOptions& options, Console& console) {
  check_writable(options.json);
  const NcclTestsLog log = parse_nccl_tests_log(options.log, read_file(options.log));
  const CollectiveOp op = op_of(options, log);
  const Cluster cluster = load_cluster(options.cluster);
  const std::int64_t ranks = ranks_of(options, log, cluster);
  ProfileLibrary profiles;
  const LoadedProfile& loaded =
      profiles.get(options.profile.empty() ? cluster.server.gpu : options.profile);
  const Health health = examine(log, op, ranks, cluster, loaded.profile, *loaded.costs);
  write_result(to_json(health, cluster.name, loaded.profile), health_text(health, cluster.name),
               options.json, console);
  return health.sick() ? nothing_feasible : answered;
}

}  // namespace

void add_health(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<HealthOptions>();
  CLI::App* verb = app.add_subcommand(
      "health", "Set an nccl-tests log beside the forecast; exit code 1 when a size is sick");
  verb->add_option("LOG", options->log, "What nccl-tests printed")->required();
  verb->add_option("--cluster", options->cluster, "dgx-h100:8, or a topology file")
      ->type_name("C")
      ->required();
  verb->add_option("--op", options->op, "The collective, where the log does not name it")
      ->type_name("OP");
  verb->add_option("--ranks", options->ranks,
                   "The first N GPUs; default: as the log says, else all")
      ->type_name("N");
  verb->add_option("--profile", options->profile, "Preset or profile file; default: the GPU's")
      ->type_name("P");
  verb->add_option("--json", options->json, "Write the health document; - for stdout")
      ->type_name("FILE|-");
  verb->footer("Example: stepcast health nccl.log --cluster dgx-h100:2");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_health(*options, console); };
  });
}

}  // namespace stepcast::cli
