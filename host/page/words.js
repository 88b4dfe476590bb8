/* words.js - what is below the pointer, or chosen, in words: "control: blocked, mutex bus, for 15.74 ms from
 * 0.375983120". */

import { reasonText } from './reasons.js';
import { exactText, timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Chosen | {kind: 'sample', row: number, index: number}} Target */

const STATES = ['not known', 'running', 'ready', 'blocked', 'ended'], BLOCKED = 3, UNKNOWN_ROW = 0xFFFFFFFF;

/** A name that is written from right to left, or wants to be, leaves what follows as it is. @param {string} name */
const apart = (name) => (/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069]/.test(name) ? `\u2068${name}\u2069` : name);

/** What an interval is. @param {Trace} trace @param {Row} row @param {number} i */
function whatOf(trace, row, i) {
    if (row.kind === 'cpu') return row.what[i] === UNKNOWN_ROW ? 'not known what runs'
        : `runs ${apart(trace.rows[row.what[i]].name)}`;
    if (row.kind === 'mutex') return `held by ${apart(trace.strings(row.what[i])) || 'somebody'}`;
    if (row.kind === 'span') return trace.strings(row.what[i]);
    if (row.kind === 'irq') return row.state[i] > 0 ? `interrupt, inside of ${row.state[i]}` : 'interrupt';
    const reason = row.state[i] === BLOCKED ? reasonText(trace, row, i) : '';
    return STATES[row.state[i]] + (reason ? `, ${reason}` : '');
}

/** @param {Trace} trace @param {Row} row @param {number} i */
function intervalWords(trace, row, i) {
    const length = timeText(row.end[i] - row.start[i], trace.unit);
    return `${apart(row.name)}: ${whatOf(trace, row, i)}, for ${length} from ${exactText(trace, row.start[i])}`;
}

/** @param {Trace} trace @param {number} i */
function eventWords(trace, i) {
    const { events, types, rows } = trace, by = rows[events.row[i]], name = types[events.type[i]].name;
    const whose = by ? ` of ${apart(by.name)}` : '';
    return `${name}${whose}: ${apart(events.text(i))}, at ${exactText(trace, events.time[i])}`;
}

/** @param {Trace} trace @param {import('./types.js').Problem} problem */
const problemWords = (trace, problem) => `${problem.text}, at ${exactText(trace, problem.time)}`;

/** @param {Trace} trace @param {import('./types.js').Problem[]} problems @param {Target} target */
export function wordsOf(trace, problems, target) {
    if (target.kind === 'event') return eventWords(trace, target.index);
    if (target.kind === 'problem') return problemWords(trace, problems[target.index]);
    const row = trace.rows[target.row];
    if (target.kind === 'interval') return intervalWords(trace, row, target.index);
    return `${apart(row.name)}: ${row.value[target.index]}, from ${exactText(trace, row.start[target.index])}`;
}

/** @param {import('./rows.js').Lane} lane */
export function laneWords(lane) {
    const fold = lane.fold === null ? '' : lane.folded ? ', folded: Enter unfolds' : ', Enter folds';
    return `${apart(lane.label)}${lane.share ? `, ${lane.share} of the time` : ''}${fold}`;
}
