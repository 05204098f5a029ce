// The best configurations that a search found, and what each gives up.
import {closed, el, facts, heading, part, table} from '../dom.js';
import {clip, count, duration, gib, number, percent, range, toGib} from '../format.js';
import {scatterChart} from '../charts/scatter.js';
import {intervalChart} from '../charts/interval.js';
import {stackChart} from '../charts/stack.js';
import {timeParts} from '../palette.js';
import {breakdownCharts, degrees, describeRun, headline, inputsTable, memoryCharts, modelName, needed, provenance, recompute, split} from './prediction.js';

const counted = [['candidates', 'Candidates'], ['invalid', 'break a rule or a limit'], ['pruned_memory', 'cannot fit in memory'],
  ['pruned_time', 'cannot be better than what was found'], ['simulated', 'simulated']];
const name = (entry) => `${entry.rank}: ${split(entry.prediction.inputs?.parallel)}`;
const settings = (entry) => `micro-batch ${entry.prediction.inputs?.training?.micro_batch}, recompute ${recompute(entry.prediction.inputs)}`;

function howItWent(s) {
  return facts([...counted.filter(([key]) => key in (s.counts ?? {})).map(([key, label]) => [label, count(s.counts[key])]),
    ...(typeof s.seconds === 'number' ? [['took', duration(s.seconds)]] : [])]);
}

/** Columns of one configuration; priced ones only where the search was given a price. */
function configurations(caption, entries, ranked) {
  const priced = [['gpu_hours', 'GPU-hours'], ['cost', 'Cost']].filter(([key]) => entries.some((entry) => typeof entry[key] === 'number'));
  return table(caption, [...(ranked ? [{label: 'Rank'}] : []), {label: 'Split', text: true, whole: true}, {label: 'Micro-batch'},
    {label: 'Recompute', text: true}, {label: 'Optimizer', text: true}, {label: 'Step time', unit: 's'}, {label: 'P10–P90', unit: 's'},
    {label: 'Tokens/s/GPU'}, {label: 'MFU', unit: '%'}, {label: 'GPUs'}, {label: 'Memory needed', unit: 'GiB'}, {label: 'Free', unit: 'GiB'},
    {label: 'Techniques'}, ...priced.map(([, label]) => ({label}))],
  entries.map((entry) => {
    const p = entry.prediction, memory = needed(p.memory);
    return [...(ranked ? [String(entry.rank)] : []), split(p.inputs?.parallel), count(p.inputs?.training?.micro_batch), recompute(p.inputs),
      p.inputs?.parallel?.sharding === 'none' ? 'whole' : clip(`sharded (${p.inputs?.parallel?.sharding ?? '?'})`, 40),
      number(p.step_time_s.p50), range(p.step_time_s), number(p.tokens_per_s_per_gpu), percent(p.mfu.causal), count(p.gpus),
      gib(memory.bytes), gib(memory.free), count(entry.complexity), ...priced.map(([key]) => number(entry[key]))];
  }));
}

function againstFirst(best) {
  if (best.length < 2) return null;
  const list = (items) => items?.length ? el('ul', {}, ...items.map((item) => el('li', {}, clip(item, 200)))) : '–';
  return table('What each gives up and gains against rank 1', [{label: 'Rank'}, {label: 'Split', text: true, whole: true},
    {label: 'Gives up', text: true}, {label: 'Gains', text: true}],
  best.slice(1).map((entry) => [String(entry.rank), split(entry.prediction.inputs?.parallel), list(entry.gives_up), list(entry.gains)]));
}

function tradeOff(s) {
  const key = (entry) => JSON.stringify(entry.prediction.inputs);
  const ranks = new Map(s.best.map((entry) => [key(entry), entry.rank]));
  const onFront = new Set(s.pareto.map(key));
  const point = (kind) => (entry) => {
    const rank = ranks.get(key(entry)), p = entry.prediction;
    return {label: `${rank ? `${rank}: ` : ''}${split(p.inputs?.parallel)}`, first: rank === 1, x: toGib(needed(p.memory).free),
      y: p.tokens_per_s_per_gpu, kind, more: [['GPUs', String(p.gpus)], ['with', settings(entry)]]};
  };
  return scatterChart('Throughput against free memory', [...s.pareto.map(point('front')),
    ...s.best.filter((entry) => !onFront.has(key(entry))).map(point('inside'))], {x: 'free on the fullest stage (GiB)', y: 'tokens/s/GPU'});
}

function question(request) {
  if (!request) return null;
  return el('p', {class: 'lead'}, clip(`${request.cluster}, ${request.framework}; ${request.gpus.map((n) => n.toLocaleString('en-US')).join(', ')} GPUs; ` +
    `sequence ${request.sequence_length}, global batch ${request.global_batch}; by ${request.objective.replaceAll('_', ' ')}` +
    (request.pinned.length ? `; fixed: ${request.pinned.join(', ')}` : ''), 600));
}

/** @param {HTMLElement} section @param {object} s  a stepcast.search document */
export function searchSection(section, s) {
  const first = s.best[0]?.prediction;
  section.append(heading(2, first ? `Search: ${modelName(first.inputs)}, best is ${split(first.inputs?.parallel)}` :
    `Search: ${clip(s.request?.model ?? '', 60)}`));
  const asked = question(s.request);
  if (asked) section.append(asked);
  if (!first) {
    section.append(el('p', {}, 'No configuration is valid and fits.'), howItWent(s));
    return;
  }
  section.append(headline(first));
  part(section, 'Best configurations', configurations('Best configurations', s.best, true), againstFirst(s.best),
      intervalChart('Step time with its interval', s.best.map((entry) => ({label: name(entry), interval: entry.prediction.step_time_s})), 'step time (s)'),
      howItWent(s));
  part(section, 'Trade-off', tradeOff(s), closed(`The Pareto front as a table (${s.pareto.length})`, configurations('Pareto front', s.pareto, false)));
  part(section, 'Where the time goes', stackChart('Step time of stage 0',
      s.best.map((entry) => ({label: name(entry), object: entry.prediction.breakdown[0]})), timeParts, {unit: 's', axis: 'time (s)', scale: 1}));
  part(section, 'Each configuration', ...s.best.map((entry) => closed(`${entry.rank}: ${degrees(entry.prediction.inputs)}`, el('p', {}, describeRun(entry.prediction)),
      ...breakdownCharts(entry.prediction), ...memoryCharts(entry.prediction), ...provenance(entry.prediction), inputsTable(entry.prediction.inputs))));
}
