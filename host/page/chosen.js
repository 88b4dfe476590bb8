/* chosen.js - what the panel tells of an event, an interval, a problem, the two cursors. */
import { chainOf, mutexOf, holderOf, intruderOf } from './chain.js';
import { link, make, nameOf } from './dom.js';
import { ownerOf } from './events.js';
import { intervalAt, lookAt } from './find.js';
import { endsAfter } from './pyramid.js';
import { ofStretch } from './stretch.js';
import { exactText, timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').States} States */
/** @typedef {{title: string, content: Node[], isWide?: boolean}} Answer */

const READY = 2, BLOCKED = 3;
const STATES = ['unknown', 'running', 'ready', 'blocked', 'ended'];
const FLAGS = ['in an interrupt', 'derived by the decoder', 'unchecked', 'of an emergency slot'];

/** Names and what they stand for. @param {[string, (Node|string|null)][]} pairs */
function newFields(pairs) {
    const told = pairs.filter(([, what]) => what !== null && what !== '');
    const parts = told.flatMap(([name, what]) => [make('dt', {}, name), make('dd', {}, what)]);
    return make('dl', { class: 'fields' }, ...parts);
}

/** What an interval is, in words: "blocked: mutex bus". @param {Trace} trace @param {Row} row @param {number} i */
export function stateText(trace, row, i) {
    const why = row.state[i] === BLOCKED ? trace.strings(row.what[i]) : '';
    if (row.kind === 'task')
        return STATES[row.state[i]] + (why === '' ? '' : `: ${why}`);
    if (row.kind === 'cpu')
        return trace.rows[row.what[i]] === undefined ? 'unknown' : `runs ${trace.rows[row.what[i]].name}`;
    return row.kind === 'mutex' ? `held by ${trace.strings(row.what[i])}` : trace.strings(row.what[i]) || row.name;
}

/** A link to an interval. @param {Trace} trace @param {States} state @param {Row} row @param {number} i */
function intervalLink(trace, state, row, i) {
    if (i < 0 || i >= row.n)
        return null;
    const text = `${stateText(trace, row, i)}, ${timeText(row.end[i] - row.start[i], trace.unit)}`;
    return link(text, () => lookAt(state, row.start[i], row.end[i], { kind: 'interval', row: row.index, index: i }));
}

/** Who woke a task last, up to a time, and where; null: nobody. @param {Trace} trace @param {States} state
 *  @param {number} row @param {number} time */
function wakerOf(trace, state, row, time) {
    const { wakes } = trace;
    let i = endsAfter(wakes.time, wakes.n, 0, time) - 1;
    while (i >= 0 && wakes.to[i] !== row)
        i--;
    if (i < 0)
        return null;
    const name = trace.rows[wakes.from[i]]?.name ?? 'not known';
    return link(`${name}, at ${exactText(trace, wakes.time[i])}`, () => lookAt(state, wakes.time[i], time));
}

/** What a task waited for last, before a time. @param {Trace} trace @param {States} state @param {Row} row
 *  @param {number} time */
function lastWait(trace, state, row, time) {
    let i = endsAfter(row.start, row.n, 0, time) - 1;
    while (i >= 0 && row.state[i] !== BLOCKED)
        i--;
    return intervalLink(trace, state, row, i);
}

/** The next event of the same task in a direction. @param {Trace} trace @param {States} state @param {number} index
 *  @param {-1|1} step */
function neighbour(trace, state, index, step) {
    const { events } = trace;
    let i = index + step;
    while (i >= 0 && i < events.n && events.row[i] !== events.row[index])
        i += step;
    if (i < 0 || i >= events.n)
        return null;
    const away = timeText(Math.abs(events.time[i] - events.time[index]), trace.unit);
    const text = `${trace.types[events.type[i]].name}, ${away} ${step < 0 ? 'before' : 'later'}`;
    return link(text, () => lookAt(state, events.time[i], events.time[i], { kind: 'event', index: i }));
}

/** @param {Trace} trace @param {States} state @param {number} index @returns {Answer} */
function ofEvent(trace, state, index) {
    const { events, types } = trace, time = events.time[index], row = trace.rows[events.row[index]];
    const { system, name } = types[events.type[index]];
    const isTask = row?.kind === 'task', now = isTask ? intervalAt(row, time) : -1;
    const flags = FLAGS.filter((_, bit) => (events.flags[index] & (1 << bit)) !== 0).join(', ');
    return { title: `Event ${name}`, content: [newFields([
        ['Event', nameOf(`${system}:${name}`)],
        ['Fields', nameOf(events.text(index))],
        ['Time', `${exactText(trace, time)} ${trace.unit === 'ns' ? 's' : 'ticks'}`],
        ['CPU', String(events.cpu[index])],
        [isTask ? 'Task' : 'Logged in', nameOf(ownerOf(trace, index))],
        ['Notes', flags],
        ['The task is', isTask ? intervalLink(trace, state, row, now) : null],
        ['Woken by', isTask ? wakerOf(trace, state, row.index, time) : null],
        ['Waited for', isTask ? lastWait(trace, state, row, time) : null],
        ['Before', neighbour(trace, state, index, -1)],
        ['After', neighbour(trace, state, index, 1)],
    ])] };
}

/** Who ran while a task was ready. @param {Trace} trace @param {Row} row @param {number} i */
function instead(trace, row, i) {
    const intruder = intruderOf(trace, row, row.start[i], row.end[i], () => true);
    return intruder === null ? null : `${intruder.row.name}, for ${timeText(intruder.time, trace.unit)}`;
}

/** Who held what a task waits for. @param {Trace} trace @param {States} state @param {Row} row @param {number} i */
function heldBy(trace, state, row, i) {
    const mutex = mutexOf(trace, row, i), at = mutex === null ? -1 : intervalAt(mutex, row.start[i]);
    if (mutex === null || at < 0)
        return null;
    const name = holderOf(trace, mutex, row.start[i])?.name ?? trace.strings(mutex.what[at]);
    return link(`${name}, for ${timeText(mutex.end[at] - mutex.start[at], trace.unit)}`,
        () => lookAt(state, mutex.start[at], mutex.end[at], { kind: 'interval', row: mutex.index, index: at }));
}

/** @param {Trace} trace @param {States} state @param {number} index @param {number} i @returns {Answer} */
function ofInterval(trace, state, index, i) {
    const row = trace.rows[index], isTask = row.kind === 'task';
    return { title: `${row.name}: ${stateText(trace, row, i)}`, content: [newFields([
        ['State', nameOf(stateText(trace, row, i))],
        ['Length', timeText(row.end[i] - row.start[i], trace.unit)],
        ['From', exactText(trace, row.start[i])],
        ['To', exactText(trace, row.end[i])],
        ['Held by', isTask && row.state[i] === BLOCKED ? heldBy(trace, state, row, i) : null],
        ['Woken by', isTask && row.state[i] === READY ? wakerOf(trace, state, index, row.start[i]) : null],
        ['Ran instead', isTask && row.state[i] === READY ? instead(trace, row, i) : null],
        ['Before', intervalLink(trace, state, row, i - 1)],
        ['After', intervalLink(trace, state, row, i + 1)],
    ])] };
}

/** @param {Trace} trace @param {States} state @param {number} index @returns {Answer} */
function ofProblem(trace, state, index) {
    const { problems } = state.get(), problem = problems[index];
    const steps = chainOf(trace, problem, problems);
    const title = problem.kind === 'deadline' ? 'Missed deadline' : 'Priority inversion';
    const items = steps.map(({ text, from, to, chosen }) =>
        make('li', {}, link(text, () => lookAt(state, from, to, chosen ?? undefined))));
    return { title, content: [make('p', {}, nameOf(`${problem.text}.`)), make('ol', { class: 'chain' }, ...items)] };
}

/** What is chosen, or else selected; null: nothing that is there.
 *  @param {Trace} trace @param {States} state @param {boolean} isExact with all digits @returns {Answer|null} */
export function answerOf(trace, state, isExact) {
    const { chosen, problems, selection } = state.get();
    if (chosen?.kind === 'event' && chosen.index < trace.events.n)
        return ofEvent(trace, state, chosen.index);
    if (chosen?.kind === 'interval' && chosen.index < (trace.rows[chosen.row]?.start.length ?? 0))
        return ofInterval(trace, state, chosen.row, chosen.index);
    if (chosen?.kind === 'problem' && chosen.index < problems.length)
        return ofProblem(trace, state, chosen.index);
    return chosen === null && selection !== null ? ofStretch(trace, state, selection, isExact) : null;
}

/** The cursors and their difference; null: there is none. @param {Trace} trace @param {States} state */
export function cursorsText(trace, state) {
    const set = state.get().cursors.filter((at) => at !== null).sort((a, b) => a - b);
    if (set.length === 0)
        return null;
    const places = set.map((at) => exactText(trace, at)).join(' and ');
    if (set.length === 1)
        return `Cursor at ${places}`;
    return `Cursors at ${places}: ${timeText(set[1] - set[0], trace.unit)} between them`;
}
