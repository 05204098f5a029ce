// The tiers that a GPU's data crosses, with how busy their links are: drawn as SVG elements, so that
// it takes the page's colours and prints.
import {el} from '../dom.js';
import {significant} from '../format.js';

const svg = (tag, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
};

// From the top of the fabric down: the switches of a level, and the links below them.
const levels = [
  {node: 'core switches', link: 'core', boxes: 1},
  {node: 'spine switches', link: 'spine', boxes: 2},
  {node: 'leaf switches', link: 'nic', boxes: 4},
  {node: 'node: network cards', link: 'pcie', boxes: 8},
  {node: 'GPUs', link: 'nvlink', boxes: 8},
  {node: 'NVLink domain (NVLink switches)', link: null, boxes: 1},
];
const names = {nvlink: 'NVLink', pcie: 'PCIe', nic: 'NIC', spine: 'leaf to spine', core: 'spine to core'};

const left = 8, right = 330, text = 352, boxHeight = 26, linkHeight = 50;

/** The links' colour grows darker with their mean use. */
const shade = (use) => use >= 0.75 ? '#D55E00' : use >= 0.4 ? '#E69F00' : use >= 0.1 ? '#56B4E9' : '#9AA0A8';

function drawLevel(root, y, level) {
  const width = (right - left + 6) / level.boxes;
  for (let i = 0; i < level.boxes; ++i) {
    root.append(svg('rect', {x: left + i * width, y, width: width - 6, height: boxHeight, rx: 3, class: 'box'}));
  }
  root.append(svg('text', {x: text, y: y + boxHeight / 2 + 4, class: 'node'}, level.node));
}

function drawLinks(root, y, link, boxesAbove, boxesBelow) {
  const count = Math.max(boxesAbove, boxesBelow);
  const centre = (i, boxes) => left + (right - left + 6) / boxes * (i + 0.5) - 3;
  for (let i = 0; i < count; ++i) {
    root.append(svg('line', {
      x1: centre(Math.floor(i * boxesAbove / count), boxesAbove) + (boxesAbove < count ? (centre(i, count) -
        centre(Math.floor(i * boxesAbove / count), boxesAbove)) * 0.8 : 0),
      x2: centre(Math.floor(i * boxesBelow / count), boxesBelow) + (boxesBelow < count ? (centre(i, count) -
        centre(Math.floor(i * boxesBelow / count), boxesBelow)) * 0.8 : 0),
      y1: y, y2: y + linkHeight, stroke: shade(link.mean_utilisation), 'stroke-width': 3, class: 'mark'}));
  }
  const gauge = 150, top = y + linkHeight / 2;
  root.append(svg('text', {x: text, y: top - 4, class: 'link'},
      `${names[link.tier] ?? link.tier}, ${significant(link.capacity_bytes_per_s / 1e9)} GB/s a direction`));
  root.append(svg('rect', {x: text, y: top + 3, width: gauge, height: 8, class: 'gauge'}));
  root.append(svg('rect', {x: text, y: top + 3, width: gauge * Math.min(link.mean_utilisation, 1), height: 8,
    fill: shade(link.mean_utilisation), class: 'mark'}));
  root.append(svg('line', {x1: text + gauge * Math.min(link.peak_utilisation, 1), y1: top,
    x2: text + gauge * Math.min(link.peak_utilisation, 1), y2: top + 14, class: 'peak'}));
  root.append(svg('text', {x: text + gauge + 10, y: top + 11, class: 'link'},
      `mean ${significant(link.mean_utilisation * 100)} %, peak ${significant(link.peak_utilisation * 100)} %`));
}

/** @param {object[]} links  of a prediction */
export function topologyPicture(links) {
  const known = new Map(links.map((link) => [link.tier, link]));
  const used = levels.filter((level, i) => known.has(level.link) || known.has(levels[i - 1]?.link));
  const height = used.length * boxHeight + (used.length - 1) * linkHeight + 16;
  const title = 'Tiers of the cluster and the use of their links';
  const root = svg('svg', {viewBox: `0 0 720 ${height}`, class: 'topology', role: 'img', 'aria-label': title});
  let y = 8;
  used.forEach((level, i) => {
    drawLevel(root, y, level);
    y += boxHeight;
    if (i + 1 < used.length && known.has(level.link))
      drawLinks(root, y, known.get(level.link), level.boxes, used[i + 1].boxes);
    y += linkHeight;
  });
  return el('figure', {}, el('figcaption', {}, title), root, el('p', {class: 'note'},
      'A sketch: boxes stand for many devices. Bar: mean use over the step; tick: highest use at any moment, of the ' +
      'busiest stage and direction.'));
}
