/* find.js - what is where in a trace, and how to go there. */
import { endsAfter } from './pyramid.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */

/** The interval of a row that has begun at a time and has not ended, or -1. @param {Row} row @param {number} time */
export function intervalAt(row, time) {
    const i = endsAfter(row.start, row.n, 0, time) - 1;
    return i >= 0 && row.end[i] > time ? i : -1;
}

/** The first interval that ends after a time; n: there is none. @param {Row} row @param {number} time */
export const intervalAfter = (row, time) => endsAfter(row.end, row.n, 0, time);

/** The row of a kind and a name, or null. @param {Trace} trace @param {import('./types.js').RowKind} kind
 *  @param {string} name */
export function rowNamed(trace, kind, name) {
    return trace.rows.find((row) => row.kind === kind && row.name === name) ?? null;
}

/**
 * How long each task ran on any CPU between two times.
 * @param {Trace} trace
 * @param {number} from
 * @param {number} to
 * @param {Map<number, number>} [sums] by row, which it adds to
 */
export function runnersBetween(trace, from, to, sums = new Map()) {
    for (const cpu of trace.rows) {
        for (let i = cpu.kind === 'cpu' ? intervalAfter(cpu, from) : cpu.n; i < cpu.n && cpu.start[i] < to; i++) {
            const time = Math.min(cpu.end[i], to) - Math.max(cpu.start[i], from);
            sums.set(cpu.what[i], (sums.get(cpu.what[i]) ?? 0) + time);
        }
    }
    return sums;
}

/** Move the view so that a stretch is well seen, and choose something. A point keeps the zoom.
 *  @param {import('./types.js').States} state @param {number} from @param {number} to
 *  @param {import('./types.js').Chosen|null} [chosen] */
export function lookAt(state, from, to, chosen) {
    const now = state.get(), width = now.to - now.from, length = to - from;
    const isSeen = from >= now.from && to <= now.to && (length === 0 || length > width / 20);
    const want = length === 0 ? width : length * 2, middle = (from + to) / 2;
    const view = isSeen ? {} : { from: middle - want / 2, to: middle + want / 2 };
    state.change({ ...view, ...(chosen === undefined ? {} : { chosen }) });
}
