#include "reports/export_torchtitan.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/export_megatron.hpp"
#include "reports/framework_flags.hpp"
#include "reports/import_run.hpp"
#include "reports/torchtitan_flavors.hpp"
#include "sim/parallel/run_json.hpp"

namespace stepcast {
namespace {

void add_data(const Run& run, Settings& settings) {
  const bool sharded = run.parallel.sharding != Sharding::none;
  const bool reshard =
      run.parallel.sharding == Sharding::parameters || run.parallel.sharding == Sharding::hybrid;
  settings.push_back({"parallelism.data_parallel_replicate_degree",
                      std::to_string(sharded ? 1 : run.parallel.data)});
  settings.push_back({"parallelism.data_parallel_shard_degree", sharded ? "-1" : "1"});
  settings.push_back(
      {"parallelism.fsdp_reshard_after_forward", reshard || !sharded ? "default" : "never"});
}

void add_pipeline(const Run& run, Settings& settings) {
  const ParallelConfig& parallel = run.parallel;
  const StageLayers& layers = parallel.stage_layers;
  if (parallel.pipeline == 1) return;
  settings.push_back(
      {"parallelism.pipeline_parallel_microbatch_size", std::to_string(run.training.micro_batch)});
  settings.push_back({"parallelism.pipeline_parallel_first_stage_less_layers",
                      layers.account_for_embedding ? "1" : "0"});
  settings.push_back({"parallelism.pipeline_parallel_last_stage_less_layers",
                      layers.account_for_loss ? "1" : "0"});
  if (parallel.virtual_stages <= 2) return;
  const std::int64_t units =
      run.model.layers + (layers.account_for_embedding ? 1 : 0) + (layers.account_for_loss ? 1 : 0);
  const std::int64_t stages = parallel.pipeline * parallel.virtual_stages;
  const std::int64_t each = (units + stages - 1) / stages;
  if ((units + each - 1) / each == stages)  // else no number of layers makes that many stages
    settings.push_back({"parallelism.pipeline_parallel_layers_per_stage", std::to_string(each)});
}

void add_training(const Run& run, Settings& settings) {
  const TrainingConfig& training = run.training;
  const std::int64_t local =
      run.parallel.pipeline > 1 ? training.global_batch / run.parallel.data : training.micro_batch;
  settings.push_back({"training.local_batch_size", std::to_string(local)});
  settings.push_back({"training.global_batch_size", std::to_string(training.global_batch)});
  settings.push_back({"training.mixed_precision_param", "bfloat16"});
  settings.push_back({"training.mixed_precision_reduce", "float32"});
  if (training.precision == DataType::fp8) settings.push_back({"model.converters", "float8"});
  settings.push_back({"activation_checkpoint.mode", std::string(name_of(training.recompute.kind))});
  if (training.recompute.kind == RecomputeKind::selective)
    settings.push_back({"activation_checkpoint.selective_ac_option", "op"});
}

// Numbers and switches as TOML has them; converters are a list.
void insert(toml::table& section, const std::string& key, const std::string& value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (key == "converters")
    section.insert(key, toml::array{value});
  else if (value == "true" || value == "false")
    section.insert(key, value == "true");
  else if (error == std::errc{} && end == value.data() + value.size())
    section.insert(key, number);
  else
    section.insert(key, value);
}

}  // namespace

Settings torchtitan_settings(const Run& run) {
  const TorchtitanFlavor flavor = flavor_of(run.model);
  Settings settings{{"model.name", flavor.name.empty() ? "llama3" : flavor.name},
                    {"model.flavor", flavor.name.empty() ? run.model.name : flavor.flavor}};
  for (Setting& setting : write_rows(torchtitan_rows(), to_json(run)))
    settings.push_back(std::move(setting));
  add_data(run, settings);
  add_pipeline(run, settings);
  add_training(run, settings);
  return settings;
}

std::string torchtitan_toml(const Settings& settings, const Run& run, const std::string& note,
                            const std::string& path) {
  toml::table table;
  for (const auto& [key, value] : settings) {
    const std::size_t dot = key.find('.');
    const std::string section = key.substr(0, dot);
    if (!table.contains(section)) table.insert(section, toml::table{});
    insert(*table[section].as_table(), key.substr(dot + 1), value);
  }
  const Launch launch = launch_of(run);
  std::ostringstream text;
  text << fmt::format(
              "# torchtitan on {} GPUs, written by stepcast. Data, optimizer and checkpoints are "
              "not part\n# of a run; start it with\n"
              "# torchrun --nnodes {} --nproc-per-node {} -m torchtitan.train "
              "--job.config-file {}\n{}{}\n\n",
              run.gpus(), launch.nodes, launch.each, path, note_mark, note)
       << table << "\n";
  return text.str();
}

}  // namespace stepcast
