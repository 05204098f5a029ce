#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>
#include <utility>

#include "cli/verbs.hpp"
#include "common/errors.hpp"
#include "reports/schemas.hpp"
#include "reports/version.hpp"

namespace stepcast::cli {

namespace {

void build(CLI::App& app, Action& chosen) {
  app.name("stepcast");
  app.description("Forecasts a training step of a large transformer on a GPU cluster.");
  app.footer(
      "Example:\n"
      "  stepcast predict --model llama-3-8b --cluster dgx-h100:1 --set parallel.tensor=2 \\\n"
      "    --set training.sequence_length=8192 --set training.global_batch=128\n"
      "Help of one command: stepcast predict --help\n"
      "Exit codes: 0 answered, 1 answered but nothing is feasible, 2 error.");
  app.add_flag("--version")->description("Print the version and those of the documents");
  app.allow_extras();
  add_predict(app, chosen);
  add_compare(app, chosen);
  add_search(app, chosen);
  add_advise(app, chosen);
  add_migrate(app, chosen);
  add_collective(app, chosen);
  add_health(app, chosen);
  add_score(app, chosen);
  add_topology(app, chosen);
  add_model(app, chosen);
  add_profile(app, chosen);
  add_export_run(app, chosen);
  add_import_run(app, chosen);
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// "-b" and "--json" of one command, and "--help".
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

// The innermost command that was named, with its full name: "profile check".
std::pair<const CLI::App*, std::string> innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string name;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += (name.empty() ? "" : " ") + command->get_name();
  }
  return {command, name};
}

Problem unknown_flag(const std::string& word, const CLI::App& command, const std::string& name) {
  const std::string flag = word.substr(0, word.find('='));
  const std::vector<std::string> known = flags_of(command);
  const std::string near = nearest(flag, known);
  const std::string of = name.empty() ? "" : " of " + name;
  return {
      "", flag,
      "unknown option" + of +
          (near.empty() ? " (options: " + listed(known) + ")" : " (did you mean " + near + "?)")};
}

Problem unknown_command(const std::string& word, const CLI::App& command, const std::string& name) {
  const std::vector<std::string> known = names_of_commands(command);
  const std::string near = nearest(word, known);
  return {"", name,
          "unknown command \"" + word + "\"" +
              (near.empty() ? " (commands: " + listed(known) + ")"
                            : " (did you mean \"" + near + "\"?)")};
}

// What no command and no flag took. Unknown flags come first: the words after one may be its value,
// so nothing is said about other words then.
std::vector<Problem> leftovers(const CLI::App& app) {
  const auto [command, name] = innermost(app);
  std::vector<Problem> flags, words;
  for (const std::string& word : app.remaining(true)) {
    if (word.size() > 1 && word.front() == '-') {
      flags.push_back(unknown_flag(word, *command, name));
    } else if (!names_of_commands(*command).empty()) {
      if (words.empty()) words.push_back(unknown_command(word, *command, name));
    } else {
      words.push_back({"", name, "unexpected argument \"" + word + "\""});
    }
  }
  return flags.empty() ? words : flags;
}

// "name is required" in our words: the command needs "NAME|FILE", or a flag is missing.
Problem missing(const std::string& option, const CLI::App& app) {
  if (option.starts_with("-")) return {"", option, "missing"};
  const auto [command, name] = innermost(app);
  const CLI::Option* positional = command->get_option_no_throw(option);
  return {"", name, "needs " + (positional ? positional->get_type_name() : option)};
}

// CLI11's message of a parse error, in our words.
Problem rephrased(const CLI::ParseError& error, const CLI::App& app) {
  const std::string text = error.what();
  if (error.get_name() == "RequiredError") return missing(text.substr(0, text.find(' ')), app);
  const std::size_t colon = text.find(':');
  const std::string where = colon == std::string::npos ? "" : text.substr(0, colon);
  if (error.get_name() == "ArgumentMismatch")
    return {"", where,
            text.find("At Most") != std::string::npos ? "given more than once" : "needs a value"};
  return {"", where, colon == std::string::npos ? text : text.substr(colon + 2)};
}

void print_version(Console& console) {
  console.out << "stepcast " << product_version() << "\n";
  for (const EmbeddedFile& schema : embedded_schemas())
    console.out << "stepcast." << schema.name << " version 1\n";
}

std::vector<std::string> reversed(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  return arguments;
}

int parse_and_run(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app;
  Action chosen;
  build(app, chosen);
  try {
    app.parse(reversed(arguments));
  } catch (const CLI::CallForHelp&) {
    const auto [command, name] = innermost(app);
    const std::size_t space = name.rfind(' ');
    const std::string before = space == std::string::npos ? "" : " " + name.substr(0, space);
    console.out << command->help(name.empty() ? "" : "stepcast" + before);
    return answered;
  } catch (const CLI::ParseError& error) {
    throw InputError(rephrased(error, app));
  }
  if (auto problems = leftovers(app); !problems.empty()) throw InputError(std::move(problems));
  if (app.count("--version") > 0) {
    print_version(console);
    return answered;
  }
  if (!chosen) {
    const auto [command, name] = innermost(app);
    throw InputError(
        Problem{"", name, "no command given (" + listed(names_of_commands(*command)) + ")"});
  }
  return chosen(console);
}

}  // namespace

int run_command(const std::vector<std::string>& arguments, Console& console) {
  try {
    const int code = parse_and_run(arguments, console);
    console.out.flush();
    if (!console.out) throw EnvironmentError("cannot write standard output");
    return code;
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      console.err << "stepcast: " << to_string(problem) << "\n";
  } catch (const EnvironmentError& error) {
    console.err << "stepcast: " << error.what() << "\n";
  } catch (const std::exception& error) {
    console.err << "stepcast: internal error: " << error.what() << "\n";
  }
  return failed;
}

}  // namespace stepcast::cli
