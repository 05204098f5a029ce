#include "sim/parallel/rank_groups.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "common/errors.hpp"

namespace stepcast {
namespace {

enum class Axis { tensor, context, data, pipeline };

struct GridAxis {
  Axis axis = Axis::tensor;
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// Axes of the dense grid, fastest first. The expert axis does not appear: expert parallelism
// regroups the data and context ranks (SEMANTICS 8).
std::array<GridAxis, 4> grid_of(const ParallelConfig& parallel) {
  const std::array<GridAxis, 4> known{{{Axis::tensor, parallel.tensor},
                                       {Axis::context, parallel.context},
                                       {Axis::data, parallel.data},
                                       {Axis::pipeline, parallel.pipeline}}};
  const std::array<std::string, 4> words{"tp", "cp", "dp", "pp"};
  std::array<std::pair<std::size_t, GridAxis>, 4> placed;
  for (std::size_t i = 0; i < words.size(); ++i)
    placed[i] = {parallel.order.find(words[i]), known[i]};  // npos: last
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::array<GridAxis, 4> grid;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    grid[i] = placed[i].second;
    grid[i].stride = stride;
    stride *= grid[i].size;
  }
  return grid;
}

std::set<Axis> axes_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::tensor: return {Axis::tensor};
    case GroupKind::context: return {Axis::context};
    case GroupKind::data: return {Axis::data};
    case GroupKind::data_context: return {Axis::data, Axis::context};
    case GroupKind::pipeline:
    case GroupKind::embedding: return {Axis::pipeline};
    case GroupKind::model: return {Axis::tensor, Axis::pipeline};
  }
  return {};
}

// Every offset that the axes inside (or outside) `members` span, fastest axis first.
std::vector<std::int64_t> offsets(const std::array<GridAxis, 4>& grid,
                                  const std::set<Axis>& members, bool inside) {
  std::vector<std::int64_t> result{0};
  for (const GridAxis& axis : grid) {
    if ((members.count(axis.axis) == 1) != inside) continue;
    const std::size_t before = result.size();
    for (std::int64_t i = 1; i < axis.size; ++i)
      for (std::size_t j = 0; j < before; ++j) result.push_back(result[j] + i * axis.stride);
  }
  return result;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> rank_groups(const ParallelConfig& parallel,
                                                    GroupKind kind) {
  const auto grid = grid_of(parallel);
  const auto axes = axes_of(kind);
  const std::vector<std::int64_t> inside = offsets(grid, axes, true);
  std::vector<std::vector<std::uint32_t>> groups;
  for (const std::int64_t base : offsets(grid, axes, false)) {
    std::vector<std::uint32_t> group;
    group.reserve(inside.size());
    for (const std::int64_t offset : inside)
      group.push_back(static_cast<std::uint32_t>(base + offset));
    if (kind == GroupKind::embedding && group.size() > 2) group = {group.front(), group.back()};
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::vector<std::uint32_t>> rank_groups_of_stage(const ParallelConfig& parallel,
                                                             GroupKind kind, std::int64_t stage) {
  STEPCAST_CHECK(axes_of(kind).count(Axis::pipeline) == 0);
  auto groups = rank_groups(parallel, kind);
  std::erase_if(groups, [&](const auto& group) {
    return coordinates_of(parallel, group.front()).pipeline != stage;
  });
  return groups;
}

std::uint32_t rank_of(const ParallelConfig& parallel, const RankCoordinates& at) {
  std::int64_t rank = 0;
  for (const GridAxis& axis : grid_of(parallel)) {
    switch (axis.axis) {
      case Axis::tensor: rank += at.tensor * axis.stride; break;
      case Axis::context: rank += at.context * axis.stride; break;
      case Axis::data: rank += at.data * axis.stride; break;
      case Axis::pipeline: rank += at.pipeline * axis.stride; break;
    }
  }
  return static_cast<std::uint32_t>(rank);
}

RankCoordinates coordinates_of(const ParallelConfig& parallel, std::uint32_t rank) {
  RankCoordinates at;
  for (const GridAxis& axis : grid_of(parallel)) {
    const std::int64_t position = rank / axis.stride % axis.size;
    switch (axis.axis) {
      case Axis::tensor: at.tensor = position; break;
      case Axis::context: at.context = position; break;
      case Axis::data: at.data = position; break;
      case Axis::pipeline: at.pipeline = position; break;
    }
  }
  return at;
}

}  // namespace stepcast
