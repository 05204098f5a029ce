#include "tests/fuzz/mutate.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/files.hpp"

namespace stepcast::fuzz {

namespace {

using nlohmann::json;

const std::vector<std::string>& awkward_tokens() {
  static const std::vector<std::string> tokens{
      "0",   "-1",   "1e999",    "-0.0", "9223372036854775808",
      "1.5", "null", "true",     "\"\"", "[]",
      "{}",  "[",    "}",        ",",    "\"",
      "\\",  "\n",   "\xff\xfe", "%s",   "NaN"};
  return tokens;
}

const std::vector<json>& awkward_values() {
  static const std::vector<json> values{0,
                                        -1,
                                        1,
                                        3,
                                        1000003,
                                        0.5,
                                        -2.5,
                                        1e300,
                                        std::int64_t{9223372036854775807},
                                        std::uint64_t{18446744073709551615U},
                                        nullptr,
                                        true,
                                        "",
                                        "no such thing",
                                        "../../etc",
                                        json::array(),
                                        json::object(),
                                        json::array({1, "two", nullptr}),
                                        json::object({{"", json::array({-1})}})};
  return values;
}

void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (auto& child : value) collect(child, all);
}

std::string excerpt(const std::string& text) {
  return text.size() <= 4000 ? text : text.substr(0, 4000) + "...";
}

void expect_named_failure(const std::function<void()>& parse, const std::string& input) {
  try {
    parse();
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problems().empty()) << excerpt(input);
    EXPECT_STRNE(error.what(), "") << excerpt(input);
  } catch (const EnvironmentError& error) {
    EXPECT_STRNE(error.what(), "") << excerpt(input);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "escaped: " << error.what() << "\nfrom: " << excerpt(input);
  }
}

}  // namespace

std::string Mutator::text(std::string good) {
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(good.size() + 1);
    const std::size_t length = std::min(below(16), good.size() - at);
    const std::string& token = awkward_tokens()[below(awkward_tokens().size())];
    switch (below(5)) {
      case 0:
        if (at < good.size()) good[at] = static_cast<char>(good[at] ^ (1 << below(8)));
        break;
      case 1: good.erase(at, length); break;
      case 2: good.insert(at, good.substr(at, length)); break;
      case 3: good.replace(at, length, token); break;
      default: good.insert(at, token);
    }
  }
  return good;
}

void Mutator::change(json& value) {
  const bool inside = value.is_structured() && !value.empty();
  const std::size_t kind = inside ? below(4) : 0;
  if (kind == 0) {
    value = awkward_values()[below(awkward_values().size())];
    return;
  }
  auto member = value.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(below(value.size())));
  if (kind == 1) {
    value.erase(member);
  } else if (value.is_array()) {
    value.push_back(*member);
  } else {
    json moved = *member;
    const std::string name = member.key() + (kind == 2 ? "x" : "");
    if (kind == 2) value.erase(member);
    value[kind == 2 ? name : "copy"] = std::move(moved);
  }
}

json Mutator::document(json good) {
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    std::vector<json*> all;
    collect(good, all);
    change(*all[below(all.size())]);
  }
  return good;
}

void survives_text(const std::vector<std::string>& samples, int rounds,
                   const std::function<void(const std::string&)>& parse) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Mutator mutator(i + 1);
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
      const std::string broken = mutator.text(samples[i]);
      expect_named_failure([&] { parse(broken); }, broken);
    }
  }
}

void survives_documents(const std::vector<std::string>& samples, int rounds,
                        const std::function<void(const json&)>& parse) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Mutator mutator(i + 1);
    const json good = json::parse(samples[i]);
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
      const json broken = mutator.document(good);
      expect_named_failure([&] { parse(broken); },
                           broken.dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
}

std::string sample(const std::string& name) {
  return read_file(std::string(STEPCAST_SOURCE_DIR) + "/tests/data/" + name);
}

}  // namespace stepcast::fuzz
