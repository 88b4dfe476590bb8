/* timeline_parts.mjs - the parts of the timeline that need no browser, in node --experimental-default-type=module.
 *
 * What the decoder writes is opened, and refused with a sentence if any of its numbers is wrong. Pixels have the shares
 * that counting gives, sums what going through the trace piece by piece gives, and places on the axis can be read back.
 * Colours of texts differ from what is behind them by the contrast that WCAG wants. */
import { readFileSync } from 'node:fs';

import { bandsOf, cut, endsAfter, extremeOf, extremesOf, newBand, newCuts,
    notBefore } from '../../../host/page/pyramid.js';
import { foldedAtFirst, lanesOf } from '../../../host/page/rows.js';
import { newState } from '../../../host/page/state.js';
import { spreadOf, sumsIn } from '../../../host/page/sums.js';
import { openTrace } from '../../../host/page/trace.js';
import { placeText, roundStep, stepOffset, timeText } from '../../../host/page/units.js';
import { columnsOf, madeTrace, randomOf } from './made.js';

const random = randomOf(44), below = (n) => Math.floor(random() * n);
let failures = 0, count = 0;

function check(what, good, seen = '') {
    count++;
    if (good || failures > 20) return;
    failures++;
    console.log(`${what}: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`);
}

const near = (a, b, most) => Math.abs(a - b) <= most;

/* ---- trace.js ---------------------------------------------------------------------------------------------------- */

/** What trace.js makes of bytes: a trace, or the sentence that tells why there is none; anything else is a failure. */
function opened(bytes, what) {
    try {
        return openTrace(bytes.buffer);
    } catch (error) {
        const isSentence = error.constructor === Error
            && /^The decoder's picture of the trace is damaged: .*\.$/.test(error.message);
        check(`${what}: the error is no sentence`, isSentence, String(error));
        return null;
    }
}

const sorted = (times, most) => times.every((time, i) => time >= (i > 0 ? times[i - 1] : 0) && time <= most);

/** Whether all that the timeline believes is so. */
function isSound(trace) {
    const { rows, events, gaps, wakes, span } = trace,
        last = (row, i) => row.start.findLastIndex((_, k) => k < i && row.state[k] === row.state[i]);
    const isApart = (row) => row.start.every((start, i) => i === 0 || (row.kind === 'span' || row.kind === 'irq'
        ? last(row, i) < 0 || row.end[last(row, i)] <= start : row.end[i - 1] <= start));
    const isRight = (row) => sorted(row.start, span) && row.end.every((end, i) => end >= row.start[i] && end <= span)
        && (row.end.length === 0 || isApart(row))
        && row.value.every(Number.isFinite) && (row.kind !== 'task' || row.state.every((s) => s < 5))
        && (row.kind !== 'cpu' || row.what.every((w) => w === 0xFFFFFFFF || rows[w].kind === 'task'))
            && (row.kind !== 'log' || row.what.every((w) => w < events.n));
    return rows.every(isRight) && sorted(events.time, span) && events.type.every((type) => type < trace.types.length)
        && events.row.every((row) => row < rows.length || row === 0xFFFFFFFF) && sorted(gaps.start, span)
            && gaps.kind.every((kind) => kind < 4)
        && sorted(wakes.time, span) && wakes.to.every((row) => row < rows.length);
}

/** A description with another value at a path. */
function changed(head, path, value) {
    const copy = structuredClone(head), last = path[path.length - 1];
    const parent = path.slice(0, -1).reduce((of, key) => of[key], copy);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return copy;
}

/** All paths of a description. */
const pathsOf = (value, path = []) => (typeof value !== 'object' || value === null ? [path]
    : [path, ...Object.keys(value).flatMap((key) => pathsOf(value[key], [...path, key]))]);

const WRONG = [undefined, null, -1, 1.5, 1e300, 4294967296, 8, '', 'x', [], {}, true];
/** What may have such a value: texts, and numbers that lead nowhere. */
const isFree = (path, value) => {
    const key = path[path.length - 1], parent = path[path.length - 2];
    if (['name', 'system', 'means', 'target'].includes(key)) return typeof value === 'string'
        || (key === 'target' && value === null);
    if (['exact', 'complete'].includes(key)) return true;
    if (['span', 'clockHz', 'cpus', 'number'].includes(key) || parent === 'counts') return typeof value === 'number'
        && value >= 0;
    if (key === 'cpu' || key === 'parent') return value === -1 || (key === 'parent' && value === 8);
    return key === 'priority' && (value === null || Number.isInteger(value));
};

