// The best configurations that a search found, and what each gives up.
import {closed, el, heading, part, table, tiles} from '../dom.js';
import {count, duration, gib, number, percent, range, toGib} from '../format.js';
import {scatterChart} from '../charts/scatter.js';
import {intervalChart} from '../charts/interval.js';
import {stackChart} from '../charts/stack.js';
import {timeParts} from '../palette.js';
import {breakdownCharts, degrees, describeRun, inputsTable, memoryCharts, modelName, needed, provenance} from './prediction.js';

const counted = ['candidates', 'invalid', 'pruned_memory', 'pruned_time', 'simulated'];
const name = (entry) => `${entry.rank}: ${degrees(entry.prediction.inputs)}`;

/** The Pareto front's predictions: entries of their own, or ranks or indices of the best. */
function frontOf(s) {
  return (s.pareto ?? []).map((entry) => typeof entry === 'number' ? s.best[entry] : entry)
      .filter((entry) => entry?.prediction);
}

function bestTable(best) {
  return table('Best configurations', [{label: 'Rank'}, {label: 'Split', text: true}, {label: 'Micro-batch'},
    {label: 'Recompute', text: true}, {label: 'Step time', unit: 's'}, {label: 'P10–P90', unit: 's'}, {label: 'Tokens/s/GPU'},
    {label: 'MFU', unit: '%'}, {label: 'GPUs'}, {label: 'Memory needed', unit: 'GiB'}, {label: 'Free', unit: 'GiB'}],
  best.map(({rank, prediction: p}) => {
    const memory = needed(p.memory);
    return [String(rank), degrees(p.inputs), count(p.inputs?.training?.micro_batch), p.inputs?.training?.recompute?.kind ?? '–',
      number(p.step_time_s.p50), range(p.step_time_s), number(p.tokens_per_s_per_gpu), percent(p.mfu.causal), count(p.gpus),
      gib(memory.bytes), gib(memory.free)];
  }));
}

function tradeOff(s) {
  const front = frontOf(s);
  const key = (entry) => JSON.stringify(entry.prediction.inputs);
  const onFront = new Set(front.map(key));
  const rest = s.best.filter((entry) => !onFront.has(key(entry)));
  const point = (kind) => (entry) => ({label: entry.rank ? name(entry) : degrees(entry.prediction.inputs),
    x: toGib(needed(entry.prediction.memory).free), y: entry.prediction.tokens_per_s_per_gpu,
    kind: entry.prediction.memory.verdict === 'out_of_memory' ? 'over' : kind,
    more: [['GPUs', String(entry.prediction.gpus)]]});
  return scatterChart('Throughput against free memory', [...front.map(point('front')), ...rest.map(point('inside'))],
      {x: 'free on the fullest stage (GiB)', y: 'tokens/s/GPU'});
}

/** @param {HTMLElement} section @param {object} s  a stepcast.search document */
export function searchSection(section, s) {
  const first = s.best[0]?.prediction;
  section.append(heading(2, first ? `Search: ${modelName(first.inputs)}` : 'Search'),
      tiles([...counted.filter((key) => key in (s.counts ?? {})).map((key) =>
        ({label: key.replaceAll('_', ', '), value: count(s.counts[key])})),
      ...(typeof s.seconds === 'number' ? [{label: 'took', value: duration(s.seconds)}] : [])]));
  if (!first) {
    section.append(el('p', {}, 'No configuration is valid and fits.'));
    return;
  }
  part(section, 'Best configurations', bestTable(s.best),
      intervalChart('Step time with its interval', s.best.map((entry) => ({label: name(entry), interval: entry.prediction.step_time_s})), 'step time (s)'));
  part(section, 'Trade-off', tradeOff(s));
  part(section, 'Where the time goes', stackChart('Step time of stage 0',
      s.best.map((entry) => ({label: name(entry), object: entry.prediction.breakdown[0]})), timeParts, {unit: 's', axis: 'time (s)', scale: 1}));
  part(section, 'Each configuration', ...s.best.map((entry) => closed(name(entry), el('p', {}, describeRun(entry.prediction)),
      ...breakdownCharts(entry.prediction), ...memoryCharts(entry.prediction), ...provenance(entry.prediction), inputsTable(entry.prediction.inputs))));
}
