// Pages to decide by: search, sweep, advice and migration say what their documents say.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {assertShows, close, GIB, open, openAllParts, tableOf} from './browser.mjs';
import {chinesePage, json, othersPage} from './documents.mjs';

const others = othersPage(), chinese = chinesePage();
after(close);

const GB = 1e-9;

/** "TP 4 · PP 4x20 · DP 2" */
function splitOf({tensor, pipeline, virtual_stages: virtual, context, data}) {
  const pp = virtual > 1 ? `${pipeline}x${virtual}` : pipeline;
  return [`TP ${tensor}`, pipeline > 1 && `PP ${pp}`, context > 1 && `CP ${context}`, data > 1 && `DP ${data}`].filter(Boolean).join(' · ');
}

const plain = (text) => text.replaceAll('\u00a0', ' ');

/** Each question under a heading: its text, its answer, its numbers and its reason. */
const answersOf = (page, title) => page.evaluate((title_) => {
  const part = [...document.querySelectorAll('.part')].find((node) => node.querySelector('h3').textContent === title_);
  return {groups: [...part.querySelectorAll('h4')].map((node) => node.textContent),
    list: [...part.querySelectorAll('ol.answers > li')].map((item) => ({question: item.querySelector('.question').firstChild.textContent,
      answer: item.querySelector('.badge').textContent, reason: item.querySelector('p')?.textContent,
      numbers: [...item.querySelectorAll('.numbers data')].map((node) => ({value: node.value, text: node.textContent}))}))};
}, title);

const units = {bytes: [GIB, 'GiB'], share: [100, '%'], tokens: [1, 'tokens'], bytes_per_s: [GB, 'GB/s'], ratio: [1, ''], count: [1, '']};

function assertMeasure(cell, value, unit) {
  assert.equal(Number(cell.value), value);
  if (unit === 's' || unit === 'flops_per_s') return;
  const [scale, name] = units[unit];
  assertShows(cell, value, scale);
  assert.ok(cell.text.endsWith(name), `${cell.text} in ${unit}`);
}

test('search: numbers equal the JSON, and each shows what it gives up', async () => {
  const page = await open(others), s = json('search.html');
  const {columns, list} = await tableOf(page, 'Best configurations');
  assert.equal(list.length, s.best.length);
  s.best.forEach((entry, i) => {
    const at = (name) => list[i][columns.indexOf(name)], p = entry.prediction;
    assert.equal(at('Rank').text, String(entry.rank));
    assert.equal(plain(at('Split').text), splitOf(entry.run.parallel));
    assertShows(at('Step time (s)'), p.step_time_s.p50);
    assertShows(at('Tokens/s/GPU'), p.tokens_per_s_per_gpu);
    assertShows(at('MFU (%)'), p.mfu.causal, 100);
    assertShows(at('Free (GiB)'), entry.headroom_bytes, GIB);
    assertShows(at('Techniques'), entry.complexity);
    assertShows(at('GPU-hours'), entry.gpu_hours);
  });
  assert.ok(!columns.includes('Cost'), 'no price was given');
  const against = await tableOf(page, 'What each gives up and gains against rank 1');
  s.best.slice(1).forEach((entry) => {
    const [, gives, gains] = against.rows[entry.rank];
    assert.equal(gives.text, entry.gives_up.join('') || '–');
    assert.equal(gains.text, entry.gains.join('') || '–');
  });
  await page.context().close();
});

test('search: the front names its ends and rank 1, and the arrow keys name the others', async () => {
  const page = await open(others), s = json('search.html');
  const figure = page.locator('figure', {has: page.locator('figcaption', {hasText: 'Throughput against free memory'})});
  const names = (await figure.locator('svg text').allTextContents()).filter((text) => text.includes('TP'));
  const first = `1: ${splitOf(s.best[0].run.parallel)}`;
  assert.ok(names.length >= 1 && names.length <= 3, names.join('; '));
  assert.ok(names.some((name) => plain(name) === first), `${names.join('; ')} without ${first}`);
  await figure.locator('.chart').focus();
  const seen = new Set();
  for (let i = 0; i < s.pareto.length; ++i) {
    await page.keyboard.press('ArrowRight');
    seen.add(plain(await figure.locator('.tip').textContent()));
  }
  assert.equal(seen.size, s.pareto.length);
  await page.context().close();
});

