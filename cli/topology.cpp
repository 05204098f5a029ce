#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "topologies/cluster.hpp"
#include "topologies/cluster_json.hpp"
#include "topologies/describe.hpp"

namespace stepcast::cli {

namespace {

struct TopologyOptions {
  std::string name, json;
};

int show_topology(const TopologyOptions& options, Console& console) {
  check_writable(options.json);
  const Cluster cluster = load_cluster(options.name);
  write_result(to_json(cluster), describe(cluster), options.json, console);
  return answered;
}

}  // namespace

void add_topology(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<TopologyOptions>();
  CLI::App* verb = app.add_subcommand("topology", "Show clusters");
  CLI::App* show = verb->add_subcommand("show", "Print tiers, counts and bisection bandwidth");
  show->add_option("name", options->name, "dgx-h100:8 (server preset : nodes), or a topology file")
      ->type_name("NAME|FILE")
      ->required();
  show->add_option("--json", options->json, "Write the topology document; - for stdout")
      ->type_name("FILE|-");
  show->footer("Example: stepcast topology show dgx-h100:64");
  verb->footer("Example: stepcast topology show dgx-h100:64");
  verb->allow_extras();
  show->allow_extras();
  show->callback([options, &chosen] {
    chosen = [options](Console& console) { return show_topology(*options, console); };
  });
}

}  // namespace stepcast::cli
