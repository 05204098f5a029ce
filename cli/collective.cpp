#include "reports/collective.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/collective_input.hpp"
#include "cli/output.hpp"
#include "cli/size.hpp"
#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "reports/collective_json.hpp"
#include "reports/profile_library.hpp"

namespace stepcast::cli {

namespace {

struct CollectiveOptions {
  std::string cluster, profile, json, ranks;
  std::string op = "all_reduce", first = "8", last = "16G", factor = "2";
};

// Adds the problems of one part and goes on.
template <class Read>
void collect(std::vector<Problem>& problems, Read read) {
  try {
    read();
  } catch (const InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

Sweep read_sweep(const CollectiveOptions& options, std::vector<Problem>& problems) {
  Sweep sweep;
  collect(problems, [&] { sweep.op = parse_op(options.op); });
  collect(problems, [&] { sweep.first = parse_size("-b", options.first); });
  collect(problems, [&] { sweep.last = parse_size("-e", options.last); });
  collect(problems, [&] { sweep.factor = parse_number_above("-f", options.factor, 1.0); });
  if (problems.empty() && sweep.last < sweep.first)
    problems.push_back(
        {"", "-e", "must be at least -b " + options.first + ", found \"" + options.last + "\""});
  if (!options.ranks.empty())
    collect(problems, [&] { sweep.ranks = parse_count("--ranks", options.ranks, 2); });
  return sweep;
}

int run_collective(const CollectiveOptions& options, Console& console) {
  check_writable(options.json);
  std::vector<Problem> problems;
  Sweep sweep = read_sweep(options, problems);
  std::optional<Cluster> cluster;
  collect(problems, [&] { cluster = load_cluster(options.cluster); });
  if (!problems.empty()) throw InputError(std::move(problems));
  sweep.ranks = ranks_on(*cluster, sweep.ranks);
  ProfileLibrary profiles;
  const LoadedProfile& loaded =
      profiles.get(options.profile.empty() ? cluster->server.gpu : options.profile);
  const auto rows = collective_sweep(*cluster, loaded.profile, *loaded.costs, sweep);
  write_result(to_json(rows, cluster->name, loaded.profile), collective_text(rows), options.json,
               console);
  return answered;
}

}  // namespace

void add_collective(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<CollectiveOptions>();
  CLI::App* verb = app.add_subcommand("collective", "Forecast a collective over message sizes");
  verb->add_option("--cluster", options->cluster, "dgx-h100:8, or a topology file")
      ->type_name("C")
      ->required();
  verb->add_option("--op", options->op,
                   "all_reduce (default), all_gather, reduce_scatter, all_to_all, broadcast, "
                   "send_recv")
      ->type_name("OP");
  verb->add_option("-b", options->first, "Smallest size; default 8 (bytes, or with K, M, G, T)")
      ->type_name("SIZE");
  verb->add_option("-e", options->last, "Largest size; default 16G")->type_name("SIZE");
  verb->add_option("-f", options->factor, "Factor between sizes; default 2")->type_name("N");
  verb->add_option("--ranks", options->ranks, "The first N GPUs; default: all")->type_name("N");
  verb->add_option("--profile", options->profile, "Preset or profile file; default: the GPU's")
      ->type_name("P");
  verb->add_option("--json", options->json, "Write the collective document; - for stdout")
      ->type_name("FILE|-");
  verb->footer(
      "Example: stepcast collective --cluster dgx-h100:2 --op all_reduce -b 1M -e 1G -f 4\n"
      "Sizes and bandwidths are nccl-tests': 1K = 1024 B; all_gather and reduce_scatter count the\n"
      "whole gathered buffer.");
  verb->allow_extras();
  verb->callback([options, &chosen] {
    chosen = [options](Console& console) { return run_collective(*options, console); };
  });
}

}  // namespace stepcast::cli
