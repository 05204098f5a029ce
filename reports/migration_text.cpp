#include "reports/migration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/report_section.hpp"

namespace stepcast {
namespace {

// JSON text for people; what does not apply is a dash.
std::string plain(std::string value) {
  std::erase(value, '"');
  return value == "null" || value.empty() ? "-" : value;
}

// "name: text" for a text that is there.
void remark(const std::string& name, const std::string& text, std::vector<std::string>& remarks) {
  if (!text.empty()) remarks.push_back(name + ": " + text);
}

std::string gigabytes(Bytes bytes) { return three_digits(bytes.value() / 1e9); }

void add_validity(const std::string& side, const std::string& name,
                  const std::vector<Problem>& problems, ReportSection& section) {
  section.lines.push_back(
      fmt::format("{} {}: {}", side, name, problems.empty() ? "valid" : "breaks a rule"));
  for (const Problem& problem : problems)
    section.lines.push_back(fmt::format("  {}: {}", problem.where, problem.message));
}

ReportSection costs(const Migration& migration) {
  const StepCost &from = migration.from_cost, &to = migration.to_cost;
  TextTable table({{"forecast", Align::left}, {"before"}, {"after"}, {"change (%)"}});
  table.add_row({"step time (s)", three_digits(from.step.value()), three_digits(to.step.value()),
                 signed_percent(to.step / from.step - 1.0)});
  table.add_row({"peak allocated (GB)", gigabytes(from.peak_allocated),
                 gigabytes(to.peak_allocated),
                 signed_percent(to.peak_allocated / from.peak_allocated - 1.0)});
  table.add_row(
      {"memory", std::string(name_of(from.verdict)), std::string(name_of(to.verdict)), ""});
  return {.table = std::move(table)};
}

ReportSection knobs(const std::vector<KnobChange>& knobs) {
  ReportSection section{
      .title = "What changes",
      .table =
          TextTable({{"knob", Align::left}, {"before"}, {"after"}, {"numerics", Align::left}})};
  for (const KnobChange& knob : knobs) {
    section.table.add_row(
        {knob.knob, plain(knob.from), plain(knob.to), std::string(name_of(knob.numerics))});
    if (knob.numerics != NumericsClass::bit_preserving)
      remark(knob.knob, knob.reason, section.remarks);
  }
  if (knobs.empty()) section.lines = {"nothing changes"};
  return section;
}

ReportSection flags(const std::vector<KnobChange>& knobs) {
  TextTable table({{"knob", Align::left},
                   {"Megatron-LM", Align::left},
                   {"torchtitan", Align::left},
                   {"DeepSpeed", Align::left}});
  for (const KnobChange& knob : knobs)
    if (knob.flags.megatron || knob.flags.torchtitan || knob.flags.deepspeed)
      table.add_row({knob.knob, knob.flags.megatron.value_or("-"),
                     knob.flags.torchtitan.value_or("-"), knob.flags.deepspeed.value_or("-")});
  return {.title = "Flags", .table = std::move(table)};
}

std::string shape(const std::vector<std::int64_t>& sizes) {
  return sizes.empty() ? "-" : fmt::format("{}", fmt::join(sizes, " x "));
}

ReportSection tensors(const std::vector<TensorChange>& changes) {
  ReportSection section{
      .title = "Tensor slices",
      .table = TextTable(
          {{"tensor", Align::left}, {"axis"}, {"a rank held"}, {"will hold"}, {"count"}})};
  for (const TensorChange& change : changes) {
    section.table.add_row({change.name, change.axis ? std::to_string(*change.axis) : "-",
                           shape(change.from_shape), shape(change.to_shape),
                           std::to_string(change.count)});
    remark(change.name, change.note, section.remarks);
  }
  if (changes.empty()) section.lines = {"every rank keeps its slices"};
  return section;
}

ReportSection layers(const Migration& migration) {
  TextTable table({{"pipeline rank"}, {"layers before", Align::left}, {"after", Align::left}});
  const auto cell = [](const auto& by_rank, std::size_t rank) {
    return rank < by_rank.size() ? layer_ranges(by_rank[rank]) : std::string("-");
  };
  const std::size_t ranks =
      migration.from_layers == migration.to_layers
          ? 0
          : std::max(migration.from_layers.size(), migration.to_layers.size());
  for (std::size_t rank = 0; rank < ranks; ++rank)
    table.add_row(
        {std::to_string(rank), cell(migration.from_layers, rank), cell(migration.to_layers, rank)});
  return {.title = "Layers", .table = std::move(table)};
}

ReportSection reads(const Migration& migration) {
  TextTable table({{"GB", Align::left}, {"most of a rank"}, {"mean of a rank"}, {"all ranks"}});
  const auto add = [&](const char* name, const BytesOverRanks& bytes) {
    table.add_row({name, gigabytes(bytes.most), gigabytes(bytes.mean), gigabytes(bytes.total)});
  };
  const MigrationReads& all = migration.reads;
  add("to read: the new shards", all.all.read);
  add("  parameters", all.parameters.read);
  add("  optimizer", all.optimizer.read);
  add("not on the same GPU before", all.all.remote);
  add("  parameters", all.parameters.remote);
  add("  optimizer", all.optimizer.remote);
  add("not in the same server before", all.all.other_node);
  ReportSection section{.title = "Bytes", .table = std::move(table)};
  if (!migration.same_machines) section.remarks = {"the servers are others: nothing is local"};
  return section;
}

ReportSection times(const MigrationTimes& times) {
  const std::string storage =
      times.storage ? fmt::format("{} s at {} GB/s of storage for each server",
                                  three_digits(times.storage->value()),
                                  three_digits(times.storage_rate->value() / 1e9))
                    : std::string("unknown: give the storage's rate with --storage-GBps");
  const std::string network =
      times.network
          ? fmt::format("{} s at {} GB/s for each server", three_digits(times.network->value()),
                        three_digits(times.network_rate.value() / 1e9))
          : std::string("not possible: the servers have no NIC");
  return {.title = "Time",
          .lines = {"from a checkpoint: " + storage,
                    "between the servers, without storage: " + network}};
}

ReportSection formats(const OptimizerVerdict& optimizer) {
  ReportSection section{.title = "Optimizer state",
                        .lines = {optimizer.verdict},
                        .table = TextTable({{"format", Align::left},
                                            {"framework", Align::left},
                                            {"moves", Align::left},
                                            {"flag when saving", Align::left}})};
  for (const CheckpointFormat& format : optimizer.formats) {
    section.table.add_row({format.format, std::string(name_of(format.framework)),
                           format.allows ? "yes" : "no", format.save_flag.value_or("-")});
    remark(format.format, format.reason, section.remarks);
  }
  return section;
}

ReportSection random(const RandomVerdict& random) {
  ReportSection section{.title = "Random numbers", .lines = {random.verdict}};
  for (const RandomRegion& region : random.regions)
    remark(fmt::format("{} ({} stream)", region.region, region.stream), region.consequence,
           section.remarks);
  return section;
}

ReportSection communicators(const CommunicatorChanges& changes) {
  ReportSection section{.title = "Communicators",
                        .table = TextTable({{"", Align::left},
                                            {"kind", Align::left},
                                            {"count"},
                                            {"ranks each"},
                                            {"slowest tier", Align::left}})};
  const auto add = [&](const char* what, const std::vector<CommunicatorChange>& list) {
    for (const CommunicatorChange& change : list)
      section.table.add_row({what, change.kind, std::to_string(change.count),
                             std::to_string(change.ranks), change.tier});
  };
  add("added", changes.added);
  add("removed", changes.removed);
  if (section.table.empty()) section.lines = {"all stay"};
  return section;
}

ReportSection checklist(const std::vector<std::string>& steps) {
  ReportSection section{.title = "Checklist"};
  for (std::size_t i = 0; i < steps.size(); ++i)
    section.lines.push_back(fmt::format("{}. {}", i + 1, steps[i]));
  return section;
}

std::vector<ReportSection> sections_of(const MigrationReport& report) {
  ReportSection opening;
  add_validity("from", report.from, report.from_problems, opening);
  add_validity("to  ", report.to, report.to_problems, opening);
  if (!report.migration) return {opening};
  const Migration& migration = *report.migration;
  return {opening,
          costs(migration),
          knobs(migration.knobs),
          flags(migration.knobs),
          tensors(migration.tensors),
          layers(migration),
          reads(migration),
          times(migration.times),
          formats(migration.optimizer),
          random(migration.random),
          {.title = "Data order", .lines = {migration.data_order.verdict}},
          {.title = "Loss", .lines = {migration.loss.verdict}},
          communicators(migration.communicators),
          checklist(migration.checklist)};
}

}  // namespace

std::string migration_text(const MigrationReport& report) {
  return plain_text(sections_of(report));
}

std::string migration_markdown(const MigrationReport& report) {
  return markdown(sections_of(report));
}

}  // namespace stepcast
