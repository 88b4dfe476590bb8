/* panel_parts.mjs - the parts of the panel that need no browser, in node --experimental-default-type=module.
 *
 * Fragments: random states come back; what is hostile does nothing bad, and takes no time. Events that a filter chose
 * are found again. Bars are what counting gives. Samples, problems and chains of real traces are compared with
 * --stat --json of the native decoder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { chainOf, intruderOf } from '../../../host/page/chain.js';
import { intervalAfter, rowNamed } from '../../../host/page/find.js';
import { readFragment, writeFragment } from '../../../host/page/fragment.js';
import { barsOf } from '../../../host/page/histogram.js';
import { findProblems, subjectOf } from '../../../host/page/problems.js';
import { samplesOf } from '../../../host/page/samples.js';
import { matchEvents, readError } from '../../../host/page/search.js';
import { readStat, timeInTrace } from '../../../host/page/stat.js';
import { sortRows } from '../../../host/page/tables.js';
import { openTrace } from '../../../host/page/trace.js';
import { foldedAtFirst, lanesOf } from '../../../host/page/rows.js';
import { shareText } from '../../../host/page/units.js';
import { madeTrace, randomOf } from './made.js';

const build = resolve(process.env.BUILD ?? 'build');
const random = randomOf(20);
const below = (n) => Math.floor(random() * n);
let failures = 0;

function check(what, good, seen = '') {
    if (good)
        return;
    failures++;
    console.log(`${what}: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`);
}

const same = (a, b) => JSON.stringify(plain(a)) === JSON.stringify(plain(b));
const plain = (value) => (value instanceof Set ? [...value].sort((a, b) => a - b)
    : value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, plain(value[key])])) : value);

/* ---- fragments --------------------------------------------------------------------------------------------------- */

function randomPart(span) {
    const from = below(span - 1);
    return { from, to: from + 1 + below(span - from) };
}

function randomChosen(trace) {
    const row = trace.rows.filter(({ n }) => n > 0)[below(5)];
    return [null, { kind: 'event', index: below(trace.events.n) }, { kind: 'problem', index: below(9) },
        { kind: 'interval', row: row.index, index: below(row.n) }][below(4)];
}

const FILTERS = ['', 'value > 300 && task == "a b"', '+#&=%', 'ü‮<b>"\'', '%zz%', '100%', 'a=b&v=1+1#x'];

function randomState(trace) {
    const folded = new Set(foldedAtFirst(trace));
    for (let i = below(20); i > 0; i--)
        folded[['add', 'delete'][below(2)]](below(trace.rows.length + 7) - 7);
    const at = () => (below(2) === 0 ? null : below(trace.span));
    return { ...(below(4) === 0 ? { from: 0, to: trace.span } : randomPart(trace.span)),
        selection: below(2) === 0 ? null : randomPart(trace.span),
        cursors: [at(), at()], chosen: randomChosen(trace), folded, filter: FILTERS[below(FILTERS.length)] };
}

function checkRoundTrips(trace, usual) {
    for (let i = 0; i < 3000; i++) {
        const state = randomState(trace), text = writeFragment(trace, state, usual);
        const back = readFragment(trace, text, usual);
        check('a state comes back from its fragment', same(state, back), [text, plain(state), plain(back)]);
        check('the same state has the same fragment', writeFragment(trace, back, usual) === text, text);
    }
    check('nothing special is an empty fragment',
        writeFragment(trace, { from: 0, to: trace.span, selection: null, cursors: [null, null],
        chosen: null, folded: new Set(usual), filter: '' }, usual) === '');
}

/** Whether a state is one that the page can have. */
function isSound(trace, { from, to, selection, cursors, chosen, folded, filter }) {
    const isTime = (at) => Number.isInteger(at) && at >= 0 && at <= trace.span;
    const isPart = (part) => isTime(part.from) && isTime(part.to) && part.from <= part.to;
    const isThere = chosen === null || (chosen.kind === 'event' && chosen.index < trace.events.n)
        || chosen.kind === 'problem'
        || (chosen.kind === 'interval' && chosen.index < trace.rows[chosen.row].n);
    return isPart({ from, to }) && (selection === null || isPart(selection)) && cursors.length === 2
        && cursors.every((at) => at === null || isTime(at)) && isThere && filter.length <= 2000
        && [...folded].every((row) => Number.isInteger(row) && row >= -16 && row < trace.rows.length);
}

