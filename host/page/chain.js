/* chain.js - what led to a problem, as sentences. Each step is a place to look at. */
import { intervalAfter, intervalAt, rowNamed, runnersBetween } from './find.js';
import { isLock, isWoken } from './samples.js';
import { exactText, timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Problem} Problem */
/** @typedef {{text: string, from: number, to: number, chosen: import('./types.js').Chosen|null}} Step */

const RUNNING = 1, READY = 2, BLOCKED = 3, NOBODY = 0xFFFFFFFF;
const DELAYS_MOST = 6, DELAY_LEAST = 0.01; /* that a chain tells: the longest, of at least that part of the cycle */
const CYCLE_MOST = 10000; /* intervals */

/** An interval as a step. @param {string} text @param {Row} row @param {number} index @returns {Step} */
function stepAt(text, row, index) {
    return { text, from: row.start[index], to: row.end[index], chosen: { kind: 'interval', row: row.index, index } };
}

/** The mutex that a task waits for, by the words of its state, or null. @param {Trace} trace @param {Row} row
 *  @param {number} i */
export function mutexOf(trace, row, i) {
    const [, name] = /^mutex (.*)$/s.exec(trace.strings(row.what[i])) ?? [];
    return name === undefined ? null : rowNamed(trace, 'mutex', name);
}

/** The row of the task that holds a mutex at a time, or null. @param {Trace} trace @param {Row} mutex
 *  @param {number} time */
export function holderOf(trace, mutex, time) {
    const i = intervalAt(mutex, time);
    return i < 0 ? null : rowNamed(trace, 'task', trace.strings(mutex.what[i]));
}

/** The task that ran longest while another one was ready, and for how long; of all tasks, or only of some.
 *  @param {Trace} trace @param {Row} ready @param {number} from @param {number} to
 *  @param {(row: Row) => boolean} isOne */
export function intruderOf(trace, ready, from, to, isOne) {
    const sums = new Map();
    for (let i = intervalAfter(ready, from); i < ready.n && ready.start[i] < to; i++) {
        if (ready.state[i] === READY)
            runnersBetween(trace, Math.max(ready.start[i], from), Math.min(ready.end[i], to), sums);
    }
    const isOther = (/** @type {Row|undefined} */ row) =>
        row !== undefined && row !== ready && row.number !== 0 && isOne(row);
    const others = [...sums].filter(([row, time]) => time > 0 && isOther(trace.rows[row]));
    const [row, time] = others.sort((a, b) => b[1] - a[1])[0] ?? [-1, 0];
    return row < 0 ? null : { row: trace.rows[row], time };
}

/** The longest turn of a task between two times. @param {Row} row @param {number} from @param {number} to */
function longestTurn(row, from, to) {
    let found = -1;
    for (let i = intervalAfter(row, from); i < row.n && row.start[i] < to; i++) {
        if (row.state[i] === RUNNING && (found < 0 || row.end[i] - row.start[i] > row.end[found] - row.start[found]))
            found = i;
    }
    return found;
}

/** Who kept a task that was ready from running. @param {Trace} trace @param {Row} task @param {number} from
 *  @param {number} to @param {(row: Row) => boolean} isOne @returns {Step[]} */
function intrusion(trace, task, from, to, isOne) {
    const intruder = intruderOf(trace, task, from, to, isOne);
    if (intruder === null)
        return [];
    const turn = longestTurn(intruder.row, from, to);
    const length = timeText(intruder.time, trace.unit);
    const text = `${intruder.row.name} ran for ${length} of that, while ${task.name} was ready`;
    return turn < 0 ? [] : [stepAt(text, intruder.row, turn)];
}

/** A wait for a mutex: who held it, and what kept the holder. @param {Trace} trace @param {Row} task
 *  @param {Row} mutex @param {number} from @param {number} to @param {(row: Row) => boolean} isOne @returns {Step[]} */
function held(trace, task, mutex, from, to, isOne) {
    const i = intervalAt(mutex, from), holder = holderOf(trace, mutex, from);
    if (i < 0 || holder === null)
        return [];
    const length = timeText(mutex.end[i] - mutex.start[i], trace.unit);
    const since = exactText(trace, mutex.start[i]);
    return [stepAt(`${holder.name} held mutex ${mutex.name} for ${length}, from ${since} on`, mutex, i),
        ...intrusion(trace, holder, from, to, (row) => row !== task && isOne(row))];
}

/** What kept a task from running in an interval, in words: "waited 15.71 ms for mutex bus".
 *  @param {Trace} trace @param {Row} task @param {number} i */
function delayText(trace, task, i) {
    const length = timeText(task.end[i] - task.start[i], trace.unit), why = trace.strings(task.what[i]);
    if (task.state[i] === BLOCKED)
        return `waited ${length}${why === '' ? '' : ` for ${why}`}`;
    const intruder = intruderOf(trace, task, task.start[i], task.end[i], () => true);
    return `was ready for ${length}${intruder === null ? '' : ` while ${intruder.row.name} ran`}`;
}

/** A time in which a task did not run, and why. @param {Trace} trace @param {Row} task @param {number} i
 *  @returns {Step[]} */
