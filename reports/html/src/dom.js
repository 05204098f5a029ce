// The only way that text enters the page: as text nodes and attributes, never as markup.

/**
 * @param {string} tag
 * @param {Object<string, string|number|boolean|Function|null>} [attributes] "on…" are listeners;
 *     null and false leave the attribute out
 * @param {...(Node|string|null)} children
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const taken = new Map();

/** A heading with an id of its own, made from its text. */
export function heading(level, text) {
  const stem = text.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 60).replace(/^-|-$/g, '');
  const count = taken.get(stem) ?? 0;
  taken.set(stem, count + 1);
  return el(`h${level}`, {id: `part-${stem}${count ? `-${count}` : ''}`}, text);
}

/** Appends a titled part to a document's section. */
export function part(section, title, ...children) {
  const node = el('section', {class: 'part'}, heading(3, title), ...children);
  section.append(node);
  return node;
}

/** A part that starts closed. */
export function closed(summary, ...children) {
  return el('details', {}, el('summary', {}, summary), ...children);
}

const tall = 30;  // rows; longer tables scroll in their frame

/** Cells with words that no column has room for break them; sentences get room. */
const cellClass = (column, cell) => {
  const kind = `${column.text ? 'text' : 'number'}${column.whole ? ' whole' : ''}`;
  if (typeof cell !== 'string') return kind;
  return `${kind}${/\S{40}/.test(cell) ? ' long' : ''}${cell.length > 50 ? ' prose' : ''}`;
};

/**
 * A table that scrolls in its own frame. The first column names the row.
 * @param {string} caption
 * @param {{label: string, unit?: string, text?: boolean, whole?: boolean}[]} columns  `whole`: cells
 *     stay on one line
 * @param {(Node|string)[][]} rows
 */
export function table(caption, columns, rows) {
  const typed = columns.map((column, i) => ({...column, text: column.text || i === 0}));
  const head = el('tr', {}, ...typed.map((column) => el('th', {scope: 'col', class: cellClass(column, column.label)},
      column.label, column.unit ? el('span', {class: 'unit'}, ` (${column.unit})`) : null)));
  const body = rows.map((row) => el('tr', {}, ...row.map((cell, i) =>
    el(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: cellClass(typed[i], cell)}, cell))));
  return el('div', {class: rows.length > tall ? 'scroll tall' : 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
      el('table', {}, el('caption', {}, caption), el('thead', {}, head), el('tbody', {}, ...body)));
}

/** A dotted name that may break behind its dots. */
export const dotted = (name) => el('span', {}, ...name.split(/(?<=\.)/).flatMap((word) => [word, el('wbr')]));

/** Name and value, one a line. */
export function facts(pairs) {
  const list = el('dl', {class: 'facts'});
  for (const [name, value] of pairs) list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  return list;
}

/** A short verdict. @param {"good"|"warn"|"bad"|"plain"|"yes"} state */
export const badge = (text, state = 'plain') => el('span', {class: `badge ${state}`}, text);

/**
 * What was asked, what the answer is and why, one below the other.
 * @param {{question: string, answer?: Node, numbers?: (Node|string)[], reason?: string}[]} entries
 */
export function answers(entries) {
  return el('ol', {class: 'answers'}, ...entries.map(({question, answer, numbers, reason}) => el('li', {},
      el('div', {class: 'question'}, question, ' ', answer ?? null),
      numbers?.length ? el('div', {class: 'numbers'}, ...numbers) : null, reason ? el('p', {}, reason) : null)));
}

/** Cards beside each other. @param {{title: string, name: string, badge?: Node, pairs: (string|Node)[][], note?: string}[]} entries */
export function cards(entries) {
  return el('div', {class: 'cards'}, ...entries.map((entry) => el('div', {class: 'card'},
      el('h4', {}, entry.title), el('p', {class: 'name'}, entry.name, ' ', entry.badge ?? null),
      entry.note ? el('p', {class: 'note'}, entry.note) : null, facts(entry.pairs))));
}

/** The numbers that one looks for first. */
export function tiles(entries) {
  return el('div', {class: 'tiles'}, ...entries.map(({label, value, unit, note, state}) =>
    el('div', {class: `tile ${state ?? ''}`}, el('div', {class: 'label'}, label),
        el('div', {class: 'value'}, value, unit ? el('span', {class: 'unit'}, ` ${unit}`) : null),
        note ? el('div', {class: 'note'}, note) : null)));
}
