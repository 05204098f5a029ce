// From one configuration to another: what changes, what must be moved, what it costs and in which order.
import {answers, badge, dotted, el, facts, heading, part, table, tiles} from '../dom.js';
import {axisName, clip, count, gigabytes, measure, number, significant} from '../format.js';
import {relativeChart} from '../charts/relative.js';
import {stackChart} from '../charts/stack.js';
import {memoryParts} from '../palette.js';
import {verdicts} from './prediction.js';

const code = (value) => value === null || value === undefined ? '–' : el('code', {}, clip(value, 200));
const plain = (value) => value === null || value === undefined ? '–' : clip(typeof value === 'string' ? value : JSON.stringify(value), 200);
const shape = (sizes) => sizes?.length ? sizes.map((length) => length.toLocaleString('en-US')).join(' × ') : '–';
const yesNo = (value, good = value) => badge(value ? 'yes' : 'no', good ? 'good' : 'warn');
const change = (from, to) => `${to > from ? '+' : ''}${significant((to / from - 1) * 100)} %`;

function validity(m, side) {
  return {label: side === 'from' ? 'Run before' : 'Run after', value: m.valid[side] ? 'valid' : 'breaks a rule', state: m.valid[side] ? 'good' : 'bad',
    note: clip(m.labels?.[side] ?? '', 200)};
}

function headline(m) {
  const {forecast: f} = m;
  return tiles([validity(m, 'from'), validity(m, 'to'),
    ...(f ? [{label: 'Step time', value: number(f.to.step_time_s), unit: 's', note: `${change(f.from.step_time_s, f.to.step_time_s)} against ${significant(f.from.step_time_s)} s`},
      {label: 'Memory after', value: verdicts[f.to.memory]?.text ?? clip(f.to.memory, 40), state: verdicts[f.to.memory]?.state,
        note: `${significant(f.to.peak_allocated_bytes / 1e9)} GB allocated at the peak`}] : []),
    ...(m.optimizer ? [{label: 'Optimizer state', value: m.optimizer.moves ? 'moves' : 'does not move', state: m.optimizer.moves ? 'good' : 'bad',
      note: clip(m.optimizer.format ?? '', 100)}] : []),
    ...(m.reads ? [{label: 'Read by a rank, at most', value: gigabytes(m.read_bytes_per_rank), unit: 'GB', note: `${significant(m.remote_bytes_per_rank / 1e9)} GB of it not on the same GPU before`}] : []),
    ...(m.reads ? [{label: 'From a checkpoint', value: typeof m.seconds === 'number' ? measure(m.seconds, 's') : 'time not known', note: typeof m.seconds === 'number' ?
      `at ${significant(m.rates.storage_GBps)} GB/s of storage for each server` : clip(m.seconds_reason ?? '', 200)}] : [])]);
}

function problems(m) {
  const rows = ['from', 'to'].flatMap((side) => m.problems[side].map((problem) => [clip(m.labels?.[side] ?? side, 100), clip(problem.where, 200), clip(problem.message, 600)]));
  return rows.length === 0 ? null : table('Rules that a run breaks', [{label: 'Run'}, {label: 'Where', text: true}, {label: 'Rule', text: true}], rows);
}

function beforeAfter({forecast: f, delta}) {
  const terms = [['Step time', 'step_time_s', number, 's'], ['Peak allocated', 'peak_allocated_bytes', gigabytes, 'GB']];
  const word = (side) => verdicts[f[side].memory]?.text ?? clip(f[side].memory, 40);
  return [relativeChart('After, with before as 100 %', terms.map(([label, key]) => ({label, share: f.to[key] / f.from[key]})), 'of before'),
    table('Before and after', [{label: 'Forecast'}, {label: 'Before'}, {label: 'After'}, {label: 'Change'}, {label: 'Relative'}],
        [...terms.map(([label, key, show, unit]) => [`${label} (${unit})`, show(f.from[key]), show(f.to[key]), show(delta[key]), change(f.from[key], f.to[key])]),
          ['Memory', word('from'), word('to'), '', '']])];
}

function knobs(m) {
  if (m.knobs.length === 0) return [el('p', {}, 'No knob changes.')];
  const numerics = new Map(m.numerics.map((entry) => [entry.knob, entry]));
  const state = (name) => name === 'bit-preserving' ? 'good' : name === 'rounding' ? 'plain' : 'warn';
  const flags = m.knobs.filter(({flags: f}) => f.megatron || f.torchtitan || f.deepspeed);
  return [table('What changes', [{label: 'Knob'}, {label: 'Before'}, {label: 'After'}, {label: 'Numbers', text: true}, {label: 'Why', text: true}],
      m.knobs.map((knob) => {
        const {class: name, reason} = numerics.get(knob.knob) ?? {};
        return [clip(knob.knob, 80), plain(knob.from), plain(knob.to), name ? badge(clip(name, 40), state(name)) : '–', clip(reason ?? '', 400)];
      })),
  flags.length === 0 ? null : table('Their flags', [{label: 'Knob'}, {label: 'Megatron-LM', text: true}, {label: 'torchtitan', text: true}, {label: 'DeepSpeed', text: true}],
      flags.map((knob) => [clip(knob.knob, 80), code(knob.flags.megatron), code(knob.flags.torchtitan), code(knob.flags.deepspeed)]))];
}

