// Throughput against another measure, with the Pareto front.
import {axis, chart, grid, legend, legendHeight, tip} from '../chart.js';
import {axisName, significant, tick} from '../format.js';

const kinds = {
  front: {name: 'Pareto front', color: '#D55E00', symbol: 'diamond', size: 15},
  inside: {name: 'fits, but another is better in every way', color: '#56B4E9', symbol: 'circle', size: 10},
  over: {name: 'does not fit in memory', color: '#9AA0A8', symbol: 'triangle', size: 10},
};

const few = 6;  // so many names have room

/** Points that keep their name: all of a few, else the first of the ranking and the front's two ends. */
function named(points) {
  if (points.length <= few) return new Set(points);
  const front = points.filter((point) => point.kind === 'front');
  const most = (key) => front.reduce((best, point) => point[key] > (best?.[key] ?? -Infinity) ? point : best, null);
  return new Set([...points.filter((point) => point.first), most('x'), most('y')]);
}

/** An axis from the least to the most of the points, with a margin; the ends have no label. */
const clipped = (colours, options) => axis(colours, {type: 'value', scale: true, ...options,
  min: ({min, max}) => min - ((max - min) * 0.06 || 1), max: ({min, max}) => max + ((max - min) * 0.12 || 1),
  axisLabel: {formatter: tick, showMinLabel: false, showMaxLabel: false}});

/**
 * @param {string} title
 * @param {{label: string, x: number, y: number, kind: "front"|"inside"|"over", first?: boolean,
 *     more: string[][]}[]} points
 * @param {{x: string, y: string}} names  of the axes, with units
 */
export function scatterChart(title, points, names) {
  const used = Object.keys(kinds).filter((kind) => points.some((point) => point.kind === kind));
  const legends = used.map((kind) => kinds[kind].name);
  const series = used.map((kind) => points.filter((point) => point.kind === kind).sort((a, b) => a.x - b.x));
  const shown = named(points);
  const middle = (Math.min(...points.map((point) => point.x)) + Math.max(...points.map((point) => point.x))) / 2;
  return chart(title, (width) => 320 + legendHeight(legends, width), (colours, width) => ({
    legend: legend(colours, {data: legends}),
    grid: grid(legendHeight(legends, width) + 8),
    xAxis: clipped(colours, {name: names.x, nameGap: 28}),
    yAxis: clipped(colours, {name: names.y, nameGap: 52}),
    tooltip: {trigger: 'item', formatter: ({data}) => tip(axisName(data.point.label, 60),
        [[names.y, significant(data.point.y)], [names.x, significant(data.point.x)], ...(data.point.more ?? [])])},
    series: series.map((members, i) => ({
      name: legends[i], type: 'scatter', symbol: kinds[used[i]].symbol, symbolSize: kinds[used[i]].size,
      itemStyle: {color: kinds[used[i]].color, borderColor: colours.text, borderWidth: 0.8},
      data: members.map((point) => ({value: [point.x, point.y], point, label: {show: shown.has(point),
        ...(point.x > middle ? {position: 'left'} : {position: 'top', align: 'left'})}})),
      label: {color: colours.text, fontSize: 11, distance: 8, formatter: ({data}) => axisName(data.point.label, width < 500 ? 14 : 40)},
      labelLayout: {hideOverlap: true, moveOverlap: 'shiftY'},
    })),
  }), {stops: series.flatMap((members, seriesIndex) => members.map((_point, dataIndex) => ({seriesIndex, dataIndex}))),
    note: 'Names of the others: by pointing, or with the arrow keys.'});
}
