#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

int main(int argc, char** argv) {
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  stepcast::cli::Console console{std::cout, std::cerr, colour};
  return stepcast::cli::run_command(std::vector<std::string>(argv + 1, argv + argc), console);
}
