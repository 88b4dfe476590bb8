/* trace.js - lays arrays over the bytes that `--format=columns` wrote (host/formats/columns/FORMAT.md). Nothing is
 * copied, and nothing believed: each number that leads somewhere is checked first. Bytes that are not right give an
 * Error whose message is a sentence. */

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {Float64Array|Uint32Array|Uint16Array|Uint8Array} Numbers */
/** @typedef {Record<string, any>} Json */

/** The file, and what is known of it. @typedef {{bytes: ArrayBuffer, end: number, head: Json}} Source */

const VERSION = 1, FIRST = 24, NONE = 0xFFFFFFFF, RUNNING = 1, BLOCKED = 3, LAST_STATE = 4, LAST_GAP = 3, DEEPEST = 255;
const MAKERS = { f64: Float64Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };
const INTERVAL = { start: 'f64', end: 'f64', what: 'u32' };
/** @type {Record<string, Record<string, string>>} */
const LAYOUTS = {
    cpu: INTERVAL, task: { ...INTERVAL, state: 'u8' }, irq: { ...INTERVAL, state: 'u8', flags: 'u8' },
    mutex: { ...INTERVAL, flags: 'u8' }, counter: { start: 'f64', value: 'f64' }, span: { ...INTERVAL, state: 'u8' },
    log: { start: 'f64', what: 'u32' },
    events: { time: 'f64', row: 'u32', text: 'u32', type: 'u16', cpu: 'u16', flags: 'u8' },
    gaps: { start: 'f64', end: 'f64', count: 'f64', cpu: 'u16', kind: 'u8' },
    wakes: { time: 'f64', from: 'u32', to: 'u32' },
};
const NO_ARRAYS = { start: new Float64Array(0), end: new Float64Array(0), state: new Uint8Array(0),
    what: new Uint32Array(0), value: new Float64Array(0), flags: new Uint8Array(0) };
const COUNTS = ['events', 'derived', 'lost', 'damaged', 'leftOut', 'pauses', 'paused'];

/** @param {boolean} isRight @param {string} what is wrong if not @returns {asserts isRight} */
function check(isRight, what) {
    if (!isRight) throw new Error(`The decoder's picture of the trace is damaged: ${what}.`);
}

/** @param {any} value */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** @param {ArrayBuffer} bytes @returns {Source} */
function readHead(bytes) {
    check(bytes.byteLength >= FIRST, 'it is too short');
    const view = new DataView(bytes);
    const magic = new TextDecoder().decode(bytes.slice(0, 8));
    check(magic === 'tlogcols', 'it does not begin as one');
    check(view.getUint32(8, true) === VERSION, `its version is ${view.getUint32(8, true)}, not ${VERSION}`);
    const size = view.getUint32(12, true), end = Number(view.getBigUint64(16, true));
    check(end >= FIRST && end % 8 === 0 && end + size <= bytes.byteLength, 'its description is not inside');
    return { bytes, end, head: parse(new Uint8Array(bytes, end, size)) };
}

/** @param {Uint8Array} text @returns {Json} */
function parse(text) {
    let head = null;
    try {
        head = JSON.parse(new TextDecoder().decode(text));
    } catch {
        check(false, 'its description is no JSON');
    }
    check(isObject(head), 'its description is not of this kind');
    return head;
}

/** @param {any} value @returns {value is Json} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One array: ["f64", offset, n]. @param {Source} source @param {any} of @param {string} type @param {number} n
 *  @param {string} where */
function arrayOf(source, of, type, n, where) {
    check(Array.isArray(of) && of.length === 3 && of[0] === type, `${where} is no array of ${type}`);
    const Maker = MAKERS[/** @type {keyof MAKERS} */ (type)], [, offset, length] = of;
    check(length === n, `${where} has not ${n} numbers`);
    check(isCount(offset) && offset >= FIRST && offset % 8 === 0 && offset + n * Maker.BYTES_PER_ELEMENT <= source.end,
        `${where} is not inside`);
    return new Maker(source.bytes, offset, n);
}

/** The arrays that a kind has. @param {Source} source @param {any} of @param {string} kind @param {string} where
 *  @returns {any} */
function arraysOf(source, of, kind, where) {
    check(isObject(of) && isCount(of.n) && isObject(of.arrays), `${where} has no arrays`);
    const arrays = Object.entries(LAYOUTS[kind]).map(([name, type]) =>
        [name, arrayOf(source, of.arrays[name], type, of.n, `${where}: ${name}`)]);
    return { n: of.n, ...Object.fromEntries(arrays) };
}

