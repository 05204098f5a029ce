// Puts an ECharts chart on the page and keeps it in step with theme, size and paper.
import {init, use} from 'echarts/core';
import {BarChart, CustomChart, LineChart, ScatterChart} from 'echarts/charts';
import {DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent,
  MarkLineComponent, TooltipComponent} from 'echarts/components';
import {CanvasRenderer, SVGRenderer} from 'echarts/renderers';
import {el} from './dom.js';
import {clip} from './format.js';
import {ink, onTheme} from './theme.js';

use([BarChart, CustomChart, LineChart, ScatterChart, DataZoomComponent, GridComponent,
  LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent, CanvasRenderer, SVGRenderer]);

const charts = [];

/** The content of a tooltip: a title and lines of name and value, as text. */
export function tip(title, lines) {
  return el('div', {class: 'tip'}, el('strong', {}, clip(title, 80)),
      ...lines.map(([name, value]) => el('div', {}, el('span', {}, clip(name, 40)), el('span', {}, clip(value, 80)))));
}

/** What all charts share. */
function base(colours) {
  return {
    animation: false,
    textStyle: {color: colours.text, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12},
    tooltip: {backgroundColor: colours.page, borderColor: colours.line, textStyle: {color: colours.text},
      confine: true, transitionDuration: 0},
  };
}

/** An axis with the page's colours; `name` holds the unit. */
export function axis(colours, options) {
  return {
    nameLocation: 'middle',
    nameTextStyle: {color: colours.faint},
    axisLine: {show: true, lineStyle: {color: colours.line}},
    axisTick: {lineStyle: {color: colours.line}},
    splitLine: {show: options.type === 'value' || options.type === 'log', lineStyle: {color: colours.line, opacity: 0.6}},
    ...options,
    axisLabel: {color: colours.text, hideOverlap: true, ...options.axisLabel},
  };
}

/** The frame of a chart: names and labels of axes stay inside it. */
export const grid = (top, options = {}) => ({top, left: 4, right: 16, bottom: 4, outerBoundsMode: 'same',
  outerBoundsContain: 'all', outerBounds: {top: 0, left: 0, right: 4, bottom: options.bottom ?? 4}, ...options});

export function legend(colours, options = {}) {
  return {top: 0, left: 0, itemWidth: 16, itemHeight: 11, itemGap: 12, padding: 0,
    textStyle: {color: colours.text}, inactiveColor: colours.faint, ...options};
}

/** Pixels that a legend of these names takes at this width; letters are 6.6 pixels wide. */
export function legendHeight(names, width) {
  let rows = 1, used = 0;
  for (const name of names) {
    const needed = 16 + 5 + 12 + name.length * 6.6;
    if (used > 0 && used + needed > width) {
      rows += 1;
      used = 0;
    }
    used += needed;
  }
  return rows * 24 + 8;
}

/**
 * @param {string} title  what the chart shows; its caption
 * @param {number|function(number): number} height  in pixels, or from the width
 * @param {function(object, number): object} option  from the theme's colours and the width, what ECharts draws
 * @param {{renderer?: string, note?: string, stops?: object[], ready?: function(object): void}} [more]
 *     ready gets the ECharts instance once it is drawn; stops are marks whose tooltips the arrow keys show
 * @returns {HTMLElement} the figure; its redraw() asks for the option again
 */
export function chart(title, height, option, more = {}) {
  const canvas = el('div', {class: 'chart', role: 'img', 'aria-label': title});
  const figure = el('figure', {}, el('figcaption', {}, title), canvas,
      more.note ? el('p', {class: 'note'}, more.note) : null);
  const entry = {canvas, height, option, renderer: more.renderer ?? 'svg', instance: null, width: 0,
    ready: more.ready};
  charts.push(entry);
  if (more.stops) arrowKeys(entry, more.stops);
  watcher.observe(canvas);
  figure.redraw = () => draw(entry);
  return figure;
}

/** Left and right walk over the marks of a chart that has the focus. */
function arrowKeys(entry, stops) {
  let at = -1;
  entry.canvas.tabIndex = 0;
  entry.canvas.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    at = (at + step + stops.length) % stops.length;
    entry.instance.dispatchAction({type: 'showTip', ...stops[at]});
  });
  entry.canvas.addEventListener('blur', () => entry.instance?.dispatchAction({type: 'hideTip'}));
}

function draw(entry) {
  const width = entry.canvas.clientWidth;
  if (width === 0 || !entry.canvas.checkVisibility()) return;  // in a closed part
  const colours = ink();
  const height = typeof entry.height === 'function' ? entry.height(width) : entry.height;
  entry.canvas.style.height = `${height}px`;
  const first = !entry.instance;
  entry.instance ??= init(entry.canvas, null, {renderer: entry.renderer});
  entry.width = width;
  entry.instance.resize({width, height});
  const shared = base(colours), own = entry.option(colours, width);
  entry.instance.setOption({...shared, ...own, tooltip: {...shared.tooltip, ...own.tooltip}}, true);
  if (first) entry.ready?.(entry.instance);
}

// Also sees a closed part being opened.
const watcher = new ResizeObserver((changes) => {
  for (const {target} of changes) {
    const entry = charts.find((candidate) => candidate.canvas === target);
    if (entry && target.clientWidth !== entry.width) draw(entry);
  }
});

onTheme(() => charts.forEach((entry) => draw(entry)));
