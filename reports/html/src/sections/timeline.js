// A timeline without the prediction that it belongs to.
import {heading, part} from '../dom.js';
import {scheduleChart} from '../charts/schedule.js';
import {memoryTimeChart} from '../charts/memory_time.js';

/** @param {HTMLElement} section @param {object} timeline  a stepcast.timeline document */
export function timelineSection(section, timeline) {
  section.append(heading(2, 'Timeline of a step'));
  part(section, 'Pipeline schedule', scheduleChart(timeline));
  part(section, 'Memory over the step', memoryTimeChart(timeline, 0));
}
