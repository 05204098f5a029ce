// One run: what it is, how fast, where the time goes, what it holds, and on what the forecast rests.
import {closed, el, facts, heading, part, table, tiles} from '../dom.js';
import {clip, count, flatten, gib, gigabytes, number, percent, range, significant, toGib, valueOf} from '../format.js';
import {at, memoryParts, present, timeParts} from '../palette.js';
import {stackChart} from '../charts/stack.js';
import {intervalChart} from '../charts/interval.js';
import {scheduleChart} from '../charts/schedule.js';
import {memoryTimeChart} from '../charts/memory_time.js';
import {topologyPicture} from '../charts/topology.js';

export const verdicts = {
  fits: {text: 'fits', state: 'good'},
  tight: {text: 'tight', state: 'warn'},
  out_of_memory: {text: 'does not fit', state: 'bad'},
};

/** The model's name: what the run calls it. */
export function modelName(inputs) {
  const model = inputs?.model;
  const name = typeof model === 'string' ? model : model?.name ?? 'a model';
  return clip(name.split('/').pop() || name, 60);
}

export function clusterName(inputs) {
  const cluster = inputs?.cluster;
  return clip(typeof cluster === 'string' ? cluster : cluster?.server ?? cluster?.name ?? 'a cluster', 60);
}

/** "TP 4, PP 4 (5 virtual, interleaved), CP 2, DP 2" */
export function degrees(inputs) {
  const p = inputs?.parallel ?? {};
  const out = [['TP', p.tensor], ['PP', p.pipeline], ['CP', p.context], ['EP', p.expert], ['DP', p.data]]
      .filter(([name, value]) => value > 1 || name === 'TP').map(([name, value]) => {
        if (name !== 'PP') return `${name} ${value ?? '?'}`;
        const virtual = p.virtual_stages > 1 ? `${p.virtual_stages} virtual, ` : '';
        return `PP ${value} (${virtual}${clip(p.schedule ?? '', 30)})`;
      });
  return out.join(', ');
}

/** "TP 4 · PP 4x20 · CP 2 · DP 2": degrees alone, PP with its virtual stages. */
export function split(parallel) {
  const p = parallel ?? {};
  const pipeline = p.virtual_stages > 1 ? `${p.pipeline}x${p.virtual_stages}` : p.pipeline;
  return [['TP', p.tensor, p.tensor], ['PP', pipeline, p.pipeline], ['CP', p.context, p.context], ['EP', p.expert, p.expert], ['DP', p.data, p.data]]
      .filter(([name, _text, degree]) => degree > 1 || name === 'TP').map(([name, text]) => `${name}\u00a0${text ?? '?'}`).join(' · ');
}

/** "full, 2 layers" */
export function recompute(inputs) {
  const {kind, layers} = inputs?.training?.recompute ?? {};
  return kind ? `${kind}${layers ? `, ${layers} layers` : ''}` : '–';
}

/** The stage that needs most, with what it needs and what is left. */
export function needed(memory) {
  const stage = memory.stages.find((candidate) => candidate.stage === memory.worst_stage) ?? memory.stages[0];
  const bytes = (stage?.peak_allocated_bytes ?? 0) + (stage?.overhead_bytes ?? 0);
  return {stage, bytes, free: memory.capacity_bytes - bytes};
}

export function headline(p) {
  const memory = needed(p.memory);
  const verdict = verdicts[p.memory.verdict] ?? {text: p.memory.verdict, state: 'warn'};
  return tiles([
    {label: 'Step time', value: number(p.step_time_s.p50), unit: 's', note: `P10–P90 ${range(p.step_time_s)} s`},
    {label: 'Throughput', value: number(p.tokens_per_s_per_gpu), unit: 'tokens/s/GPU',
      note: `${significant(p.tokens_per_s)} tokens/s on ${p.gpus.toLocaleString('en-US')} GPUs`},
    {label: 'MFU', value: percent(p.mfu.causal), unit: '%', note: `causal; full attention ${significant(p.mfu.full * 100)} %`},
    {label: 'Memory', value: verdict.text, state: verdict.state,
      note: `${significant(toGib(memory.bytes))} of ${significant(toGib(p.memory.capacity_bytes))} GiB on stage ${memory.stage?.stage}`},
  ]);
}

