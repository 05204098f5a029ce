// P10, P50 and P90 as a bar with its median, one for each run.
import {axis, chart, grid, tip} from '../chart.js';
import {axisName, significant, tick} from '../format.js';

/**
 * @param {string} title
 * @param {{label: string, interval: {p10: number, p50: number, p90: number}}[]} rows
 * @param {string} name  of the axis, with the unit
 */
export function intervalChart(title, rows, name, note = 'Bar: P10 to P90. Line: median (P50).') {
  return chart(title, rows.length * 30 + 66, (colours, width) => ({
    grid: grid(8),
    xAxis: axis(colours, {type: 'value', name, nameGap: 26, scale: true,
      min: ({min, max}) => Math.max(0, min - (max - min) * 0.15), max: ({min, max}) => max + (max - min) * 0.15,
      axisLabel: {formatter: tick, showMinLabel: false, showMaxLabel: false}}),
    yAxis: axis(colours, {type: 'category', inverse: true, splitLine: {show: false},
      data: rows.map((row) => axisName(row.label, width < 500 ? 14 : 36))}),
    tooltip: {trigger: 'item', formatter: ({dataIndex}) => tip(axisName(rows[dataIndex].label, 60),
        ['p10', 'p50', 'p90'].map((key) => [key.toUpperCase(), significant(rows[dataIndex].interval[key])]))},
    series: [{
      type: 'custom',
      encode: {x: [0, 1, 2], y: 3},
      data: rows.map(({interval}, i) => [interval.p10, interval.p50, interval.p90, i]),
      renderItem: (_params, api) => {
        const [left, y] = api.coord([api.value(0), api.value(3)]);
        const [middle] = api.coord([api.value(1), api.value(3)]);
        const [right] = api.coord([api.value(2), api.value(3)]);
        return {type: 'group', children: [
          {type: 'rect', shape: {x: left, y: y - 6, width: right - left, height: 12, r: 2},
            style: {fill: '#56B4E9'}},
          {type: 'rect', shape: {x: middle - 1.5, y: y - 10, width: 3, height: 20}, style: {fill: colours.text}},
          {type: 'text', style: {x: middle, y: y - 11, text: significant(api.value(1)), fill: colours.text,
            align: 'center', verticalAlign: 'bottom', fontSize: 10}},
        ]};
      },
    }],
  }), {note});
}