test('sweep: every point, a curve for each value of the other axis, and a knee for each curve', async () => {
  const page = await open(others), s = json('sweep.html');
  const {columns, list} = await tableOf(page, 'Every point');
  assert.equal(list.length, s.points.length);
  s.points.forEach((point, i) => {
    const at = (name) => list[i][columns.indexOf(name)];
    assert.deepEqual(list[i].slice(0, 2).map((cell) => Number(cell.text)), point.values);
    assertShows(at('Step time (s)'), point.step_time_s.p50);
    assertShows(at('Tokens/s/GPU'), point.tokens_per_s_per_gpu);
    assertShows(at('Peak allocated (GiB)'), point.peak_allocated_bytes, GIB);
    assert.ok(at('Memory').text.startsWith(point.verdict === 'out_of_memory' ? 'does not fit' : point.verdict));
    assert.equal(at('Memory').text.endsWith('best'), i === s.best);
  });
  assert.equal(s.knees[0].axis, 1);
  const figure = page.locator('figure', {has: page.locator('figcaption', {hasText: 'Throughput against nvlink_GBps'})});
  const texts = await figure.locator('svg text').allTextContents();
  for (const value of s.axes[0].values) assert.ok(texts.includes(`parallel.tensor ${value}`), texts.join('; '));
  assert.equal(texts.filter((text) => text === 'knee').length, s.knees.filter((knee) => knee.value !== null).length);
  const said = await page.evaluate(() => [...document.querySelectorAll('.part ul.reading')][0].textContent);
  for (const knee of s.knees) assert.ok(said.includes(knee.where) && said.includes(knee.reason), said);
  await page.context().close();
});

test('advice: cards, conditions, rules and strategies hold the numbers of the JSON', async () => {
  const page = await open(others), a = json('advice.html');
  const cards = await page.evaluate(() => [...document.querySelectorAll('.card')].map((card) => ({
    title: card.querySelector('h4').textContent, name: card.querySelector('.name').firstChild.textContent,
    values: [...card.querySelectorAll('data')].map((node) => Number(node.value))})));
  [a.recommended, a.search_best].forEach(({run, prediction: p}, i) => {
    assert.equal(plain(cards[i].name), splitOf(run.parallel));
    for (const value of [p.step_time_s.p50, p.tokens_per_s_per_gpu, p.mfu.causal, p.memory.capacity_bytes, run.training.micro_batch])
      assert.ok(cards[i].values.includes(value), `${value} in ${cards[i].title}`);
  });
  assert.ok((await page.locator('main').textContent()).includes(a.why_different));
  for (const [title, rules] of [['The five conditions', a.conditions], ['The rules in order', a.rules]]) {
    const {list} = await answersOf(page, title);
    assert.deepEqual(list.map(({question}) => question), rules.map((rule) => rule.question));
    rules.forEach((rule, i) => {
      assert.equal(list[i].answer, rule.holds ? 'yes' : 'no');
      assert.equal(list[i].reason, rule.reason);
      const numbers = [rule.value, rule.threshold].filter((value) => value !== null);
      assert.equal(list[i].numbers.length, numbers.length);
      numbers.forEach((value, at) => assertMeasure(list[i].numbers[at], value, rule.unit));
    });
  }
  const {columns, rows} = await tableOf(page, 'The strategies for this case');
  assert.equal(columns.length, a.strategies.length + 1);
  a.strategies.forEach((s, i) => {
    assertMeasure(rows['Saves training states'][i], s.memory_bytes.saved_states, 'bytes');
    assertMeasure(rows['Saves activations'][i], s.memory_bytes.saved_activations, 'bytes');
    assertMeasure(rows['Sent by a rank in a step'][i], s.bytes_per_step, 'bytes');
    assertMeasure(rows['Calls in a step'][i], s.calls_per_step, 'count');
    assertMeasure(rows['Bandwidth it gets'][i], s.supplied_bandwidth_bytes_per_s, 'bytes_per_s');
    assert.equal(Number(rows['Exposed in a step'][i].value), s.exposed_s);
    assert.equal(rows.Limit[i].text, s.limit);
    if (s.hide_bandwidth_bytes_per_s === null) assert.equal(rows['Bandwidth needed to hide'][i].text, 'cannot overlap: exposed');
    else assertMeasure(rows['Bandwidth needed to hide'][i], s.hide_bandwidth_bytes_per_s, 'bytes_per_s');
  });
  const alternatives = await tableOf(page, 'Alternatives');
  a.alternatives.forEach((one, i) => {
    const [name, tokens, share, step, memory] = alternatives.list[i];
    assert.equal(plain(name.text), splitOf(one.degrees));
    if (one.tokens_per_s_per_gpu === null) return;
    assertShows(tokens, one.tokens_per_s_per_gpu);
    assertShows(step, one.step_time_s);
    assertShows(memory, one.memory_bytes, GIB);
    assert.ok(Math.abs(Number(share.text) / 100 / (one.tokens_per_s_per_gpu / a.recommended.prediction.tokens_per_s_per_gpu) - 1) < 0.0051);
  });
  await page.context().close();
});