const HOSTILE = ['v=', 'v=-1+5', 'v=1e9+1', 'v=99999999999999999999+1', 'v=5+0', 'v=0x10+1', 'v=NaN+NaN', 's=1', 's=+',
    'c=,,,,', 'c=a,b', 'c=Infinity', 'x=e-1', 'x=e999999999', 'x=i0', 'x=i99.0', 'x=i0.999999999', 'x=p', 'x=__proto__',
    'f=-', 'f=0-999999999', 'f=5-1', 'f=a-b', '__proto__=1', 'constructor=1', 'q=%', 'q=%00', '&&&&', '====', '#', '%',
    'v=1+1&v=2+2', 'f=' + '0-22.'.repeat(200000),
    'q=' + 'a'.repeat(3000000), 'f=' + '1.'.repeat(1000000), 'c=' + ','.repeat(1000000)];

function checkHostile(trace, usual) {
    const begin = process.cpuUsage();
    for (const text of HOSTILE)
        check('a hostile fragment is a sound state', isSound(trace, readFragment(trace, text, usual)),
            text.slice(0, 60));
    const letters = 'vscxfq=&+-.,#%eip0123456789abcdef';
    for (let i = 0; i < 20000; i++) {
        const text = Array.from({ length: below(40) }, () => letters[below(letters.length)]).join('');
        check('a random fragment is a sound state', isSound(trace, readFragment(trace, text, usual)), text);
    }
    const { user } = process.cpuUsage(begin);
    check('hostile fragments take no time', user < 5e6, `${user} us of CPU time`);
}

/* ---- what a filter chose ----------------------------------------------------------------------------------------- */

/** A trace with some of the events of another one, types in another order, times from its own first event. */
function partOf(trace, chosen) {
    const order = trace.types.map((_, i) => i).reverse();
    const pick = (array, change = (x) => x) => chosen.map((i) => change(array[i]));
    const first = chosen.length > 0 ? trace.events.time[chosen[0]] : 0;
    return { start: String(BigInt(trace.start) + BigInt(Math.round(first))), types: order.map((i) => trace.types[i]),
        events: { n: chosen.length,
            time: Float64Array.from(pick(trace.events.time, (time) => time - Math.round(first))),
            type: Uint16Array.from(pick(trace.events.type, (type) => order.indexOf(type))),
            cpu: Uint16Array.from(pick(trace.events.cpu)),
            text: (i) => trace.events.text(chosen[i]) } };
}

/** Times are whole, and many events have the same. */
function crowded(trace) {
    return { ...trace, events: { ...trace.events, time: trace.events.time.map((time) => Math.floor(time / 1e6)) } };
}

function checkMatches(trace) {
    const { events } = trace;
    for (const density of [0, 0.01, 0.5, 1]) {
        const chosen = [...Array(events.n).keys()].filter(() => random() < density);
        const found = matchEvents(trace, partOf(trace, chosen));
        const text = (i) => `${events.time[i]} ${events.cpu[i]} ${events.type[i]} ${events.text(i)}`;
        check('each event of a part is found', found.length === chosen.length, [found.length, chosen.length]);
        check('what is found is in order', found.every((at, i) => i === 0 || at > found[i - 1]));
        check('what is found is the same', chosen.every((at, i) => text(at) === text(found[i])));
    }
}

function checkErrors() {
    const filter = 'ü == 3 && (x';
    const told = `tlog-decode: --filter=${filter}: column 14: a ) is missing\nTry 'tlog-decode --help'.\n`;
    check('an error is told with its place', same(readError(told, filter),
        { text: 'column 13: a ) is missing', place: 12 }), readError(told, filter));
    const both = `tlog-decode: --filter=(a == 1) && (foo ==): column 20: a value is missing`;
    check('a place in what was put behind another filter', readError(both, 'foo ==').place === 6,
        readError(both, 'foo =='));
    check('an error of another kind stays', 
        readError('tlog-decode: no memory\n', 'x').text === 'tlog-decode: no memory');
}

/* ---- bars, sorting, numbers -------------------------------------------------------------------------------------- */

function checkBars() {
    for (let i = 0; i < 500; i++) {
        const wide = 10 ** below(10), samples = Array.from({ length: 1 + below(300) },
            () => below(wide) + below(3) * wide);
        const { from, step, counts } = barsOf(samples);
        const counted = counts.map((_, bar) =>
            samples.filter((x) => x >= from + bar * step && x < from + (bar + 1) * step).length);
        check('bars are what counting gives', same(counted, counts), [from, step, counts, counted]);
        check('no sample is left out', counts.reduce((a, b) => a + b, 0) === samples.length);
        check('bars have a round width', /^[125]0*$/.test(String(step)), String(step));
        check('there are not too many bars', counts.length <= 31 && counts[0] > 0 && counts.at(-1) > 0, counts);
    }
}