function testColumns() {
    const made = madeTrace(400), { head, bytes } = columnsOf(made), trace = opened(bytes(head), 'whole');
    check('a whole trace opens', trace !== null && isSound(trace));
    for (const row of made.rows) for (const key of ['start', 'end', 'state', 'value'])
        check(`row ${row.index}: ${key}`, trace.rows[row.index][key].length === 0
            || String(trace.rows[row.index][key]) === String(row[key]));
    for (let i = 0; i < made.events.n; i++) check('a text', trace.events.text(i) === made.events.text(i));
    for (const path of pathsOf(head).slice(1)) for (const value of WRONG) {
        const other = changed(head, path, value), what = `${path.join('.')} = ${JSON.stringify(value)}`,
            of = opened(bytes(other), what);
        const isSame = JSON.stringify(other) === JSON.stringify(head);
        check(`${what} is believed`, of === null || isSame || (isFree(path, value) && isSound(of)));
    }
}

function testBytes() {
    const { head, bytes } = columnsOf(madeTrace(150)), whole = bytes(head);
    for (let i = 0; i < 3000; i++) {
        const copy = whole.slice(), at = i < 200 ? below(24) : below(copy.length);
        copy[at] ^= 1 << below(8);
        const trace = opened(copy, `a bit at ${at}`);
        check(`a bit at ${at} is believed`, trace === null || isSound(trace));
    }
    for (let i = 0; i < 200; i++) check('a part is believed',
        opened(whole.slice(0, below(whole.length)), 'a part') === null);
}

/* ---- pyramid.js -------------------------------------------------------------------------------------------------- */

/** Intervals one behind the other: bursts of short ones, long ones, gaps. */
function madeBand(n) {
    const start = [], end = [], state = [];
    for (let i = 0, at = 0; i < n; i++) {
        at += random() < 0.3 ? below(2000) : 0;
        start.push(at);
        at += random() < 0.02 ? below(1e6) : random() < 0.5 ? below(20) : below(3000);
        end.push(at);
        state.push(below(5));
    }
    return newBand(Float64Array.from(start), Float64Array.from(end), Uint8Array.from(state), null);
}

/** The share of a stretch that each state has. */
function sharesOf(band, from, to) {
    const shares = [0, 0, 0, 0, 0];
    for (let i = 0; i < band.n; i++) shares[band.state[i]] += Math.max(0,
        Math.min(band.end[i], to) - Math.max(band.start[i], from)) / (to - from);
    return shares;
}

function checkCuts(band, scale, cuts) {
    const edge = (x) => scale.from + (x - 0.5) * scale.perPixel, most = band.grids[0].width * 8 <= scale.perPixel ? 0.13
        : 1e-6;
    let x = 0;
    for (let k = 0; k < cuts.n; k++) {
        const [left, right, i] = [cuts.left[k], cuts.right[k], cuts.index[k]];
        check('pieces are in order', left >= x && right > left && right <= scale.width, [x, left, right]);
        x = right;
        const shares = sharesOf(band, edge(left), edge(left + 1));
        if (cuts.mixed[k] === 1) {
            const seen = [cuts.running[k], cuts.ready[k], cuts.blocked[k]];
            check('a pixel has its shares', right === left + 1
                && seen.every((share, s) => near(share, shares[s + 1], most)), [shares, seen, left, scale]);
        } else {
            const place = (time) => Math.round((time - scale.from) / scale.perPixel);
            check('a piece is an interval', right === Math.min(scale.width, place(band.end[i]))
                && left >= Math.max(0, place(band.start[i])) && left <= Math.max(0, place(band.start[i])) + 2);
        }
    }
}

/** No pixel is left out that is filled, but for the end of a piece that is rounded down. */
function checkCovered(band, scale, cuts) {
    const filled = new Uint8Array(scale.width), edge = (x) => scale.from + (x - 0.5) * scale.perPixel;
    for (let k = 0; k < cuts.n; k++) filled.fill(1, cuts.left[k], cuts.right[k]);
    for (let x = 1; x < scale.width - 1; x++) {
        if (filled[x] === 1) continue;
        const inside = [...band.start.keys()].filter((i) => band.end[i] > edge(x) + 1e-6
            && band.start[i] < edge(x + 1) - 1e-6 && band.end[i] > band.start[i]);
        const isRest = inside.length <= 1
            && inside.every((i) => band.end[i] < edge(x + 1) && band.end[i] - band.start[i] >= scale.perPixel);
        check('a pixel is left out', isRest,
            [x, scale, inside.map((i) => [i, band.start[i], band.end[i], (band.start[i]-scale.from)/scale.perPixel,
            (band.end[i]-scale.from)/scale.perPixel])]);
    }
}

