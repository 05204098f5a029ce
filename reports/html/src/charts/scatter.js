// Throughput against another measure, with the Pareto front.
import {axis, chart, grid, legend, legendHeight, tip} from '../chart.js';
import {axisName, significant, tick} from '../format.js';

const kinds = {
  front: {name: 'Pareto front', color: '#D55E00', symbol: 'diamond', size: 15},
  inside: {name: 'fits, but another is better in every way', color: '#56B4E9', symbol: 'circle', size: 10},
  over: {name: 'does not fit in memory', color: '#9AA0A8', symbol: 'triangle', size: 10},
};

/**
 * @param {string} title
 * @param {{label: string, x: number, y: number, kind: "front"|"inside"|"over", more: string[][]}[]} points
 * @param {{x: string, y: string}} names  of the axes, with units
 */
export function scatterChart(title, points, names) {
  const used = Object.keys(kinds).filter((kind) => points.some((point) => point.kind === kind));
  const legends = used.map((kind) => kinds[kind].name);
  const few = points.length <= 25;
  return chart(title, (width) => 320 + legendHeight(legends, width), (colours, width) => ({
    legend: legend(colours, {data: legends}),
    grid: grid(legendHeight(legends, width) + 8),
    xAxis: axis(colours, {type: 'value', scale: true, name: names.x, nameGap: 28, boundaryGap: ['8%', '12%'],
      axisLabel: {formatter: tick}}),
    yAxis: axis(colours, {type: 'value', scale: true, name: names.y, nameGap: 52, boundaryGap: ['10%', '10%'],
      axisLabel: {formatter: tick}}),
    tooltip: {trigger: 'item', formatter: ({data}) => tip(axisName(data.point.label, 60),
        [[names.y, significant(data.point.y)], [names.x, significant(data.point.x)], ...(data.point.more ?? [])])},
    series: used.map((kind) => ({
      name: kinds[kind].name, type: 'scatter', symbol: kinds[kind].symbol, symbolSize: kinds[kind].size,
      itemStyle: {color: kinds[kind].color, borderColor: colours.text, borderWidth: 0.8},
      data: points.filter((point) => point.kind === kind).map((point) => ({value: [point.x, point.y], point})),
      label: {show: few, position: 'top', color: colours.text, fontSize: 11,
        formatter: ({data}) => axisName(data.point.label, 22)},
      labelLayout: {hideOverlap: true, moveOverlap: 'shiftY'},
    })),
  }));
}
