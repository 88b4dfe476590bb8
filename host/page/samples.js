/* samples.js - the single responses, latencies and periods of a task, from the intervals of its row. --stat defines
 * them (host/answer/figures.h); samples that do not agree with its figures are not used. */

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */

const UNKNOWN = 0, RUNNING = 1, READY = 2, BLOCKED = 3;

/** Whether interval i begins where the one before ends. @param {Row} row @param {number} i */
function goesOn(row, i) {
    return i > 0 && row.end[i - 1] === row.start[i];
}

/** Whether interval i begins with a wake-up. @param {Row} row @param {number} i */
export function isWoken(row, i) {
    return row.state[i] === READY && !(goesOn(row, i) && row.state[i - 1] === RUNNING);
}

/** The time from each wake-up to the turn that follows. @param {Row} row */
export function latenciesOf(row) {
    const found = [];
    for (let i = 0; i + 1 < row.n; i++) {
        if (isWoken(row, i) && goesOn(row, i + 1) && row.state[i + 1] === RUNNING)
            found.push(row.end[i] - row.start[i]);
    }
    return found;
}

/** Whether a task waits for a lock, by the words that tell for what. @param {Trace} trace @param {Row} row
 *  @param {number} i */
export function isLock(trace, row, i) {
    return row.state[i] === BLOCKED && /^(mutex |lock$)/.test(trace.strings(row.what[i]));
}

/** When the cycles of a row begin and end, as events tell it. @typedef {{begins: number[], ends: number[]}} Told */
/** @type {WeakMap<Trace, Map<number, Told>>} */
const toldOf = new WeakMap();

/** The cycles that tasks log, by row. @param {Trace} trace */
function readTold({ events, types }) {
    const lists = types.map(({ name }) => ({ task_begin_cycle: 'begins', task_end_cycle: 'ends' })[name]);
    /** @type {Map<number, Told>} */
    const told = new Map();
    for (let i = 0; i < events.n; i++) {
        const list = lists[events.type[i]], row = events.row[i];
        if (list === undefined)
            continue;
        if (!told.has(row))
            told.set(row, { begins: [], ends: [] });
        told.get(row)?.[/** @type {keyof Told} */ (list)].push(events.time[i]);
    }
    return told;
}

/** What is made of a key once, and kept. @template {object} K @template V
 *  @param {WeakMap<K, V>} kept @param {K} key @param {() => V} make @returns {V} */
function once(kept, key, make) {
    const value = kept.get(key) ?? make();
    kept.set(key, value);
    return value;
}

/** Takes the moments of a task in the order of time, and keeps what they make. */
class Cycles {
    responses = /** @type {number[]} */ ([]);
    periods = /** @type {number[]} */ ([]);
    released = -1;
    begun = -1;
    hasBegun = true;

    /** @param {number} at */
    release(at) {
        this.released = at;
        this.hasBegun = false;
    }

    /** @param {number} at */
    begin(at) {
        if (this.begun >= 0)
            this.periods.push(at - this.begun);
        this.begun = at;
        this.hasBegun = true;
    }

    /** @param {number} at */
    end(at) {
        if (this.released >= 0)
            this.responses.push(at - this.released);
        this.released = -1;
    }

    /** Events are missing: nothing spans that. */
    forget() {
        this.released = this.begun = -1;
        this.hasBegun = true;
    }
}

/** Whether interval i begins with a release, if that is outside of a cycle: a wake-up, or a turn without one.
 *  @param {Trace} trace @param {Row} row @param {number} i */
function isRelease(trace, row, i) {
    const isTurn = row.state[i] === RUNNING && i > 0 && row.state[i - 1] !== READY && row.state[i - 1] !== RUNNING;
    return (isWoken(row, i) || isTurn) && !(i > 0 && isLock(trace, row, i - 1));
}

/**
 * Cycles of a task that does not log them.
 * @param {Trace} trace
 * @param {Row} row
 */
function seenCycles(trace, row) {
    const cycles = new Cycles();
    for (let i = 0; i < row.n; i++) {
        if (row.state[i] === UNKNOWN && i > 0)
            cycles.forget();
        if (isRelease(trace, row, i))
            cycles.release(row.start[i]);
        if (row.state[i] === RUNNING && cycles.released >= 0 && !cycles.hasBegun)
            cycles.begin(row.start[i]);
        if (row.state[i] === RUNNING && i + 1 < row.n && row.state[i + 1] > READY && !isLock(trace, row, i + 1))
            cycles.end(row.end[i]);
    }
    return cycles;
}

/**
 * Cycles of a task that logs them: a release is a wake-up outside of a cycle.
 * @param {Trace} trace
 * @param {Row} row
 * @param {Told} told
 */
function toldCycles(trace, row, { begins, ends }) {
    const cycles = new Cycles();
    const moments = [
        ...begins.map((at) => ({ at, order: 1, act: () => { cycles.begin(at); inside = true; } })),
        ...ends.map((at) => ({ at, order: 2, act: () => { if (inside) cycles.end(at); inside = false; } })),
    ];
    let inside = false;
    for (let i = 0; i < row.n; i++) {
        if (isRelease(trace, row, i))
            moments.push({ at: row.start[i], order: 0, act: () => inside || cycles.release(row.start[i]) });
    }
    for (let i = 0; i < trace.gaps.n; i++)
        moments.push({ at: trace.gaps.end[i], order: -1, act: () => cycles.forget() });
    moments.sort((a, b) => a.at - b.at || a.order - b.order).forEach((moment) => moment.act());
    return cycles;
}

/** @type {WeakMap<Row, Cycles>} */
const cyclesOfRows = new WeakMap();

/** @param {Trace} trace @param {Row} row */
function cyclesOf(trace, row) {
    const told = once(toldOf, trace, () => readTold(trace)).get(row.index);
    return once(cyclesOfRows, row, () => (told !== undefined && told.begins.length > 0
        ? toldCycles(trace, row, told) : seenCycles(trace, row)));
}

/**
 * Whether samples are those that a figure of --stat counts.
 * @param {number[]} samples
 * @param {any} figure count, time, min, max
 */
export function agree(samples, figure) {
    if (samples.length !== figure.count || figure.count === 0)
        return false;
    const sum = samples.reduce((a, b) => a + b, 0);
    const least = samples.reduce((a, b) => Math.min(a, b));
    const most = samples.reduce((a, b) => Math.max(a, b));
    return sum === Number(figure.time) && least === Number(figure.min) && most === Number(figure.max);
}

/**
 * The samples behind the figures of a task of --stat, in the order of time; null: only the figures are known.
 * @param {Trace} trace
 * @param {any} task
 * @param {'response'|'latency'|'period'} which
 */
export function samplesOf(trace, task, which) {
    const row = trace.rows.find(({ kind, number }) => kind === 'task' && String(number) === String(task.pid));
    if (row === undefined)
        return null;
    const found = which === 'latency' ? latenciesOf(row)
        : cyclesOf(trace, row)[which === 'response' ? 'responses' : 'periods'];
    return agree(found, task[which]) ? found : null;
}
