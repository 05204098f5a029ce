// A document that this page has no picture for.
import {closed, el, heading} from '../dom.js';
import {clip} from '../format.js';

/** @param {HTMLElement} section @param {object} document_ */
export function unknownSection(section, document_) {
  const {format} = document_;
  section.append(heading(2, `Document ${clip(format ?? 'without a format', 60)}`),
      el('p', {}, 'This page has no view for it; it is here as it was given.'),
      closed('JSON', el('pre', {tabindex: 0}, JSON.stringify(document_, null, 1).slice(0, 200000))));
}
