// Runs side by side: which is best, by how much, and why.
import {closed, el, heading, part, table} from '../dom.js';
import {axisName, clip, count, flatten, gib, number, percent, range, significant, toGib, valueOf} from '../format.js';
import {at, memoryParts, present, timeParts} from '../palette.js';
import {stackChart} from '../charts/stack.js';
import {intervalChart} from '../charts/interval.js';
import {scatterChart} from '../charts/scatter.js';
import {differenceChart} from '../charts/difference.js';
import {breakdownCharts, degrees, describeRun, inputsTable, memoryCharts, modelName, needed, provenance, verdicts,
  warningsList} from './prediction.js';

/** The stage that waits least: what it does makes the step as long as it is. */
function critical(p) {
  return p.breakdown.reduce((best, stage) => stage.bubble_s < best.bubble_s ? stage : best, p.breakdown[0]);
}

function metrics(c, labels) {
  const runs = c.predictions, on = (pick) => runs.map((p) => pick(p));
  const place = (i) => runs[i].memory.verdict === 'out_of_memory' ? 'does not fit' : String(c.ranking.indexOf(i) + 1);
  const rows = [
    ['Rank', '', runs.map((_p, i) => place(i))],
    ['Split', '', on((p) => degrees(p.inputs))],
    ['Model', '', on((p) => modelName(p.inputs))],
    ['Step time, P50', 's', on((p) => number(p.step_time_s.p50))],
    ['Step time, P10–P90', 's', on((p) => range(p.step_time_s))],
    ['Tokens/s/GPU', '', on((p) => number(p.tokens_per_s_per_gpu))],
    ['Tokens/s', '', on((p) => number(p.tokens_per_s))],
    ['MFU, causal', '%', on((p) => percent(p.mfu.causal))],
    ['MFU, full', '%', on((p) => percent(p.mfu.full))],
    ['HFU', '%', on((p) => percent(p.hfu))],
    ['GPUs', '', on((p) => count(p.gpus))],
    ['Micro-batches', '', on((p) => count(p.micro_batches))],
    ['Memory', '', on((p) => (verdicts[p.memory.verdict] ?? {text: p.memory.verdict}).text)],
    ['Peak allocated', 'GiB', on((p) => gib(needed(p.memory).stage.peak_allocated_bytes))],
    ['Needed with overhead', 'GiB', on((p) => gib(needed(p.memory).bytes))],
    ['Free', 'GiB', on((p) => gib(needed(p.memory).free))],
    ['Costs outside measurements', '%', on((p) => percent(p.basis.extrapolated + p.basis.analytical))],
    ['On the Pareto front', '', runs.map((_p, i) => c.pareto.includes(i) ? 'yes' : 'no')],
  ];
  return table('All metrics', [{label: 'Metric'}, {label: 'Unit', text: true}, ...labels.map((label) => ({label: clip(label, 60)}))],
      rows.map(([name, unit, cells]) => [name, unit, ...cells]));
}

function termsTable(title, labels, objects, allParts, unit, cell) {
  const parts = present(allParts, objects);
  return table(title, [{label: 'Part', unit}, ...labels.map((label) => ({label: clip(label, 60)}))],
      [['stage', ...objects.map((object) => String(object.stage))],
        ...parts.map((entry) => [entry.name, ...objects.map((object) => cell(at(object, entry.key)))])]);
}

function differingInputs(c, labels) {
  const flat = c.predictions.map((p) => new Map(flatten(p.inputs ?? {}).map(([key, value]) => [key, value])));
  const keys = [...new Set(flat.flatMap((map) => [...map.keys()]))].sort();
  const text = (value) => typeof value === 'number' ? String(value) : valueOf('', value);
  const rows = keys.filter((key) => new Set(flat.map((map) => JSON.stringify(map.get(key) ?? null))).size > 1)
      .map((key) => [key, ...flat.map((map) => text(map.get(key) ?? null))]);
  if (rows.length === 0) return el('p', {}, 'All inputs are the same.');
  return table('Inputs that differ', [{label: 'Input'}, ...labels.map((label) => ({label: clip(label, 60), text: true}))], rows);
}

