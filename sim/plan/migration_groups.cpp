#include "sim/plan/migration_groups.hpp"

#include <set>
#include <utility>

#include "sim/network/placement.hpp"
#include "sim/parallel/rank_groups.hpp"
#include "sim/plan/migration_reads.hpp"

namespace stepcast {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

const std::pair<GroupKind, const char*> kinds[] = {{GroupKind::tensor, "tensor"},
                                                   {GroupKind::context, "context"},
                                                   {GroupKind::data_context, "data"},
                                                   {GroupKind::pipeline, "pipeline"},
                                                   {GroupKind::embedding, "embedding"}};

Groups groups_of(const Run& run, GroupKind kind) {
  if (kind == GroupKind::embedding && !run.model.tied_embeddings) return {};
  Groups groups = rank_groups(run.parallel, kind);
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

// Neighbours exchange in a pipeline and at its ends; everything else is a ring.
std::string slowest_tier(const Run& run, GroupKind kind, const Groups& groups) {
  Placement placement;
  if (kind == GroupKind::pipeline || kind == GroupKind::embedding) {
    std::vector<std::uint32_t> from, to;
    for (const auto& group : groups)
      for (std::size_t i = 0; i + 1 < group.size(); ++i) {
        from.push_back(group[i]);
        to.push_back(group[i + 1]);
      }
    placement = place_pairs(run.cluster, from, to);
  } else {
    placement = place_groups(run.cluster, groups);
  }
  return std::string(name_of(placement.ring.back().tier));
}

void add_missing(const Run& run, const std::pair<GroupKind, const char*>& kind,
                 const Groups& groups, const Groups& others,
                 std::vector<CommunicatorChange>& changes) {
  const std::set<std::vector<std::uint32_t>> known(others.begin(), others.end());
  Groups missing;
  for (const auto& group : groups)
    if (!known.contains(group)) missing.push_back(group);
  if (missing.empty()) return;
  changes.push_back({kind.second, static_cast<std::int64_t>(missing.front().size()),
                     static_cast<std::int64_t>(missing.size()),
                     slowest_tier(run, kind.first, missing)});
}

}  // namespace

CommunicatorChanges communicator_changes(const Run& from, const Run& to) {
  const bool comparable = same_machines(from, to);
  CommunicatorChanges changes;
  for (const auto& kind : kinds) {
    const Groups before = groups_of(from, kind.first), after = groups_of(to, kind.first);
    add_missing(to, kind, after, comparable ? before : Groups{}, changes.added);
    add_missing(from, kind, before, comparable ? after : Groups{}, changes.removed);
  }
  return changes;
}

}  // namespace stepcast
