// What the field's rules recommend for this case, with their numbers, beside what the search found.
import {closed, el, heading, part, table} from '../dom.js';
import {clip, count, gib, number, percent, range, isEmpty, title, valueOf} from '../format.js';
import {curveChart} from '../charts/curve.js';
import {stackChart} from '../charts/stack.js';
import {intervalChart} from '../charts/interval.js';
import {entriesTable} from './tables.js';
import {breakdownCharts, degrees, describeRun, inputsTable, memoryCharts, modelName, needed, provenance} from './prediction.js';
import {memoryParts} from '../palette.js';

const strategyNames = {dp: 'DP: data', pp: 'PP: pipeline', tp: 'TP: tensor', cp: 'CP: context'};

function choices(a) {
  const named = [['by the rules', a.recommended], ['by search', a.search_best]].filter(([, choice]) => choice?.prediction);
  const rows = [
    ['Split', (p) => degrees(p.inputs)], ['Step time (s)', (p) => number(p.step_time_s.p50)],
    ['P10–P90 (s)', (p) => range(p.step_time_s)], ['Tokens/s/GPU', (p) => number(p.tokens_per_s_per_gpu)],
    ['MFU, causal (%)', (p) => percent(p.mfu.causal)], ['GPUs', (p) => count(p.gpus)],
    ['Memory needed (GiB)', (p) => gib(needed(p.memory).bytes)], ['Free (GiB)', (p) => gib(needed(p.memory).free)]];
  return {named, node: table('The choices', [{label: 'Metric'}, ...named.map(([name]) => ({label: name}))],
      rows.map(([name, pick]) => [name, ...named.map(([, choice]) => pick(choice.prediction))]))};
}

/** The memory of the strategies with keys of ours as bars; other keys stay in the table. */
function strategyMemory(strategies) {
  const bars = strategies.filter((s) => s.memory_bytes && typeof s.memory_bytes === 'object').map((s) => ({
    label: strategyNames[s.name] ?? clip(s.name, 40),
    object: Object.fromEntries(Object.entries(s.memory_bytes).map(([key, bytes]) => [key.endsWith('_bytes') ? key : `${key}_bytes`, bytes]))}));
  if (!bars.some((bar) => memoryParts.some((entry) => bar.object[entry.key] > 0))) return null;
  return stackChart('Memory of a GPU under each strategy', bars, memoryParts, {unit: 'GiB', axis: 'memory (GiB)', scale: 2 ** -30});
}

/** Throughput against each strategy's degree, for those that can be varied alone. */
function strategyCurves(strategies) {
  const curves = strategies.filter((s) => s.curve?.length > 1).map((s) => ({name: strategyNames[s.name] ?? clip(s.name, 40),
    points: s.curve.map((point) => ({x: point.degree, y: point.tokens_per_s_per_gpu, note: clip(point.problem ?? '', 80)}))}));
  return curves.length === 0 ? null : curveChart('Throughput against the degree of one strategy', curves, {x: 'degree', y: 'tokens/s/GPU'});
}

/** @param {HTMLElement} section @param {object} a  a stepcast.advice document */
export function adviceSection(section, a) {
  const p = a.recommended?.prediction;
  section.append(heading(2, p ? `Advice: ${modelName(p.inputs)} on ${p.gpus.toLocaleString('en-US')} GPUs` : 'Advice'));
  if (p) section.append(el('p', {class: 'lead'}, `Recommended: ${describeRun(p)}`));
  const {named, node} = choices(a);
  if (named.length > 0) {
    part(section, 'The choice', node, a.why_different ? el('p', {}, valueOf('', a.why_different)) : null,
        intervalChart('Step time with its interval', named.map(([label, choice]) => ({label, interval: choice.prediction.step_time_s})), 'step time (s)'));
  }
  if (a.rules?.length) part(section, 'The rules and their numbers', entriesTable('Rules', a.rules, ['axis', 'question', 'value', 'threshold', 'unit', 'holds', 'reason']));
  if (a.strategies?.length) {
    part(section, 'The strategies for this case', strategyMemory(a.strategies), strategyCurves(a.strategies), entriesTable('Strategies',
        a.strategies.map(({curve: _curve, ...s}) => ({...s, name: strategyNames[s.name] ?? s.name})), ['name', 'splits']));
  }
  const known = new Set(['format', 'version', 'recommended', 'search_best', 'rules', 'strategies', 'why_different', 'alternatives', 'provenance']);
  for (const [key, value] of Object.entries(a).filter(([key, value]) => !known.has(key) && !isEmpty(value)))
    part(section, title(key), Array.isArray(value) && typeof value[0] === 'object' ? entriesTable(title(key), value) : el('div', {}, valueOf(key, value)));
  const others = (a.alternatives ?? []).map(({run: _run, prediction: _prediction, ...entry}) => entry).filter((entry) => !isEmpty(entry));
  if (others.length > 0) part(section, 'Alternatives', entriesTable('Alternatives', others));
  const runs = [...named, ...(a.alternatives ?? []).filter((entry) => entry?.prediction)
      .map((entry, i) => [`alternative ${i + 1}: ${degrees(entry.prediction.inputs)}`, entry])];
  if (runs.length > 0) part(section, 'Each choice', ...runs.map(([name, {prediction}]) => closed(clip(name, 100), el('p', {}, describeRun(prediction)),
      ...breakdownCharts(prediction), ...memoryCharts(prediction), ...provenance(prediction), inputsTable(prediction.inputs))));
}