/** Bands of n intervals at random zooms, on so many pixels. */
function cutBands(count, n, width) {
    const cuts = newCuts(width);
    for (let i = 0; i < count; i++) {
        const band = madeBand(1 + below(n)), span = band.end[band.n - 1] || 1;
        const zoom = 10 ** (-3 * random()), from = span * (1 - zoom) * random();
        const scale = { from, perPixel: span * zoom / width, width };
        cut(band, scale, cuts);
        checkCuts(band, scale, cuts);
        checkCovered(band, scale, cuts);
    }
}

function testCuts() {
    cutBands(2000, 30, 30);
    cutBands(100, 500, 120);
    cutBands(8, 6000, 120);
    cutBands(3, 60000, 40);
}

function testSearch() {
    for (let i = 0; i < 300; i++) {
        const times = Float64Array.from({ length: below(50) }, () => below(40)).sort(), time = below(42),
            n = times.length;
        check('notBefore', notBefore(times, n, time) === times.filter((t) => t < time).length);
        for (const step of [1, 2, 9]) {
            const from = below(n + 1), right = times.findIndex((t, k) => k >= from && t > time);
            check('endsAfter', endsAfter(times, n, from, time, step) === (right < 0 ? n : right),
                [times, from, time, step]);
        }
        const row = { value: Float64Array.from({ length: 1 + below(300) }, () => below(1000) - 500) },
            { least, most } = extremesOf(row);
        const a = below(row.value.length), b = a + 1 + below(row.value.length - a), part = row.value.subarray(a, b);
        check('the least', extremeOf(row.value, least, a, b, false) === Math.min(...part));
        check('the most', extremeOf(row.value, most, a, b, true) === Math.max(...part));
    }
}

function testBands() {
    const { rows } = madeTrace(500), span = rows.find((row) => row.kind === 'span'),
        made = bandsOf(span, 2, () => span.state, null);
    check('spans have a band for each depth', made.length === 2 && made[0].n + made[1].n === span.n);
    made.forEach((band, depth) => check('a band has its depth', [...band.index].every((i) => span.state[i] === depth)));
}

/* ---- sums.js ----------------------------------------------------------------------------------------------------- */

/** Pieces of a stretch in which nothing begins or ends. */
function piecesOf(trace, from, to) {
    const edges = trace.rows.flatMap((row) => [...row.start, ...row.end]).filter((time) => time > from && time < to);
    const all = [...new Set([from, ...edges, to])].sort((a, b) => a - b);
    return all.slice(1).map((end, i) => [all[i], end]);
}

const covers = (row, i, [from, to]) => row.start[i] <= from && row.end[i] >= to;
const indexOf = (row, piece) => { for (let i = 0; i < row.n; i++) if (covers(row, i, piece)) return i; return -1; };

