/* draw_tasks.js - rows of CPUs and tasks. Running is filled; ready is half as high and hatched; blocked is a line
 * with the reason on it. Where a pixel has several states, the filled part's height is the share that the task
 * runs. */

import { bandsOf } from './pyramid.js';
import { reasonText } from './reasons.js';
import { isIdle } from './sums.js';
import { LEAST_ROOM, beginRow, cutBand, endRow, fill, ink, px, writeIn } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./pyramid.js').Band} Band */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Trace} Trace */

const RUNNING = 1, READY = 2, BLOCKED = 3, IDLE = 2, UNKNOWN_ROW = 0xFFFFFFFF;

/** @param {Row} row */
const stateOf = (row) => row.state;

/** States of a CPU: it runs a task, or idles, or nobody knows. @param {Row} row @param {Trace} trace */
function statesOfCpu(row, trace) {
    const idle = trace.rows.map(isIdle);
    return Uint8Array.from(row.what.subarray(0, row.n),
        (task) => (task === UNKNOWN_ROW ? 0 : idle[task] ? IDLE : RUNNING));
}

/** @param {Trace} trace @param {Row} row */
export const bandOfCpu = (trace, row) => bandsOf(row, 1, statesOfCpu, trace)[0];

/** @param {Row} row */
export const bandOfTask = (row) => bandsOf(row, 1, stateOf, null)[0];

/** @param {Pen} pen @param {Row} row @param {number} i */
const reasonOf = (pen, row, i) => reasonText(pen.trace, row, i);
/** @param {Pen} pen @param {Row} row @param {number} i */
const shortReasonOf = (pen, row, i) => pen.trace.strings(row.what[i]);
/** @param {Pen} _pen @param {Row} row */
const nameOf = (_pen, row) => row.name;
/** @param {Pen} pen @param {Row} row @param {number} i */
const taskOf = (pen, row, i) => pen.trace.rows[row.what[i]].name;

/** Fills pieces in which a state lasts, and shares of it from the bottom in the others; ready stands on what runs.
 * @param {Pen} pen @param {Band} band @param {number} state @param {number} y @param {number} height
 *  @param {number} most of a piece */
function fillState(pen, band, state, y, height, most) {
    const { cuts } = pen;
    for (let k = 0; k < cuts.n; k++) {
        if (cuts.mixed[k] === 0) {
            if (band.state[cuts.index[k]] === state) fill(pen, cuts.left[k], y + height - most,
                cuts.right[k] - cuts.left[k], most);
            continue;
        }
        const share = state === RUNNING ? cuts.running[k] : cuts.ready[k];
        const below = state === RUNNING ? 0 : Math.round(cuts.running[k] * height);
        const high = Math.min(Math.ceil(share * most), height - below);
        if (high > 0) fill(pen, cuts.left[k], y + height - below - high, 1, high);
    }
}

/** A line along each piece in which the task is blocked.
 * @param {Pen} pen @param {Band} band @param {number} y @param {number} height */
function lineBlocked(pen, band, y, height) {
    const { cuts } = pen, line = px(pen, 1.5);
    for (let k = 0; k < cuts.n; k++)
        if (cuts.mixed[k] === 1 ? cuts.blocked[k] > 0 : band.state[cuts.index[k]] === BLOCKED)
            fill(pen, cuts.left[k], y + height - line, cuts.right[k] - cuts.left[k], line);
}

/** @param {Pen} pen @param {Band} band @param {number} y @param {number} height */
function hatchUnknown(pen, band, y, height) {
    const { cuts } = pen;
    for (let k = 0; k < cuts.n; k++)
        if (cuts.mixed[k] === 0 && band.state[cuts.index[k]] === 0)
            fill(pen, cuts.left[k], y, cuts.right[k] - cuts.left[k], height);
}

/** Writes into the pieces of a state the first of two texts that fits. @param {Pen} pen @param {Band} band
 * @param {number} state @param {number} y of the middle @param {Row} row
 * @param {(pen: Pen, row: Row, i: number) => string} textOf
 *  @param {(pen: Pen, row: Row, i: number) => string} [shortOf] */
function writeState(pen, band, state, y, row, textOf, shortOf) {
    const { cuts, left } = pen, least = px(pen, LEAST_ROOM);
    for (let k = 0; k < cuts.n; k++) {
        const i = cuts.index[k], x = left + cuts.left[k], room = cuts.right[k] - cuts.left[k];
        if (cuts.mixed[k] === 1 || room < least || band.state[i] !== state) continue;
        if (!writeIn(pen, textOf(pen, row, i), x, y, room) && shortOf) writeIn(pen, shortOf(pen, row, i), x, y, room);
    }
}

/** That a task that idles is ready tells nobody anything: it is not drawn.
 * @param {Pen} pen @param {Row} row @param {number} y @param {number} height */
export function drawTask(pen, row, y, height) {
    const { ctx, colours } = pen, band = bandOfTask(row), middle = y + (height >> 1);
    cutBand(pen, band);
    if (beginRow(pen, y, height)) fillTask(pen, band, row, y, height);
    if (pen.isDense) return;
    ctx.fillStyle = colours.faint;
    writeState(pen, band, BLOCKED, middle, row, reasonOf, shortReasonOf);
    ctx.fillStyle = colours['on-running'];
    writeState(pen, band, RUNNING, middle, row, nameOf);
}

/** @param {Pen} pen @param {Band} band @param {Row} row @param {number} y @param {number} height */
function fillTask(pen, band, row, y, height) {
    const { hatches } = pen;
    ink(pen, 'unknown', hatches.unknown);
    hatchUnknown(pen, band, y, height);
    ink(pen, 'blocked', null);
    lineBlocked(pen, band, y, height);
    ink(pen, 'ready', hatches.ready);
    if (!isIdle(row)) fillState(pen, band, READY, y, height, height >> 1);
    ink(pen, 'running', null);
    fillState(pen, band, RUNNING, y, height, height);
    endRow(pen);
}

/** The load of a CPU: what does not idle; the task's name where it fits.
 * @param {Pen} pen @param {Row} row @param {number} y @param {number} height */
export function drawCpu(pen, row, y, height) {
    const { ctx, colours } = pen, band = bandOfCpu(pen.trace, row), middle = y + (height >> 1);
    cutBand(pen, band);
    if (beginRow(pen, y, height)) fillCpu(pen, band, y, height);
    if (pen.isDense) return;
    ctx.fillStyle = colours['on-running'];
    writeState(pen, band, RUNNING, middle, row, taskOf);
    ctx.fillStyle = colours.faint;
    writeState(pen, band, IDLE, middle, row, taskOf);
}

/** @param {Pen} pen @param {Band} band @param {number} y @param {number} height */
function fillCpu(pen, band, y, height) {
    ink(pen, 'unknown', pen.hatches.unknown);
    hatchUnknown(pen, band, y, height);
    ink(pen, 'running', null);
    fillState(pen, band, RUNNING, y, height, height);
    ink(pen, 'back', null);
    divide(pen, band, y, height);
    endRow(pen);
}

/** A gap between tasks that run one after the other. @param {Pen} pen @param {Band} band @param {number} y
 *  @param {number} height */
function divide(pen, band, y, height) {
    const { cuts } = pen, least = px(pen, 4);
    for (let k = 0; k < cuts.n; k++)
        if (cuts.right[k] - cuts.left[k] > least && band.state[cuts.index[k]] === RUNNING)
            fill(pen, cuts.right[k] - 1, y, 1, height);
}
