#include "reports/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reports/advice_difference.hpp"
#include "reports/breakdown.hpp"
#include "reports/markdown.hpp"
#include "reports/text_table.hpp"

namespace stepcast {

namespace {

constexpr std::size_t text_columns = 100;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Statement statement_of(const RuleEvaluation& rule, std::string id) {
  Statement statement{std::move(id), rule.facts};
  statement.facts.push_back({"value", rule.value, rule.unit, {}});
  statement.facts.push_back({"threshold", rule.threshold.value_or(0.0), rule.unit, {}});
  return statement;
}

// "Does one layer fit? yes (15.4 GiB against 70.1 GiB). ..."
std::string rule_line(const RuleEvaluation& rule, Language language) {
  Statement line = statement_of(rule, rule.threshold ? "against" : "alone");
  line.facts.push_back(text_fact("question", question_of(rule, language)));
  line.facts.push_back(text_fact("answer", say(language, rule.holds ? "answer.yes" : "answer.no")));
  line.facts.push_back(text_fact("reason", reason_of(rule, language)));
  return say(language, line);
}

std::string curve_text(const Strategy& strategy, Language language) {
  std::vector<std::string> points;
  for (const DegreePoint& point : strategy.curve) {
    std::string text = fmt::format("{}: ", point.degree);
    if (!point.tokens_per_s_per_gpu)
      text += say(language, "point.invalid");
    else if (!point.fits)
      text += say(language, "point.unfit");
    else
      text += three_digits(*point.tokens_per_s_per_gpu);
    points.push_back(std::move(text));
  }
  return join(points, ", ");
}

Fact bytes_fact(std::string name, double bytes) {
  return {std::move(name), bytes, FactUnit::bytes, {}};
}
Fact rate_fact(std::string name, double rate) {
  return {std::move(name), rate, FactUnit::bytes_per_second, {}};
}

std::vector<std::string> strategy_lines(const Strategy& one, Language language) {
  std::vector<std::string> lines;
  const auto add = [&](const Statement& statement) { lines.push_back(say(language, statement)); };
  if (!one.problem.empty()) {
    add({"strategy.impossible", {text_fact("problem", one.problem)}});
    return lines;
  }
  if (!one.used) add({"strategy.unused", {count_fact("degree", one.degree)}});
  add({"strategy.memory",
       {bytes_fact("parameters", one.memory.parameters.value()),
        bytes_fact("gradients", one.memory.gradients.value()),
        bytes_fact("optimizer", one.memory.optimizer.value()),
        bytes_fact("activations", one.memory.activations.value()),
        bytes_fact("saved_states", one.saved_states),
        bytes_fact("saved_activations", one.saved_activations)}});
  add({"strategy.traffic",
       {bytes_fact("bytes", one.bytes_per_step),
        count_fact("calls", one.calls_per_step),
        text_fact("tier", one.tier),
        {"exposed", one.exposed_s, FactUnit::seconds, {}}}});
  add({one.hide_bandwidth ? "strategy.hidden" : "strategy.exposed",
       {rate_fact("hide", one.hide_bandwidth.value_or(0.0)),
        rate_fact("supplied", one.supplied_bandwidth)}});
  lines.push_back(say(language, "label.limit") + say(language, "colon") + limit_of(one, language));
  add({one.knee > 0 ? "strategy.knee" : "strategy.no_knee",
       {count_fact("knee", one.knee), text_fact("curve", curve_text(one, language))}});
  return lines;
}

std::string strategy_paragraph(const Strategy& one, Language language) {
  const std::string splits =
      say(language, "label.splits") + say(language, "colon") + say(language, "split." + one.name);
  std::vector<std::string> lines{splits};
  for (std::string& line : strategy_lines(one, language)) lines.push_back(std::move(line));
  std::string head = upper(one.name);
  if (one.problem.empty()) head += fmt::format(" {}", one.degree);
  return head + say(language, "colon") + join(lines, say(language, "semicolon"));
}

std::string group_line(const GroupSupply& group, Language language) {
  const std::string id = group.demanded ? (group.flagged ? "group.flagged" : "group.fine")
                                        : (group.flagged ? "group.blocking" : "group.exposed");
  return say(language,
             {id,
              {text_fact("axis", upper(group.axis)), count_fact("degree", group.degree),
               text_fact("tier", group.tier), rate_fact("demand", group.demanded.value_or(0.0)),
               rate_fact("supplied", group.supplied)}});
}

std::string alternative_line(const Alternative& one, const Advice& advice, Language language) {
  const std::string colon = say(language, "colon");
  if (!one.ranked)
    return fmt::format("TP {}, PP {}, CP {}, DP {}{}", one.degrees.tensor, one.degrees.pipeline,
                       one.degrees.context, one.degrees.data, colon) +
           say(language, {"alternative.invalid", {text_fact("problem", one.problem)}});
  const std::string name = configuration_name(one.ranked->run) + colon;
  if (!one.fits)
    return name + say(language, {"alternative.unfit", {bytes_fact("memory", one.memory)}});
  const double speed = one.ranked->prediction.tokens_per_s_per_gpu /
                       advice.recommended->prediction.tokens_per_s_per_gpu;
  return name + say(language, {"alternative.fits", {{"speed", speed, FactUnit::share, {}}}});
}

std::string choice_line(const RankedRun& one) {
  const Prediction& prediction = one.prediction;
  return fmt::format("{}: {} s, {} tokens/s/GPU, MFU {} %, {} / {} GiB",
                     configuration_name(one.run), three_digits(prediction.step_p50.value()),
                     three_digits(prediction.tokens_per_s_per_gpu), percent(prediction.mfu_full),
                     gib(memory_needed(prediction).value()),
                     gib(prediction.memory_capacity.value()));
}

std::vector<std::string> shortfall_lines(const Shortfall& shortfall, const Run& base,
                                         Language language) {
  if (!shortfall.valid_seen && !shortfall.gpus)
    return {
        say(language,
            {"none.invalid",
             {count_fact("gpus", static_cast<std::int64_t>(base.cluster.topology.gpu_count()))}})};
  std::vector<std::string> lines;
  if (shortfall.least_memory)
    lines.push_back(say(language, {"none.unfit",
                                   {bytes_fact("least", *shortfall.least_memory),
                                    bytes_fact("capacity", shortfall.capacity)}}));
  if (shortfall.gpus)
    lines.push_back(say(language, {"none.gpus", {count_fact("gpus", *shortfall.gpus)}}));
  else
    lines.push_back(say(language, "none.no_gpus"));
  return lines;
}

AdviceSection opening(const Run& base, Language language) {
  const std::vector<Fact> facts{
      text_fact("model", base.model.name),
      text_fact("cluster", base.cluster.name),
      count_fact("gpus", static_cast<std::int64_t>(base.cluster.topology.gpu_count())),
      text_fact("framework", std::string(name_of(base.framework))),
      {"sequence", static_cast<double>(base.training.sequence_length), FactUnit::tokens, {}},
      count_fact("batch", base.training.global_batch)};
  return {"", {say(language, {"title", facts}), say(language, {"job", facts})}};
}

template <class List, class Line>
AdviceSection section(const char* heading, Language language, const List& list, Line line) {
  AdviceSection made{say(language, heading), {}};
  for (const auto& one : list) made.paragraphs.push_back(line(one));
  return made;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) width += byte >= 0xE0U ? 2 : 1;  // CJK takes two columns
  }
  return width;
}