function checkSorting() {
    const any = () => [below(50), '18446744073709551615', '9007199254740993', null][below(4)];
    const rows = Array.from({ length: 200 }, (_, i) => ({ i, a: { b: any() } }));
    const value = ({ a }) => BigInt(a.b ?? -1);
    for (const down of [false, true]) {
        const sorted = sortRows(rows, 'a.b', down);
        check('all rows stay', sorted.length === rows.length && new Set(sorted).size === rows.length);
        check('rows are in order', sorted.every((row, i) => i === 0
            || (down ? value(sorted[i - 1]) >= value(row) : value(sorted[i - 1]) <= value(row))),
            sorted.map((row) => String(value(row))).slice(0, 20));
    }
}

function checkNumbers() {
    const said = '[{"a": 9007199254740993, "b": -9223372036854775808, "n": "12345678901234567890 \\" 1", '
        + '"x": 0.12345678901234567890, "s": 123}]';
    check('no digit is lost', same(readStat(said),
        [{ a: '9007199254740993', b: '-9223372036854775808', n: '12345678901234567890 " 1',
        x: 0.1234567890123456789, s: 123 }]), readStat(said));
}

/* ---- real traces ------------------------------------------------------------------------------------------------- */

const native = (...given) => spawnSync(join(build, 'tlog-decode'), ['-q', ...given], { maxBuffer: 1 << 28 }).stdout;

function open(inputs) {
    const bytes = native(...inputs, '--format=columns', '-o', '-');
    const [stat] = JSON.parse(native(...inputs, '--stat', '--json'));
    return { trace: openTrace(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), stat };
}

/** By nearest rank, as --stat defines it. */
const percentile = (samples, p) => [...samples].sort((a, b) => a - b)[Math.ceil((samples.length * p) / 100) - 1];

/** Every sample is there, and gives the figures that the page does not compare itself. */
function checkSamples(trace, stat) {
    for (const task of stat.tasks) {
        for (const which of ['response', 'latency', 'period'].filter((key) => task[key].count > 0)) {
            const samples = samplesOf(trace, task, which), figure = task[which], about = `${task.task}: ${which}`;
            check(`${about}: the page knows the samples`, samples !== null, figure);
            check(`${about}: average`, samples === null
                || Math.floor(samples.reduce((a, b) => a + b, 0) / samples.length) === figure.avg, figure);
            for (const p of figure.p50 === undefined || samples === null ? [] : [50, 99])
                check(`${about}: p${p}`, percentile(samples, p) === figure[`p${p}`], [percentile(samples, p), figure]);
        }
    }
}

function checkProblems(trace, stat) {
    const problems = findProblems(trace, [stat]);
    for (const task of stat.tasks) {
        const row = trace.rows.find(({ kind, number }) => kind === 'task' && number === task.pid);
        const missed = problems.filter(({ kind, row: of }) => kind === 'deadline' && of === row?.index).length;
        check(`${task.task}: missed deadlines`, missed === task.deadlines_missed, [missed, task.deadlines_missed]);
    }
    check('problems are in order', problems.every(({ time }, i) => i === 0 || time >= problems[i - 1].time));
    for (const of of stat.inversions) {
        const holder = rowNamed(trace, 'task', of.holder), waiter = rowNamed(trace, 'task', of.task),
            from = timeInTrace(trace, of.at);
        const found = intruderOf(trace, holder, from, from + of.waited, ({ name }) => name === of.preempted_by);
        check('for how long the holder was preempted', found.time === of.preempted, [found.time, of]);
        const blocked = intervalAfter(waiter, from);
        check('an inversion is a wait', [blocked, blocked + 1]
            .some((i) => trace.strings(waiter.what[i]) === `mutex ${of.mutex}`), of);
    }
    return problems;
}

/** Each step of a chain is a place in the trace, and they tell names and lengths that --stat tells. */
function checkChains(trace, problems) {
    for (const problem of problems) {
        const steps = chainOf(trace, problem, problems);
        check('a chain has steps', steps.length >= (problem.kind === 'inversion' ? 3 : 2), steps);
        check('each step is in the trace', steps.every(({ from, to }) => from >= 0 && to <= trace.span && from <= to),
            steps);
        for (const { chosen } of steps)
            check('each step chooses what is there',
                chosen === null || chosen.kind !== 'interval' || chosen.index < trace.rows[chosen.row].n, chosen);
        if (problem.kind === 'deadline')
            check('the chain ends with the event',
                steps.at(-1).chosen.index === problem.event && subjectOf(trace, problem.event) === problem.row);
    }
}

function checkReal(inputs) {
    const { trace, stat } = open(inputs);
    checkSamples(trace, stat);
    checkChains(trace, checkProblems(trace, stat));
}

