// Debian's Chromium, headless and without a network of its own, and the pages that it opens.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const {STEPCAST, BROWSER_MODULES, CHROMIUM} = process.env;
const {chromium} = createRequire(join(BROWSER_MODULES, 'package.json'))('playwright-core');

export const folder = mkdtempSync(join(tmpdir(), 'stepcast-browser-'));
export const path = (name) => join(folder, name);

const browser = await chromium.launch({executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu',
  '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']});

export async function close() {
  await browser.close();
  rmSync(folder, {recursive: true});
}

/** Runs the command; "does not fit" (1) is an answer too. */
export function stepcast(...args) {
  try {
    return execFileSync(STEPCAST, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28});
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

const slot = /(<script type="application\/json" id="documents">)([^]*?)(<\/script>)/;

/** The documents inside a page. */
export const documentsOf = (file) => JSON.parse(readFileSync(file, 'utf8').match(slot)[2]);

/** A page with other documents than those of `file`, embedded as the command embeds them. */
export function pageWith(file, name, documents) {
  const json = JSON.stringify(documents).replaceAll('<', '\\u003c');
  writeFileSync(path(name), readFileSync(file, 'utf8').replace(slot, (_all, open, _old, close_) => open + json + close_));
  return path(name);
}

/**
 * Opens a file and waits until every chart that can be seen is drawn.
 * @returns the page, with what it complained about in `problems` and how long it took in `took`
 */
export async function open(file, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.problems = [];
  page.on('console', (message) => page.problems.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    page.problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:'))
      page.problems.push(`request: ${request.url()}`);
  });
  const began = Date.now();
  await page.goto(pathToFileURL(file).href);
  await drawn(page);
  page.took = Date.now() - began;
  return page;
}

export const drawn = (page) => page.waitForFunction(() =>
  document.documentElement.dataset.ready === 'yes' &&
  [...document.querySelectorAll('.chart')].every((chart) =>
    !chart.checkVisibility() || chart.querySelector('svg path, svg rect, canvas')));

export async function openAllParts(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((part) => { part.open = true; }));
  await drawn(page);
}

/**
 * For each chart its caption and how many marks it has: filled shapes of SVG beyond its frame, or
 * colours of a canvas.
 */
export const marks = (page) => page.evaluate(() => [...document.querySelectorAll('figure')].map((figure) => {
  const caption = figure.querySelector('figcaption').textContent;
  const canvas = figure.querySelector('canvas');
  if (canvas) {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return {caption, marks: colours.size};
  }
  const shapes = [...figure.querySelectorAll('svg path, svg rect, svg line')].filter((shape) => {
    const box = shape.getBoundingClientRect(), fill = shape.getAttribute('fill');
    return (fill && fill !== 'none' && fill !== 'transparent' || shape.getAttribute('stroke')) && box.width + box.height > 1;
  });
  return {caption, marks: shapes.length};
}));

/** A table's cells, each with the number behind it and its text: in order, and by the name of the row. */
export const tableOf = (page, caption, nth = 0) => page.evaluate(([caption_, nth_]) => {
  const table = [...document.querySelectorAll('table')].filter((each) => each.caption.textContent === caption_)[nth_];
  const cell = (node) => ({text: node.textContent, value: node.querySelector('data')?.value ?? null});
  const list = [...table.tBodies[0].rows].map((row) => [...row.cells].map(cell));
  return {columns: [...table.tHead.rows[0].cells].map((node) => node.textContent), list,
    rows: Object.fromEntries(list.map(([name, ...cells]) => [name.text, cells]))};
}, [caption, nth]);

/** The cell holds exactly the document's number, and shows it in its unit to three digits. */
export function assertShows(cell, value, scale = 1) {
  assert.equal(Number(cell.value), value);
  assert.ok(Math.abs(parseFloat(cell.text.replaceAll(',', '')) - value * scale) <= 0.0051 * Math.abs(value * scale), `${cell.text} for ${value}`);
}

export const GIB = 2 ** -30;
