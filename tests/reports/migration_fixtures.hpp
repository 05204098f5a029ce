#pragma once

#include "reports/migration_json.hpp"
#include "tests/sim/plan/migration_fixtures.hpp"

namespace stepcast::migration_fixtures {

// Tensor parallelism doubled on eight GPUs; a rank needs 3 GB, of which it lacks 1 GB.
inline MigrationReport small_report() {
  const auto from = tiny_run(8, {"parallel.sharding=optimizer", "parallel.pipeline=2"});
  const auto to =
      tiny_run(8, {"parallel.sharding=optimizer", "parallel.tensor=2", "parallel.pipeline=2"});
  Migration migration;
  migration.knobs = knob_changes(from, to);
  migration.tensors = tensor_changes(from, to);
  migration.from_layers = layers_of_ranks(from);
  migration.to_layers = layers_of_ranks(to);
  const BytesOverRanks three{Bytes{3e9}, Bytes{2e9}, Bytes{16e9}};
  const BytesOverRanks one{Bytes{1e9}, Bytes{0.5e9}, Bytes{4e9}};
  migration.reads.all = {.read = three, .remote = one, .other_node = {}};
  migration.times = {.storage_rate = BytesPerSecond{8e9},
                     .network_rate = BytesPerSecond{400e9},
                     .storage = Seconds{2.0},
                     .network = Seconds{0.0}};
  migration.optimizer = optimizer_verdict(from, to);
  migration.random = random_verdict(from, to);
  migration.data_order = data_order_verdict(from, to);
  migration.loss = loss_verdict(from, to);
  migration.communicators = communicator_changes(from, to);
  migration.from_cost = {.step = Seconds{8.0},
                         .peak_allocated = Bytes{40e9},
                         .needed = Bytes{44e9},
                         .capacity = Bytes{80e9}};
  migration.to_cost = migration.from_cost;
  migration.to_cost.step = Seconds{6.0};
  migration.to_cost.peak_allocated = Bytes{30e9};
  migration.checklist = {"save", "stop"};
  return {.from = "a.json",
          .to = "b.json",
          .from_problems = {},
          .to_problems = {},
          .migration = std::move(migration)};
}

inline MigrationReport broken_report() {
  return {.from = "a.json",
          .to = "b.json",
          .from_problems = {},
          .to_problems = {{"b.json", "parallel.tensor = 3", "must divide the 8 attention heads"}},
          .migration = {}};
}

}  // namespace stepcast::migration_fixtures
