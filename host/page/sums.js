/* sums.js - what a stretch of the trace holds: the time of each task, interrupt and mutex in it, how often, and how
 * long at least, on average, and at most. All is added up from the arrays, nothing is estimated. Time is that
 * inside of the stretch; what is counted begins in it, and lengths are of what lies in it as a whole. */

import { endsAfter, notBefore } from './pyramid.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** Lengths; p99: the least that 99 % do not exceed.
 *  @typedef {{n: number, sum: number, min: number, avg: number, p99: number, max: number}} Spread */
/**
 * A task. running: its own code, without the interrupts over it. awake: from when it became ready until it waits for
 * anything but a mutex; --stat's responses end sooner where a task tells the end of its cycle.
 * @typedef {object} TaskSums
 * @property {Row} row
 * @property {number} running
 * @property {number} interrupted
 * @property {number} ready
 * @property {number} blocked
 * @property {number} unknown
 * @property {number} runs
 * @property {Spread} awake
 */
/** @typedef {{row: Row, busy: number, idle: number, interrupts: number, unknown: number}} CpuSums */
/** time: in it, with what interrupts it; own: without.
 *  @typedef {{row: Row, count: number, time: number, own: number, length: Spread}} IrqSums */
/** @typedef {{row: Row, count: number, time: number, length: Spread}} RowSums of a mutex */
/** @typedef {{row: Row, name: string, count: number, time: number, length: Spread}} SpanSums */
/** avg: by time. @typedef {{row: Row, samples: number, min: number, avg: number, max: number}} CounterSums */
/** @typedef {{from: number, to: number, cpus: CpuSums[], tasks: TaskSums[], irqs: IrqSums[], mutexes: RowSums[],
 *  spans: SpanSums[], counters: CounterSums[], events: {type: number, count: number}[], lost: number}} Sums */

/** Interrupts of one CPU, sorted by time.
 *  @typedef {{n: number, start: Float64Array, end: Float64Array, row: Uint32Array, depth: Uint8Array}} Nested */

const READY = 2, BLOCKED = 3, UNKNOWN_ROW = 0xFFFFFFFF, NO_EXIT = 4 | 8;

/** The task of context 0 idles, and one that is called so. @param {Row|undefined} row */
export const isIdle = (row) => row !== undefined && row.kind === 'task'
    && (row.number === 0 || /^idle/i.test(row.name));

/** @param {number[]} lengths @returns {Spread} */
export function spreadOf(lengths) {
    const sorted = Float64Array.from(lengths).sort(), n = sorted.length, sum = sorted.reduce((a, b) => a + b, 0);
    if (n === 0) return { n, sum, min: 0, avg: 0, p99: 0, max: 0 };
    return { n, sum, min: sorted[0], avg: sum / n, p99: sorted[Math.ceil(n * 99 / 100) - 1], max: sorted[n - 1] };
}

/** The part of an interval that is in the stretch. @param {Row|Nested} row @param {number} i @param {number} from
 *  @param {number} to */
const within = (row, i, from, to) => Math.max(0, Math.min(row.end[i], to) - Math.max(row.start[i], from));

/** The first interval that may reach into the stretch. Those of spans and interrupts can be inside each other: all
 * before.
 * @param {Row} row @param {number} from */
const firstOf = (row, from) => (row.kind === 'span' || row.kind === 'irq' ? 0 : endsAfter(row.end, row.n, 0, from));

/** Counts, and adds up, the intervals of a row that a test takes.
 * @param {Row} row @param {number} from @param {number} to @param {(i: number) => boolean} takes */
function countRow(row, from, to, takes) {
    const lengths = [], end = notBefore(row.start, row.n, to);
    let count = 0, time = 0;
    for (let i = firstOf(row, from); i < end; i++) {
        if (row.end[i] < from || !takes(i)) continue;
        time += within(row, i, from, to);
        if (row.start[i] >= from) count++;
        if (row.start[i] >= from && row.end[i] <= to
            && (row.flags.length === 0 || row.flags[i] === 0)) lengths.push(row.end[i] - row.start[i]);
    }
    return { count, time, length: spreadOf(lengths) };
}

/* ---- interrupts over tasks --------------------------------------------------------------------------------------- */

/** @type {WeakMap<Row, Nested>} */
const nests = new WeakMap();

/** @param {Trace} trace @param {Row} cpu @returns {Nested} */
function nestedOf(trace, cpu) {
    let nested = nests.get(cpu);
    if (nested) return nested;
    const all = trace.rows.filter((row) => row.kind === 'irq' && row.cpu === cpu.cpu)
        .flatMap((row) => Array.from({ length: row.n }, (_, i) => ({ row, i })))
        .filter(({ row, i }) => !(row.flags[i] & NO_EXIT));
    all.sort((a, b) => a.row.start[a.i] - b.row.start[b.i] || a.row.state[a.i] - b.row.state[b.i]);
    nested = { n: all.length, start: Float64Array.from(all, ({ row, i }) => row.start[i]),
        end: Float64Array.from(all, ({ row, i }) => row.end[i]),
        row: Uint32Array.from(all, ({ row }) => row.index), depth: Uint8Array.from(all, ({ row, i }) => row.state[i]) };
    nests.set(cpu, nested);
    return nested;
}

