// Allocated memory of one stage over the step, with its peak.
import {axis, chart, grid, tip} from '../chart.js';
import {el} from '../dom.js';
import {significant, tick, toGib} from '../format.js';

/**
 * @param {object} timeline  a stepcast.timeline document
 * @param {number} worst  the stage to show first
 */
export function memoryTimeChart(timeline, worst) {
  let shown = Math.max(timeline.stages.findIndex((stage) => stage.stage === worst), 0);
  const capacity = toGib(timeline.memory_capacity_bytes);
  const figure = chart('Allocated memory over the step', 300, (colours) => {
    const points = timeline.stages[shown].memory.map(([at, bytes]) => [at, toGib(bytes)]);
    const peak = points.reduce((best, point) => point[1] > best[1] ? point : best, [0, 0]);
    if (points.length > 0) points.push([timeline.step_time_s, points[points.length - 1][1]]);
    return {
      grid: grid(28),
      xAxis: axis(colours, {type: 'value', min: 0, max: timeline.step_time_s, name: 'time in the step (s)',
        nameGap: 26, axisLabel: {formatter: tick}}),
      yAxis: axis(colours, {type: 'value', min: 0, name: 'allocated (GiB)', nameGap: 40,
        max: ({max}) => Math.max(max, capacity) * 1.1, axisLabel: {formatter: tick, showMaxLabel: false}}),
      tooltip: {trigger: 'axis', formatter: ([item]) => tip(`stage ${timeline.stages[shown].stage}`,
          [['at', `${significant(item.value[0])} s`], ['allocated', `${significant(item.value[1])} GiB`]])},
      series: [
        {type: 'line', step: 'end', data: points, symbol: 'none', lineStyle: {color: '#0072B2', width: 1.2},
          areaStyle: {color: '#56B4E9', opacity: 0.3}, itemStyle: {color: '#0072B2'},
          markLine: {symbol: 'none', silent: true, lineStyle: {color: colours.bad, type: 'dashed', width: 1.5},
            label: {color: colours.bad, position: 'insideEndTop', formatter: '{b}'},
            data: [{yAxis: capacity, name: `capacity ${significant(capacity)} GiB`}]}},
        {type: 'scatter', data: [peak], symbol: 'diamond', symbolSize: 12, itemStyle: {color: '#D55E00'},
          tooltip: {show: false}, label: {show: true, color: colours.text, position: 'top', backgroundColor: colours.page,
            padding: [1, 3], align: peak[0] > timeline.step_time_s / 2 ? 'right' : 'left',
            formatter: `peak ${significant(peak[1])} GiB at ${significant(peak[0])} s`}},
      ],
    };
  }, {note: 'What the framework\'s allocator holds; overhead outside it comes on top.'});
  if (timeline.stages.length > 1) {
    const select = el('select', {id: `memory-stage-${worst}`, onchange: () => {
      shown = Number(select.value);
      figure.redraw();
    }}, ...timeline.stages.map((stage, i) => el('option', {value: i, selected: i === shown}, `stage ${stage.stage}`)));
    figure.querySelector('figcaption').after(el('div', {class: 'buttons'},
        el('label', {for: select.id}, 'Stage'), select));
  }
  return figure;
}
