// The best configurations that a search found, and what each gives up.
import {closed, el, facts, heading, part, table} from '../dom.js';
import {clip, count, duration, gib, number, percent, range, toGib} from '../format.js';
import {scatterChart} from '../charts/scatter.js';
import {intervalChart} from '../charts/interval.js';
import {stackChart} from '../charts/stack.js';
import {timeParts} from '../palette.js';
import {breakdownCharts, degrees, describeRun, headline, inputsTable, memoryCharts, modelName, provenance, recompute, split} from './prediction.js';

const counted = [['candidates', 'Candidates'], ['invalid', 'break a rule or a limit'], ['pruned_memory', 'cannot fit in memory'],
  ['pruned_time', 'cannot be better than what was found'], ['simulated', 'simulated']];
const name = (entry) => `${entry.rank}: ${split(entry.prediction.inputs?.parallel)}`;
const settings = (entry) => `micro-batch ${entry.prediction.inputs?.training?.micro_batch}, recompute ${recompute(entry.prediction.inputs)}`;

function howItWent(s) {
  return facts([...counted.filter(([key]) => key in (s.counts ?? {})).map(([key, label]) => [label, count(s.counts[key])]),
    ...(typeof s.seconds === 'number' ? [['took', duration(s.seconds)]] : [])]);
}

/** Columns of one configuration; the optional ones only where entries differ or have a price. */
function configurations(caption, entries, ranked) {
  const varies = (pick) => new Set(entries.map(({prediction}) => pick(prediction))).size > 1;
  const sharding = (p) => clip(p.inputs?.parallel?.sharding ?? '–', 40);
  const priced = (key) => entries.some((entry) => typeof entry[key] === 'number');
  const columns = [
    [{label: 'Rank'}, (_p, entry) => String(entry.rank), ranked],
    [{label: 'Split', text: true, whole: true}, (p) => split(p.inputs?.parallel)],
    [{label: 'Micro-batch'}, (p) => count(p.inputs?.training?.micro_batch)],
    [{label: 'Recompute', text: true}, (p) => recompute(p.inputs)],
    [{label: 'Sharded', text: true}, sharding, varies(sharding)],
    [{label: 'GPUs'}, (p) => count(p.gpus), varies((p) => p.gpus)],
    [{label: 'Step time', unit: 's'}, (p) => number(p.step_time_s.p50)],
    [{label: 'P10–P90', unit: 's'}, (p) => range(p.step_time_s)],
    [{label: 'Tokens/s/GPU'}, (p) => number(p.tokens_per_s_per_gpu)],
    [{label: 'MFU', unit: '%'}, (p) => percent(p.mfu.causal)],
    [{label: 'Free', unit: 'GiB'}, (_p, entry) => gib(entry.headroom_bytes)],
    [{label: 'Techniques'}, (_p, entry) => count(entry.complexity)],
    [{label: 'GPU-hours'}, (_p, entry) => number(entry.gpu_hours), priced('gpu_hours')],
    [{label: 'Cost'}, (_p, entry) => number(entry.cost), priced('cost')],
  ].filter(([, , shown = true]) => shown);
  return table(caption, columns.map(([column]) => column),
      entries.map((entry) => columns.map(([, cell]) => cell(entry.prediction, entry))));
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
    return {label: `${rank ? `${rank}: ` : ''}${split(p.inputs?.parallel)}`, first: rank === 1, x: toGib(entry.headroom_bytes),
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
