// Documents of each kind: predictions and comparisons from the command itself, the others put together
// from them by the contract, so that the page is tested with every key that it reads.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {documentsOf, pageWith, path, stepcast} from './browser.mjs';

const examples = join(process.env.STEPCAST_SOURCE, 'examples/llama-3-70b-64-h100');

const run = {model: 'llama-3-8b', cluster: 'dgx-h100:1', parallel: {tensor: 2, pipeline: 2},
  training: {sequence_length: 2048, global_batch: 32}};

export function runFile(name, changes = {}) {
  writeFileSync(path(name), JSON.stringify({...run, ...changes}));
  return path(name);
}

export const example = (name) => join(examples, name);

/** A page of `stepcast predict`. */
export function predictionPage(name, file) {
  stepcast('predict', file, '--html', path(name), '--json', path(`${name}.json`));
  return path(name);
}

export function comparisonPage(name, files) {
  stepcast('compare', ...files, '--html', path(name), '--json', path(`${name}.json`));
  return path(name);
}

export const json = (name) => JSON.parse(readFileSync(path(`${name}.json`), 'utf8'));

/** One of each document that other verbs write, around the predictions of a comparison. */
export function otherDocuments(predictions) {
  const best = predictions.map((prediction, i) => ({rank: i + 1, run: prediction.inputs, prediction}));
  const sweepPoint = (tensor, nic) => ({values: [tensor, nic], label: `tensor ${tensor}`, verdict: 'fits', problem: null,
    step_time_s: {p10: 10 / tensor, p50: 11 / tensor, p90: 12 / tensor}, tokens_per_s_per_gpu: 900 + 50 * tensor + nic,
    mfu: {causal: 0.4, full: 0.45}, peak_allocated_bytes: 6e10 / tensor});
  const {tokens_per_s_per_gpu: _t, step_time_s: _s, mfu: _m, peak_allocated_bytes: _p, verdict: _v, ...nothing} = sweepPoint(16, 50);
  return [
    {format: 'stepcast.search', version: 1, seconds: 1.5, best, pareto: [0, 2],
      counts: {candidates: 1200, invalid: 800, pruned_memory: 200, pruned_time: 150, simulated: 50}},
    {format: 'stepcast.sweep', version: 1, axes: [{path: 'parallel.tensor', values: [1, 2, 4, 16]}, {path: 'cluster.nic', values: [25, 50]}],
      points: [...[1, 2, 4].flatMap((tensor) => [25, 50].map((nic) => sweepPoint(tensor, nic))),
        {...nothing, step_time_s: null, tokens_per_s_per_gpu: null, mfu: null, peak_allocated_bytes: null, verdict: null, problem: 'more than the GPUs of a node'}],
      knee: {value: 2, reason: 'beyond it the step gains less than 5 %'}},
    {format: 'stepcast.advice', version: 1, recommended: best[0], search_best: best[2], why_different: 'the search overlaps more',
      rules: [{axis: 'tensor', question: 'does a layer fit', value: 3.2e9, threshold: 8e10, unit: 'bytes', holds: true, reason: 'it is small'}],
      strategies: ['dp', 'pp', 'tp', 'cp'].map((name, i) => ({name, splits: 'batch', memory_bytes: {parameters: 1e10 * (i + 1), optimizer: 2e10},
        bytes_per_step: 1e9, calls_per_step: 10, tier: 'nic', hide_bandwidth_bytes_per_s: 5e10, limit: 'global batch'})),
      alternatives: [best[1]]},
    {format: 'stepcast.migration', version: 1, valid: {from: true, to: true}, seconds: 61.5, optimizer: 'resharded', rng: 'kept', data_order: 'kept',
      knobs: [{knob: 'parallel.tensor', from: 4, to: 8, flag: '--tensor-model-parallel-size 8'}],
      tensors: [{name: 'linear_qkv.weight', axis: 0, from_shape: [2560, 8192], to_shape: [1280, 8192]}],
      read_bytes_per_rank: 2 ** 33, remote_bytes_per_rank: 2 ** 32, numerics: [{knob: 'parallel.tensor', class: 'order of sums'}],
      communicators: {added: [{group: 'tensor', ranks: 8, tier: 'nvlink'}], removed: [{group: 'context', ranks: 2, tier: 'nvlink'}]},
      delta: {step_time_s: -0.75, peak_allocated_bytes: 2 ** 31}, checklist: ['stop after a checkpoint', 'convert it', 'start']},
    {format: 'stepcast.of-tomorrow', version: 1, answer: 42},
  ];
}

/** The pages of the tests, made once. */
export function makePages() {
  const names = ['tp4-pp4-cp2.json', 'tp4-pp8.json', 'tp8-pp2.json'];
  const prediction = predictionPage('prediction.html', example(names[0]));
  const comparison = comparisonPage('comparison.html', names.map(example));
  const others = pageWith(prediction, 'others.html', otherDocuments(json('comparison.html').predictions));
  const timeline = pageWith(prediction, 'timeline.html', [documentsOf(prediction)[1]]);
  return {prediction, comparison, others, timeline};
}
