#pragma once

#include <optional>

#include "common/units.hpp"
#include "sim/parallel/run.hpp"

namespace stepcast {

// One kind of bytes over the ranks of the new run.
struct BytesOverRanks {
  Bytes most, mean, total;
};

struct StateReads {
  BytesOverRanks read;        // the new shard: what a rank loads from a checkpoint
  BytesOverRanks remote;      // of which not on the same GPU before
  BytesOverRanks other_node;  // of which not in the same server before
};

// What the ranks of `to` need of the state of `from`. Rank i is GPU i on both sides; where the
// clusters are built of other servers, nothing is local. Parameters count in parameter_dtype, the
// optimizer as master copy (4 bytes, none with fp32 parameters) and two moments in optimizer_dtype.
// Rows that only pad the vocabulary and that `from` does not have are not read. Replicas each read
// their own copy.
struct MigrationReads {
  StateReads all, parameters, optimizer;
  // Of the server with the most.
  Bytes busiest_node_read, busiest_node_other_node;
};
[[nodiscard]] MigrationReads migration_reads(const Run& from, const Run& to);

// Whether GPU i of both runs is the same GPU: servers of one kind, numbered alike.
[[nodiscard]] bool same_machines(const Run& from, const Run& to);

// Rates of one server; `storage` has no default.
struct MigrationRates {
  std::optional<BytesPerSecond> storage, network;
};
// storage: the busiest server reads its ranks' new shards from the checkpoint. network: the busiest
// server receives what it had not; the default rate is all its NICs'.
struct MigrationTimes {
  std::optional<BytesPerSecond> storage_rate;
  BytesPerSecond network_rate;
  std::optional<Seconds> storage;
  std::optional<Seconds> network;  // none: bytes to move but a server has no NIC
};
[[nodiscard]] MigrationTimes migration_times(const MigrationReads& reads,
                                             const MigrationRates& rates, const Run& to);

}  // namespace stepcast
