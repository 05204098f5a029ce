// What the field's rules recommend for this case, with their numbers, beside what the search found.
import {answers, badge, cards, closed, el, facts, heading, part, table} from '../dom.js';
import {clip, count, duration, gib, measure, number, percent, range, significant, size, whole} from '../format.js';
import {curveChart} from '../charts/curve.js';
import {intervalChart} from '../charts/interval.js';
import {relativeChart} from '../charts/relative.js';
import {adviceWords} from './advice_words.js';
import {breakdownCharts, describeRun, inputsTable, memoryCharts, modelName, needed, provenance, recompute, split, verdicts} from './prediction.js';

const unitOf = {bytes: 'bytes', s: 's', rate: 'bytes_per_s'};

function card(title, {prediction: p}, w) {
  const memory = needed(p.memory), verdict = p.memory.verdict;
  const sharding = p.inputs?.parallel?.sharding;
  return {title, name: split(p.inputs?.parallel), badge: badge(w.verdicts[verdict] ?? clip(verdict, 40), verdicts[verdict]?.state), pairs: [
    [w.stepTime, el('span', {}, number(p.step_time_s.p50), ' s')], [w.interval, `${range(p.step_time_s)} s`],
    [w.throughput, el('span', {}, number(p.tokens_per_s_per_gpu), ` ${w.tokens}`)], [w.mfu, el('span', {}, percent(p.mfu.causal), ' %')],
    [w.memory, el('span', {}, gib(memory.bytes), ` ${w.of} `, gib(p.memory.capacity_bytes), ' GiB')],
    [w.microBatch, count(p.inputs?.training?.micro_batch)], [w.recompute, recompute(p.inputs)],
    [w.optimizer, sharding === 'none' ? w.whole : `${w.sharded} (${clip(sharding ?? '?', 40)})`]]};
}

function choicePart(section, a, named, w) {
  part(section, w.choice, cards(named.map(([name, choice]) => card(name, choice, w))),
      a.why_different ? el('div', {class: 'reading'}, el('h4', {}, w.why), el('p', {}, clip(a.why_different, 4000))) : null,
      intervalChart(w.intervalTitle, named.map(([label, choice]) => ({label, interval: choice.prediction.step_time_s})), w.stepAxis, w.intervalNote));
}

/** Questions with answers, the value against its threshold and the reason. */
const ruleList = (rules, w) => answers(rules.map((rule) => ({
  question: clip(rule.question, 400), answer: badge(rule.holds ? w.yes : w.no, rule.holds ? 'yes' : 'plain'), reason: clip(rule.reason, 2000),
  numbers: [measure(rule.value, rule.unit), ...(rule.threshold === null ? [] : [` ${w.against} `, measure(rule.threshold, rule.unit)])],
})));

function rulesPart(section, a, w) {
  const parallel = a.recommended?.prediction.inputs?.parallel ?? {};
  const degree = {cp: parallel.context, tp: parallel.tensor, pp: parallel.pipeline, dp: parallel.data};
  const axes = [...new Set(a.rules.map((rule) => rule.axis))];
  part(section, w.rules, ...axes.flatMap((axis) => [
    el('h4', {}, w.axes[axis] ?? clip(axis, 40), ' ', degree[axis] ? badge(`${axis.toUpperCase()} ${degree[axis]}`, 'good') : null),
    ruleList(a.rules.filter((rule) => rule.axis === axis), w)]));
}

/** A column for each strategy, a row for each of its measures. */
function strategyTable(strategies, w) {
  const r = w.rows, memory = (key) => (s) => measure(s.memory_bytes?.[key], unitOf.bytes);
  const rows = [
    [r.degree, (s) => s.problem ? w.impossible : el('span', {}, s.used ? '' : `${w.notUsed} `, count(s.degree))],
    [r.splits, (s) => clip(s.splits, 300)],
    [r.saved_states, memory('saved_states')], [r.saved_activations, memory('saved_activations')],
    ...['parameters', 'gradients', 'optimizer', 'activations'].map((key) => [`${w.rows.memory}: ${r[key]}`, memory(key)]),
    [r.bytes_per_step, (s) => measure(s.bytes_per_step, unitOf.bytes)], [r.calls_per_step, (s) => measure(s.calls_per_step, 'count')],
    [r.tier, (s) => clip(s.tier ?? '–', 60)],
    [r.needed, (s) => s.hide_bandwidth_bytes_per_s === null && !s.problem ? w.cannotHide : measure(s.hide_bandwidth_bytes_per_s, unitOf.rate)],
    [r.supplied, (s) => measure(s.supplied_bandwidth_bytes_per_s, unitOf.rate)], [r.exposed_s, (s) => measure(s.exposed_s, unitOf.s)],
    [r.bubble, (s) => measure(s.bubble, 'share')], [r.limit, (s) => clip(s.limit ?? '–', 400)], [r.knee, (s) => measure(s.knee, 'count')]];
  return table(w.strategyTable, [{label: ''}, ...strategies.map((s) => ({label: w.axes[s.name] ?? clip(s.name, 40), text: true}))],
      rows.map(([name, cell]) => [name, ...strategies.map(cell)]));
}

