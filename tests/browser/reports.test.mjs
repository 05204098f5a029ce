// What a reader relies on: pages open by themselves, show every chart, and their numbers are the JSON's.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {assertShows, close, GIB, marks, open, openAllParts, tableOf} from './browser.mjs';
import {json, makePages, predictionPage, runFile} from './documents.mjs';

const pages = makePages();
after(close);

const kinds = {
  prediction: ['Pipeline schedule: stages by time', 'Where the time of a step goes', 'Step time with its interval',
    'Memory at the peak', 'Allocated memory over the step', 'Tiers of the cluster and the use of their links'],
  comparison: ['Step time with its interval', 'Throughput against free memory', 'Step time of the critical stage',
    'Memory of the fullest stage'],
  others: ['Throughput against free memory', 'Step time against nvlink_GBps', 'Throughput against nvlink_GBps',
    'TP: tensor: throughput by degree', 'Throughput of neighbours, with the choice as 100 %', 'After, with before as 100 %',
    'What a rank must read, on average'],
  timeline: ['Pipeline schedule: stages by time', 'Allocated memory over the step'],
};

for (const [kind, captions] of Object.entries(kinds)) {
  test(`${kind}: opens without complaints or requests, and every chart has marks`, async () => {
    const page = await open(pages[kind]);
    await openAllParts(page);
    const found = await marks(page);
    for (const {caption, marks: count} of found) assert.ok(count >= 3, `${caption}: ${count} marks`);
    for (const caption of captions) assert.ok(found.some((figure) => figure.caption === caption), `no chart "${caption}"`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

test('prediction: numbers equal the JSON', async () => {
  const page = await open(pages.prediction), p = json('prediction.html');
  const {rows} = await tableOf(page, 'Result in numbers');
  const worst = p.memory.stages.find((stage) => stage.stage === p.memory.worst_stage);
  for (const key of ['p10', 'p50', 'p90']) assertShows(rows[`Step time, ${key.toUpperCase()}`][0], p.step_time_s[key]);
  assertShows(rows['Tokens per second and GPU'][0], p.tokens_per_s_per_gpu);
  assertShows(rows['Tokens per second'][0], p.tokens_per_s);
  assertShows(rows['MFU, causal attention'][0], p.mfu.causal, 100);
  assertShows(rows['MFU, full attention'][0], p.mfu.full, 100);
  assertShows(rows['HFU'][0], p.hfu, 100);
  assertShows(rows['Model FLOP rate, causal attention'][0], p.model_tflops_per_gpu.causal);
  assertShows(rows['Peak allocated, worst stage'][0], worst.peak_allocated_bytes, GIB);
  assertShows(rows['Memory of a GPU'][0], p.memory.capacity_bytes, GIB);
  const time = await tableOf(page, 'Time of a step by stage');
  assert.equal(Object.keys(time.rows).length, p.breakdown.length);
  for (const stage of p.breakdown) {
    const cells = time.rows[stage.stage], at = (name) => cells[time.columns.indexOf(name) - 1];
    assertShows(at('GEMM (s)'), stage.compute_s.gemm);
    assertShows(at('exposed tensor (s)'), stage.exposed_communication_s.tensor);
    assertShows(at('bubble (s)'), stage.bubble_s);
    assertShows(at('total (s)'), stage.total_s);
  }
  const memory = await tableOf(page, 'Memory at the peak by stage');
  for (const stage of p.memory.stages) {
    const cells = memory.rows[stage.stage], at = (name) => cells[memory.columns.indexOf(`${name} (GiB)`) - 1];
    for (const name of ['parameters', 'gradients', 'optimizer', 'activations', 'transient', 'overhead'])
      assertShows(at(name), stage[`${name}_bytes`], GIB);
    assertShows(at('peak allocated'), stage.peak_allocated_bytes, GIB);
  }
  const links = await tableOf(page, 'Use of links');
  for (const link of p.links) assertShows(links.rows[link.tier][1], link.mean_utilisation, 100);
  await page.context().close();
});

test('comparison: numbers equal the JSON', async () => {
  const page = await open(pages.comparison), c = json('comparison.html');
  const {rows} = await tableOf(page, 'All metrics');
  c.predictions.forEach((p, i) => {
    const worst = p.memory.stages.find((stage) => stage.stage === p.memory.worst_stage);
    assertShows(rows['Step time, P50'][i + 1], p.step_time_s.p50);
    assertShows(rows['Tokens/s/GPU'][i + 1], p.tokens_per_s_per_gpu);
    assertShows(rows['MFU, causal'][i + 1], p.mfu.causal, 100);
    assertShows(rows['MFU, full'][i + 1], p.mfu.full, 100);
    assertShows(rows['Peak allocated'][i + 1], worst.peak_allocated_bytes, GIB);
    assertShows(rows['GPUs'][i + 1], p.gpus);
    assert.equal(rows['On the Pareto front'][i + 1].text, c.pareto.includes(i) ? 'yes' : 'no');
  });
  await page.context().close();
});

test('a hundred stages and two hundred micro-batches answer within two seconds', async () => {
  const layers = Array.from({length: 100}, (_none, i) => i < 28 ? 2 : 1);  // the model's 128
  const file = runFile('hundred.json', {model: 'megatron-1t', cluster: 'dgx-h100:100', parallel: {tensor: 8, pipeline: 100, stage_layers: layers},
    training: {sequence_length: 2048, global_batch: 200}});
  await assertQuick(await open(predictionPage('hundred.html', file)));
});

test('twenty runs answer within two seconds', async () => {
  const {comparisonPage} = await import('./documents.mjs');
  const files = Array.from({length: 20}, (_none, i) => runFile(`run-${i}.json`, {training: {sequence_length: 1024 * (1 + i % 5), global_batch: 32 * (1 + i % 4)}}));
  const page = await open(comparisonPage('twenty.html', files));
  assert.equal((await tableOf(page, 'All metrics')).columns.length, 22);
  await assertQuick(page);
});

/** Hovering over each chart and scrolling through the page are answered, each in less than 2 s. */
async function assertQuick(page) {
  assert.ok(page.took < 10000, `took ${page.took} ms to open`);
  const within = async (what, action) => {
    const began = Date.now();
    await action();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.ok(Date.now() - began < 2000, `${what}: ${Date.now() - began} ms`);
  };
  for (const figure of await page.locator('figure').all()) {
    const caption = await figure.locator('figcaption').textContent();
    await within(`scroll to ${caption}`, () => figure.scrollIntoViewIfNeeded());
    const box = await figure.boundingBox();
    await within(`hover over ${caption}`, () => page.mouse.move(box.x + box.width / 2, box.y + Math.min(box.height / 2, 300)));
  }
  for (const button of await page.getByRole('group', {name: 'Part of the step shown'}).getByRole('button').all())
    await within(`button ${await button.textContent()}`, () => button.click());
  assert.deepEqual(page.problems, []);
  await page.context().close();
}