test('advice in Chinese: the page speaks it too', async () => {
  const page = await open(chinese), a = json('chinese.html');
  await openAllParts(page);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh');
  assert.deepEqual(await page.locator('h3').allTextContents(), ['方案', '五个条件', '按顺序逐条判断', '每种并行在本例中的作用', '相邻方案',
    '常见说法在本例中不够准确之处', '各方案详情']);
  const {list} = await answersOf(page, '五个条件');
  assert.deepEqual(list.map(({question, answer}) => [question, answer]), a.conditions.map((rule) => [rule.question, rule.holds ? '是' : '否']));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('migration: what changes, moves and follows is the JSON', async () => {
  const page = await open(others), m = json('migration.html');
  const before = await tableOf(page, 'Before and after');
  const steps = before.rows['Step time (s)'], peaks = before.rows['Peak allocated (GB)'];
  ['from', 'to'].forEach((side, i) => {
    assertShows(steps[i], m.forecast[side].step_time_s);
    assertShows(peaks[i], m.forecast[side].peak_allocated_bytes, GB);
  });
  assertShows(steps[2], m.delta.step_time_s);
  const knobs = await tableOf(page, 'What changes');
  m.knobs.forEach((knob, i) => {
    assert.equal(knobs.list[i][0].text, knob.knob);
    assert.equal(knobs.list[i][3].text, m.numerics[i].class);
    assert.equal(knobs.list[i][4].text, m.numerics[i].reason);
  });
  const flags = await tableOf(page, 'Their flags');
  for (const {knob, flags: f} of m.knobs.filter(({flags: any}) => any.megatron || any.torchtitan || any.deepspeed))
    assert.deepEqual(flags.rows[knob].map((cell) => cell.text), [f.megatron, f.torchtitan, f.deepspeed].map((flag) => flag ?? '–'));
  const tensors = await tableOf(page, 'Tensors whose slices change');
  m.tensors.forEach((tensor, i) => {
    const sizes = (cell) => cell.text.replaceAll(',', '').split(' × ').map(Number);
    assert.equal(tensors.list[i][0].text, tensor.name);
    assert.deepEqual(sizes(tensors.list[i][2]), tensor.from_shape);
    assert.deepEqual(sizes(tensors.list[i][3]), tensor.to_shape);
  });
  const {list} = await tableOf(page, 'Bytes');
  ['read', 'remote', 'other_node'].forEach((where, i) => ['all', 'parameters', 'optimizer'].forEach((kind, j) =>
    ['max', 'mean', 'total'].forEach((of, at) => assertShows(list[i * 3 + j][at + 1], m.reads[kind][where][of], GB))));
  const {list: verdicts} = await answersOf(page, 'What it does to the training');
  assert.deepEqual(verdicts.map(({answer, reason}) => [answer, reason]), [[m.optimizer.moves, m.optimizer.verdict], [m.rng.state_kept, m.rng.verdict],
    [m.data_order.same_samples, m.data_order.verdict], [m.loss.same, m.loss.verdict]].map(([holds, verdict]) => [holds ? 'yes' : 'no', verdict]));
  const communicators = await tableOf(page, 'Communicators');
  assert.deepEqual(communicators.list.map((row) => row.map((cell) => cell.text)), ['added', 'removed'].flatMap((change) =>
    m.communicators[change].map((c) => [change, c.kind, String(c.count), String(c.ranks), c.tier])));
  assert.deepEqual(await page.locator('ol.steps li').allTextContents(), m.checklist);
  await page.context().close();
});
