// One or more inputs varied: curves, the knee, and every point as a table.
import {el, heading, part, table} from '../dom.js';
import {clip, gib, number, percent, range, tick, toGib} from '../format.js';
import {curveChart} from '../charts/curve.js';

/** A line for each combination of the axes after the first. */
function curvesOf(s, pick) {
  const curves = new Map();
  for (const point of s.points) {
    const rest = s.axes.slice(1).map((axis, i) => `${axis.path} ${point.values[i + 1]}`).join(', ');
    if (!curves.has(rest)) curves.set(rest, {name: rest || s.axes[0].path, points: []});
    const x = point.values[0];
    curves.get(rest).points.push({x: typeof x === 'number' ? x : String(x), note: point.problem ?? undefined, ...pick(point)});
  }
  return [...curves.values()];
}

const measures = [
  {title: 'Step time', y: 'step time (s)', pick: ({step_time_s: t}) => t ? {y: t.p50, low: t.p10, high: t.p90} : {y: null}},
  {title: 'Throughput', y: 'tokens/s/GPU', pick: (point) => ({y: point.tokens_per_s_per_gpu ?? null})},
  {title: 'MFU, causal attention', y: 'MFU (%)', pick: (point) => ({y: point.mfu ? point.mfu.causal * 100 : null})},
  {title: 'Peak memory', y: 'peak allocated (GiB)', pick: (point) => ({y: point.peak_allocated_bytes ? toGib(point.peak_allocated_bytes) : null})},
];

function pointsTable(s) {
  return table('Every point', [...s.axes.map((axis) => ({label: clip(axis.path, 60)})), {label: 'Step time', unit: 's'},
    {label: 'P10–P90', unit: 's'}, {label: 'Tokens/s/GPU'}, {label: 'MFU', unit: '%'}, {label: 'Peak allocated', unit: 'GiB'},
    {label: 'Memory', text: true}, {label: 'Problem', text: true}],
  s.points.map((point) => [...point.values.map((value) => clip(value, 60)),
    point.step_time_s ? number(point.step_time_s.p50) : '–', point.step_time_s ? range(point.step_time_s) : '–',
    point.tokens_per_s_per_gpu ? number(point.tokens_per_s_per_gpu) : '–', point.mfu ? percent(point.mfu.causal) : '–',
    point.peak_allocated_bytes ? gib(point.peak_allocated_bytes) : '–', point.verdict?.replaceAll('_', ' ') ?? '–',
    clip(point.problem ?? '', 400)]));
}

/** @param {HTMLElement} section @param {object} s  a stepcast.sweep document */
export function sweepSection(section, s) {
  const paths = s.axes.map((axis) => clip(axis.path, 60));
  section.append(heading(2, `Sweep over ${paths.join(' and ')}`));
  const knee = s.knee?.value;
  if (s.knee) {
    section.append(el('p', {class: 'lead'}, `Knee at ${clip(typeof knee === 'number' ? tick(knee) : knee ?? 'none', 60)}: ${clip(s.knee.reason ?? '', 600)}`));
  }
  part(section, 'Curves', ...measures.map((measure) => ({measure, curves: curvesOf(s, measure.pick)}))
      .filter(({curves}) => curves.some((curve) => curve.points.some((point) => point.y !== null)))
      .map(({measure, curves}) => curveChart(`${measure.title} against ${paths[0]}`, curves, {x: s.axes[0].path, y: measure.y, knee})));
  part(section, 'Points', pointsTable(s));
}
