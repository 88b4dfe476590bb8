/* made.js - makes up a trace of any size for the page's tests: tasks, interrupts inside each other, a mutex, a counter,
 * spans, log lines, losses and pauses. The same number gives the same trace. */

/** Numbers that look random, in [0, 1). @param {number} seed */
export function randomOf(seed) {
    let a = seed >>> 0;
    return () => {
        a = (a + 0x6D2B79F5) >>> 0;
        let t = Math.imul(a ^ (a >>> 15), a | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

const UNKNOWN_ROW = 0xFFFFFFFF;
const STATES = { unknown: 0, running: 1, ready: 2, blocked: 3 };
const TASKS = [['control', 20], ['sensor', 25], ['comms', 30], ['logger', 40], ['worker', 45], ['worker', 45],
    ['idle', 255]];
const REASONS = ['', 'mutex bus', 'queue frames', 'delay', 'adc', 'radio', 'mutex bus', 'user',
    'event flags of the radio'];
const HANDLERS = ['timer', 'adc', 'radio'];
const TYPES = [['sched', 'sched_switch', 'switch'], ['user', 'adc_sample', 'own'], ['tlog', 'tlog_printk', 'print'],
    ['sched', 'task_deadline_miss', 'deadline_miss']];

/** A row under construction. @param {number} index @param {string} kind @param {string} name @param {object} more */
const newRow = (index, kind, name, more) =>
    ({ index, kind, name, cpu: -1, number: index, priority: null, parent: -1, start: [], end: [], state: [], what: [],
        value: [], ...more });

/** @param {any} row @param {number} start @param {number} end @param {number} state @param {number} what */
function put(row, start, end, state, what) {
    if (start === end && row.kind !== 'log') return;
    row.start.push(start);
    row.end.push(end);
    row.state.push(state);
    row.what.push(what);
}

function newRows() {
    const rows = [newRow(0, 'cpu', 'CPU 0', { cpu: 0 })];
    HANDLERS.forEach((name, i) => rows.push(newRow(rows.length, 'irq', name, { cpu: 0, number: 15 + i })));
    TASKS.forEach(([name, priority], i) =>
        rows.push(newRow(rows.length, 'task', name, { priority, number: name === 'idle' ? 0 : i + 1 })));
    rows.push(newRow(rows.length, 'task', 'never', { priority: 50 }));
    for (const [kind, name] of [['mutex', 'bus'], ['counter', 'heap'], ['span', 'logger'], ['log', 'Log lines']])
        rows.push(newRow(rows.length, kind, name, {}));
    return rows;
}

/** What the makers below share. @param {number} size of the trace, about, in events @param {number} seed */
function newMaker(size, seed) {
    const rows = newRows();
    const of = (kind) => rows.filter((row) => row.kind === kind);
    return { size, random: randomOf(seed), rows, cpu: rows[0], irqs: of('irq'),
        tasks: of('task').slice(0, TASKS.length), mutex: of('mutex')[0],
        counter: of('counter')[0], span: of('span')[0], log: of('log')[0], events: [], wakes: [], gaps: [],
        texts: ['', ...REASONS.slice(1), ...HANDLERS, 'flush', 'write page', 'logger'], at: 0 };
}

/** @param {any} m @param {number} time @param {number} type @param {any} row @param {string} text */
const event = (m, time, type, row, text) => m.events.push({ time, type, row: row.index, text });

/** An interrupt, with another inside of it now and then. */
function interrupt(m, at, length) {
    const outer = m.irqs[Math.floor(m.random() * 3)], inner = m.irqs[0];
    put(outer, at, at + length, 0, m.texts.indexOf(outer.name));
    if (outer !== inner && m.random() < 0.2) put(inner, at + length / 4, at + length / 2, 1,
        m.texts.indexOf(inner.name));
    event(m, at, 0, outer, 'entry');
    event(m, at + length, 0, outer, 'exit');
    event(m, at, 1, outer, `channel=0 value=${Math.floor(2000 + 800 * m.random())}mV`);
}

/** What a task does while it runs: a span in a span, a counter, a log line. */
function work(m, task, from, to) {
    const third = (to - from) / 3;
    if (task.name === 'logger') {
        put(m.span, from, to, 0, m.texts.indexOf('flush'));
        put(m.span, from + third, to - third, 1, m.texts.indexOf('write page'));
        put(m.mutex, from, to, 0, m.texts.indexOf('logger'));
        put(m.log, from, from, 0, m.events.length);
        event(m, from, 2, task, `wrote ${Math.floor(500 * m.random())} bytes <b>"&amp;`);
    }
    if (m.random() < 0.5) {
        m.counter.start.push(from);
        m.counter.value.push(Math.floor(1000 + 500 * Math.sin(from / 3e7) + 200 * m.random()));
    }
}

/** One turn on the CPU. Other tasks are ready or blocked meanwhile. */
function turn(m, state) {
    const k = Math.floor(m.random() * TASKS.length), task = m.tasks[k];
    const from = m.at, to = from + Math.floor(20000 + 400000 * m.random() ** 4);
    const s = state[k];
    const woken = from - Math.floor((from - s.since) * m.random() * 0.3);
    if (k < TASKS.length - 1) put(task, s.since, woken, STATES.blocked, 1
        + Math.floor(m.random() * (REASONS.length - 1)));
    put(task, k < TASKS.length - 1 ? woken : s.since, from, STATES.ready, 0);
    put(task, from, to, STATES.running, 0);
    put(m.cpu, from, to, 0, task.index);
    event(m, from, 0, task, `next=${task.name}`);
    event(m, woken, 0, m.tasks[(k + 1) % TASKS.length], `wakes ${task.name}`);
    event(m, from, 0, task, `prev=${task.name}`);
    event(m, to, 0, task, 'waits');
    m.wakes.push({ time: woken, from: m.tasks[(k + 1) % TASKS.length].index, to: task.index });
    work(m, task, from, to);
    if (m.random() < 0.3) interrupt(m, from + (to - from) * 0.2, (to - from) * 0.3);
    s.since = to;
    m.at = to;
}

/** Now and then events are lost, or the trace pauses. */
function gap(m, state) {
    const to = m.at + 300000 + Math.floor(3e6 * m.random());
    m.gaps.push({ start: m.at, end: to, kind: m.random() < 0.5 ? 0 : 2, count: 12 });
    put(m.cpu, m.at, to, 0, UNKNOWN_ROW);
    m.tasks.forEach((task, k) => {
        put(task, state[k].since, m.at, STATES.blocked, 3);
        put(task, m.at, to, STATES.unknown, 0);
        state[k].since = to;
    });
    m.at = to;
}

/** @param {any} row */
const typed = (row) => ({ ...row, n: row.start.length, flags: new Uint8Array(row.start.length),
    start: Float64Array.from(row.start), end: Float64Array.from(row.end),
    state: Uint8Array.from(row.state), what: Uint32Array.from(row.what), value: Float64Array.from(row.value) });

const column = (type, list, key) => type.from(list, (one) => one[key]);

/** Rows' intervals in the order of time: an interrupt inside comes behind the outer one. */
function sorted(row) {
    const order = row.start.map((_, i) => i).sort((a, b) => row.start[a] - row.start[b] || row.end[b] - row.end[a]);
    for (const key of ['start', 'end', 'state', 'what', 'value'])
        if (row[key].length === order.length) row[key] = order.map((i) => row[key][i]);
    return typed(row);
}

/** @param {any} m @returns {import('../../../host/page/types.js').Trace} */
function traceOf(m) {
    const events = m.events.sort((a, b) => a.time - b.time), wakes = m.wakes.sort((a, b) => a.time - b.time);
    const n = events.length, lost = m.gaps.filter((g) => g.kind === 0).length * 12;
    return { unit: 'ns', start: '3946600', span: m.at, cpus: 1, target: 'made up', clockHz: 25000000,
        priorityOrder: 'lowest_first', exact: true, complete: true,
        counts: { events: n, derived: 0, lost, damaged: 0, leftOut: 0, pauses: m.gaps.length - lost / 12, paused: 0 },
        rows: m.rows.map(sorted), strings: (i) => m.texts[i] ?? '',
            types: TYPES.map(([system, name, means]) => ({ system, name, means })),
        events: { n, time: column(Float64Array, events, 'time'), type: column(Uint16Array, events, 'type'),
            cpu: new Uint16Array(n),
            row: column(Uint32Array, events, 'row'), flags: new Uint8Array(n), text: (i) => events[i].text },
        gaps: { n: m.gaps.length, start: column(Float64Array, m.gaps, 'start'),
            end: column(Float64Array, m.gaps, 'end'),
            kind: column(Uint8Array, m.gaps, 'kind'), cpu: new Uint16Array(m.gaps.length),
                count: column(Float64Array, m.gaps, 'count') },
        wakes: { n: wakes.length, time: column(Float64Array, wakes, 'time'), from: column(Uint32Array, wakes, 'from'),
            to: column(Uint32Array, wakes, 'to') } };
}

/** A trace of about so many events. @param {number} size @param {number} [seed] */
export function madeTrace(size, seed = 1) {
    const m = newMaker(size, seed), state = m.tasks.map(() => ({ since: 0 }));
    while (m.events.length < size) {
        turn(m, state);
        if (m.random() < 12 / Math.min(size, 1000)) gap(m, state);
    }
    return traceOf(m);
}

/* ---- as the decoder writes it (host/formats/columns/FORMAT.md) -------------------------------------------------- */

const NAMES = new Map([[Float64Array, 'f64'], [Uint32Array, 'u32'], [Uint16Array, 'u16'], [Uint8Array, 'u8']]);
const ARRAYS = { cpu: ['start', 'end', 'what'], task: ['start', 'end', 'what', 'state'],
    irq: ['start', 'end', 'what', 'state', 'flags'],
    mutex: ['start', 'end', 'what', 'flags'], counter: ['start', 'value'], span: ['start', 'end', 'what', 'state'],
        log: ['start', 'what'] };

/** Arrays one behind the other, each at a multiple of 8. */
function newStore() {
    const parts = [];
    let size = 24;
    return {
        add(array) {
            const at = size;
            parts.push([at, new Uint8Array(array.buffer, array.byteOffset, array.byteLength)]);
            size += Math.ceil(array.byteLength / 8) * 8;
            return [NAMES.get(array.constructor), at, array.length];
        },
        bytes(head) {
            const text = new TextEncoder().encode(JSON.stringify(head)),
                out = new Uint8Array(size + Math.ceil(text.length / 8) * 8).fill(32, size);
            for (const [at, part] of parts) out.set(part, at);
            out.set(text, size);
            out.set(new TextEncoder().encode('tlogcols'));
            const view = new DataView(out.buffer);
            view.setUint32(8, 1, true);
            view.setUint32(12, out.length - size, true);
            view.setBigUint64(16, BigInt(size), true);
            return out;
        },
    };
}

/** A trace as a .columns file: its description, and what makes bytes of a description.
 * @param {import('../../../host/page/types.js').Trace} trace */
export function columnsOf(trace) {
    const store = newStore(), { events, gaps, wakes } = trace, texts = [''];
    const arrays = (of, names) => ({ n: of.n,
        arrays: Object.fromEntries(names.map((name) => [name, store.add(of[name])])) });
    const numbers = new Map([['', 0]]);
    const number = (text) => {
        if (!numbers.has(text)) numbers.set(text, texts.push(text) - 1);
        return numbers.get(text);
    };
    const isText = { task: (row, i) => row.state[i] === STATES.blocked, irq: () => true, mutex: () => true,
        span: () => true };
    const what = (row) => (isText[row.kind]
        ? row.what.map((w, i) => (isText[row.kind](row, i) ? number(trace.strings(w)) : w)) : row.what);
    const rows = trace.rows.map((row) => {
        const { kind, name, cpu, number: id, priority, parent } = row;
        return { kind, name, cpu, number: id, priority, parent, ...arrays({ ...row, what: what(row) }, ARRAYS[kind]) };
    });
    const text = Uint32Array.from({ length: events.n }, (_, i) => number(events.text(i)));
    const { unit, start, span, cpus, target, clockHz, priorityOrder, counts, types } = trace;
    const head = { unit, start, span, cpus, target, clockHz, priorityOrder, exact: true, complete: true, counts, types,
        rows,
        events: arrays({ ...events, text }, ['time', 'row', 'text', 'type', 'cpu', 'flags']),
        gaps: arrays(gaps, ['start', 'end', 'count', 'cpu', 'kind']), wakes: arrays(wakes, ['time', 'from', 'to']) };
    const pieces = texts.map((one) => new TextEncoder().encode(one)), offsets = new Uint32Array(pieces.length + 1);
    pieces.forEach((piece, i) => { offsets[i + 1] = offsets[i] + piece.length; });
    const bytes = new Uint8Array(offsets[pieces.length]);
    pieces.forEach((piece, i) => bytes.set(piece, offsets[i]));
    head.strings = { n: texts.length, arrays: { offsets: store.add(offsets), bytes: store.add(bytes) } };
    return { head, bytes: (of) => store.bytes(of) };
}
