/* rows.js - which rows are shown, in which order, how high, and what is folded. A lane is a line on the screen: a
 * heading, a row, or several rows of the same name folded into one. A number stands for what can be folded: the
 * index of the first row of a name, or one of the negative numbers below. */

import { isIdle, runningShares } from './sums.js';
import { countText, shareText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {'heading'|'problems'|import('./types.js').RowKind} LaneKind */
/**
 * @typedef {object} Lane
 * @property {LaneKind} kind
 * @property {Row[]} rows that it draws; none: a heading
 * @property {number} y of its upper edge, in CSS pixels
 * @property {number} height
 * @property {string} label
 * @property {string|null} shown as much of the label as fits; null: not known yet
 * @property {string} share of the trace's time
 * @property {boolean} hasShare there is room for it
 * @property {number|null} fold what Enter or a click on it folds
 * @property {boolean} folded
 */

const QUIET = -1;
/** @type {[import('./types.js').RowKind, string][]} */
const SECTIONS = [['irq', 'Interrupts'], ['task', 'Tasks'], ['mutex', 'Mutexes and queues'], ['counter', 'Counters'],
    ['span', 'Spans'], ['log', 'Log']];
/** @type {Record<LaneKind, number>} */
const HEIGHTS = { heading: 22, problems: 20, cpu: 42, irq: 20, task: 26, mutex: 20, counter: 44, span: 18, log: 20 };
const NEVER_RAN = 0, RUNNING = 1, READY = 2;

/** @type {WeakMap<Row, number>} */
const depths = new WeakMap();

/** Whether an interval begins inside of another. @param {Row} row */
const isNested = (row) => row.start.some((start, i) => i > 0 && start < row.end[i - 1]);

/** How many intervals of a row are inside each other, at most. @param {Row} row */
export function depthOf(row) {
    if (row.kind !== 'span' && row.kind !== 'irq') return 1;
    let depth = depths.get(row);
    if (depth === undefined) depths.set(row, depth = isNested(row)
        ? row.state.reduce((most, d) => Math.max(most, d + 1), 1) : 1);
    return depth;
}

/** A row that never did anything. @param {Row} row */
function isQuiet(row) {
    if (row.kind === 'cpu') return false;
    if (row.kind === 'task') return !row.state.some((s) => s === RUNNING || s === READY);
    return row.n === NEVER_RAN;
}

/** The share of the time in which a row's task runs, as --stat tells it, or in which it is held.
 *  @param {Trace} trace @param {Row} row */
function shareOf(trace, row) {
    if (row.kind === 'cpu') return 0;
    if (row.kind === 'task') return runningShares(trace)[row.index];
    let time = 0;
    for (let i = 0; i < row.end.length; i++)
        if (row.kind !== 'span' || row.state[i] === 0) time += row.end[i] - row.start[i];
    return trace.span > 0 ? time / trace.span : 0;
}

/** The share of rows together, as text; '': none. @param {Trace} trace @param {Row[]} rows */
function shareOfAll(trace, rows) {
    const share = rows.reduce((sum, row) => sum + shareOf(trace, row), 0);
    return share > 0 ? shareText(share, 1) : '';
}

/** @param {Trace} trace @param {Row} row */
function labelOf(trace, row) {
    const on = trace.cpus > 1 && row.cpu >= 0 ? ` CPU ${row.cpu}` : '';
    if (row.kind === 'cpu') return `CPU${trace.cpus > 1 ? ' ' + row.cpu : ''} load`;
    const of = row.kind === 'span' ? trace.rows[row.parent]?.name : undefined;
    return `${of === undefined ? row.name : row.name === 'spans' ? of : `${of} ${row.name}`}${on}`;
}

/** Rows of one kind in groups of the same name, in order. @param {Trace} trace @param {Row[]} rows
 *  @returns {Row[][]} */
function byName(trace, rows) {
    /** @type {Map<string, Row[]>} */
    const groups = new Map();
    for (const row of rows) {
        const name = labelOf(trace, row), group = groups.get(name);
        if (group) group.push(row);
        else groups.set(name, [row]);
    }
    return [...groups.values()];
}

/** What is folded when a trace is opened: rows that did nothing, and instances. @param {Trace} trace
 *  @returns {Set<number>} */
export function foldedAtFirst(trace) {
    const folded = new Set([QUIET]);
    for (const [kind] of SECTIONS)
        for (const group of byName(trace, rowsOf(trace, kind)))
            if (group.length > 1) folded.add(group[0].index);
    return folded;
}

/** The rows of a kind that did something: interrupts by number, tasks by urgency, and those that idle last.
 * @param {Trace} trace @param {import('./types.js').RowKind} kind */
function rowsOf(trace, kind) {
    const rows = trace.rows.filter((row) => row.kind === kind && !isQuiet(row));
    if (kind === 'irq') rows.sort((a, b) => a.cpu - b.cpu || Number(a.number) - Number(b.number));
    if (kind === 'task') rows.sort((a, b) => urgencyOf(trace, a) - urgencyOf(trace, b) || a.index - b.index);
    return rows;
}

/** Less is more urgent. @param {Trace} trace @param {Row} row */
function urgencyOf(trace, row) {
    if (isIdle(row)) return Number.MAX_VALUE;
    if (row.priority === null) return Number.MAX_SAFE_INTEGER;
    return trace.priorityOrder === 'highest_first' ? -row.priority : row.priority;
}

/** @param {LaneKind} kind @param {Row[]} rows @param {string} label @param {string} share
 *  @param {number|null} fold @param {boolean} folded @returns {Lane} */
function laneOf(kind, rows, label, share, fold, folded) {
    const deep = rows.reduce((most, row) => Math.max(most, depthOf(row)), 1);
    const height = kind === 'span' ? HEIGHTS.span * deep + 4 : HEIGHTS[kind];
    return { kind, rows, y: 0, height, label, shown: null, share, hasShare: false, fold, folded };
}

/** @param {Trace} trace @param {Row} row @param {number|null} fold */
function laneOfRow(trace, row, fold) {
    return laneOf(row.kind, [row], labelOf(trace, row), shareOfAll(trace, [row]), fold, false);
}

/** Lanes of the rows of one name. @param {Trace} trace @param {Row[]} group @param {Set<number>} folded */
function lanesOfGroup(trace, group, folded) {
    if (group.length === 1) return [laneOfRow(trace, group[0], null)];
    const fold = group[0].index;
    if (!folded.has(fold)) return group.map((row) => laneOfRow(trace, row, fold));
    const label = `${labelOf(trace, group[0])} (${countText(group.length)})`;
    return [laneOf(group[0].kind, group, label, shareOfAll(trace, group), fold, true)];
}

/** A heading, and what is below it if it is not folded. @param {Trace} trace @param {Row[]} rows @param {string} title
 *  @param {number} fold @param {Set<number>} folded */
function lanesOfSection(trace, rows, title, fold, folded) {
    if (rows.length === 0) return [];
    const isFolded = folded.has(fold);
    const heading = laneOf('heading', [], `${title} (${countText(rows.length)})`, '', fold, isFolded);
    return isFolded ? [heading] : [heading,
        ...byName(trace, rows).flatMap((group) => lanesOfGroup(trace, group, folded))];
}

/** All lanes with their places. @param {Trace} trace @param {Set<number>} folded @param {boolean} hasProblems
 *  @returns {Lane[]} */
export function lanesOf(trace, folded, hasProblems) {
    const cpus = trace.rows.filter((row) => row.kind === 'cpu').map((row) => laneOfRow(trace, row, null));
    const problems = hasProblems ? [laneOf('problems', [], 'Problems', '', null, false)] : [];
    const sections = SECTIONS.flatMap(([kind, title], i) =>
        lanesOfSection(trace, rowsOf(trace, kind), title, QUIET - 1 - i, folded));
    const quiet = lanesOfSection(trace, trace.rows.filter(isQuiet), 'Without anything', QUIET, folded);
    const lanes = [...cpus, ...problems, ...sections, ...quiet];
    let y = 0;
    for (const lane of lanes) {
        lane.y = y;
        y += lane.height;
    }
    return lanes;
}

/** How high all lanes are. @param {Lane[]} lanes */
export function heightOf(lanes) {
    const last = lanes[lanes.length - 1];
    return last ? last.y + last.height : 0;
}

/** The index of the lane at a height, or -1. @param {Lane[]} lanes @param {number} y */
export const laneAt = (lanes, y) => lanes.findIndex((lane) => y >= lane.y && y < lane.y + lane.height);
