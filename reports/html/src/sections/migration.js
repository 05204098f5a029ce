// From one configuration to another: what changes, what must be moved, what it costs and in which order.
import {el, heading, part, tiles} from '../dom.js';
import {clip, duration, gib, isEmpty, title, valueOf} from '../format.js';
import {differenceChart} from '../charts/difference.js';
import {entriesTable} from './tables.js';

const shown = new Set(['format', 'version', 'valid', 'seconds', 'read_bytes_per_rank', 'remote_bytes_per_rank', 'delta', 'checklist', 'provenance']);
const names = {knobs: 'Knobs that change', tensors: 'Tensors whose slices change', numerics: 'What changes the numbers',
  communicators: 'Communicators', rng: 'Random numbers', data_order: 'Order of the data', optimizer: 'Optimizer state'};

/** Lists of objects become tables; {added: [...], removed: [...]} becomes one with a column for which. */
function view(key, value) {
  const name = names[key] ?? title(key);
  if (Array.isArray(value) && value.some((item) => item && typeof item === 'object')) return entriesTable(name, value);
  const lists = value && typeof value === 'object' && !Array.isArray(value) &&
    Object.values(value).every((item) => Array.isArray(item));
  if (lists && Object.values(value).flat().some((item) => item && typeof item === 'object')) {
    return entriesTable(name, Object.entries(value).flatMap(([change, items]) => items.map((item) => ({change, ...item}))));
  }
  if (Array.isArray(value)) return el('ul', {}, ...value.map((item) => el('li', {}, clip(item, 2000))));
  return el('div', {}, valueOf(key, value));
}

function delta(d) {
  const terms = [['step time', d?.step_time_s, 's', 1], ['peak memory', d?.peak_allocated_bytes, 'GiB', 2 ** -30]];
  return terms.filter(([, value]) => typeof value === 'number').map(([name, value, unit, scale]) =>
    differenceChart(`Change of ${name}`, [{name, value: value * scale}], unit));
}

/** @param {HTMLElement} section @param {object} m  a stepcast.migration document */
export function migrationSection(section, m) {
  section.append(heading(2, 'Migration'));
  const yes = (value) => value === false ? 'no' : value === true ? 'yes' : clip(JSON.stringify(value ?? '–'), 60);
  section.append(tiles([
    {label: 'From is valid', value: yes(m.valid?.from)}, {label: 'To is valid', value: yes(m.valid?.to)},
    ...(typeof m.read_bytes_per_rank === 'number' ? [{label: 'Read per rank', value: gib(m.read_bytes_per_rank), unit: 'GiB'}] : []),
    ...(typeof m.remote_bytes_per_rank === 'number' ? [{label: 'of it not local', value: gib(m.remote_bytes_per_rank), unit: 'GiB'}] : []),
    ...(typeof m.seconds === 'number' ? [{label: 'Takes', value: duration(m.seconds)}] : []),
  ]));
  if (m.checklist?.length)
    part(section, 'Checklist', el('ol', {}, ...m.checklist.map((item) => el('li', {}, typeof item === 'string' ? clip(item, 2000) : valueOf('', item)))));
  if (m.delta) part(section, 'Before and after', ...delta(m.delta), el('div', {}, valueOf('delta', m.delta)));
  for (const [key, value] of Object.entries(m).filter(([key, value]) => !shown.has(key) && !isEmpty(value))) part(section, names[key] ?? title(key), view(key, value));
}