function testSums() {
    const trace = madeTrace(250, 7), irqs = trace.rows.filter((row) => row.kind === 'irq'), cpu = trace.rows[0];
    for (let turn = 0; turn < 12; turn++) {
        const from = turn === 0 ? 0 : below(trace.span), to = turn === 0 ? trace.span : from + below(trace.span - from),
            sums = sumsIn(trace, from, to);
        const running = {}, taken = {}, own = {}, ready = {}, held = {};
        const add = (to_, key, time) => { to_[key] = (to_[key] ?? 0) + time; };
        for (const piece of piecesOf(trace, from, to)) {
            const time = piece[1] - piece[0], runs = cpu.what[indexOf(cpu, piece)];
            const inside = irqs.map((row) => [row, indexOf(row, piece)]).filter(([, i]) => i >= 0).sort((a, b) =>
                b[0].state[b[1]] - a[0].state[a[1]]);
            add(inside.length > 0 ? taken : running, runs, time);
            if (inside.length > 0) add(own, inside[0][0].index, time);
            for (const row of trace.rows) {
                const i = indexOf(row, piece);
                if (row.kind === 'task' && i >= 0 && row.state[i] === 2) add(ready, row.index, time);
                if (row.kind === 'mutex' && i >= 0) add(held, row.index, time);
            }
        }
        for (const { row, ...task } of sums.tasks) {
            check(`${row.name} runs`, near(task.running, running[row.index] ?? 0, 1),
                [task.running, running[row.index]]);
            check(`${row.name} is interrupted`, near(task.interrupted, taken[row.index] ?? 0, 1),
                [task.interrupted, taken[row.index]]);
            check(`${row.name} is ready`, near(task.ready, ready[row.index] ?? 0, 1), [task.ready, ready[row.index]]);
        }
        for (const { row, ...irq } of sums.irqs) check(`${row.name} itself`, near(irq.own, own[row.index] ?? 0, 1),
            [irq.own, own[row.index]]);
        for (const { row, time } of sums.mutexes) check(`${row.name} is held`, near(time, held[row.index] ?? 0, 1));
        for (const { row, count: n, length } of [...sums.irqs, ...sums.mutexes]) {
            const of = [...row.start.keys()].filter((i) => row.start[i] >= from && row.start[i] < to);
            check(`${row.name}: count`, n === of.length, [n, of.length]);
            const lengths = of.filter((i) => row.end[i] <= to).map((i) => row.end[i] - row.start[i]).sort((a, b) =>
                a - b);
            check(`${row.name}: lengths`, length.n === lengths.length
                && (length.n === 0 || (length.min === lengths[0] && length.max === lengths.at(-1))));
            check(`${row.name}: p99`, length.n === 0
                || lengths.filter((one) => one <= length.p99).length * 100 >= lengths.length * 99);
        }
        check('events', sums.events.reduce((a, one) => a + one.count,
            0) === trace.events.time.filter((time) => time >= from && time <= to).length);
    }
    check('a spread', JSON.stringify(spreadOf([4, 1, 3, 2])) === JSON.stringify({ n: 4, sum: 10, min: 1, avg: 2.5,
        p99: 4, max: 4 }));
    check('the 99th of 200', spreadOf(Array.from({ length: 200 }, (_, i) => i + 1)).p99 === 198);
}

/* ---- units.js, rows.js, state.js --------------------------------------------------------------------------------- */

const SIZES = { s: 1000000000n, ms: 1000000n, us: 1000n, ns: 1n };

/** The ns that a text tells: "1,234.5 us". */
function read(text) {
    const [, sign, whole, rest = '', unit] = /^(-?)([\d,]+)(?:\.(\d+))? (s|ms|us|ns)$/.exec(text);
    const digits = String(SIZES[unit]).length - 1, value = BigInt(whole.replaceAll(',', '')) * SIZES[unit]
        + BigInt(rest.padEnd(digits, '0') || 0);
    return sign ? -value : value;
}

function testUnits() {
    for (let power = -2; power < 16; power += 0.05) {
        const least = 10 ** power, step = roundStep(least), lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
        check('a round step', [1, 2, 5].some((n) => near(lead, n, 1e-6)) && step >= least * 0.999999
            && (step <= 2.6 * least || step === 1), [least, step]);
    }
    for (const start of ['0', '3946600', '1700000000123456789', '9007199254740993'])
        for (let power = 0; power < 10; power++) for (const by of [1, 2, 5]) {
            const step = by * 10 ** power, offset = stepOffset(start, step), time = (1 + below(1000)) * step - offset;
            const text = placeText({ start, unit: 'ns' }, time, step);
            check(`${start} + ${time} by ${step} is ${text}`, read(text) === BigInt(start) + BigInt(time)
                && read(text) % BigInt(step) === 0n);
            check(`${text} is short`, / s$/.test(text) || read(text) / SIZES[text.split(' ')[1]] < 1000000n);
            check('the next text differs', placeText({ start, unit: 'ns' }, time + step, step) !== text);
        }
    for (const [time, text] of [[0, '0 ns'], [999, '999 ns'], [1000, '1.000 us'], [999999, '1.000 ms'],
        [15740000, '15.74 ms'], [1095163400, '1.095 s'], [1.5e11, '150.0 s']])
        check(`${time} is ${text}`, timeText(time, 'ns') === text, timeText(time, 'ns'));
    check('ticks', timeText(1234567, 'ticks') === '1,234,567 ticks');
}

