// The pipeline schedule: stages by time. Above, forwards, backwards and the optimizer; below them in
// a thin line each, sends between stages and exchanges of gradients and parameters.
import {axis, chart, grid, legend, legendHeight, tip} from '../chart.js';
import {el} from '../dom.js';
import {scheduleParts} from '../palette.js';
import {duration, significant, tick, whole} from '../format.js';

const svgLimit = 2500;  // bars; more are drawn on a canvas, which stays quick

/** Each bar: [start, end, stage, kind, index in its list]. */
function barsOf(timeline) {
  const bars = {forward: [], backward: [], weight: [], optimizer: [], pipeline: [], data: []};
  timeline.stages.forEach((stage, row) => {
    stage.actions.forEach((action, i) => bars[action.kind].push([action.start_s, action.end_s, row, i]));
    stage.spans.forEach((span, i) =>
      (bars[span.lane] ?? bars.data).push([span.start_s, span.end_s, row, i]));
  });
  return bars;
}

/** The bars' place in their row: top and height as shares of it. */
const places = {bubble: [0.08, 0.58], optimizer: [0.08, 0.58], forward: [0.08, 0.58], backward: [0.08, 0.58],
  weight: [0.08, 0.58], pipeline: [0.68, 0.1], data: [0.8, 0.1]};

function series(kind, part, bars, timeline, many) {
  const [top, share] = places[kind];
  const labelled = kind === 'forward' || kind === 'backward' || kind === 'weight';
  const letter = kind[0].toUpperCase();
  const fine = many && (kind === 'pipeline' || kind === 'data');  // not worth drawing below a pixel
  return {
    name: part.name, type: 'custom', clip: true, encode: {x: [0, 1], y: 2}, itemStyle: {color: part.color},
    data: bars, progressive: 4000,
    renderItem: (_params, api) => {
      const row = api.value(2);
      const [x, middle] = api.coord([api.value(0), row]);
      const [end] = api.coord([api.value(1), row]);
      const band = api.size([0, 1])[1];
      if (fine && end - x < 0.7) return null;
      const width = Math.max(end - x - (end - x > 4 ? 0.6 : 0), 0.4), height = Math.max(band * share, 1);
      const rect = {type: 'rect', shape: {x, y: middle - band / 2 + band * top, width, height},
        style: {fill: part.color}};
      if (labelled && width > 8 && height > 10) {
        const batch = String(timeline.stages[row].actions[api.value(3)].micro_batch);
        const wide = width > 14 + 6 * batch.length, room = width > 2 + 6 * batch.length;
        rect.textContent = {style: {text: wide ? letter + batch : room ? batch : '', fill: part.text, fontSize: 10}};
        rect.textConfig = {position: 'inside'};
      }
      return rect;
    },
  };
}

function describe(kind, stage, bar) {
  const span = kind in {forward: 0, backward: 0, weight: 0} ? null : stage.spans[bar[3]];
  const lines = [['stage', String(stage.stage)], ['from', `${significant(bar[0])} s`],
    ['takes', duration(bar[1] - bar[0])]];
  if (kind === 'bubble') return tip('waiting (bubble) where nothing is drawn', [['stage', String(stage.stage)]]);
  if (span) return tip(span.name, lines);
  const action = stage.actions[bar[3]];
  return tip(scheduleParts[kind].name, [['micro-batch', String(action.micro_batch)],
    ['model chunk', String(action.chunk)], ...lines]);
}

/** Buttons for what a mouse does with the wheel. */
function controls(timeline, instance) {
  const end = timeline.step_time_s;
  let view = [0, end];
  const show = (from, to) => {
    const length = Math.min(Math.max(to - from, end * 1e-4), end);
    const start = Math.min(Math.max(from, 0), end - length);
    view = [start, start + length];
    instance.chart.dispatchAction({type: 'dataZoom', startValue: view[0], endValue: view[1]});
  };
  const button = (text, action) => el('button', {type: 'button', onclick: action}, text);
  const around = (factor) => {
    const middle = (view[0] + view[1]) / 2, half = (view[1] - view[0]) / 2 * factor;
    show(middle - half, middle + half);
  };
  const step = (share) => show(view[0] + (view[1] - view[0]) * share, view[1] + (view[1] - view[0]) * share);
  const places = timeline.shown.length > 1 ? timeline.shown :
    [[0, end * 0.1], [end * 0.45, end * 0.55], [end * 0.9, end]];
  instance.onZoom = (from, to) => { view = [from, to]; };
  return el('div', {class: 'buttons', role: 'group', 'aria-label': 'Part of the step shown'},
      button('Whole step', () => show(0, end)),
      ...['Beginning', 'Middle', 'End'].map((name, i) => button(name, () => show(...places[i]))),
      button('Earlier', () => step(-0.5)), button('Later', () => step(0.5)),
      button('Zoom in', () => around(0.5)), button('Zoom out', () => around(2)));
}

