/* problems.js - missed deadlines and priority inversions of a trace, by time. */
import { reasonOf } from './chain.js';
import { rowNamed } from './find.js';
import { readStat, timeInTrace } from './stat.js';
import { timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Problem} Problem */

/** The row of the task that an event is about, by its text: "task=NAME ...", "task=NAME:NUMBER ..." where tasks share a
 *  name, "task=NUMBER ..." of one without. If it tells none, that is the task that logged it.
 *  @param {Trace} trace @param {number} event */
export function subjectOf(trace, event) {
    const [, told] = /^task=(.*)$/s.exec(trace.events.text(event)) ?? [];
    const isTold = (/** @type {string} */ name) => told === name || told?.startsWith(`${name} `);
    const find = (/** @type {(row: import('./types.js').Row) => string} */ nameOf) =>
        trace.rows.find((row) => row.kind === 'task' && isTold(nameOf(row)));
    const row = find(({ name, number }) => `${name}:${number}`) ?? find(({ name }) => name)
        ?? find(({ number }) => `${number}`) ?? find(({ number }) => `0x${Number(number).toString(16)}`);
    return row?.index ?? trace.events.row[event];
}

/** @param {Trace} trace @returns {Problem[]} */
function missedDeadlines(trace) {
    const { events, types, rows } = trace;
    const isMiss = types.map((type) => type.name === 'task_deadline_miss');
    /** @type {Map<string, number>} by text */
    const subjects = new Map();
    /** @type {Problem[]} */
    const found = [];
    for (let i = 0; i < events.n && isMiss.includes(true); i++) {
        if (!isMiss[events.type[i]])
            continue;
        const time = events.time[i], about = events.text(i);
        const row = subjects.get(about) ?? subjectOf(trace, i);
        if (about.startsWith('task='))
            subjects.set(about, row);
        const reason = rows[row] === undefined ? '' : reasonOf(trace, rows[row], time);
        const text = `${rows[row]?.name ?? 'a task'} missed its deadline${reason}`;
        found.push({ kind: 'deadline', time, end: time, row, event: i, text, of: null });
    }
    return found;
}

/** @param {Trace} trace @param {any} of an inversion of --stat @returns {Problem} */
function newInversion(trace, of) {
    const time = timeInTrace(trace, of.at);
    const length = (/** @type {number|string} */ n) => timeText(Number(n), trace.unit);
    const text = `${of.task} waited ${length(of.waited)} for mutex ${of.mutex}, held by ${of.holder}, `
        + `which ${of.preempted_by} preempted for ${length(of.preempted)}`;
    const row = rowNamed(trace, 'task', of.task)?.index ?? -1;
    return { kind: 'inversion', time, end: time + Number(of.waited), row, event: -1, text, of };
}

/** @param {Trace} trace @param {any[]} stat one for each input; moments of several have clocks of their own */
export function findProblems(trace, stat) {
    const inversions = stat.length === 1 ? (stat[0].inversions ?? []) : [];
    return [...missedDeadlines(trace), ...inversions.map((/** @type {any} */ of) => newInversion(trace, of))]
        .sort((a, b) => a.time - b.time);
}

/** What the state gets when --stat has answered. @param {Trace} trace @param {string} said */
export function learnStat(trace, said) {
    const stat = readStat(said);
    return { stat, problems: findProblems(trace, stat) };
}
