// Tables of documents whose entries the page shows as they are: units from the keys' endings.
import {table} from '../dom.js';
import {title, valueOf} from '../format.js';

/** @param {string} caption @param {object[]} entries @param {string[]} [first]  keys to put first */
export function entriesTable(caption, entries, first = []) {
  const keys = [...new Set([...first.filter((key) => entries.some((entry) => key in entry)),
    ...entries.flatMap((entry) => Object.keys(entry))])];
  const numeric = (key) => entries.every((entry) => typeof (entry[key] ?? 0) === 'number');
  return table(caption, keys.map((key) => ({label: title(key), text: !numeric(key)})),
      entries.map((entry) => keys.map((key) => valueOf(key, entry[key]))));
}
