// Light and dark: the system's choice until the reader makes one; paper is always light.
import {el} from './dom.js';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const paper = window.matchMedia('print');
const listeners = [];
let printing = false;

/** @returns {boolean} whether charts are drawn for a dark page now */
export function isDark() {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : dark.matches;
}

/** Calls back when the page changes between light, dark and paper. */
export function onTheme(listener) {
  listeners.push(listener);
}

/** Colours of text and lines in charts, from the style sheet. */
export function ink() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {text: colour('--text'), faint: colour('--faint'), line: colour('--line'), page: colour('--card'),
    accent: colour('--accent'), bad: colour('--bad'), dark: isDark()};
}

function changed() {
  for (const listener of listeners) listener();
}

function print(on) {
  if (printing === on) return;
  printing = on;
  document.documentElement.classList.toggle('paper', on);
  changed();
}

dark.addEventListener('change', changed);
paper.addEventListener('change', () => print(paper.matches));
window.addEventListener('beforeprint', () => print(true));
window.addEventListener('afterprint', () => print(paper.matches));

/** The switch in the page's head. @param {{theme: string, system: string, light: string, dark: string}} words */
export function themeSwitch(words) {
  const select = el('select', {id: 'theme', onchange: () => {
    if (select.value) document.documentElement.dataset.theme = select.value;
    else delete document.documentElement.dataset.theme;
    changed();
  }}, el('option', {value: ''}, words.system), el('option', {value: 'light'}, words.light),
  el('option', {value: 'dark'}, words.dark));
  return el('div', {class: 'switch'}, el('label', {for: 'theme'}, words.theme), select);
}