/** Throughput against each strategy's degree, all on one scale. */
function strategyCurves(a, w) {
  const shown = a.strategies.filter((s) => s.curve?.some((point) => point.tokens_per_s_per_gpu !== null));
  const top = Math.max(...shown.flatMap((s) => s.curve.map((point) => point.tokens_per_s_per_gpu ?? 0))) * 1.1;
  const round = 10 ** Math.floor(Math.log10(top));
  const note = (point) => [...(point.problem ? [clip(point.problem, 80)] : []), ...(point.fits || point.problem ? [] : [w.unfit]),
    ...(point.gpus === a.request?.gpus ? [] : [`${whole(point.gpus)} ${w.gpus}`])].join(', ');
  return el('div', {}, el('div', {class: 'charts'}, ...shown.map((s) => curveChart(w.curve(w.axes[s.name] ?? clip(s.name, 40)),
      [{name: w.tokens, knee: s.knee ?? undefined, points: s.curve.map((point) => ({x: point.degree, y: point.tokens_per_s_per_gpu,
        weak: !point.fits, note: note(point)}))}],
      {x: w.degree, y: w.tokens, knee: w.knee, top: Math.ceil(top / round * 2) * round / 2, height: 190}))), el('p', {class: 'note'}, w.hollow));
}

function groupsTable(groups, w) {
  const verdict = ({demanded_bytes_per_s: demanded, flagged}) => demanded !== null ?
    badge(flagged ? w.short : w.enough, flagged ? 'warn' : 'good') : badge(flagged ? w.blocks : w.exposed, flagged ? 'warn' : 'plain');
  return table(w.groups, [{label: w.group}, {label: w.tier, text: true}, {label: w.demands}, {label: w.gets}, {label: w.verdict, text: true}],
      groups.map((group) => [`${group.axis.toUpperCase()} ${group.degree}`, clip(group.tier, 60), group.demanded_bytes_per_s === null ? '–' :
        measure(group.demanded_bytes_per_s, unitOf.rate), measure(group.supplied_bytes_per_s, unitOf.rate), verdict(group)]));
}

function alternativesPart(section, a, w) {
  const base = a.recommended.prediction.tokens_per_s_per_gpu;
  const shares = a.alternatives.filter((one) => one.tokens_per_s_per_gpu !== null);
  const label = (one) => split(one.degrees), broken = a.alternatives.some((one) => one.problem);
  part(section, w.alternatives, shares.length === 0 ? null : relativeChart(w.relative, shares.map((one) => ({label: label(one),
    share: one.tokens_per_s_per_gpu / base, weak: one.fits ? undefined : w.unfit,
    more: [[w.stepTime, duration(one.step_time_s)], [w.memory, size(one.memory_bytes)]]})), w.relativeAxis),
  table(w.alternatives, [{label: w.split, whole: true}, {label: w.tokens}, {label: w.share, unit: '%'}, {label: w.stepTime, unit: 's'},
    {label: w.memory, unit: 'GiB'}, {label: w.verdict, text: true}, ...(broken ? [{label: w.problem, text: true}] : [])],
  a.alternatives.map((one) => {
    const some = (value, show) => value === null ? '–' : show(value);
    return [label(one), some(one.tokens_per_s_per_gpu, number), some(one.tokens_per_s_per_gpu, (tokens) => significant(tokens / base * 100)),
      some(one.step_time_s, number), some(one.memory_bytes, gib), one.problem ? '–' : badge(w.verdicts[one.fits ? 'fits' : 'out_of_memory'],
          one.fits ? 'good' : 'bad'), ...(broken ? [clip(one.problem ?? '', 300)] : [])];
  })));
}

function shortfallPart(section, {least_memory_bytes: least, capacity_bytes: capacity, gpus_needed: gpus}, w) {
  part(section, w.nothing, facts([[w.least, least === null ? w.noValid : measure(least, unitOf.bytes)], [w.capacity, measure(capacity, unitOf.bytes)],
    [w.wanted, gpus === null ? w.moreDoNotHelp : count(gpus)]]));
}

function asked(request, w) {
  return el('p', {class: 'lead'}, clip([w.asked(request), ...(request.memory_margin > 0 ? [w.margin(significant(request.memory_margin * 100))] : []),
    ...(request.complexity !== null ? [w.ceiling(request.complexity)] : []), ...(request.pinned.length ? [w.pinned(request.pinned.join(', '))] : [])].join('; '), 600));
}

/** @param {HTMLElement} section @param {object} a  a stepcast.advice document */
export function adviceSection(section, a) {
  const w = adviceWords(a.lang);
  if (a.lang === 'zh') section.lang = 'zh';
  const named = [[w.byRules, a.recommended], [w.bySearch, a.search_best]].filter(([, choice]) => choice?.prediction);
  section.append(heading(2, w.title(modelName(a.request), a.request.gpus.toLocaleString('en-US'))), asked(a.request, w));
  if (a.shortfall) shortfallPart(section, a.shortfall, w);
  if (named.length > 0) choicePart(section, a, named, w);
  if (a.conditions.length > 0) part(section, w.conditions, ruleList(a.conditions, w));
  if (a.rules.length > 0) rulesPart(section, a, w);
  if (a.strategies.length > 0) {
    part(section, w.strategies, strategyTable(a.strategies, w), strategyCurves(a, w),
        a.groups.length > 0 ? groupsTable(a.groups, w) : null);
  }
  if (a.alternatives.length > 0) alternativesPart(section, a, w);
  if (a.notes.length > 0) part(section, w.notes, el('ul', {class: 'reading'}, ...a.notes.map((note) => el('li', {}, clip(note, 2000)))));
  if (named.length > 0) part(section, w.each, ...named.map(([name, {prediction}]) => closed(`${name}: ${split(prediction.inputs?.parallel)}`,
      el('p', {}, describeRun(prediction)), ...breakdownCharts(prediction), ...memoryCharts(prediction), ...provenance(prediction), inputsTable(prediction.inputs))));
}
