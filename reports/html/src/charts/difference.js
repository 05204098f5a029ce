// What makes one run slower or larger than another, term by term.
import {axis, chart, grid, tip} from '../chart.js';
import {significant, tick} from '../format.js';

/**
 * @param {string} title
 * @param {{name: string, value: number}[]} terms
 * @param {string} unit
 */
export function differenceChart(title, terms, unit) {
  const signed = (value) => `${value > 0 ? '+' : ''}${significant(value)}`;
  return chart(title, terms.length * 26 + 64, (colours) => ({
    grid: grid(4),
    xAxis: axis(colours, {type: 'value', name: `difference (${unit})`, nameGap: 26, boundaryGap: ['12%', '12%'],
      axisLabel: {formatter: tick}}),
    yAxis: axis(colours, {type: 'category', inverse: true, splitLine: {show: false}, axisLine: {show: false},
      axisTick: {show: false}, data: terms.map((term) => term.name)}),
    tooltip: {trigger: 'item', formatter: ({dataIndex}) =>
      tip(terms[dataIndex].name, [['difference', `${signed(terms[dataIndex].value)} ${unit}`]])},
    series: [{
      type: 'bar', barMaxWidth: 16,
      data: terms.map(({value}) => ({value, itemStyle: {color: value > 0 ? '#D55E00' : '#0072B2'},
        label: {show: true, position: value > 0 ? 'right' : 'left', color: colours.text, fontSize: 11,
          formatter: signed(value)}})),
    }],
  }));
}