function delay(trace, task, i) {
    const mutex = task.state[i] === BLOCKED ? mutexOf(trace, task, i) : null;
    return [stepAt(`${task.name} ${delayText(trace, task, i)}`, task, i),
        ...(mutex === null ? [] : held(trace, task, mutex, task.start[i], task.end[i], () => true))];
}

/** The wake-up that released what a task does at interval i. @param {Trace} trace @param {Row} row @param {number} i */
function releaseOf(trace, row, i) {
    const least = Math.max(0, i - CYCLE_MOST);
    while (i > least && !(isWoken(row, i) && !isLock(trace, row, i - 1)))
        i--;
    return i;
}

/** The longest of intervals in which a task did not run, in order. @param {Row} row @param {number} first
 *  @param {number} last */
function delaysOf(row, first, last) {
    const length = (/** @type {number} */ i) => row.end[i] - row.start[i];
    const found = [], least = (row.end[last] - row.start[first]) * DELAY_LEAST;
    for (let i = first; i <= last; i++) {
        if ((row.state[i] === READY || row.state[i] === BLOCKED) && length(i) > least)
            found.push(i);
    }
    return found.sort((a, b) => length(b) - length(a)).slice(0, DELAYS_MOST).sort((a, b) => a - b);
}

/** Why a task missed a deadline, as far as one time without running tells; ''.
 *  @param {Trace} trace @param {Row} row @param {number} time */
export function reasonOf(trace, row, time) {
    const last = lastBefore(row, time), length = (/** @type {number} */ i) => row.end[i] - row.start[i];
    if (last < 0)
        return '';
    const [longest] = delaysOf(row, releaseOf(trace, row, last), last).sort((a, b) => length(b) - length(a));
    return longest === undefined ? '' : `: it ${delayText(trace, row, longest)}`;
}

/** @param {Trace} trace @param {Problem} problem @returns {Step[]} */
function chainOfDeadline(trace, problem) {
    const row = trace.rows[problem.row];
    const name = row?.name ?? 'a task';
    const miss = { text: `${name} missed its deadline at ${exactText(trace, problem.time)}`, from: problem.time,
        to: problem.time, chosen: /** @type {const} */ ({ kind: 'event', index: problem.event }) };
    const last = row === undefined ? -1 : lastBefore(row, problem.time);
    if (last < 0)
        return [miss];
    const first = releaseOf(trace, row, last);
    const before = timeText(problem.time - row.start[first], trace.unit);
    return [stepAt(`${row.name} was released ${before} before it missed`, row, first),
        ...delaysOf(row, first, last).flatMap((i) => delay(trace, row, i)), miss];
}

/** The last interval that begins before a time, or -1. @param {Row} row @param {number} time */
function lastBefore(row, time) {
    return intervalAfter(row, time) < row.n ? intervalAfter(row, time) : row.n - 1;
}

/** The end of a wait, and the deadline that the task missed because of it. @param {Trace} trace
 *  @param {Problem} problem @param {Row} task @param {Problem[]} problems @returns {Step[]} */
function consequence(trace, problem, task, problems) {
    const runs = intervalAfter(task, problem.end - 1);
    const end = runs < task.n ? [stepAt(`${task.name} went on at ${exactText(trace, problem.end)}`, task, runs)] : [];
    const index = problems.findIndex(({ kind, row, time }) =>
        kind === 'deadline' && row === problem.row && time >= problem.time);
    if (index < 0)
        return end;
    const { time } = problems[index], release = task.start[releaseOf(trace, task, lastBefore(task, time))];
    if (release > problem.time)
        return end;
    const text = `${task.name} missed its deadline at ${exactText(trace, time)}`;
    const miss = { text, from: time, to: time, chosen: /** @type {const} */ ({ kind: 'problem', index }) };
    return time < problem.end ? [miss, ...end] : [...end, miss];
}

/** @param {Trace} trace @param {Problem} problem @param {Problem[]} problems @returns {Step[]} */
function chainOfInversion(trace, problem, problems) {
    const task = trace.rows[problem.row], { of } = problem;
    const length = timeText(Number(of.waited), trace.unit);
    const text = `${of.task} waited ${length} for mutex ${of.mutex}`;
    const wait = { text, from: problem.time, to: problem.end, chosen: null };
    const mutex = rowNamed(trace, 'mutex', of.mutex);
    if (task === undefined || mutex === null)
        return [wait];
    const i = intervalAfter(task, problem.time);
    const blocked = task.state[i] === BLOCKED ? i : i + 1;
    return [blocked < task.n ? { ...stepAt(wait.text, task, blocked), from: problem.time, to: problem.end } : wait,
        ...held(trace, task, mutex, problem.time, problem.end, (row) => row.name === of.preempted_by),
        ...consequence(trace, problem, task, problems)];
}

/** @param {Trace} trace @param {Problem} problem @param {Problem[]} problems */
export function chainOf(trace, problem, problems) {
    return problem.kind === 'deadline' ? chainOfDeadline(trace, problem) : chainOfInversion(trace, problem, problems);
}
