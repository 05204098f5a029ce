#pragma once

#include <functional>

#include "cli/console.hpp"

namespace CLI {
class App;
}

namespace stepcast::cli {

// What a parsed command line asks for.
using Action = std::function<int(Console&)>;

// Each adds one verb with its flags; parsing it sets `chosen`.
void add_predict(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_search(CLI::App& app, Action& chosen);
void add_advise(CLI::App& app, Action& chosen);
void add_migrate(CLI::App& app, Action& chosen);
void add_collective(CLI::App& app, Action& chosen);
void add_health(CLI::App& app, Action& chosen);
void add_score(CLI::App& app, Action& chosen);
void add_topology(CLI::App& app, Action& chosen);
void add_model(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_export_run(CLI::App& app, Action& chosen);
void add_import_run(CLI::App& app, Action& chosen);

}  // namespace stepcast::cli
