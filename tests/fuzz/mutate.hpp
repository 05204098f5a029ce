#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

namespace stepcast::fuzz {

// Broken variants of good inputs. Seeded: the same seed gives the same variants on every machine
// (the raw generator is used, since the standard distributions differ between libraries).
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // A few changes to the text: bytes flipped, cut, repeated, replaced by awkward tokens.
  [[nodiscard]] std::string text(std::string good);
  // A few changes that keep it JSON: members dropped, renamed, swapped, given awkward values.
  [[nodiscard]] nlohmann::json document(nlohmann::json good);

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  void change(nlohmann::json& value);

  std::mt19937_64 random_;
};

// Calls `parse` with broken variants of the samples, in a fixed order, `rounds` times each, and
// fails the running test when anything but InputError or EnvironmentError comes out, or either
// comes without words.
void survives_text(const std::vector<std::string>& samples, int rounds,
                   const std::function<void(const std::string&)>& parse);
void survives_documents(const std::vector<std::string>& samples, int rounds,
                        const std::function<void(const nlohmann::json&)>& parse);

// Samples beside the tests: tests/data/<name>.
[[nodiscard]] std::string sample(const std::string& name);

}  // namespace stepcast::fuzz
