// Who reads, and how: dark rooms, paper, phones, keyboards and screen readers.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {close, drawn, open, openAllParts} from './browser.mjs';
import {makePages} from './documents.mjs';

const pages = makePages();
after(close);

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const luminance = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number).reduce((sum, part) => sum + part, 0) / 765;
const chartText = (page) => page.evaluate(() => document.querySelector('.chart svg text').getAttribute('fill'));

test('dark follows the system, and the switch wins', async () => {
  const page = await open(pages.prediction, {colorScheme: 'dark'});
  assert.ok(luminance(await background(page)) < 0.2);
  const inkInTheDark = await chartText(page);
  await page.getByLabel('Theme').selectOption('light');
  assert.ok(luminance(await background(page)) > 0.8);
  assert.notEqual(await chartText(page), inkInTheDark);
  await page.getByLabel('Theme').selectOption('');
  await page.emulateMedia({colorScheme: 'light'});
  assert.ok(luminance(await background(page)) > 0.8);
  await page.getByLabel('Theme').selectOption('dark');
  assert.ok(luminance(await background(page)) < 0.2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

for (const kind of Object.keys(pages)) {
  test(`${kind}: paper is light, complete and as wide as a page`, async () => {
    const page = await open(pages[kind], {colorScheme: 'dark'});
    const pdf = await page.pdf({format: 'A4', printBackground: true});
    assert.ok(pdf.length > 20000, `${pdf.length} bytes`);
    await page.setViewportSize({width: 720, height: 1000});
    await page.emulateMedia({media: 'print'});
    await drawn(page);
    assert.ok(luminance(await background(page)) > 0.95);
    assert.equal(await page.locator('nav').isVisible(), false);
    assert.equal(await page.locator('.buttons').first().isVisible(), false);
    const wide = await page.evaluate(() => [...document.querySelectorAll('.chart svg, .chart canvas')]
        .filter((chart) => chart.getBoundingClientRect().width > 721).length);
    assert.equal(wide, 0);
    await page.context().close();
  });

  test(`${kind}: a phone scrolls down only`, async () => {
    const page = await open(pages[kind], {viewport: {width: 375, height: 800}});
    await openAllParts(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 375);
    await page.context().close();
  });

  test(`${kind}: Tab reaches every control, which shows it and has a name`, async () => {
    const page = await open(pages[kind]);
    const expected = await page.evaluate(() => {
      const controls = [...document.querySelectorAll('a[href], button, select, summary, [tabindex="0"]')]
          .filter((node) => node.checkVisibility());
      controls.forEach((node, i) => { node.dataset.control = i; });
      return controls.length;
    });
    const reached = new Set();
    for (let i = 0; i < expected + 5; ++i) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const node = document.activeElement, style = getComputedStyle(node);
        const name = node.getAttribute('aria-label') || node.labels?.[0]?.textContent || node.textContent;
        return {control: node.dataset.control ?? null, name: name.trim(), tag: node.tagName,
          outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2};
      });
      if (focus.control === null) continue;
      reached.add(focus.control);
      assert.ok(focus.outline, `${focus.tag} "${focus.name}" does not show its focus`);
      assert.ok(focus.name.length > 0, `${focus.tag} has no name`);
    }
    assert.equal(reached.size, expected);
    await page.context().close();
  });

  test(`${kind}: headings, tables and pictures tell what they are`, async () => {
    const page = await open(pages[kind]);
    await openAllParts(page);
    const found = await page.evaluate(() => {
      const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((node) => Number(node.tagName[1]));
      const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
      return {
        lang: document.documentElement.lang, title: document.title,
        ones: levels.filter((level) => level === 1).length,
        skips: levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1).length,
        doubled: ids.filter((id, i) => ids.indexOf(id) !== i),
        tables: [...document.querySelectorAll('table')].filter((table) => !table.caption || !table.tHead ||
          table.querySelector('th:not([scope])') || [...table.tBodies[0].rows].some((row) => row.cells[0].tagName !== 'TH')).length,
        pictures: [...document.querySelectorAll('[role="img"]')].filter((node) => !node.getAttribute('aria-label')).length,
        selects: [...document.querySelectorAll('select')].filter((node) => !node.labels.length).length,
        landmarks: ['header', 'main', 'nav[aria-label]', 'footer'].filter((tag) => !document.querySelector(tag)),
      };
    });
    assert.deepEqual(found, {lang: 'en', title: 'stepcast report', ones: 1, skips: 0, doubled: [], tables: 0, pictures: 0, selects: 0, landmarks: []});
    await page.context().close();
  });
}

for (const [kind, colorScheme] of ['prediction', 'others'].flatMap((kind) => [[kind, 'light'], [kind, 'dark']])) {
  test(`${kind}: text stands out from its background (${colorScheme}, WCAG AA)`, async () => {
    const page = await open(pages[kind], {colorScheme});
    const weak = await page.evaluate(() => {
      const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (node) => {
        for (let at = node; at; at = at.parentElement) {
          const colour = parse(getComputedStyle(at).backgroundColor);
          if (colour.length === 3 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
      };
      return [...document.querySelectorAll('p, h1, h2, h3, a, th, td, dt, dd, li, button, select, summary, .tile div, .badge, .answers div, figcaption')]
          .filter((node) => node.checkVisibility() && node.textContent.trim()).map((node) => {
            const pair = [light(parse(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
            return [(pair[0] + 0.05) / (pair[1] + 0.05), `${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}`];
          }).filter(([contrast]) => contrast < 4.5);
    });
    assert.deepEqual(weak, []);
    await page.context().close();
  });
}