/** @param {Float64Array} times @param {number} span @param {string} where */
function checkOrder(times, span, where) {
    let last = 0;
    for (let i = 0; i < times.length; i++) {
        const time = times[i];
        if (!(time >= last && time <= span)) check(false, `${where} is not in order`);
        last = time;
    }
}

/** Each ends not before it starts, and inside of the trace. @param {Float64Array} start @param {Float64Array} end
 *  @param {number} span @param {string} where */
function checkEnds(start, end, span, where) {
    for (let i = 0; i < start.length; i++)
        if (!(end[i] >= start[i] && end[i] <= span)) check(false, `${where}: one ends before it starts`);
}

/** None begins before the last one ended, at each depth. @param {Row} row @param {string} where */
function checkApart(row, where) {
    const ends = new Float64Array(DEEPEST + 1), hasDepth = row.kind === 'span' || row.kind === 'irq';
    for (let i = 0; i < row.n; i++) {
        const depth = hasDepth ? row.state[i] : 0;
        if (row.start[i] < ends[depth]) check(false, `${where}: one begins inside of another`);
        ends[depth] = row.end[i];
    }
}

/** @param {Numbers} numbers @param {number} limit @param {string} where @param {boolean} [orNone] */
function checkBelow(numbers, limit, where, orNone = false) {
    for (let i = 0; i < numbers.length; i++)
        if (numbers[i] >= limit && !(orNone && numbers[i] === NONE)) check(false, `${where} leads nowhere`);
}

/** @param {Float64Array} values @param {string} where */
function checkFinite(values, where) {
    for (let i = 0; i < values.length; i++)
        if (!Number.isFinite(values[i])) check(false, `${where} is no number`);
}

/** @param {Source} source @param {any} of @param {number} index @returns {Row} */
function readRow(source, of, index) {
    const where = `row ${index}`, { head } = source;
    check(isObject(of) && typeof of.kind === 'string' && Object.hasOwn(LAYOUTS, of.kind)
        && !['events', 'gaps', 'wakes'].includes(of.kind),
        `${where} is of no known kind`);
    check(typeof of.name === 'string' && (isCount(of.number) || /^\d+$/.test(of.number)), `${where} has no name`);
    check(of.priority === null || Number.isSafeInteger(of.priority), `${where} has no priority`);
    check(Number.isSafeInteger(of.cpu) && of.cpu >= -1 && of.cpu < head.cpus, `${where} is of no CPU`);
    check(Number.isSafeInteger(of.parent) && of.parent >= -1 && of.parent < head.rows.length,
        `${where}: parent leads nowhere`);
    const { kind, name, cpu, number, priority, parent } = of;
    return { ...NO_ARRAYS, index, kind, name, cpu, number, priority, parent, ...arraysOf(source, of, kind, where) };
}

/** What a row's numbers lead to. @param {Row} row @param {Trace} trace @param {number} strings how many */
function checkRow(row, trace, strings) {
    const where = `row ${row.index}`;
    checkOrder(row.start, trace.span, `${where}: start`);
    if (row.end !== NO_ARRAYS.end) checkEnds(row.start, row.end, trace.span, where);
    if (row.end !== NO_ARRAYS.end) checkApart(row, where);
    checkFinite(row.value, `${where}: value`);
    if (row.kind === 'task') checkTask(row, trace, strings);
    else if (row.kind === 'cpu') checkCpu(row, trace);
    else checkBelow(row.what, row.kind === 'log' ? trace.events.n : strings, `${where}: what`);
}

/** @param {Row} row @param {Trace} trace @param {number} strings */
function checkTask(row, trace, strings) {
    checkBelow(row.state, LAST_STATE + 1, `row ${row.index}: state`);
    for (let i = 0; i < row.n; i++)
        if (row.what[i] >= limitOf(row.state[i], trace, strings)) check(false, `row ${row.index}: what leads nowhere`);
}

/** @param {number} state @param {Trace} trace @param {number} strings */
const limitOf = (state, trace, strings) =>
    (state === BLOCKED ? strings : state === RUNNING ? Math.max(1, trace.cpus) : NONE + 1);

/** @param {Row} row @param {Trace} trace */
function checkCpu(row, trace) {
    for (let i = 0; i < row.n; i++)
        if (row.what[i] !== NONE && trace.rows[row.what[i]]?.kind !== 'task')
            check(false, `row ${row.index}: what leads to no task`);
}