function metricsTable(p) {
  const memory = needed(p.memory);
  const rows = [
    ['Step time, P10', number(p.step_time_s.p10), 's'], ['Step time, P50', number(p.step_time_s.p50), 's'],
    ['Step time, P90', number(p.step_time_s.p90), 's'], ['Tokens per second', number(p.tokens_per_s), '1/s'],
    ['Tokens per second and GPU', number(p.tokens_per_s_per_gpu), '1/s'],
    ['Model FLOP rate, causal attention', number(p.model_tflops_per_gpu.causal), 'TFLOP/s/GPU'],
    ['Model FLOP rate, full attention', number(p.model_tflops_per_gpu.full), 'TFLOP/s/GPU'],
    ['Hardware FLOP rate', number(p.hardware_tflops_per_gpu), 'TFLOP/s/GPU'],
    ['MFU, causal attention', percent(p.mfu.causal), '%'], ['MFU, full attention', percent(p.mfu.full), '%'],
    ['HFU', percent(p.hfu), '%'], ['GPUs', count(p.gpus), ''], ['Micro-batches', count(p.micro_batches), ''],
    ['Peak allocated, worst stage', gib(memory.stage?.peak_allocated_bytes), 'GiB'],
    ['Needed with overhead, worst stage', gib(memory.bytes), 'GiB'], ['Memory of a GPU', gib(p.memory.capacity_bytes), 'GiB'],
    ['Free on the worst stage', gib(memory.free), 'GiB']];
  return table('Result in numbers', [{label: 'Metric'}, {label: 'Value'}, {label: 'Unit', text: true}], rows);
}

function breakdownTable(p) {
  const parts = present(timeParts, p.breakdown);
  return table('Time of a step by stage', [{label: 'Stage'}, ...parts.map((entry) => ({label: entry.name, unit: 's'})),
    {label: 'total', unit: 's'}],
  p.breakdown.map((stage) => [String(stage.stage), ...parts.map((entry) => number(at(stage, entry.key))), number(stage.total_s)]));
}

function memoryTable(p) {
  const parts = present(memoryParts, p.memory.stages);
  return table('Memory at the peak by stage', [{label: 'Stage'}, ...parts.map((entry) => ({label: entry.name, unit: 'GiB'})),
    {label: 'peak allocated', unit: 'GiB'}, {label: 'after a step', unit: 'GiB'}, {label: 'peak at', unit: 's'}],
  p.memory.stages.map((stage) => [String(stage.stage), ...parts.map((entry) => gib(at(stage, entry.key))),
    gib(stage.peak_allocated_bytes), gib(stage.static_allocated_bytes), number(stage.peak_at_s)]));
}

function aliveTable(p) {
  const {stage} = needed(p.memory);
  return table(`Alive at the peak of stage ${stage.stage}`, [{label: 'Tensor'}, {label: 'Size', unit: 'GiB'}, {label: 'Share', unit: '%'}],
      stage.alive_at_peak.map((entry) => [clip(entry.name, 80), gib(entry.bytes), percent(entry.bytes / stage.peak_allocated_bytes)]));
}

function communicationTable(p) {
  return table('Communication of a step', [{label: 'Group'}, {label: 'Operation', text: true}, {label: 'Algorithm', text: true},
    {label: 'Ranks'}, {label: 'Sent per rank', unit: 'GB'}, {label: 'Calls'}, {label: 'Time', unit: 's'},
    {label: 'Exposed', unit: 's'}, {label: 'Bus bandwidth', unit: 'GB/s'}, {label: 'Slowest tier', text: true}],
  p.communication.map((c) => [c.group, c.op, `${c.algorithm}/${c.protocol}`, count(c.ranks), gigabytes(c.bytes_per_rank),
    count(c.calls), number(c.time_s), number(c.exposed_s), gigabytes(c.busbw_bytes_per_s), c.tier]));
}