/** @param {object} timeline  a stepcast.timeline document */
export function scheduleChart(timeline) {
  const bars = barsOf(timeline);
  const rows = timeline.stages.length;
  const count = Object.values(bars).reduce((sum, list) => sum + list.length, 0);
  const many = count > svgLimit;
  const kinds = Object.keys(scheduleParts).filter((kind) => bars[kind].length > 0);
  const names = ['bubble (waiting)', ...kinds.map((kind) => scheduleParts[kind].name)];
  const rowHeight = rows <= 16 ? 40 : rows <= 40 ? 26 : rows <= 64 ? 16 : 11;
  const instance = {chart: null, onZoom: null};
  const node = controls(timeline, instance);
  const whole_ = timeline.shown.length === 1;
  const figure = chart('Pipeline schedule: stages by time',
      (width) => legendHeight(names, width) + rows * rowHeight + 76, (colours, width) => {
        const bubble = {name: names[0], color: colours.dark ? '#3D434D' : '#E2E5EA'};
        const waiting = timeline.stages.flatMap((_stage, row) =>
          timeline.shown.map(([from, to]) => [from, to, row, 0]));
        const order = ['bubble', ...kinds];
        const first = whole_ ? [0, timeline.step_time_s] : timeline.shown[0];
        const gaps = timeline.shown.slice(1).map(([from], i) => [{xAxis: timeline.shown[i][1]}, {xAxis: from}]);
        const base = series('bubble', bubble, waiting, timeline, many);
        base.markArea = {silent: true, itemStyle: {color: colours.line, opacity: 0.35}, data: gaps,
          label: {show: true, formatter: 'left out', color: colours.faint, position: 'inside'}};
        return {
          legend: legend(colours, {data: names}),
          grid: grid(legendHeight(names, width), {bottom: 32}),
          xAxis: axis(colours, {type: 'value', min: 0, max: timeline.step_time_s, name: 'time in the step (s)',
            nameGap: 26, splitLine: {show: false}, axisLabel: {formatter: tick}}),
          yAxis: axis(colours, {type: 'category', inverse: true, splitLine: {show: false}, axisTick: {show: false},
            data: timeline.stages.map((stage) => rows > 40 ? `${stage.stage}` : `stage ${stage.stage}`)}),
          dataZoom: [
            {type: 'inside', filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true,
              startValue: first[0], endValue: first[1]},
            {type: 'slider', filterMode: 'weakFilter', height: 18, bottom: 4, showDataShadow: false,
              brushSelect: false, borderColor: colours.line, textStyle: {color: colours.faint},
              labelFormatter: (value) => `${significant(value)} s`, startValue: first[0], endValue: first[1]}],
          tooltip: {trigger: 'item', formatter: ({seriesIndex, value}) =>
            describe(order[seriesIndex], timeline.stages[value[2]], value)},
          series: [base, ...kinds.map((kind) => series(kind, scheduleParts[kind], bars[kind], timeline, many))],
        };
      }, {
        renderer: many ? 'canvas' : 'svg',
        note: 'Ctrl and the wheel zoom, dragging moves; the buttons above do the same. Numbers are ' +
          'micro-batches, counted from 0.',
        ready: (made) => {
          instance.chart = made;
          made.on('datazoom', () => {
            const {startValue, endValue} = made.getOption().dataZoom[0];
            instance.onZoom(startValue, endValue);
          });
        },
      });
  figure.querySelector('figcaption').after(node);
  if (!whole_) {
    const left = timeline.left_out;
    figure.append(el('p', {class: 'note'}, `To keep this page quick it shows the beginning, a stretch of ` +
      `steady state and the end; ${whole(left.actions)} forwards and backwards and ${whole(left.spans)} ` +
      `exchanges between them are left out (the grey bands).`));
  }
  return figure;
}