/** Strings are made when they are first asked for. @param {Source} source
 *  @returns {{n: number, get: (i: number) => string}} */
function readStrings(source) {
    const of = source.head.strings;
    check(isObject(of) && isCount(of.n) && isObject(of.arrays), 'it has no strings');
    const offsets = arrayOf(source, of.arrays.offsets, 'u32', of.n + 1, 'strings: offsets');
    const size = offsets[of.n], bytes = arrayOf(source, of.arrays.bytes, 'u8', size, 'strings: bytes');
    for (let i = 0; i < of.n; i++) check(offsets[i] <= offsets[i + 1], 'strings: offsets is not in order');
    const decoder = new TextDecoder(), /** @type {(string|undefined)[]} */ made = [];
    return { n: of.n, get: (i) => (made[i] ??= decoder.decode(bytes.subarray(offsets[i], offsets[i + 1]))) };
}

/** What stands at the top of the description. @param {Json} head */
function checkHead(head) {
    check(head.unit === 'ns' || head.unit === 'ticks', 'its unit is not known');
    check(typeof head.start === 'string' && /^-?\d{1,20}$/.test(head.start), 'it has no start');
    check(Number.isFinite(head.span) && head.span >= 0, 'it has no span');
    check(isCount(head.cpus) && (head.target === null || typeof head.target === 'string'),
        'it has no CPUs or no target');
    check(Number.isFinite(head.clockHz) && head.clockHz >= 0, 'it has no clock');
    check(['lowest_first', 'highest_first'].includes(head.priorityOrder), 'its priorities have no order');
    check(isObject(head.counts) && COUNTS.every((key) => Number.isFinite(head.counts[key]) && head.counts[key] >= 0),
        'it has no counts');
    check(Array.isArray(head.rows) && Array.isArray(head.types), 'it has no rows or no types');
    const isType = (/** @type {any} */ type) => isObject(type)
        && ['system', 'name', 'means'].every((key) => typeof type[key] === 'string');
    check(head.types.every(isType), 'a type has no name');
}

/** @param {Trace} trace @param {{text: Uint32Array}} events @param {number} strings */
function checkEvents(trace, events, strings) {
    const { time, row, type, cpu } = trace.events;
    checkOrder(time, trace.span, 'events: time');
    checkBelow(row, trace.rows.length, 'events: row', true);
    checkBelow(type, trace.types.length, 'events: type');
    checkBelow(cpu, Math.max(1, trace.cpus), 'events: cpu');
    checkBelow(events.text, strings, 'events: text');
}

/** @param {Trace} trace */
function checkGapsAndWakes({ gaps, wakes, span, cpus, rows }) {
    checkOrder(gaps.start, span, 'gaps: start');
    checkEnds(gaps.start, gaps.end, span, 'gaps');
    checkFinite(gaps.count, 'gaps: count');
    checkBelow(gaps.kind, LAST_GAP + 1, 'gaps: kind');
    checkBelow(gaps.cpu, Math.max(1, cpus), 'gaps: cpu');
    checkOrder(wakes.time, span, 'wakes: time');
    checkBelow(wakes.from, rows.length, 'wakes: from', true);
    checkBelow(wakes.to, rows.length, 'wakes: to');
}

/** @param {ArrayBuffer} bytes of a .columns file @returns {Trace} */
export function openTrace(bytes) {
    const source = readHead(bytes), { head } = source;
    checkHead(head);
    const strings = readStrings(source), events = arraysOf(source, head.events, 'events', 'events');
    const { unit, start, span, cpus, target, clockHz, priorityOrder, exact, complete, counts, types } = head;
    /** @type {Trace} */
    const trace = { unit, start, span, cpus, target, clockHz, priorityOrder, exact: exact === true,
        complete: complete === true, counts, types,
        rows: head.rows.map((/** @type {any} */ of, /** @type {number} */ i) => readRow(source, of, i)),
            strings: strings.get,
        events: { ...events, text: (i) => strings.get(events.text[i]) },
        gaps: arraysOf(source, head.gaps, 'gaps', 'gaps'), wakes: arraysOf(source, head.wakes, 'wakes', 'wakes') };
    checkEvents(trace, events, strings.n);
    for (const row of trace.rows) checkRow(row, trace, strings.n);
    checkGapsAndWakes(trace);
    return trace;
}
