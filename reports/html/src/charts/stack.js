// Stacked bars: parts of a step's time or of a stage's memory, one bar for each stage or run.
import {axis, chart, grid, legend, legendHeight, tip} from '../chart.js';
import {at, present} from '../palette.js';
import {axisName, significant, tick} from '../format.js';

const lying = 24;  // up to so many bars lie, so that their names have room

/**
 * @param {string} title
 * @param {{label: string, object: object, limit?: number}[]} bars
 * @param {object[]} allParts  of palette.js
 * @param {{unit: string, axis: string, scale: number, limitName?: string}} measure  `scale` turns
 *     the document's values into the unit
 */
export function stackChart(title, bars, allParts, measure) {
  const parts = present(allParts, bars.map((bar) => bar.object));
  const names = parts.map((part) => part.name);
  const limits = [...new Set(bars.map((bar) => bar.limit).filter(Boolean))];
  const flat = bars.length <= lying;
  const height = (width) => legendHeight(names, width) + (flat ? bars.length * 30 + 56 : 300);
  return chart(title, height, (colours, width) => {
    const categories = axis(colours, {type: 'category', inverse: flat,
      data: bars.map((bar) => axisName(bar.label, width < 500 ? 14 : 36)), splitLine: {show: false},
      name: flat ? '' : 'stage', nameGap: 26});
    const values = axis(colours, {type: 'value', name: measure.axis, nameGap: flat ? 26 : 42,
      max: limits.length ? ({max}) => Math.max(max, ...limits.map((limit) => limit * measure.scale)) * 1.04 : null});
    Object.assign(values.axisLabel, {formatter: tick, showMaxLabel: limits.length ? false : null});
    const lines = limits.map((limit) => ({[flat ? 'xAxis' : 'yAxis']: limit * measure.scale,
      name: `${measure.limitName} ${significant(limit * measure.scale)} ${measure.unit}`}));
    return {
      legend: legend(colours, {data: names}),
      grid: grid(legendHeight(names, width) + (limits.length && flat ? 14 : 0)),
      xAxis: flat ? values : categories,
      yAxis: flat ? categories : values,
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => {
        const bar = bars[items[0].dataIndex];
        return tip(axisName(bar.label, 60), parts.map((part) =>
          [part.name, `${significant(at(bar.object, part.key) * measure.scale)} ${measure.unit}`]));
      }},
      series: parts.map((part, i) => ({
        name: part.name, type: 'bar', stack: 'all', barMaxWidth: 22, barCategoryGap: flat ? '30%' : '12%',
        itemStyle: {color: colours.dark && part.dark ? part.dark : part.color, borderColor: colours.page,
          borderWidth: bars.length > 60 ? 0 : 0.5, decal: part.decal},
        data: bars.map((bar) => at(bar.object, part.key) * measure.scale),
        markLine: i > 0 || lines.length === 0 ? undefined : {symbol: 'none', silent: true, data: lines,
          lineStyle: {color: colours.bad, type: 'dashed', width: 1.5},
          label: {formatter: '{b}', color: colours.bad, position: flat ? 'start' : 'insideEndTop',
            align: flat ? 'right' : undefined}},
      })),
    };
  });
}