/** A task that waits for a time inside of a cycle, and runs a second cycle without being woken: derived by hand. */
function checkByHand() {
    const [blocked, ready, running] = [3, 2, 1], starts = [0, 10, 12, 20, 30, 31, 40, 50, 60];
    const row = { kind: 'task', index: 0, number: 7, n: 9,
        state: [blocked, ready, running, blocked, ready, running, blocked, running, blocked],
        start: starts, end: [...starts.slice(1), 90], what: Array(9).fill(1) };
    const events = { n: 4, time: [13, 38, 51, 58], row: [0, 0, 0, 0], type: [0, 1, 0, 1] };
    const trace = { rows: [row], events, types: [{ name: 'task_begin_cycle' }, { name: 'task_end_cycle' }],
        gaps: { n: 0, end: [] }, strings: () => 'task_sleep' };
    const wanted = { response: [28, 8], latency: [2, 1], period: [38] };
    for (const [which, samples] of Object.entries(wanted)) {
        const figure = { count: samples.length, time: samples.reduce((a, b) => a + b), min: Math.min(...samples),
            max: Math.max(...samples) };
        const found = samplesOf(trace, { pid: 7, [which]: figure }, which);
        check(`${which} as derived by hand`, same(found, samples), found ?? 'none');
        check(`${which} that --stat counts otherwise are not shown`,
            samplesOf(trace, { pid: 7, [which]: { ...figure, time: 1 } }, which) === null);
    }
}

/** Shares beside the names of tasks are those of --stat. */
function checkShares(trace, stat) {
    const lanes = lanesOf(trace, new Set(), false).filter(({ kind, rows: [row] }) => kind === 'task' && row.n > 0);
    for (const { share, rows: [{ name, number }] } of lanes) {
        const told = stat.tasks.find(({ task, pid }) => pid === number && task === name);
        const wanted = told && told.running > 0 ? shareText(told.share, 1) : '';
        check(`${name}: its share`, share === wanted, [share, wanted]);
    }
    check('there are tasks', lanes.length > 2);
}

/** Where a part of the dump is damaged, no sample spans it. */
function checkDamaged([dump, elf]) {
    const folder = mkdtempSync(join(tmpdir(), 'tlog-damaged-')), path = join(folder, 'dump.bin');
    const bytes = readFileSync(dump);
    bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 800);
    writeFileSync(path, bytes);
    const { trace, stat } = open([path, elf]);
    checkSamples(trace, stat);
    check('there is a gap', trace.gaps.n > 1);
    checkShares(trace, stat);
    checkChains(trace, checkProblems(trace, stat));
    rmSync(folder, { recursive: true });
}

/** A trace without names. */
function checkNameless(inputs) {
    const folder = mkdtempSync(join(tmpdir(), 'tlog-nameless-')), path = join(folder, 'demo.shark');
    native(...inputs, '-o', path);
    checkReal([path]);
    rmSync(folder, { recursive: true });
}

/** What a filter leaves is what the native decoder leaves. */
function checkFilters(inputs) {
    const { trace } = open(inputs), { events } = trace;
    for (const filter of ['value > 300', 'task == "logger" || event == "adc_sample"', 'event ~ "sched_*" && cpu == 0',
        'task == control']) {
        const found = matchEvents(trace, open([...inputs, `--filter=${filter}`]).trace);
        const texts = [...found].map((i) => `${trace.types[events.type[i]].name}: ${events.text(i)}`);
        const lines = native(...inputs, `--filter=${filter}`).toString().split('\n').slice(1, -1)
            .map((line) => /\d: (\S+): +(.*)$/.exec(line)).map((parts) => `${parts[1]}: ${parts[2]}`);
        check(`${filter}: as many events`, texts.length === lines.length && lines.length > 0,
            [texts.length, lines.length]);
        check(`${filter}: the same events`, texts.every((text, i) => text.trim() === lines[i].trim()),
            [texts[0], lines[0]]);
    }
}

const made = madeTrace(3000), usual = foldedAtFirst(made), whole = { ...made, span: Math.floor(made.span) };
checkRoundTrips(whole, usual);
checkHostile(whole, usual);
checkMatches(made);
checkMatches(crowded(made));
checkErrors();
checkBars();
checkSorting();
checkNumbers();
const demo = [join(build, 'demo/dump.bin'), `--elf=${join(build, 'demo/firmware.elf')}`];
checkReal(demo);
checkNameless(demo);
checkByHand();
checkDamaged(demo);
checkFilters(demo);
process.exitCode = failures > 0 ? 1 : 0;
