#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

const std::map<std::string, std::string> files{{"run.json", small_run_text}};

BadInput sweep(std::string name, std::vector<std::string> arguments, std::string message) {
  arguments.insert(arguments.begin(), {"compare", "run.json"});
  return {std::move(name), std::move(arguments), files, std::move(message)};
}

TEST(BadSweeps, SayWhatIsWrongWithAnAxis) {
  const std::vector<BadInput> inputs{
      sweep("no values", {"--sweep", "parallel.tensor"},
            "stepcast: --sweep parallel.tensor: must be path=values such as "
            "parallel.tensor=1,2,4,8\n"),
      sweep("empty list", {"--sweep", "parallel.tensor="},
            "stepcast: --sweep parallel.tensor: needs at least one value\n"),
      sweep("empty value", {"--sweep", "parallel.tensor=1,,2"},
            "stepcast: --sweep parallel.tensor: holds an empty value, found \"1,,2\"\n"),
      sweep("duplicate", {"--sweep", "parallel.tensor=2,4,2.0"},
            "stepcast: --sweep parallel.tensor: holds 2.0 twice\n"),
      sweep("unknown path", {"--sweep", "parallel.tensr=1,2"},
            "stepcast: --sweep parallel.tensr: unknown key (did you mean \"tensor\"?)\n"),
      sweep("path into a value", {"--sweep", "training.global_batch.x=1"},
            "stepcast: --sweep training.global_batch.x: training.global_batch is 16, which has no "
            "members\n"),
      sweep("half a range", {"--sweep", "training.global_batch=8..64"},
            "stepcast: --sweep training.global_batch: a range is first..last*factor or "
            "first..last+step as in 8..512*2, found \"8..64\"\n"),
      sweep("shrinking range", {"--sweep", "training.global_batch=64..8*2"},
            "stepcast: --sweep training.global_batch: a range must grow: 0 < first <= last and "
            "factor > 1, found \"64..8*2\"\n"),
      sweep("standing range", {"--sweep", "training.global_batch=8..64+0"},
            "stepcast: --sweep training.global_batch: a range must grow: first <= last and step > "
            "0, found \"8..64+0\"\n"),
      sweep("endless range", {"--sweep", "training.global_batch=1..1000+1"},
            "stepcast: --sweep training.global_batch: at most 200 values, found more in "
            "\"1..1000+1\"\n"),
      sweep("many points",
            {"--sweep", "training.global_batch=1..20+1", "--sweep", "network_GBps=1..11+1"},
            "stepcast: --sweep: at most 200 points, found 220\n"),
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

TEST(BadSweeps, SayWhatClashes) {
  const std::vector<BadInput> inputs{
      sweep("three axes", {"--sweep", "a=1", "--sweep", "b=1", "--sweep", "c=1"},
            "stepcast: --sweep: at most two axes, found 3\n"),
      sweep("swept and set", {"--sweep", "parallel.tensor=2,4", "--set", "parallel.tensor=4"},
            "stepcast: --sweep parallel.tensor: is also set by --set parallel.tensor\n"),
      sweep("swept and set, by another name",
            {"--sweep", "network_GBps=25", "--set", "cluster.overrides.nic_bandwidth_GBps=50"},
            "stepcast: --sweep network_GBps: is also set by --set "
            "cluster.overrides.nic_bandwidth_GBps\n"),
      sweep("swept and a flag", {"--sweep", "cluster=dgx-h100:1", "--cluster", "dgx-h100:2"},
            "stepcast: --sweep cluster: is also set by --cluster cluster\n"),
      sweep("swept twice",
            {"--sweep", "network_GBps=25", "--sweep", "cluster.overrides.nic_bandwidth_GBps=50"},
            "stepcast: --sweep cluster.overrides.nic_bandwidth_GBps: is swept twice, as "
            "network_GBps too\n"),
      sweep("weak scaling of nothing", {"--sweep", "parallel.tensor=2", "--weak-scaling"},
            "stepcast: --weak-scaling: needs --sweep gpus=..., which the batch follows\n"),
      sweep("weak scaling of a swept batch",
            {"--sweep", "gpus=8,16", "--sweep", "training.global_batch=8,16", "--weak-scaling"},
            "stepcast: --weak-scaling: sets training.global_batch, which is swept\n"),
      sweep("two runs", {"run.json", "--sweep", "parallel.tensor=2"},
            "stepcast: --sweep: varies one run, found 2\n"),
      sweep("two documents on stdout",
            {"--sweep", "parallel.tensor=2", "--json", "-", "--markdown", "-"},
            "stepcast: --markdown: only one of --json and --markdown can be \"-\"\n"),
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

TEST(BadSweeps, SayWhatIsWrongWithTheRunWhateverTheValues) {
  const std::vector<BadInput> inputs{
      {"unknown key",
       {"compare", "run.json", "--sweep", "parallel.tensor=1,2"},
       {{"run.json", R"({"model": "llama-3-8b", "cluster": "dgx-h100:1", "trainig": {},
                         "training": {"sequence_length": 4096}})"}},
       "stepcast: run.json: trainig: unknown key (did you mean \"training\"?)\n"},
      {"unknown model",
       {"compare", "--model", "llama-3-70", "--cluster", "dgx-h100:8", "--set",
        "training.sequence_length=4096", "--sweep", "parallel.tensor=1,2"},
       {},
       "stepcast: command line: model: no preset or file \"llama-3-70\" (did you mean "
       "\"llama-3-70b\"?)\n"},
      {"no batch to scale",
       {"compare", "--model", "llama-3-8b", "--cluster", "dgx-h100:1", "--sweep", "gpus=8,16"},
       {},
       "stepcast: command line: training.global_batch: missing: --sweep gpus needs the batch that "
       "strong scaling keeps and weak scaling starts from\n"},
      {"a graph",
       {"compare", "run.json", "--sweep", "network_GBps=25,50"},
       {{"run.json", R"({"model": "llama-3-8b", "cluster": {"server": "dgx-h100", "vertices": []},
                         "training": {"global_batch": 8}})"}},
       "stepcast: run.json: --sweep network_GBps: the cluster is given link by link, so that its "
       "size and rates cannot be varied (sweep cluster over files instead)\n"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

TEST(BadCompare, TakesTwoToTwentyRunsAsTheyAre) {
  BadInput many{"21 runs", {"compare"}, files, ""};
  many.arguments.insert(many.arguments.end(), 21, "run.json");
  many.message = "stepcast: compare: takes two to twenty runs or predictions, found 21\n";
  const std::vector<BadInput> inputs{
      sweep("one run", {},
            "stepcast: compare: takes two to twenty runs or predictions, found 1 (--sweep "
            "path=values varies one run)\n"),
      many,
      sweep("flags of a sweep", {"run.json", "--set", "parallel.tensor=1", "--weak-scaling"},
            "stepcast: --set: only with --sweep: runs are compared as they are\n"
            "stepcast: --weak-scaling: only with --sweep: runs are compared as they are\n"),
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

}  // namespace
}  // namespace stepcast::cli
