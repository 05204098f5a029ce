// One or two inputs varied: curves with their knees, and every point as a table.
import {badge, el, heading, part, table} from '../dom.js';
import {clip, gib, number, percent, range, tick, toGib} from '../format.js';
import {curveChart} from '../charts/curve.js';
import {verdicts} from './prediction.js';

const text = (value) => typeof value === 'number' ? tick(value) : clip(typeof value === 'string' ? value : JSON.stringify(value), 60);
const coordinate = (value) => typeof value === 'number' ? value : text(value);
const axisTitle = (axis) => clip(axis.path, 60) + (axis.unit ? ` (${clip(axis.unit, 40)})` : '');

/** The axis along which the knees lie, and the other one, which makes the curves. */
function axesOf(s) {
  const along = s.knees?.[0]?.axis ?? s.knee?.axis ?? 0;
  return {along, other: s.axes.findIndex((_axis, i) => i !== along)};
}

/** A curve along the first of axesOf, one for each value of the other. */
function curvesOf(s, pick) {
  const {along, other} = axesOf(s);
  const fixed = other < 0 ? [null] : s.axes[other].values;
  return fixed.map((value, i) => {
    const knee = s.knees?.[i]?.value ?? (s.knees ? undefined : s.knee?.value);
    const points = s.points.filter((point) => other < 0 || JSON.stringify(point.values[other]) === JSON.stringify(value));
    return {name: other < 0 ? s.axes[along].path : `${clip(s.axes[other].path, 40)} ${text(value)}`,
      knee: knee === undefined || knee === null ? undefined : coordinate(knee),
      points: points.map((point) => ({x: coordinate(point.values[along]), note: point.problem ?? undefined,
        weak: point.verdict === 'out_of_memory', ...pick(point)}))};
  });
}

const measures = [
  {title: 'Throughput', y: 'tokens/s/GPU', pick: (point) => ({y: point.tokens_per_s_per_gpu ?? null})},
  {title: 'Step time', y: 'step time (s)', pick: ({step_time_s: t}) => t ? {y: t.p50, low: t.p10, high: t.p90} : {y: null}},
  {title: 'Scaling efficiency', y: 'scaling efficiency (%)', pick: ({scaling_efficiency: e}) => ({y: typeof e === 'number' ? e * 100 : null})},
  {title: 'MFU, causal attention', y: 'MFU (%)', pick: (point) => ({y: point.mfu ? point.mfu.causal * 100 : null})},
  {title: 'Peak memory', y: 'peak allocated (GiB)', pick: (point) => ({y: point.peak_allocated_bytes ? toGib(point.peak_allocated_bytes) : null})},
];

function charts(s) {
  const {along} = axesOf(s);
  const notes = s.points.some((point) => point.verdict === 'out_of_memory') ? ['Hollow: does not fit in memory.'] : [];
  return measures.map((measure) => ({measure, curves: curvesOf(s, measure.pick)}))
      .filter(({curves}) => curves.some((curve) => curve.points.some((point) => point.y !== null)))
      .map(({measure, curves}) => curveChart(`${measure.title} against ${clip(s.axes[along].path, 60)}`, curves,
          {x: axisTitle(s.axes[along]), y: measure.y, notes}));
}

function kneesList(s) {
  const knees = s.knees ?? (s.knee ? [s.knee] : []);
  const where = (knee) => knee.where ? `${clip(knee.where, 100)}: ` : '';
  return el('ul', {class: 'reading'}, ...knees.map((knee) => el('li', {}, el('strong', {}, where(knee) +
    (knee.value === null ? 'no knee' : `knee at ${text(knee.value)} ${clip(s.axes[knee.axis]?.unit ?? '', 40)}`)), `: ${clip(knee.reason ?? '', 600)}`)));
}

function pointsTable(s) {
  const efficient = s.points.some((point) => typeof point.scaling_efficiency === 'number');
  const maybe = (value, show) => value === null || value === undefined ? '–' : show(value);
  const memory = (point, i) => {
    const {text: word, state} = verdicts[point.verdict] ?? {text: '–', state: 'plain'};
    return el('span', {}, badge(word, state), i === s.best ? badge('best', 'yes') : null);
  };
  return table('Every point', [...s.axes.map((axis) => ({label: axisTitle(axis)})), {label: 'Step time', unit: 's'},
    {label: 'P10–P90', unit: 's'}, {label: 'Tokens/s/GPU'}, {label: 'MFU', unit: '%'}, {label: 'GPUs'},
    ...(efficient ? [{label: 'Scaling efficiency', unit: '%'}] : []), {label: 'Peak allocated', unit: 'GiB'}, {label: 'Free', unit: 'GiB'},
    {label: 'Memory', text: true, whole: true}, {label: 'Problem', text: true}],
  s.points.map((point, i) => [...point.values.map(text), maybe(point.step_time_s, (t) => number(t.p50)), maybe(point.step_time_s, range),
    maybe(point.tokens_per_s_per_gpu, number), maybe(point.mfu, (mfu) => percent(mfu.causal)), maybe(point.gpus, number),
    ...(efficient ? [maybe(point.scaling_efficiency, percent)] : []), maybe(point.peak_allocated_bytes, gib), maybe(point.headroom_bytes, gib),
    memory(point, i), clip(point.problem ?? '', 400)]));
}

/** @param {HTMLElement} section @param {object} s  a stepcast.sweep document */
export function sweepSection(section, s) {
  const paths = s.axes.map((axis) => clip(axis.path, 60));
  const best = s.points[s.best];
  section.append(heading(2, `Sweep over ${paths.join(' and ')}`));
  if (best) section.append(el('p', {class: 'lead'}, `Best: ${clip(best.label ?? '', 200)}, `, number(best.tokens_per_s_per_gpu), ' tokens/s/GPU.'));
  part(section, 'What it takes', kneesList(s));
  part(section, 'Curves', ...charts(s));
  part(section, 'Points', pointsTable(s));
}
