// Names are data: whatever they hold, they show as text or not at all, and do nothing.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {readFileSync, writeFileSync} from 'node:fs';
import {close, documentsOf, marks, open, openAllParts, pageWith, path} from './browser.mjs';
import {comparisonPage, makePages, predictionPage, runFile} from './documents.mjs';

const pages = makePages();
after(close);

const hostile = {
  'a closing script tag': '</script><script>window.hacked = 1</script>',
  'an image with a handler': '"><img src=x onerror="window.hacked = 1">\'`',
  'a comment that opens a script': '<!--<script>window.hacked = 1',
  'rich text of ECharts': '{a|b}{b}: {c} {@[1]} \n\n\u2028\u202e',
  'ten kilobytes': 'x'.repeat(10240),
};

const names = new Set(['model', 'cluster', 'name', 'label', 'message', 'code', 'profile', 'framework', 'reason', 'question',
  'why_different', 'path', 'knob', 'flag', 'splits', 'limit', 'optimizer', 'rng', 'data_order', 'class', 'group', 'problem', 'unit',
  'where', 'verdict', 'note', 'region', 'stream', 'consequence', 'sharding', 'save_flag', 'seconds_reason']);
const lists = new Set(['labels', 'sources', 'checklist', 'notes', 'gives_up', 'gains', 'pinned']);

/** The document with every free text replaced. */
function poison(value, text, key = '') {
  if (Array.isArray(value)) return value.map((item) => typeof item === 'string' && lists.has(key) ? text : poison(item, text, key));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poison(item, text, name)]));
  return typeof value === 'string' && names.has(key) ? text : value;
}

async function assertHarmless(file, elements) {
  const page = await open(file);
  await openAllParts(page);
  for (const figure of await page.locator('figure').all()) {  // tooltips hold names too
    await figure.scrollIntoViewIfNeeded();
    const box = await figure.boundingBox();
    for (const share of [0.3, 0.6]) await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.6);
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(page.problems, []);
  assert.deepEqual(await page.evaluate(() => ['script', 'img', 'iframe', 'object', 'base'].map((tag) => document.querySelectorAll(tag).length)),
      elements);
  const [content, view] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(content <= view, `the page is ${content} pixels wide in a window of ${view}`);
  for (const {caption, marks: count} of await marks(page)) assert.ok(count >= 3, `${caption}: ${count} marks`);
  await page.context().close();
}

const onlyOurs = [2, 0, 0, 0, 0];  // the page's script and its data

for (const [what, text] of Object.entries(hostile)) {
  for (const kind of Object.keys(pages)) {
    test(`${kind}: ${what} does nothing`, () =>
      assertHarmless(pageWith(pages[kind], 'hostile.html', poison(documentsOf(pages[kind]), text)), onlyOurs));
  }
}

test('a model file with a hostile name does nothing', async () => {
  const text = `${hostile['a closing script tag']}${hostile['an image with a handler']}${hostile['ten kilobytes']}`;
  const model = {architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 1024, intermediate_size: 4096,
    num_hidden_layers: 8, num_attention_heads: 8, num_key_value_heads: 8, vocab_size: 32000, max_position_embeddings: 4096,
    rms_norm_eps: 1e-5, torch_dtype: 'bfloat16', tie_word_embeddings: false, _name_or_path: text};
  writeFileSync(path('<img src=x onerror=hacked=1>.json'), JSON.stringify(model));
  const run = runFile('<b>run & "quotes".json', {model: path('<img src=x onerror=hacked=1>.json')});
  await assertHarmless(predictionPage('named.html', run), onlyOurs);
  await assertHarmless(comparisonPage('named-too.html', [run, runFile('plain.json')]), onlyOurs);
  assert.ok(!readFileSync(path('named.html'), 'utf8').includes('<img'));
});
