/* tables.js - the answers of --stat as tables. Each cell keeps its figure as --stat --json tells it (data-value). */
import { link, make, nameOf } from './dom.js';
import { newHistogram } from './histogram.js';
import { figureOf } from './stat.js';
import { countText, exactText, shareText, timeText } from './units.js';

/** @typedef {'text'|'number'|'time'|'share'|'moment'|'line'|'bars'} Kind of a cell */
/** @typedef {[title: string, path: string, kind: Kind, length?: string]} Column length: the path of a moment's */
/** @typedef {{id: string, title: string, note: string, columns: Column[], rowsOf: (stat: any) => any[]}} Table */
/** @typedef {(at: number|string, length: number) => void} Go */
/** @typedef {{trace: import('./types.js').Trace, isExact: boolean, go: Go|null}} Manner how cells are shown */

const SPAN = '#.count number count, #.time time sum, #.min time min, #.avg time avg';
const LENGTHS = `${SPAN}, #.max time max, #.max_at moment at #.max`; /* # is where they are */
const SAMPLES = `${SPAN}, #.p50 time p50, #.p99 time p99, #.max time max, #.max_at moment at #.max, # bars samples`;

/** @param {string} told columns: path, kind and title of each @param {string} [where] @returns {Column[]} */
export function columnsOf(told, where = '') {
    return told.replaceAll('#', where).split(', ').map((column) => {
        const [, path, kind, title, , length] = /^(\S+) (\w+) (.*?)( ([\w.]*\.max|waited))?$/.exec(column) ?? [];
        return [title, path, /** @type {Kind} */ (kind), length];
    });
}

/** @param {string} key @returns {Table['rowsOf']} */
const tasksWith = (key) => (stat) => stat.tasks.filter((/** @type {any} */ task) => task[key].count > 0);

/** What is left out of a table if it is 0 in all its rows. */
const RARE = new Set(['unknown', 'created', 'of.until_end', 'of.inside', 'of.left', 'of.hits', 'of.counted']);

/** @type {Table[]} */
export const TABLES = [
    { id: 'load', title: 'Load', note: 'how long each CPU worked', rowsOf: (stat) => stat.load,
        columns: columnsOf('cpu number CPU, load share load, load_over_time line over time, busy time busy, '
            + 'idle time idle, in_interrupts time in interrupts, unknown time unknown') },
    { id: 'tasks', title: 'Tasks', note: 'the time of their own code, without interrupts', rowsOf: (stat) => stat.tasks,
        columns: columnsOf('task text task, pid number number, priority number priority, share share share, '
            + 'running time running, runs number runs, preempted number preempted, ready time ready, '
            + 'interrupted time interrupted, deadlines_missed number deadlines missed, created number created') },
    { id: 'responses', title: 'Responses', note: 'from a release to the end of the cycle',
        rowsOf: tasksWith('response'),
        columns: columnsOf(`task text task, ${SAMPLES}`, 'response') },
    { id: 'latencies', title: 'Latencies', note: 'from each wake-up until the task runs', rowsOf: tasksWith('latency'),
        columns: columnsOf(`task text task, ${SAMPLES}`, 'latency') },
    { id: 'periods', title: 'Periods', note: 'from the beginning of a cycle to the next one',
        rowsOf: tasksWith('period'),
        columns: columnsOf(`task text task, ${LENGTHS}, jitter time jitter, # bars samples`, 'period') },
    { id: 'cycles', title: 'Cycles', note: 'that the tasks log, from beginning to end', rowsOf: tasksWith('cycle'),
        columns: columnsOf(`task text task, ${LENGTHS}`, 'cycle') },
    { id: 'waits', title: 'Blocked', note: 'what each task waited for',
        rowsOf: (stat) => stat.tasks.flatMap((/** @type {any} */ { task, blocked }) =>
            blocked.map((/** @type {any} */ of) => ({ task, of }))),
        columns: columnsOf(`task text task, of.reason text by, of.object text object, ${LENGTHS}, `
            + `of.until_end time to the end`, 'of') },
    { id: 'interrupts', title: 'Interrupts', note: 'share: their own time, without others inside of them',
        rowsOf: (stat) => stat.interrupts.map((/** @type {any} */ of) => ({ of })),
        columns: columnsOf('of.interrupt text interrupt, of.number number number, of.entered number entered, '
            + `of.per_second number per second, of.share share share, of.own time own, ${LENGTHS}, `
            + 'of.inside number inside, of.left number left, of.hits number hits, of.counted number counted', 'of') },
    { id: 'mutexes', title: 'Mutexes', note: 'how long they were held, and waited for', rowsOf: (stat) => stat.mutexes,
        columns: columnsOf('mutex text mutex, held.count number held, held.max time longest, held_longest_by text by, '
            + 'held.max_at moment at held.max, waited.count number waits, waited.max time longest wait, '
            + 'waited_longest text of, waited.max_at moment at waited.max, inversions number inversions') },
    { id: 'inversions', title: 'Priority inversions', note: 'the longest', rowsOf: (stat) => stat.inversions,
        columns: columnsOf('task text task, waited time waited, mutex text for mutex, holder text held by, '
            + 'preempted_by text which was preempted by, preempted time for, at moment at waited') },
    { id: 'watermarks', title: 'Stack and heap', note: 'the least and the most that events told',
        rowsOf: (stat) => stat.stacks_and_heaps,
        columns: columnsOf('event text event, field text field, count number count, min number min, min_at moment at, '
            + 'max number max, max_at moment at, last number last') },
];

