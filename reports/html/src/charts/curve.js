// A measure against one swept input, a line for each value of the others, with the P10 to P90 band.
import {axis, chart, grid, legend, legendHeight, tip} from '../chart.js';
import {lines} from '../palette.js';
import {axisName, significant, tick} from '../format.js';

/**
 * @param {string} title
 * @param {{name: string, knee?: number|string, points: {x: number|string, y: number|null, low?: number,
 *     high?: number, note?: string, weak?: boolean}[]}[]} curves  `weak`: drawn hollow
 * @param {{x: string, y: string, knee?: string, top?: number, height?: number, notes?: string[]}} names
 *     of the axes, with units, and of the knee; `top` is where the value axis ends
 */
export function curveChart(title, curves, names) {
  const xs = [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))];
  if (xs.every((x) => typeof x === 'number')) xs.sort((a, b) => a - b);
  const legends = curves.map((curve) => axisName(curve.name, 40));
  const note = [...(names.notes ?? []),
    ...(curves.some((curve) => curve.points.some((point) => point.low !== undefined)) ? ['Whiskers: P10 to P90.'] : [])].join(' ');
  const top = (width) => curves.length > 1 ? legendHeight(legends, width) : 24;
  return chart(title, (width) => (names.height ?? 270) + top(width), (colours, width) => ({
    legend: curves.length > 1 ? legend(colours, {data: legends}) : undefined,
    grid: grid(top(width)),
    xAxis: axis(colours, {type: 'category', boundaryGap: true, name: axisName(names.x, 60), nameGap: 28,
      data: xs.map((x) => typeof x === 'number' ? tick(x) : axisName(x, 16)), splitLine: {show: false}}),
    yAxis: axis(colours, {type: 'value', min: 0, max: names.top, name: names.y, nameGap: 52,
      axisLabel: {formatter: tick}}),
    tooltip: {trigger: 'axis', formatter: (items) => tip(`${axisName(names.x, 60)}: ${xs[items[0].dataIndex]}`,
        curves.map((curve) => {
          const point = curve.points.find((candidate) => candidate.x === xs[items[0].dataIndex]);
          if (!point || point.y === null) return [axisName(curve.name, 40), point?.note ?? '–'];
          const band = point.low === undefined ? '' : ` (P10–P90 ${significant(point.low)}–${significant(point.high)})`;
          return [axisName(curve.name, 40), significant(point.y) + band + (point.note ? `, ${point.note}` : '')];
        }))},
    series: curves.flatMap((curve, i) => {
      const style = lines[i % lines.length];
      const by = (pick) => xs.map((x) => pick(curve.points.find((point) => point.x === x)) ?? null);
      const banded = curve.points.some((point) => point.low !== undefined);
      const knee = curve.knee !== undefined && xs.includes(curve.knee);
      const own = curves.length > 1 ? style.color : colours.text;
      return [
        {name: legends[i], type: 'line', symbol: style.symbol, symbolSize: 8, 
          data: by((point) => point && {value: point.y, symbol: point.weak ? style.symbol.replace(/^./, (c) => `empty${c.toUpperCase()}`) : style.symbol}),
          lineStyle: {color: style.color, type: style.dash, width: 2}, itemStyle: {color: style.color},
          markLine: knee ? {symbol: 'none', silent: true, lineStyle: {color: own, type: 'dashed'},
            label: {formatter: names.knee ?? 'knee', color: own}, data: [{xAxis: xs.indexOf(curve.knee)}]} : undefined},
        ...(banded ? [
          {name: legends[i], type: 'custom', silent: true, z: 1, itemStyle: {color: style.color},
            data: by((point) => point?.y === null || !point ? null : [xs.indexOf(point.x), point.low, point.high])
                .filter(Boolean), encode: {x: 0, y: [1, 2]},
            renderItem: (_params, api) => {
              const [x, low] = api.coord([api.value(0), api.value(1)]);
              const [, high] = api.coord([api.value(0), api.value(2)]);
              const stroke = {stroke: style.color, lineWidth: 1.5, fill: 'none'};
              return {type: 'path', shape: {pathData: `M${x},${low}L${x},${high}M${x - 5},${low}L${x + 5},${low}` +
                `M${x - 5},${high}L${x + 5},${high}`}, style: stroke};
            }}] : []),
      ];
    }),
  }), {note: note || undefined});
}
