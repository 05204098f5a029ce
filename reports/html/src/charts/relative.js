// Bars as shares of a reference, which stands at 100 %.
import {axis, chart, grid, tip} from '../chart.js';
import {axisName, significant, tick} from '../format.js';

/**
 * @param {string} title
 * @param {{label: string, share: number, weak?: string, more?: string[][]}[]} rows  `weak`: why the
 *     bar is grey
 * @param {string} name  of the axis
 * @param {string} [note]
 */
export function relativeChart(title, rows, name, note) {
  const text = (row) => `${significant(row.share * 100)} %${row.weak ? ` (${row.weak})` : ''}`;
  return chart(title, rows.length * 28 + 66, (colours, width) => ({
    grid: grid(8),
    xAxis: axis(colours, {type: 'value', min: 0, name: `${name} (%)`, nameGap: 26, axisLabel: {formatter: tick, showMaxLabel: false},
      max: ({max}) => Math.max(max, 100) * (width < 500 ? 1.6 : 1.25)}),
    yAxis: axis(colours, {type: 'category', inverse: true, splitLine: {show: false},
      data: rows.map((row) => axisName(row.label, width < 500 ? 18 : 40))}),
    tooltip: {trigger: 'item', formatter: ({dataIndex}) => tip(axisName(rows[dataIndex].label, 60),
        [[name, text(rows[dataIndex])], ...(rows[dataIndex].more ?? [])])},
    series: [{
      type: 'bar', barMaxWidth: 16,
      data: rows.map((row) => ({value: row.share * 100, itemStyle: {color: row.weak ? '#9AA0A8' : '#0072B2'},
        label: {show: true, position: 'right', color: colours.text, fontSize: 11, formatter: text(row),
          backgroundColor: colours.page, padding: [0, 2]}})),
      markLine: {symbol: 'none', silent: true, data: [{xAxis: 100}], label: {show: false},
        lineStyle: {color: colours.text, type: 'dashed', width: 1}},
    }],
  }), {note});
}