function tensors(m) {
  if (m.tensors.length === 0) return [el('p', {}, 'Every rank keeps its slices.')];
  return [table('Tensors whose slices change', [{label: 'Tensor'}, {label: 'Axis'}, {label: 'A rank held'}, {label: 'Will hold'}, {label: 'Count'}, {label: 'Note', text: true}],
      m.tensors.map((t) => [dotted(clip(t.name, 100)), t.axis === null ? '–' : count(t.axis), shape(t.from_shape), shape(t.to_shape), count(t.count), clip(t.note ?? '', 400)])),
  layers(m.layers)];
}

function layers(l) {
  if (!l || JSON.stringify(l.from) === JSON.stringify(l.to)) return null;
  const ranks = Array.from({length: Math.max(l.from.length, l.to.length)}, (_none, rank) => rank);
  return table('Layers of each pipeline rank', [{label: 'Rank'}, {label: 'Before', text: true}, {label: 'After', text: true}],
      ranks.map((rank) => [String(rank), clip(l.from[rank] ?? '–', 400), clip(l.to[rank] ?? '–', 400)]));
}

const wheres = [['read', 'To read: the new shard'], ['remote', 'not on the same GPU before'], ['other_node', 'not in the same server before']];

function reads(m) {
  const {reads: r, rates} = m;
  const rows = wheres.flatMap(([key, label]) => [['all', label], ['parameters', `${label}, parameters`], ['optimizer', `${label}, optimizer`]]
      .map(([kind, name]) => [name, ...['max', 'mean', 'total'].map((of) => gigabytes(r[kind][key][of]))]));
  const bars = wheres.map(([key, label]) => ({label, object: {parameters_bytes: r.parameters[key].mean, optimizer_bytes: r.optimizer[key].mean}}));
  return [bars.some(({object}) => object.parameters_bytes + object.optimizer_bytes > 0) ?
    stackChart('What a rank must read, on average', bars, memoryParts, {unit: 'GB', axis: 'GB', scale: 1e-9}) : null,
  m.same_machines ? null : el('p', {}, 'The servers are others: nothing is local.'),
  table('Bytes', [{label: ''}, {label: 'Most of a rank', unit: 'GB'}, {label: 'Mean of a rank', unit: 'GB'}, {label: 'All ranks', unit: 'GB'}], rows),
  facts([['From a checkpoint', m.seconds === null ? clip(m.seconds_reason, 200) : el('span', {}, measure(m.seconds, 's'), ' at ', number(rates.storage_GBps), ' GB/s of storage for each server')],
    ['Between the servers, without storage', m.network_seconds === null ? 'not possible: the servers have no NIC' :
      el('span', {}, measure(m.network_seconds, 's'), ' at ', number(rates.network_GBps), ' GB/s for each server')]])];
}

function formatFlags({save_flag: save, load_flag: load}) {
  const lines = [['saving', save], ['loading', load]].filter(([, flag]) => flag);
  return lines.length === 0 ? '–' : el('ul', {class: 'plain'}, ...lines.map(([when, flag]) => el('li', {}, `${when}: `, code(flag))));
}

function training(m) {
  return [answers([
    {question: 'Does the optimizer state move?', answer: yesNo(m.optimizer.moves), reason: clip(m.optimizer.verdict, 1000)},
    {question: 'Does the random state stay?', answer: yesNo(m.rng.state_kept), reason: clip(m.rng.verdict, 1000)},
    {question: 'Does a step see the same samples?', answer: yesNo(m.data_order.same_samples), reason: clip(m.data_order.verdict, 1000)},
    {question: 'Does the loss mean the same?', answer: yesNo(m.loss.same), reason: clip(m.loss.verdict, 1000)},
  ]), table('Checkpoint formats', [{label: 'Format'}, {label: 'Framework', text: true}, {label: 'Moves', text: true}, {label: 'Flags', text: true},
    {label: 'Why', text: true}],
  m.optimizer.formats.map((f) => [clip(f.format, 80), clip(f.framework, 40), yesNo(f.allows), formatFlags(f), clip(f.reason ?? '', 400)])),
  m.rng.regions.length === 0 ? null : table('Random numbers', [{label: 'Region'}, {label: 'Stream', text: true}, {label: 'Consequence', text: true}],
      m.rng.regions.map((region) => [clip(region.region, 100), clip(region.stream, 60), clip(region.consequence, 600)]))];
}

function communicators({added, removed}) {
  const rows = [['added', added], ['removed', removed]].flatMap(([what, list]) => list.map((c) =>
    [what, clip(c.kind, 60), count(c.count), count(c.ranks), clip(c.tier, 60)]));
  return rows.length === 0 ? el('p', {}, 'All stay.') : table('Communicators', [{label: ''}, {label: 'Kind', text: true}, {label: 'Count'},
    {label: 'Ranks each'}, {label: 'Slowest tier', text: true}], rows);
}

/** @param {HTMLElement} section @param {object} m  a stepcast.migration document */
export function migrationSection(section, m) {
  const file = (side) => axisName(String(m.labels?.[side] ?? side).split('/').pop(), 40);
  section.append(heading(2, `Migration: ${file('from')} to ${file('to')}`), headline(m));
  const broken = problems(m);
  if (broken) part(section, 'Problems', broken);
  if (m.forecast) part(section, 'Before and after', ...beforeAfter(m));
  if (!m.reads) return;
  part(section, 'Knobs', ...knobs(m));
  part(section, 'Tensors', ...tensors(m));
  part(section, 'What must be read', ...reads(m));
  part(section, 'What it does to the training', ...training(m));
  part(section, 'Communicators', communicators(m.communicators));
  part(section, 'Checklist', el('ol', {class: 'steps'}, ...m.checklist.map((step) => el('li', {}, clip(step, 2000)))));
}