// Breaks at blanks, but not behind a number, and between Chinese characters.
std::string wrapped(const std::string& paragraph, const std::string& first,
                    const std::string& next) {
  std::string out = first, word;
  std::size_t column = width_of(first);
  const auto flush = [&] {
    if (column + width_of(word) > text_columns && column > next.size()) {
      while (out.ends_with(' ')) out.pop_back();
      out += "\n" + next;
      column = next.size();
      if (word.starts_with(' ')) word.erase(0, 1);
    }
    out += word;
    column += width_of(word);
    word.clear();
  };
  for (std::size_t i = 0; i < paragraph.size();) {
    std::size_t length = 1;
    while (i + length < paragraph.size() &&
           (static_cast<unsigned char>(paragraph[i + length]) & 0xC0U) == 0x80U)
      ++length;
    const bool blank = paragraph[i] == ' ' && i > 0 &&
                       std::isdigit(static_cast<unsigned char>(paragraph[i - 1])) == 0;
    const std::string_view here = std::string_view(paragraph).substr(i, length);
    const bool closing = length >= 3 && std::string_view("，。；：、）”？").find(here) != here.npos;
    if (blank || (length >= 3 && !word.empty() && !closing)) flush();
    word += paragraph.substr(i, length);
    i += length;
  }
  flush();
  return out + "\n";
}

}  // namespace

