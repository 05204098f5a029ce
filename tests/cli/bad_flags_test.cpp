#include "tests/cli/bad_input.hpp"

namespace stepcast::cli {
namespace {

TEST(BadFlags, AreRefusedWithTheWholeMessage) {
  const std::vector<BadInput> inputs{
      {"no command",
       {},
       {},
       "stepcast: no command given (predict, compare, search, advise, migrate, collective, health, "
       "score, topology, model, profile, export, import)\n"},
      {"misspelt command",
       {"predcit"},
       {},
       "stepcast: unknown command \"predcit\" (did you mean \"predict\"?)\n"},
      {"unknown command",
       {"fly"},
       {},
       "stepcast: unknown command \"fly\" (commands: predict, compare, search, advise, migrate, "
       "collective, health, score, topology, model, profile, export, import)\n"},
      {"misspelt flag",
       {"predict", "--modle", "llama-3-8b"},
       {},
       "stepcast: --modle: unknown option of predict (did you mean --model?)\n"},
      {"unknown flag",
       {"collective", "--cluster", "dgx-h100:1", "--quick"},
       {},
       "stepcast: --quick: unknown option of collective (options: --help, -h, --cluster, --op, "
       "-b, -e, -f, --ranks, --profile, --json)\n"},
      {"two unknown flags",
       {"predict", "--modle", "x", "--clustr", "y"},
       {},
       "stepcast: --modle: unknown option of predict (did you mean --model?)\n"
       "stepcast: --clustr: unknown option of predict (did you mean --cluster?)\n"},
      {"flag without value", {"predict", "--json"}, {}, "stepcast: --json: needs a value\n"},
      {"flag given twice",
       {"predict", "--json", "a", "--json", "b"},
       {},
       "stepcast: --json: given more than once\n"},
      {"one argument too many",
       {"predict", "run.json", "other.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: predict: unexpected argument \"other.json\"\n"},
      {"compare without files", {"compare"}, {}, "stepcast: compare: needs RUN.json\n"},
      {"topology without command",
       {"topology"},
       {},
       "stepcast: topology: no command given (show)\n"},
      {"misspelt sub-command",
       {"topology", "shwo", "dgx-h100:1"},
       {},
       "stepcast: topology: unknown command \"shwo\" (did you mean \"show\"?)\n"},
      {"model without name", {"model", "show"}, {}, "stepcast: model show: needs NAME|FILE\n"},
      {"trace to stdout",
       {"predict", "run.json", "--trace", "-"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: --trace: must be a file, found \"-\"\n"},
      {"output folder missing",
       {"predict", "run.json", "--json", "nowhere/p.json"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: cannot write nowhere/p.json: No such file or directory\n"},
      {"set without value",
       {"predict", "--model", "llama-3-8b", "--cluster", "dgx-h100:1", "--set", "parallel.tensor"},
       {},
       "stepcast: --set parallel.tensor: must be path=value such as parallel.tensor=4\n"},
      {"set into text",
       {"predict", "run.json", "--set", "model.name.x=1"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: --set model.name.x=1: model is \"llama-3-8b\", which has no members\n"},
      {"set unknown key",
       {"predict", "run.json", "--set", "training.sequense_length=1024"},
       {{"run.json",
         "{\"model\": \"llama-3-8b\", \"cluster\": \"dgx-h100:1\", \"parallel\": {\"tensor\": "
         "4, \"pipeline\": 2}, \"training\": {\"sequence_length\": 4096, \"global_batch\": "
         "16}}"}},
       "stepcast: run.json: training.sequense_length: unknown key (did you mean "
       "\"sequence_length\"?)\n"},
      {"sequence length of zero",
       {"model", "show", "llama-3-8b", "--sequence-length", "0"},
       {},
       "stepcast: --sequence-length: must be a whole number >= 1, found \"0\"\n"},
      {"unknown suffix",
       {"collective", "--cluster", "dgx-h100:1", "-b", "8Q"},
       {},
       "stepcast: -b: must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
       "found \"8Q\"\n"},
      {"size of zero",
       {"collective", "--cluster", "dgx-h100:1", "-b", "0"},
       {},
       "stepcast: -b: must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
       "found \"0\"\n"},
      {"end before begin",
       {"collective", "--cluster", "dgx-h100:1", "-b", "1M", "-e", "1K"},
       {},
       "stepcast: -e: must be at least -b 1M, found \"1K\"\n"},
      {"factor of one",
       {"collective", "--cluster", "dgx-h100:1", "-f", "1"},
       {},
       "stepcast: -f: must be a number > 1, found \"1\"\n"},
      {"one rank",
       {"collective", "--cluster", "dgx-h100:1", "--ranks", "1"},
       {},
       "stepcast: --ranks: must be a whole number >= 2, found \"1\"\n"},
      {"more ranks than GPUs",
       {"collective", "--cluster", "dgx-h100:1", "--ranks", "9"},
       {},
       "stepcast: --ranks: must be at most the 8 GPUs of dgx-h100:1, found 9\n"},
      {"misspelt operation",
       {"collective", "--cluster", "dgx-h100:1", "--op", "all_redcue"},
       {},
       "stepcast: --op: must be one of all_reduce, all_gather, reduce_scatter, all_to_all, "
       "broadcast, send_recv, found \"all_redcue\" (did you mean \"all_reduce\"?)\n"},
      {"no cluster", {"collective", "--op", "all_reduce"}, {}, "stepcast: --cluster: missing\n"},
      {"many wrong flags",
       {"collective", "--cluster", "dgx-h1000:1", "--op", "x", "-b", "-1x", "-e", "y", "-f", "0"},
       {},
       "stepcast: --op: must be one of all_reduce, all_gather, reduce_scatter, all_to_all, "
       "broadcast, send_recv, found \"x\"\n"
       "stepcast: -b: must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
       "found \"-1x\"\n"
       "stepcast: -e: must be a size of at least 1 byte such as 8, 512K, 64M or 16G (1K = 1024), "
       "found \"y\"\n"
       "stepcast: -f: must be a number > 1, found \"0\"\n"
       "stepcast: --cluster: no server preset \"dgx-h1000\" (did you mean \"dgx-h100\"?)\n"},
      {"misspelt model",
       {"predict", "--model", "llama-3-70", "--cluster", "dgx-h100:8", "--set",
        "training.sequence_length=4096"},
       {},
       "stepcast: command line: model: no preset or file \"llama-3-70\" (did you mean "
       "\"llama-3-70b\"?)\n"},
      {"misspelt server",
       {"topology", "show", "dgx-h1000:8"},
       {},
       "stepcast: --cluster: no server preset \"dgx-h1000\" (did you mean \"dgx-h100\"?)\n"},
      {"no nodes",
       {"topology", "show", "dgx-h100:0"},
       {},
       "stepcast: --cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"0\"\n"},
      {"nodes not a number",
       {"topology", "show", "dgx-h100:many"},
       {},
       "stepcast: --cluster: the number of servers must be a whole number >= 1 as in "
       "\"dgx-h100:8\", found \"many\"\n"},
      {"too many nodes",
       {"topology", "show", "dgx-h100:99999999"},
       {},
       "stepcast: --cluster: the number of dgx-h100 servers must be at most 32768 (262144 GPUs), "
       "found 99999999\n"},
      {"misspelt profile",
       {"profile", "show", "h100-smx"},
       {},
       "stepcast: profile: no profile preset or file \"h100-smx\" (did you mean \"h100-sxm\"?); "
       "presets: a100-sxm-40gb, a100-sxm-80gb, b200-sxm, cpu, gb200, h100-sxm, h200-sxm\n"},
      {"import under an unknown name",
       {"profile", "import", ".", "--name", "h999"},
       {},
       "stepcast: --name: no constants for a profile \"h999\"; known: a100-sxm-40gb, "
       "a100-sxm-80gb, b200-sxm, cpu, gb200, h100-sxm, h200-sxm\n"},
  };
  for (const BadInput& input : inputs) expect_refused(input);
}

}  // namespace
}  // namespace stepcast::cli
