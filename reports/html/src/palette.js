// Colours by meaning. Hues are those of Okabe and Ito (2008), which people with the common colour
// vision deficiencies tell apart; within a family they differ in lightness, and what nothing hides
// (exposed communication) is hatched as well.

const hatch = (rotation) => ({
  symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 4], rotation, color: 'rgba(0,0,0,0.32)',
});
const dots = {symbol: 'circle', symbolSize: 0.5, dashArrayX: [[5, 5], [0, 5, 5, 0]], dashArrayY: [5, 0],
  color: 'rgba(128,128,128,0.7)'};

/** Parts of a stage's step, in the order in which they are stacked. */
export const timeParts = [
  {key: 'compute_s.gemm', name: 'GEMM', color: '#0072B2'},
  {key: 'compute_s.attention', name: 'attention', color: '#56B4E9'},
  {key: 'compute_s.memory_bound', name: 'memory-bound', color: '#A9D6F0'},
  {key: 'recompute_s', name: 'recompute', color: '#CC79A7'},
  {key: 'optimizer_s', name: 'optimizer', color: '#009E73'},
  {key: 'host_s', name: 'host', color: '#8A8F98'},
  {key: 'exposed_communication_s.tensor', name: 'exposed tensor', color: '#D55E00', decal: hatch(Math.PI / 4)},
  {key: 'exposed_communication_s.context', name: 'exposed context', color: '#E69F00', decal: hatch(-Math.PI / 4)},
  {key: 'exposed_communication_s.pipeline', name: 'exposed pipeline', color: '#F0E442', decal: hatch(Math.PI / 4)},
  {key: 'exposed_communication_s.data', name: 'exposed data', color: '#B8860B', decal: hatch(0)},
  {key: 'exposed_communication_s.expert', name: 'exposed expert', color: '#F3B27A', decal: hatch(Math.PI / 2)},
  {key: 'exposed_communication_s.other', name: 'exposed other', color: '#7A3E00', decal: hatch(-Math.PI / 4)},
  {key: 'bubble_s', name: 'bubble', color: '#D9DDE3', dark: '#4A515C', decal: dots},
];

/** Parts of a stage's memory at its peak. */
export const memoryParts = [
  {key: 'parameters_bytes', name: 'parameters', color: '#0072B2'},
  {key: 'gradients_bytes', name: 'gradients', color: '#56B4E9'},
  {key: 'optimizer_bytes', name: 'optimizer', color: '#009E73'},
  {key: 'activations_bytes', name: 'activations', color: '#E69F00'},
  {key: 'transient_bytes', name: 'transient', color: '#CC79A7'},
  {key: 'overhead_bytes', name: 'overhead', color: '#9AA0A8', decal: hatch(Math.PI / 4)},
];

/** Bars of the schedule: light, middle and dark, so that they differ without colour too. */
export const scheduleParts = {
  forward: {name: 'forward (F)', color: '#74BDEA', text: '#0B2A3D'},
  backward: {name: 'backward (B)', color: '#D55E00', text: '#FFFFFF'},
  weight: {name: 'weight gradient (W)', color: '#00483A', text: '#FFFFFF'},
  optimizer: {name: 'optimizer', color: '#CC79A7', text: '#000000'},
  pipeline: {name: 'sends between stages', color: '#7B6FC4', text: '#FFFFFF'},
  data: {name: 'data-parallel and other exchanges', color: '#009E73', text: '#FFFFFF'},
};

/** Lines of one chart: they differ in dash and symbol too. */
export const lines = [
  {color: '#0072B2', symbol: 'circle', dash: 'solid'},
  {color: '#D55E00', symbol: 'rect', dash: 'dashed'},
  {color: '#009E73', symbol: 'triangle', dash: 'dotted'},
  {color: '#CC79A7', symbol: 'diamond', dash: 'solid'},
];

/** The value at "compute_s.gemm". */
export const at = (object, path) => path.split('.').reduce((value, key) => value?.[key], object) ?? 0;

/** The parts that are anywhere above zero. */
export const present = (parts, objects) =>
  parts.filter((part) => objects.some((object) => at(object, part.key) > 0));
