// Reads the documents of the page and shows a section for each one.
import './style.css';
import {el, heading} from './dom.js';
import {themeSwitch} from './theme.js';
import {predictionSection} from './sections/prediction.js';
import {timelineSection} from './sections/timeline.js';
import {comparisonSection} from './sections/comparison.js';
import {searchSection} from './sections/search.js';
import {sweepSection} from './sections/sweep.js';
import {adviceSection} from './sections/advice.js';
import {migrationSection} from './sections/migration.js';
import {unknownSection} from './sections/unknown.js';

const sections = {
  'stepcast.prediction': predictionSection,
  'stepcast.timeline': timelineSection,
  'stepcast.comparison': comparisonSection,
  'stepcast.search': searchSection,
  'stepcast.sweep': sweepSection,
  'stepcast.advice': adviceSection,
  'stepcast.migration': migrationSection,
};

/** What surrounds the documents: Chinese where all of them are. */
const frames = {
  en: {title: 'stepcast report', contents: 'Contents', skip: 'Skip to the report', theme: 'Theme', system: 'as the system', light: 'light',
    dark: 'dark', none: 'This page holds no documents.', foot: 'Every number is a forecast. Charts by Apache ECharts (Apache License 2.0).'},
  zh: {title: 'stepcast 报告', contents: '目录', skip: '跳到报告', theme: '主题', system: '跟随系统', light: '浅色',
    dark: '深色', none: '此页没有文档。', foot: '所有数字均为预测。图表使用 Apache ECharts（Apache License 2.0）。'},
};

/** @returns {object[]} the documents, each timeline inside the prediction before it */
function readDocuments() {
  const documents = [];
  for (const document_ of JSON.parse(document.getElementById('documents').textContent)) {
    const previous = documents[documents.length - 1];
    if (document_.format === 'stepcast.timeline' && previous?.format === 'stepcast.prediction' &&
        !previous.timeline) {
      previous.timeline = document_;
    } else {
      documents.push(document_);
    }
  }
  return documents;
}

/** Links to every titled part of the page. */
function contents(main, label) {
  const list = el('ul');
  for (const title of main.querySelectorAll('h2, section > h3')) {
    list.append(el('li', {class: title.tagName.toLowerCase()},
        el('a', {href: `#${title.id}`}, title.textContent)));
  }
  return el('nav', {'aria-label': label}, list);
}

function build() {
  const main = document.getElementById('content');
  const documents = readDocuments();
  const language = documents.length > 0 && documents.every((each) => each.lang === 'zh') ? 'zh' : 'en';
  const words = frames[language];
  document.documentElement.lang = language;
  document.title = words.title;
  document.querySelector('.skip').textContent = words.skip;
  main.replaceChildren();
  for (const document_ of documents) {
    const make = Object.hasOwn(sections, document_.format) ? sections[document_.format] : unknownSection;
    const section = el('section', {class: 'document'});
    main.append(section);
    make(section, document_);
  }
  if (documents.length === 0) main.append(el('p', {}, words.none));
  document.getElementById('top').append(
      el('div', {class: 'bar'}, heading(1, words.title), themeSwitch(words)), contents(main, words.contents));
  document.getElementById('foot').append(el('p', {}, words.foot));
}

build();
document.documentElement.dataset.ready = 'yes';