function overlaps(c, labels) {
  const best = c.ranking[0], a = c.predictions[best]?.step_time_s;
  if (!a) return null;
  const close = c.ranking.slice(1).filter((i) => c.predictions[i].memory.verdict !== 'out_of_memory' &&
    c.predictions[i].step_time_s.p10 <= a.p90 && c.predictions[i].step_time_s.p90 >= a.p10);
  if (close.length === 0) return null;
  return el('p', {}, `Intervals overlap: ${clip(close.map((i) => axisName(labels[i], 40)).join(', '), 400)} may be as ` +
    `fast as ${axisName(labels[best], 40)}.`);
}

/** A reader chooses the run to explain; the first one is the reference. */
function differences(c, labels) {
  const host = el('div');
  const targets = [...new Set(c.differences.filter((d) => d.terms.length > 0).map((d) => d.to))];
  if (targets.length === 0) return null;
  const show = (to) => {
    const figures = c.differences.filter((d) => d.to === to && d.terms.length > 0).map((d) => {
      const bytes = d.metric.endsWith('bytes');
      const terms = d.terms.map((term) => ({name: term.name, value: bytes ? toGib(term.bytes) : term.seconds}));
      const sum = d.values[d.to] - d.values[d.from];
      return differenceChart(`${bytes ? 'Peak memory' : 'Step time'}: ${axisName(labels[to], 40)} minus ` +
        `${axisName(labels[d.from], 40)}, ${significant(bytes ? toGib(sum) : sum)} ${bytes ? 'GiB' : 's'} in all`,
      terms, bytes ? 'GiB' : 's');
    });
    host.replaceChildren(...figures);
  };
  const select = el('select', {id: 'difference-run', onchange: () => show(Number(select.value))},
      ...targets.map((to) => el('option', {value: to}, axisName(labels[to], 60))));
  show(targets[0]);
  return el('div', {}, el('div', {class: 'buttons'}, el('label', {for: 'difference-run'}, 'Run to explain'), select), host);
}

/** @param {HTMLElement} section @param {object} c  a stepcast.comparison document */
export function comparisonSection(section, c) {
  const runs = c.predictions, labels = c.labels ?? runs.map((_p, i) => `run ${i}`);
  section.append(heading(2, `Comparison of ${runs.length} runs`), el('p', {class: 'lead'}, clip(c.verdict ?? '', 2000)));
  const close = overlaps(c, labels);
  if (close) section.append(close);
  part(section, 'Side by side', metrics(c, labels),
      intervalChart('Step time with its interval', runs.map((p, i) => ({label: labels[i], interval: p.step_time_s})), 'step time (s)'));
  part(section, 'Trade-off', scatterChart('Throughput against free memory', runs.map((p, i) => ({
    label: labels[i], x: toGib(needed(p.memory).free), y: p.tokens_per_s_per_gpu,
    kind: p.memory.verdict === 'out_of_memory' ? 'over' : c.pareto.includes(i) ? 'front' : 'inside',
    more: [['GPUs', String(p.gpus)], ['split', degrees(p.inputs)]],
  })), {x: 'free on the fullest stage (GiB)', y: 'tokens/s/GPU'}));
  const busiest = runs.map(critical), fullest = runs.map((p) => needed(p.memory).stage);
  part(section, 'Where the time goes', stackChart('Step time of the critical stage', busiest.map((object, i) => ({label: labels[i], object})),
      timeParts, {unit: 's', axis: 'time (s)', scale: 1}), termsTable('Step time of the critical stage, by part', labels, busiest, timeParts, 's', number));
  part(section, 'Memory by run', stackChart('Memory of the fullest stage', fullest.map((object, i) => ({label: labels[i], object,
    limit: runs[i].memory.capacity_bytes})), memoryParts, {unit: 'GiB', axis: 'memory (GiB)', scale: 2 ** -30, limitName: 'capacity'}),
  termsTable('Memory of the fullest stage, by part', labels, fullest, memoryParts, 'GiB', gib));
  const why = differences(c, labels);
  if (why) part(section, 'Why they differ', why);
  part(section, 'What changed', differingInputs(c, labels));
  part(section, 'Each run', ...runs.map((p, i) => closed(clip(labels[i], 100), el('p', {}, describeRun(p)), warningsList(p.warnings),
      ...breakdownCharts(p), ...memoryCharts(p), ...provenance(p), inputsTable(p.inputs))));
}