function linksTable(p) {
  return table('Use of links', [{label: 'Tier'}, {label: 'Capacity', unit: 'GB/s'}, {label: 'Mean', unit: '%'}, {label: 'Peak', unit: '%'}],
      p.links.map((l) => [l.tier, gigabytes(l.capacity_bytes_per_s), percent(l.mean_utilisation), percent(l.peak_utilisation)]));
}

/** Every resolved input, one a line. */
export function inputsTable(inputs) {
  return table('Inputs', [{label: 'Input'}, {label: 'Value', text: true}],
      flatten(inputs ?? {}).map(([key, value]) => [key, typeof value === 'number' ? String(value) : valueOf(key, value)]));
}

export function provenance(p) {
  const basis = ['measured', 'interpolated', 'extrapolated', 'analytical'].map((key) =>
    [`Costs ${key}`, el('span', {}, percent(p.basis[key]), ' % of busy time')]);
  const sources = el('ul', {}, ...(p.provenance.sources ?? []).map((source) => el('li', {}, clip(source, 600))));
  return [facts([['stepcast', p.provenance.version], ['Profile', clip(p.provenance.profile, 200)], ...basis]),
    closed(`Sources of the profile (${sources.childElementCount})`, sources)];
}

export function warningsList(warnings) {
  if (!warnings?.length) return null;
  return el('div', {class: 'warnings', role: 'note', 'aria-label': 'Warnings'}, el('strong', {}, 'Warnings'),
      el('ul', {}, ...warnings.map((warning) => el('li', {}, el('code', {}, clip(warning.code, 60)), ` ${clip(warning.message, 1000)}`))));
}

export function describeRun(p) {
  const training = p.inputs?.training ?? {};
  return `${clusterName(p.inputs)}, ${clip(p.inputs?.framework ?? '', 40)}: ${degrees(p.inputs)}; sequence ` +
    `${training.sequence_length}, global batch ${training.global_batch}, micro-batch ${training.micro_batch}, ${clip(training.precision ?? '', 20)}`;
}

const byStage = (list) => list.map((object) => ({label: `stage ${object.stage}`, object}));

export function breakdownCharts(p) {
  return [stackChart('Where the time of a step goes', byStage(p.breakdown), timeParts,
      {unit: 's', axis: 'time (s)', scale: 1}), breakdownTable(p)];
}

export function memoryCharts(p) {
  return [stackChart('Memory at the peak', p.memory.stages.map((object) => ({label: `stage ${object.stage}`, object,
    limit: p.memory.capacity_bytes})), memoryParts, {unit: 'GiB', axis: 'memory (GiB)', scale: 2 ** -30, limitName: 'capacity'}),
  memoryTable(p)];
}

/** @param {HTMLElement} section @param {object} p  a stepcast.prediction document */
export function predictionSection(section, p) {
  section.append(heading(2, `${modelName(p.inputs)} on ${p.gpus.toLocaleString('en-US')} GPUs`),
      el('p', {class: 'lead'}, describeRun(p)), headline(p));
  const warnings = warningsList(p.warnings);
  if (warnings) section.append(warnings);
  if (p.timeline) part(section, 'Pipeline schedule', scheduleChart(p.timeline));
  part(section, 'Step time', ...breakdownCharts(p));
  part(section, 'How sure', intervalChart('Step time with its interval', [{label: 'step', interval: p.step_time_s}], 'step time (s)'),
      metricsTable(p));
  part(section, 'Memory', ...memoryCharts(p), p.timeline ? memoryTimeChart(p.timeline, p.memory.worst_stage) : null, aliveTable(p));
  part(section, 'Network', topologyPicture(p.links), linksTable(p), communicationTable(p));
  part(section, 'Inputs and provenance', ...provenance(p), inputsTable(p.inputs));
}

