/* state.js - what is shown, selected and searched, and who wants to know when it changes. */

import { foldedAtFirst } from './rows.js';

const LEAST = 10; /* ns, or ticks, that the timeline shows */

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(Math.max(value, low), high);

/** Keeps what is shown inside of the trace.
 * @param {import('./types.js').State} state @param {number} span */
function keepInside(state, span) {
    const most = Math.max(span, LEAST);
    const width = within(state.to - state.from, LEAST, most) || most;
    state.from = within(state.from || 0, 0, most - width);
    state.to = state.from + width;
}

/** @param {import('./types.js').Trace} trace @returns {import('./types.js').State} */
function stateAtFirst(trace) {
    return {
        from: 0, to: Math.max(trace.span, LEAST), selection: null, cursors: [null, null], chosen: null,
        folded: foldedAtFirst(trace), filter: '', matches: null, stat: null, problems: [],
    };
}

/** @param {import('./types.js').Trace} trace @returns {import('./types.js').States} */
export function newState(trace) {
    const state = stateAtFirst(trace);
    /** @type {Set<(state: import('./types.js').State, changed: Partial<import('./types.js').State>) => void>} */
    const listeners = new Set();
    return {
        get: () => state,
        change(patch) {
            Object.assign(state, patch);
            keepInside(state, trace.span);
            for (const fn of listeners) fn(state, patch);
        },
        listen(fn) {
            listeners.add(fn);
            return () => { listeners.delete(fn); };
        },
    };
}