std::string question_of(const RuleEvaluation& rule, Language language) {
  return say(language, rule.id + "?");
}

std::string reason_of(const RuleEvaluation& rule, Language language) {
  const std::string answered = rule.id + (rule.holds ? ".yes" : ".no");
  return say(language, statement_of(rule, has_sentence(language, answered) ? answered : rule.id));
}

std::string limit_of(const Strategy& strategy, Language language) {
  return strategy.problem.empty() ? say(language, strategy.limit) : strategy.problem;
}

std::vector<AdviceSection> advice_sections(const Advice& advice, const Run& base,
                                           Language language) {
  std::vector<AdviceSection> all{opening(base, language)};
  if (advice.shortfall) {
    all.push_back({"", shortfall_lines(*advice.shortfall, base, language)});
    return all;
  }
  const auto rule = [&](const RuleEvaluation& one) { return rule_line(one, language); };
  const std::string_view intros[] = {"intro.dp", "intro.pp", "intro.tp", "intro.cp"};
  all.push_back({say(language, "head.choice"), {choice_line(*advice.recommended)}});
  all.push_back(section("head.words", language, intros,
                        [&](std::string_view id) { return say(language, id); }));
  all.push_back(section("head.conditions", language, advice.conditions, rule));
  all.push_back(section("head.rules", language, advice.rules, [&](const RuleEvaluation& one) {
    return fmt::format("[{}] {}", one.axis, rule(one));
  }));
  AdviceSection search{say(language, "head.search"), {}};
  if (advice.search_best) search.paragraphs.push_back(choice_line(*advice.search_best));
  search.paragraphs.push_back(why_different(advice, language));
  all.push_back(std::move(search));
  all.push_back(section("head.strategies", language, advice.strategies,
                        [&](const Strategy& one) { return strategy_paragraph(one, language); }));
  all.push_back(section("head.groups", language, advice.groups,
                        [&](const GroupSupply& one) { return group_line(one, language); }));
  all.push_back(
      section("head.alternatives", language, advice.alternatives,
              [&](const Alternative& one) { return alternative_line(one, advice, language); }));
  all.push_back(section("head.notes", language, advice.notes,
                        [&](const Statement& one) { return say(language, one); }));
  return all;
}

std::string advice_text(const Advice& advice, const Run& base, Language language) {
  std::string out;
  for (const AdviceSection& part : advice_sections(advice, base, language)) {
    if (part.paragraphs.empty()) continue;
    if (!out.empty()) out += "\n";
    if (!part.heading.empty()) out += part.heading + "\n";
    for (const std::string& paragraph : part.paragraphs)
      out += part.heading.empty() ? wrapped(paragraph, "", "") : wrapped(paragraph, "  - ", "    ");
  }
  return out;
}

std::string advice_markdown(const Advice& advice, const Run& base, Language language) {
  std::string out;
  for (const AdviceSection& part : advice_sections(advice, base, language)) {
    if (part.paragraphs.empty()) continue;
    const bool first = out.empty();
    if (!part.heading.empty()) out += "\n### " + markdown_text(part.heading) + "\n\n";
    for (std::size_t i = 0; i < part.paragraphs.size(); ++i) {
      const std::string text = markdown_text(part.paragraphs[i]);
      out += first && i == 0        ? "## " + text + "\n\n"
             : part.heading.empty() ? text + "\n"
                                    : "- " + text + "\n";
    }
  }
  return out;
}

}  // namespace stepcast
