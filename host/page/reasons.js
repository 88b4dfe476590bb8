/* reasons.js - for what a task waits, and who has it: "mutex bus, held by logger". The same string each time. */

import { endsAfter } from './pyramid.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */

/** What is known of a reason: the mutex's row, and the texts with its owners.
 * @typedef {{mutex: Row|null, texts: Map<number, string>}} Reason */

/** @type {WeakMap<Trace, Map<number, Reason>>} */
const reasons = new WeakMap();

/** @param {Trace} trace @param {number} what the string that tells the reason */
function reasonOf(trace, what) {
    let all = reasons.get(trace);
    if (!all) reasons.set(trace, all = new Map());
    return all.get(what) ?? newReason(trace, what, all);
}

/** @param {Trace} trace @param {number} what @param {Map<number, Reason>} all */
function newReason(trace, what, all) {
    const text = trace.strings(what), mutex =
        trace.rows.find((row) => row.kind === 'mutex' && `mutex ${row.name}` === text);
    const reason = { mutex: mutex ?? null, texts: new Map() };
    all.set(what, reason);
    return reason;
}

/** Why a task is blocked in an interval; '' if nothing tells. @param {Trace} trace @param {Row} row
 *  @param {number} i */
export function reasonText(trace, row, i) {
    const { mutex, texts } = reasonOf(trace, row.what[i]);
    if (mutex === null) return trace.strings(row.what[i]);
    const held = endsAfter(mutex.end, mutex.n, 0, row.start[i]);
    if (held === mutex.n || mutex.start[held] > row.start[i]) return trace.strings(row.what[i]);
    const owner = mutex.what[held], known = texts.get(owner);
    if (known !== undefined) return known;
    const text = `${trace.strings(row.what[i])}, held by ${trace.strings(owner)}`;
    texts.set(owner, text);
    return text;
}
