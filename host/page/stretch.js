/* stretch.js - what the panel tells of a stretch that is selected: its sums, as tables. */
import { link, make } from './dom.js';
import { lookAt } from './find.js';
import { sumsIn } from './sums.js';
import { columnsOf, newTable } from './tables.js';
import { exactText, timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./tables.js').Table} Table */

const LENGTHS = '#.min time min, #.avg time avg, #.p99 time p99, #.max time max';

/** @type {Table[]} rows are of Sums, with the share of the stretch */
const TABLES = [
    { id: 'sum-cpus', title: 'CPUs', note: '', rowsOf: (sums) => sums.cpus,
        columns: columnsOf('row.name text CPU, share share load, busy time busy, idle time idle, '
            + 'interrupts time in interrupts, unknown time unknown') },
    { id: 'sum-tasks', title: 'Tasks', note: 'awake: from ready until they wait', rowsOf: (sums) => sums.tasks,
        columns: columnsOf('row.name text task, share share share, running time running, runs number runs, '
            + 'ready time ready, blocked time blocked, awake.n number awake, '
            + 'awake.avg time avg, awake.p99 time p99, awake.max time max') },
    { id: 'sum-irqs', title: 'Interrupts', note: 'from entry to exit', rowsOf: (sums) => sums.irqs,
        columns: columnsOf('row.name text interrupt, count number count, share share share, own time own, '
            + LENGTHS, 'length') },
    { id: 'sum-mutexes', title: 'Mutexes', note: 'how long they were held', rowsOf: (sums) => sums.mutexes,
        columns: columnsOf('row.name text mutex, count number count, share share share, time time held, '
            + LENGTHS, 'length') },
    { id: 'sum-spans', title: 'Spans', note: '', rowsOf: (sums) => sums.spans,
        columns: columnsOf(`name text span, count number count, time time time, ${LENGTHS}`, 'length') },
    { id: 'sum-counters', title: 'Counters', note: 'average over the time', rowsOf: (sums) => sums.counters,
        columns: columnsOf('row.name text counter, samples number changes, min number min, avg number avg, '
            + 'max number max') },
    { id: 'sum-events', title: 'Events', note: '', rowsOf: (sums) => sums.events,
        columns: columnsOf('name text event, count number count') },
];

/** The sums with what the tables show besides: shares and names of events. @param {Trace} trace @param {number} from
 *  @param {number} to */
function figuresIn(trace, from, to) {
    const sums = sumsIn(trace, from, to), all = to - from;
    return {
        ...sums,
        cpus: sums.cpus.map((cpu) => ({ ...cpu, share: cpu.busy / (all - cpu.unknown || 1) })),
        tasks: sums.tasks.map((task) => ({ ...task, share: task.running / all })),
        irqs: sums.irqs.map((irq) => ({ ...irq, share: irq.own / all })),
        mutexes: sums.mutexes.map((mutex) => ({ ...mutex, share: mutex.time / all })),
        events: sums.events.map(({ type, count }) => ({ name: trace.types[type].name, count })),
    };
}

/**
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 * @param {import('./types.js').Stretch} stretch
 * @param {boolean} isExact with all digits
 */
export function ofStretch(trace, state, { from, to }, isExact) {
    const sums = figuresIn(trace, from, to);
    const manner = { trace, isExact, go: null };
    const tables = TABLES.map((table) => ({ table, rows: table.rowsOf(sums) })).filter(({ rows }) => rows.length > 0);
    return {
        title: `Selected: ${timeText(to - from, trace.unit)}`, isWide: true,
        content: [make('p', {}, `From ${exactText(trace, from)} to ${exactText(trace, to)}: `,
            link('show it', () => lookAt(state, from, to), { title: 'show it (F)' })),
        ...tables.map(({ table, rows }) => make('div', { class: 'table-box' }, newTable(manner, table, rows)))],
    };
}