/** The time of each interrupt's own code, by row. @param {Nested} nested @param {number} from @param {number} to
 *  @param {Float64Array} own */
function addOwn(nested, from, to, own) {
    const outer = new Int32Array(257).fill(-1), end = notBefore(nested.start, nested.n, to);
    for (let i = 0; i < end; i++) {
        const depth = nested.depth[i], time = within(nested, i, from, to), above = depth > 0 ? outer[depth - 1] : -1;
        own[nested.row[i]] += time;
        if (above >= 0 && nested.end[above] >= nested.end[i]) own[nested.row[above]] -= time;
        outer[depth] = i;
    }
}

/** Goes through the pieces in which one task runs on a CPU. `fn` gets the task, the time, and the part that
 * interrupts took.
 * @param {Trace} trace @param {Row} cpu @param {number} from @param {number} to
 *  @param {(task: number, time: number, taken: number) => void} fn */
function eachTurn(trace, cpu, from, to, fn) {
    const nested = nestedOf(trace, cpu), end = notBefore(cpu.start, cpu.n, to);
    let k = 0;
    for (let i = firstOf(cpu, from); i < end; i++) {
        const begin = Math.max(cpu.start[i], from), stop = Math.min(cpu.end[i], to);
        let taken = 0;
        while (k < nested.n && nested.end[k] <= begin) k++;
        for (let j = k; j < nested.n && nested.start[j] < stop; j++)
            if (nested.depth[j] === 0) taken += within(nested, j, begin, stop);
        fn(cpu.what[i], stop - begin, taken);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/** Whether a task waits for a mutex in an interval. @param {Set<string>} locks @param {Trace} trace @param {Row} row
 *  @param {number} i */
const isLock = (locks, trace, row, i) => locks.has(trace.strings(row.what[i]));

/** The texts that tell of waits for mutexes. @param {Trace} trace */
const locksOf = (trace) => new Set(trace.rows.filter((row) => row.kind === 'mutex').map((row) => `mutex ${row.name}`));

/** From when it became ready until it waits again. What follows something unknown does not count.
 * @param {Trace} trace @param {Row} row @param {number} from @param {number} to @param {Set<string>} locks */
function awakeOf(trace, row, from, to, locks) {
    const lengths = [], end = notBefore(row.start, row.n, to);
    let ready = -1;
    for (let i = firstOf(row, from); i < end; i++) {
        const state = row.state[i], waits = state === BLOCKED && !isLock(locks, trace, row, i);
        if (waits && ready >= from) lengths.push(row.start[i] - ready);
        if (waits) ready = row.end[i];
        else if (state === 0 || state > BLOCKED) ready = -1;
    }
    return spreadOf(lengths);
}

/** @param {Trace} trace @param {Row} row @param {number} from @param {number} to @param {Set<string>} locks
 *  @returns {TaskSums} */
function sumsOfTask(trace, row, from, to, locks) {
    const sums = { row, running: 0, interrupted: 0, ready: 0, blocked: 0, unknown: 0, runs: 0,
        awake: awakeOf(trace, row, from, to, locks) };
    const end = notBefore(row.start, row.n, to);
    for (let i = firstOf(row, from); i < end; i++) {
        const time = within(row, i, from, to);
        if (row.state[i] === READY) sums.ready += time;
        if (row.state[i] === BLOCKED) sums.blocked += time;
        if (row.state[i] === 0) sums.unknown += time;
    }
    return sums;
}

/** Adds what a CPU tells to its tasks, and gives its own sums.
 * @param {Trace} trace @param {Row} cpu @param {number} from @param {number} to @param {Map<number, TaskSums>} tasks
 *  @returns {CpuSums} */
function sumsOfCpu(trace, cpu, from, to, tasks) {
    const sums = { row: cpu, busy: 0, idle: 0, interrupts: 0, unknown: 0 };
    eachTurn(trace, cpu, from, to, (index, time, taken) => {
        const task = index === UNKNOWN_ROW ? undefined : tasks.get(index);
        sums.interrupts += taken;
        if (!task) sums.unknown += time - taken;
        else if (isIdle(task.row)) sums.idle += time - taken;
        else sums.busy += time - taken;
        if (!task) return;
        task.running += time - taken;
        task.interrupted += taken;
    });
    sums.busy += sums.interrupts;
    for (let i = notBefore(cpu.start, cpu.n, from); i < notBefore(cpu.start, cpu.n, to); i++) {
        const task = tasks.get(cpu.what[i]);
        if (task) task.runs++;
    }
    return sums;
}

/** Adds to each task the share of what is known of a CPU in which it ran its own code.
 *  @param {Trace} trace @param {Row} cpu @param {Float64Array} shares by row */
function addShares(trace, cpu, shares) {
    const own = new Float64Array(trace.rows.length);
    let known = 0;
    eachTurn(trace, cpu, 0, trace.span, (task, time, taken) => {
        known += task === UNKNOWN_ROW ? taken : time;
        if (task !== UNKNOWN_ROW) own[task] += time - taken;
    });
    own.forEach((time, task) => { shares[task] += known > 0 ? time / known : 0; });
}

/** @type {WeakMap<Trace, Float64Array>} */
const allShares = new WeakMap();

/** The share of the time in which each row's task ran its own code, as --stat counts it: of the time of which it is
 *  known what ran. @param {Trace} trace */
export function runningShares(trace) {
    let shares = allShares.get(trace);
    if (shares) return shares;
    allShares.set(trace, shares = new Float64Array(trace.rows.length));
    for (const cpu of trace.rows) if (cpu.kind === 'cpu') addShares(trace, cpu, shares);
    return shares;
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

/** @param {Trace} trace @param {number} from @param {number} to @returns {IrqSums[]} */
function sumsOfIrqs(trace, from, to) {
    const own = new Float64Array(trace.rows.length);
    for (const cpu of trace.rows) if (cpu.kind === 'cpu') addOwn(nestedOf(trace, cpu), from, to, own);
    return trace.rows.filter((row) => row.kind === 'irq').map((row) =>
        ({ row, ...countRow(row, from, to, () => true), own: own[row.index] }));
}

/** Spans of a row, by name. @param {Trace} trace @param {Row} row @param {number} from @param {number} to
 *  @returns {SpanSums[]} */
const sumsOfSpans = (trace, row, from, to) => [...new Set(row.what)].map((name) =>
    ({ row, name: trace.strings(name), ...countRow(row, from, to, (i) => row.what[i] === name) }));

/** @param {Row} row @param {number} from @param {number} to @returns {CounterSums} */
function sumsOfCounter(row, from, to) {
    const first = Math.max(0, endsAfter(row.start, row.n, 0, from) - 1), end = notBefore(row.start, row.n, to);
    let min = Infinity, max = -Infinity, area = 0, time = 0;
    for (let i = first; i < end; i++) {
        const next = i + 1 < row.n ? row.start[i + 1] : to, length = Math.min(next, to) - Math.max(row.start[i], from);
        const value = row.value[i];
        min = Math.min(min, value);
        max = Math.max(max, value);
        area += value * length;
        time += length;
    }
    return { row, samples: end - notBefore(row.start, row.n, from), min, max, avg: time > 0 ? area / time : min };
}

/** How many events of each type there are. @param {Trace} trace @param {number} from @param {number} to */
function countEvents({ events, types }, from, to) {
    const counts = new Uint32Array(types.length), end = endsAfter(events.time, events.n, 0, to);
    for (let i = notBefore(events.time, events.n, from); i < end; i++) counts[events.type[i]]++;
    const found = [...counts].map((count, type) => ({ type, count })).filter(({ count }) => count > 0);
    return found.sort((a, b) => b.count - a.count);
}

/** Losses that begin in the stretch. @param {Trace} trace @param {number} from @param {number} to */
function countLost({ gaps }, from, to) {
    let lost = 0;
    for (let i = notBefore(gaps.start, gaps.n, from); i < gaps.n && gaps.start[i] < to; i++)
        if (gaps.kind[i] === 0) lost += gaps.count[i];
    return lost;
}

/** Whether there is anything. @param {{count: number, time: number}} sums */
const isSome = ({ count, time }) => count > 0 || time > 0;

/** @param {TaskSums} sums */
const isKnown = (sums) => sums.running + sums.interrupted + sums.ready + sums.blocked > 0;

/** What a stretch holds. Rows of which nothing is in it are left out.
 * @param {Trace} trace @param {number} from @param {number} to @returns {Sums} */
export function sumsIn(trace, from, to) {
    const of = (/** @type {string} */ kind) => trace.rows.filter((row) => row.kind === kind), locks = locksOf(trace);
    const tasks = new Map(of('task').map((row) => [row.index, sumsOfTask(trace, row, from, to, locks)]));
    return {
        from, to,
        cpus: of('cpu').map((row) => sumsOfCpu(trace, row, from, to, tasks)),
        tasks: [...tasks.values()].filter(isKnown),
        irqs: sumsOfIrqs(trace, from, to).filter(isSome),
        mutexes: of('mutex').map((row) => ({ row, ...countRow(row, from, to, () => true) })).filter(isSome),
        spans: of('span').flatMap((row) => sumsOfSpans(trace, row, from, to)).filter(isSome),
        counters: of('counter').map((row) => sumsOfCounter(row, from, to)).filter((sums) => sums.min <= sums.max),
        events: countEvents(trace, from, to), lost: countLost(trace, from, to),
    };
}
