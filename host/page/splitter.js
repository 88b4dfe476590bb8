/* splitter.js - a bar between the picture and the panel, which gives more room to one of them, by pointer or keys. */
import { make } from './dom.js';

const STEP = 0.05, LEAST = 0.15, MOST = 0.85; /* of the height of both */

/** A bar above an element, which changes the element's part of the height of what both are in.
 *  @param {HTMLElement} below */
export function newSplitter(below) {
    const bar = make('div', { class: 'splitter', role: 'separator', tabindex: 0, 'aria-orientation': 'horizontal',
        'aria-label': 'Room for the answers, in percent' });
    const height = () => below.parentElement?.clientHeight ?? 1;
    const set = (/** @type {number} */ part) => {
        const now = Math.min(Math.max(part, LEAST), MOST);
        below.style.flex = `0 0 ${now * 100}%`;
        bar.setAttribute('aria-valuenow', String(Math.round(now * 100)));
    };
    bar.addEventListener('pointerdown', (event) => bar.setPointerCapture(event.pointerId));
    bar.addEventListener('pointermove', (event) => {
        if (bar.hasPointerCapture(event.pointerId))
            set((below.getBoundingClientRect().bottom - event.clientY) / height());
    });
    bar.addEventListener('keydown', (event) => {
        const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
        if (step === undefined)
            return;
        event.preventDefault();
        set(below.offsetHeight / height() + step);
    });
    bar.setAttribute('aria-valuenow', '40');
    return bar;
}