/** @param {number|string} n a whole number or one with decimals */
const numberText = (n) => (typeof n === 'string' ? BigInt(n) : n).toLocaleString('en-US', { maximumFractionDigits: 6 });

/** A length of time with four digits, or with all. @param {Manner} manner @param {number|string} time */
function lengthText({ trace, isExact }, time) {
    return isExact ? `${numberText(time)} ${trace.unit}` : timeText(Number(time), trace.unit);
}

/** @param {Manner} manner @param {number|string} at */
function momentText({ trace }, at) {
    return exactText(trace, Number(BigInt(at) - BigInt(trace.start)));
}

/** The load over time, as a line of blocks; null: not known. @param {(number|null)[]} parts */
function lineText(parts) {
    const blocks = ' ▁▂▃▄▅▆▇█';
    return parts.map((part) => (part === null ? '?' : blocks[part > 0 ? 1 + Math.floor(part * 7.999) : 0])).join('');
}

/** @type {Record<Kind, (manner: Manner, value: any) => string>} */
const TEXTS = {
    text: (_, value) => value,
    number: (_, value) => numberText(value),
    time: lengthText,
    share: (_, value) => shareText(value, 1),
    moment: momentText,
    line: (_, value) => lineText(value),
    bars: () => '',
};

/** @param {Manner} manner @param {any} row @param {Column} column */
function newCell(manner, row, [, path, kind, lengthPath]) {
    const value = figureOf(row, path);
    if (kind === 'bars')
        return make('td', { class: kind }, newHistogram(manner.trace, row, path));
    if (value === null)
        return make('td', { class: kind, 'data-path': path, 'data-value': 'null' }, '-');
    const text = TEXTS[kind](manner, value);
    const told = Array.isArray(value) ? JSON.stringify(value) : value;
    const attributes = { class: kind, 'data-path': path, 'data-value': told };
    const { go } = manner;
    if (kind === 'moment' && go !== null) {
        const length = lengthPath === undefined ? 0 : Number(figureOf(row, lengthPath));
        const act = () => go(value, length);
        return make('td', attributes, link(text, act, { title: 'show it in the timeline' }));
    }
    const exact = kind === 'time' ? `${numberText(value)} ${manner.trace.unit}` : null;
    return make('td', { ...attributes, title: exact }, kind === 'text' ? nameOf(text) : text);
}

/** @param {any} a @param {any} b */
function compare(a, b) {
    const [x, y] = [a ?? '', b ?? ''];
    if (typeof x === 'number' && typeof y === 'number')
        return x - y;
    return String(x).localeCompare(String(y), 'en', { numeric: true });
}

/** The rows by a column; down: the largest first. @param {any[]} rows @param {string} path @param {boolean} down */
export function sortRows(rows, path, down) {
    const sorted = [...rows].sort((a, b) => compare(figureOf(a, path), figureOf(b, path)));
    return down ? sorted.reverse() : sorted;
}

/** @param {Column} column @param {() => void} act */
function newHead([title, , kind], act) {
    const sort = () => make('button', { type: 'button', class: 'sort', onclick: act }, title);
    const inner = kind === 'line' || kind === 'bars' ? title : sort();
    return make('th', { scope: 'col', class: kind }, inner);
}

/** @param {Manner} manner @param {Column[]} columns @param {any[]} rows */
function newRows(manner, columns, rows) {
    const cellsOf = (/** @type {any} */ row) => columns.map((column) => newCell(manner, row, column));
    return rows.slice(0, ROWS_MOST).map((row) => make('tr', {}, ...cellsOf(row)));
}

const ROWS_MOST = 1000; /* of a table; sorting brings others to its top */

/** The columns that tell something of these rows. @param {Table} table @param {any[]} rows */
function columnsFor({ columns }, rows) {
    return columns.filter(([, path]) => !RARE.has(path) || rows.some((row) => Number(figureOf(row, path)) !== 0));
}

/**
 * A table that a click on a heading sorts, first with the largest above, a name with the first letter.
 * @param {Manner} manner
 * @param {Table} table
 * @param {any[]} rows
 */
export function newTable(manner, table, rows) {
    const columns = columnsFor(table, rows);
    const body = make('tbody', {}, ...newRows(manner, columns, rows));
    const heads = columns.map((column, i) => newHead(column, () => sortBy(i)));
    const sortBy = (/** @type {number} */ i) => {
        const [, path, kind] = columns[i];
        const before = heads[i].getAttribute('aria-sort');
        const down = before === null ? kind !== 'text' : before === 'ascending';
        heads.forEach((head) => head.removeAttribute('aria-sort'));
        heads[i].setAttribute('aria-sort', down ? 'descending' : 'ascending');
        body.replaceChildren(...newRows(manner, columns, sortRows(rows, path, down)));
    };
    const left = rows.length > ROWS_MOST ? `; ${ROWS_MOST} of ${countText(rows.length)}: sort to see others` : '';
    const caption = make('caption', {}, make('b', {}, table.title), ` ${table.note}${left}`);
    return make('table', { 'data-table': table.id }, caption, make('thead', {}, make('tr', {}, ...heads)), body);
}