function testRows() {
    const made = madeTrace(600), labels = (trace, folded = foldedAtFirst(trace)) =>
        lanesOf(trace, folded, true).map((lane) => lane.label);
    const tasks = ['control', 'sensor', 'comms', 'logger', 'worker (2)', 'idle'];
    const all = ['CPU load', 'Problems', 'Interrupts (3)', 'timer', 'adc', 'radio', 'Tasks (7)', ...tasks,
        'Mutexes and queues (1)', 'bus', 'Counters (1)', 'heap',
        'Spans (1)', 'logger', 'Log (1)', 'Log lines', 'Without anything (1)'];
    check('rows are in order', String(labels(made)) === String(all), labels(made));
    const reverse = labels({ ...made, priorityOrder: 'highest_first' });
    check('the other direction', String(reverse.slice(7, 13)) === 'worker (2),logger,comms,sensor,control,idle',
        reverse);
    check('unfolded', labels(made, new Set()).filter((label) => label === 'worker').length === 2
        && labels(made, new Set()).includes('never'));
    check('a folded section', !labels(made, new Set([-3])).includes('control')
        && labels(made, new Set([-3])).includes('Tasks (7)'));
    const lanes = lanesOf(made, new Set(), true);
    check('lanes stand below each other',
        lanes.every((lane, i) => i === 0 ? lane.y === 0 : lane.y === lanes[i - 1].y + lanes[i - 1].height));
}

function testState() {
    const trace = madeTrace(100), state = newState(trace), { span } = trace;
    for (const [from, to] of [[-5, 100], [0, 1e99], [span, span + 5], [NaN, 5], [7, 3], [5, 5],
        [-Infinity, Infinity]]) {
        state.change({ from, to });
        const seen = state.get();
        check(`${from} to ${to}`, seen.from >= 0 && seen.to <= span + 1e-6 && seen.to - seen.from >= 10 - 1e-6,
            [seen.from, seen.to]);
    }
    let heard = 0;
    const end = state.listen(() => heard++);
    state.change({ filter: 'a' });
    end();
    state.change({ filter: 'b' });
    check('who listens hears', heard === 1);
}

/* ---- page.css ---------------------------------------------------------------------------------------------------- */

/** The variables of the blocks with this selector. */
function variables(css, selectors) {
    const found = {};
    for (const [, selector, body] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g))
        if (selectors.includes(selector.replace(/\/\*.*?\*\//gs, '').trim()))
            for (const [, name, value] of body.matchAll(/--([\w-]+):\s*([^;]+);/g)) found[name] = value.trim();
    const resolve = (value) => value.replace(/^var\(--([\w-]+)\)$/, (_, name) => resolve(found[name]));
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, resolve(value)]));
}

/** The luminance of #rrggbb, as WCAG defines it. */
function luminance(colour) {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((c) =>
        (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

const TEXTS = [['text', 'back'], ['text', 'names'], ['faint', 'back'], ['faint', 'names'], ['on-running', 'running'],
    ['on-irq', 'irq'], ['text', 'held'],
    ['text', 'span'], ['problem', 'back'], ['back', 'selection'], ['back', 'cursor']];
const SIGNS = [['running', 'back'], ['ready', 'back'], ['irq', 'back'], ['irq', 'running'], ['plot', 'back'],
    ['mark', 'back'], ['chosen', 'back'], ['blocked', 'back'],
    ['unknown', 'back'], ['held', 'back'], ['span', 'back']];

function testContrast() {
    const css = readFileSync('host/page/page.css', 'utf8'), light = variables(css, [':root', '#timeline']);
    const dark = variables(css, [':root', '#timeline', ':root[data-dark]', ':root[data-dark] #timeline']);
    for (const [name, theme] of [['light', light], ['dark', dark]]) {
        for (const [a, b] of TEXTS) check(`${name}: ${a} on ${b}`, contrast(theme[`tl-${a}`], theme[`tl-${b}`]) >= 4.5,
            contrast(theme[`tl-${a}`], theme[`tl-${b}`]).toFixed(2));
        for (const [a, b] of SIGNS) check(`${name}: ${a} beside ${b}`,
            contrast(theme[`tl-${a}`], theme[`tl-${b}`]) >= 2, contrast(theme[`tl-${a}`], theme[`tl-${b}`]).toFixed(2));
    }
}

for (const test of [testColumns, testBytes, testCuts, testSearch, testBands, testSums, testUnits, testRows, testState,
    testContrast]) test();
console.log(`${count} checks, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;
