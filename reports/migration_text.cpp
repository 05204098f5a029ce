#include "reports/migration_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text_table.hpp"

namespace stepcast {
namespace {

// JSON text for people; what does not apply is a dash.
std::string plain(std::string value) {
  std::erase(value, '"');
  return value == "null" || value.empty() ? "-" : value;
}

// "  name: text" for each name that has a text.
std::string remark(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "  " + name + ": " + text + "\n";
}

std::string gigabytes(Bytes bytes) { return three_digits(bytes.value() / 1e9); }

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "\n" + title + "\n" + body;
}

std::string validity(const std::string& side, const std::string& name,
                     const std::vector<Problem>& problems) {
  std::string text =
      fmt::format("{} {}: {}\n", side, name, problems.empty() ? "valid" : "breaks a rule");
  for (const Problem& problem : problems)
    text += fmt::format("  {}: {}\n", problem.where, problem.message);
  return text;
}

std::string costs(const Migration& migration) {
  const StepCost &from = migration.from_cost, &to = migration.to_cost;
  TextTable table({{"forecast", Align::left}, {"before"}, {"after"}, {"change (%)"}});
  table.add_row({"step time (s)", three_digits(from.step.value()), three_digits(to.step.value()),
                 signed_percent(to.step / from.step - 1.0)});
  table.add_row({"peak allocated (GB)", gigabytes(from.peak_allocated),
                 gigabytes(to.peak_allocated),
                 signed_percent(to.peak_allocated / from.peak_allocated - 1.0)});
  table.add_row(
      {"memory", std::string(name_of(from.verdict)), std::string(name_of(to.verdict)), ""});
  return table.str();
}

std::string knobs(const std::vector<KnobChange>& knobs) {
  TextTable table({{"knob", Align::left}, {"before"}, {"after"}, {"numerics", Align::left}});
  std::string reasons;
  for (const KnobChange& knob : knobs) {
    table.add_row(
        {knob.knob, plain(knob.from), plain(knob.to), std::string(name_of(knob.numerics))});
    if (knob.numerics != NumericsClass::bit_preserving) reasons += remark(knob.knob, knob.reason);
  }
  return table.empty() ? "nothing changes\n" : table.str() + reasons;
}

std::string flags(const std::vector<KnobChange>& knobs) {
  TextTable table({{"knob", Align::left},
                   {"Megatron-LM", Align::left},
                   {"torchtitan", Align::left},
                   {"DeepSpeed", Align::left}});
  for (const KnobChange& knob : knobs)
    if (knob.flags.megatron || knob.flags.torchtitan || knob.flags.deepspeed)
      table.add_row({knob.knob, knob.flags.megatron.value_or("-"),
                     knob.flags.torchtitan.value_or("-"), knob.flags.deepspeed.value_or("-")});
  return table.empty() ? "" : table.str();
}

std::string shape(const std::vector<std::int64_t>& sizes) {
  return sizes.empty() ? "-" : fmt::format("{}", fmt::join(sizes, " x "));
}

std::string tensors(const std::vector<TensorChange>& changes) {
  TextTable table({{"tensor", Align::left}, {"axis"}, {"a rank held"}, {"will hold"}, {"count"}});
  std::string notes;
  for (const TensorChange& change : changes) {
    table.add_row({change.name, change.axis ? std::to_string(*change.axis) : "-",
                   shape(change.from_shape), shape(change.to_shape), std::to_string(change.count)});
    notes += remark(change.name, change.note);
  }
  return table.empty() ? "every rank keeps its slices\n" : table.str() + notes;
}

std::string layers(const Migration& migration) {
  if (migration.from_layers == migration.to_layers) return "";
  TextTable table({{"pipeline rank"}, {"layers before", Align::left}, {"after", Align::left}});
  const auto cell = [](const auto& by_rank, std::size_t rank) {
    return rank < by_rank.size() ? layer_ranges(by_rank[rank]) : std::string("-");
  };
  const std::size_t ranks = std::max(migration.from_layers.size(), migration.to_layers.size());
  for (std::size_t rank = 0; rank < ranks; ++rank)
    table.add_row(
        {std::to_string(rank), cell(migration.from_layers, rank), cell(migration.to_layers, rank)});
  return table.str();
}

std::string reads(const Migration& migration) {
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
  return table.str() +
         (migration.same_machines ? "" : "the servers are others: nothing is local\n");
}

std::string times(const MigrationTimes& times) {
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
  return "from a checkpoint: " + storage + "\n" +
         "between the servers, without storage: " + network + "\n";
}

std::string formats(const OptimizerVerdict& optimizer) {
  TextTable table({{"format", Align::left},
                   {"framework", Align::left},
                   {"moves", Align::left},
                   {"flag when saving", Align::left}});
  std::string reasons;
  for (const CheckpointFormat& format : optimizer.formats) {
    table.add_row({format.format, std::string(name_of(format.framework)),
                   format.allows ? "yes" : "no", format.save_flag.value_or("-")});
    reasons += remark(format.format, format.reason);
  }
  return optimizer.verdict + "\n" + table.str() + reasons;
}

std::string random(const RandomVerdict& random) {
  std::string text = random.verdict + "\n";
  for (const RandomRegion& region : random.regions)
    text += fmt::format("  {} ({} stream): {}\n", region.region, region.stream, region.consequence);
  return text;
}

std::string communicators(const CommunicatorChanges& changes) {
  TextTable table({{"", Align::left},
                   {"kind", Align::left},
                   {"count"},
                   {"ranks each"},
                   {"slowest tier", Align::left}});
  const auto add = [&](const char* what, const std::vector<CommunicatorChange>& list) {
    for (const CommunicatorChange& change : list)
      table.add_row({what, change.kind, std::to_string(change.count), std::to_string(change.ranks),
                     change.tier});
  };
  add("added", changes.added);
  add("removed", changes.removed);
  return table.empty() ? "all stay\n" : table.str();
}

std::string checklist(const std::vector<std::string>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) text += fmt::format("{}. {}\n", i + 1, steps[i]);
  return text;
}

}  // namespace

std::string migration_text(const MigrationReport& report) {
  std::string text = validity("from", report.from, report.from_problems) +
                     validity("to  ", report.to, report.to_problems);
  if (!report.migration) return text;
  const Migration& migration = *report.migration;
  text += "\n" + costs(migration);
  text += section("What changes", knobs(migration.knobs));
  text += section("Flags", flags(migration.knobs));
  text += section("Tensor slices", tensors(migration.tensors));
  text += section("Layers", layers(migration));
  text += section("Bytes", reads(migration));
  text += section("Time", times(migration.times));
  text += section("Optimizer state", formats(migration.optimizer));
  text += section("Random numbers", random(migration.random));
  text += section("Data order", migration.data_order.verdict + "\n");
  text += section("Loss", migration.loss.verdict + "\n");
  text += section("Communicators", communicators(migration.communicators));
  return text + section("Checklist", checklist(migration.checklist));
}

}  // namespace stepcast
