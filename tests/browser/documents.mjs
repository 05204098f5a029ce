// Documents of each kind, all written by the command itself.
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

const job = ['--model', 'llama-3-8b', '--cluster', 'dgx-h100:1', '--global-batch', '16'];

/** A document of each other verb: search, advise, migrate and a sweep over two axes; and one of no verb. */
export function otherDocuments() {
  const write = (name, ...args) => {
    stepcast(...args, '--html', path(`${name}.html`), '--json', path(`${name}.html.json`));
    return json(`${name}.html`);
  };
  const sharded = runFile('from.json', {parallel: {tensor: 4, sharding: 'optimizer'}});
  const resharded = runFile('to.json', {parallel: {tensor: 2, pipeline: 2, sharding: 'optimizer'}});
  return [
    write('search', 'search', ...job, '--sequence-length', '8192', '--max-micro-batch', '2', '--tokens', '1e12'),
    write('sweep', 'compare', runFile('swept.json'), '--sweep', 'parallel.tensor=1,2', '--sweep', 'nvlink_GBps=50,100,450'),
    write('advice', 'advise', ...job, '--sequence-length', '65536'),
    write('migration', 'migrate', sharded, resharded, '--storage-GBps', '4'),
    {format: 'stepcast.of-tomorrow', version: 1, answer: 42},
  ];
}

/** A page of them all. */
export function othersPage() {
  const documents = otherDocuments();
  return pageWith(path('search.html'), 'others.html', documents);
}

/** The same advice, in Chinese. */
export function chinesePage() {
  stepcast('advise', ...job, '--sequence-length', '65536', '--lang', 'zh', '--html', path('chinese.html'), '--json', path('chinese.html.json'));
  return path('chinese.html');
}

/** The pages of the tests, made once. */
export function makePages() {
  const names = ['tp4-pp4-cp2.json', 'tp4-pp8.json', 'tp8-pp2.json'];
  const prediction = predictionPage('prediction.html', example(names[0]));
  const comparison = comparisonPage('comparison.html', names.map(example));
  const others = othersPage();
  const timeline = pageWith(prediction, 'timeline.html', [documentsOf(prediction)[1]]);
  return {prediction, comparison, others, timeline};
}
