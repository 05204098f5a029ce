// Numbers for people. Each cell of a table keeps the number itself in <data value>.
import {el} from './dom.js';

const GIB = 2 ** 30;

/** Three significant digits: 73,400; 14.3; 0.0304; 4.52e-5. */
export function significant(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e12) return value.toExponential(2).replace('e+', 'e');
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 100) return rounded.toLocaleString('en-US');
  return value.toPrecision(3);
}

/** A round number of an axis without needless zeros: 3, 0.5, 20,000. */
export const tick = (value) => Number(value.toPrecision(4)).toLocaleString('en-US', {maximumSignificantDigits: 4});

/** A whole number keeps all its digits. */
export function whole(value) {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : significant(value);
}

export const data = (value, text) => el('data', {value: String(value ?? '')}, text);

export const number = (value) => data(value, significant(value));
export const count = (value) => data(value, whole(value));
export const percent = (share) => data(share, significant(share * 100));
export const gib = (bytes) => data(bytes, significant(bytes / GIB));
export const gigabytes = (bytes) => data(bytes, significant(bytes / 1e9));
export const toGib = (bytes) => bytes / GIB;

/** "13.6–15.0" */
export const range = (interval) => `${significant(interval.p10)}–${significant(interval.p90)}`;

/** Seconds in the unit that suits them: "14.3 s", "24.1 ms". */
export function duration(seconds) {
  const size = Math.abs(seconds);
  if (size >= 1 || size === 0) return `${significant(seconds)} s`;
  if (size >= 1e-3) return `${significant(seconds * 1e3)} ms`;
  return `${significant(seconds * 1e6)} µs`;
}

/** Bytes in the binary unit that suits them: "64.0 MiB", "3,280 GiB". */
export function size(bytes) {
  const step = Math.abs(bytes) >= GIB * 0.1 || bytes === 0 ? ['GiB', GIB] : Math.abs(bytes) >= 2 ** 20 * 0.1 ? ['MiB', 2 ** 20] : ['KiB', 1024];
  return `${significant(bytes / step[1])} ${step[0]}`;
}

export const rate = (bytesPerSecond) => `${significant(bytesPerSecond / 1e9)} GB/s`;

/** How a measure of a document reads, by the unit that the document names. */
const measures = {
  bytes: size, s: duration, bytes_per_s: rate,
  share: (v) => `${significant(v * 100)} %`, tokens: (v) => `${whole(Math.round(v))} tokens`,
  flops_per_s: (v) => `${significant(v / 1e12)} TFLOP/s`, ratio: significant, count: whole,
};

/** The number with its unit, as text for people around the number itself. */
export const measure = (value, unit) =>
  value === null || value === undefined ? '–' : data(value, (Object.hasOwn(measures, unit) ? measures[unit] : significant)(value));

/** Text of any length as text of at most `limit` characters, with its length where it was cut. */
export function clip(value, limit = 160) {
  const text = String(value);
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length.toLocaleString('en-US')} characters)`;
}

/** A name short enough for an axis: its beginning and its end. */
export function axisName(value, limit = 28) {
  const text = String(value);
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

const units = [
  [/_bytes_per_s$/, (v) => `${significant(v / 1e9)} GB/s`],
  [/_?bytes(_per_\w+)?$/, (v) => `${significant(v / GIB)} GiB`],
  [/_s$|^seconds$/, (v) => duration(v)],
  [/^(mfu|hfu)|utilisation$/, (v) => `${significant(v * 100)} %`],
];

const hasUnit = (key) => units.some(([pattern]) => pattern.test(key));

/** "hide_bandwidth_bytes_per_s" -> "hide bandwidth" */
export function title(key) {
  return key.replace(/(_bytes_per_s|_bytes|_s)$/, '').replaceAll('_', ' ');
}

/** A value of a document by what its key says: units from the suffix, lists joined. */
export function valueOf(key, value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') {
    const unit = units.find(([pattern]) => pattern.test(key));
    return data(value, unit ? unit[1](value) : whole(value));
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null))
    return clip(value.join(', '), 400);
  if (typeof value === 'object') {
    // A name without a unit of its own has its parent's: {"memory_bytes": {"gradients": 8}}.
    const unitOf = (name) => hasUnit(name) || !hasUnit(key) ? name : key;
    const item = Array.isArray(value) ? (_name, entry) => el('li', {}, valueOf(key, entry)) :
      (name, entry) => el('li', {}, `${title(name)}: `, valueOf(unitOf(name), entry));
    return el('ul', {class: 'plain'}, ...Object.entries(value).map(([name, entry]) => item(name, entry)));
  }
  return clip(value, 2000);
}

/** {"a": {"b": 1}} -> [["a.b", 1]] */
export function flatten(object, prefix = '') {
  return Object.entries(object).flatMap(([key, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value) ?
      flatten(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]]);
}
