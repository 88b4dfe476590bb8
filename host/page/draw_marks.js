/* draw_marks.js - what happens at a moment: own events, problems, log lines, and what a filter found. */

import { endsAfter, notBefore } from './pyramid.js';
import { px, writeIn, xOf } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Trace} Trace */

/** A moment that is drawn at its row. @typedef {{index: Uint32Array, time: Float64Array}} Marks */

const TEXTS_MOST = 2000;
/** @type {WeakMap<Trace, Map<number, Marks>>} */
const marks = new WeakMap();
/** @type {Map<number, string>} */
const texts = new Map();
/** @type {Trace|null} */
let textsOf = null;

/** The text of an event, the same each time. @param {Trace} trace @param {number} event */
export function eventText(trace, event) {
    if (textsOf !== trace || texts.size > TEXTS_MOST) texts.clear();
    textsOf = trace;
    let text = texts.get(event);
    if (text === undefined) texts.set(event, text = trace.events.text(event));
    return text;
}

/** The indexes of own events, for each row; made once. @param {Trace} trace @returns {Map<number, Marks>} */
function marksOfRows(trace) {
    const { events } = trace, isOwn = trace.types.map((type) => type.system === 'user'
        || type.name.startsWith('user_event'));
    /** @type {Map<number, number[]>} */
    const found = new Map();
    for (let i = 0; i < events.n; i++) {
        if (!isOwn[events.type[i]]) continue;
        const list = found.get(events.row[i]);
        if (list) list.push(i);
        else found.set(events.row[i], [i]);
    }
    return new Map([...found].map(([row, list]) =>
        [row, { index: Uint32Array.from(list), time: Float64Array.from(list, (i) => events.time[i]) }]));
}

/** Own events of a row. @param {Trace} trace @param {number} row */
export function marksOf(trace, row) {
    let all = marks.get(trace);
    if (!all) marks.set(trace, all = marksOfRows(trace));
    return all.get(row);
}

/** The next of sorted times that is not on the same pixel. @param {Pen} pen @param {Float64Array} times
 *  @param {number} n @param {number} i */
function nextPixel(pen, times, n, i) {
    const { from, perPixel } = pen.scale, next = from + (Math.floor((times[i] - from) / perPixel) + 1) * perPixel;
    return endsAfter(times, n, i + 1, next);
}

/** A triangle that points down. @param {Pen} pen @param {number} x @param {number} y @param {number} size */
function triangle(pen, x, y, size) {
    pen.ctx.moveTo(x - size, y);
    pen.ctx.lineTo(x + size, y);
    pen.ctx.lineTo(x, y + 2 * size);
}

/** Triangles at the upper edge of a row; where they would touch, short lines, one a pixel at most.
 * @param {Pen} pen @param {Float64Array} times @param {number} y @param {number} size */
function drawMoments(pen, times, y, size) {
    const n = times.length, to = pen.scale.from + pen.scale.width * pen.scale.perPixel;
    let last = -Infinity;
    pen.ctx.beginPath();
    for (let i = notBefore(times, n, pen.scale.from); i < n && times[i] < to; i = nextPixel(pen, times, n, i)) {
        const x = xOf(pen, times[i]), isNear = x - last < 3 * size;
        if (isNear || (i + 1 < n && xOf(pen, times[i + 1]) - x < 3 * size)) pen.ctx.rect(x, y, px(pen, 1), size);
        else triangle(pen, x, y, size);
        last = x;
    }
    pen.ctx.fill();
}

/** Triangles, one a pixel at most. @param {Pen} pen @param {Float64Array} times @param {number} y
 *  @param {number} size */
export function drawTriangles(pen, times, y, size) {
    const n = times.length, to = pen.scale.from + pen.scale.width * pen.scale.perPixel;
    pen.ctx.beginPath();
    for (let i = notBefore(times, n, pen.scale.from); i < n && times[i] < to; i = nextPixel(pen, times, n, i))
        triangle(pen, xOf(pen, times[i]), y, size);
    pen.ctx.fill();
}

/** Own events of a row. @param {Pen} pen @param {Row} row @param {number} y */
export function drawMarks(pen, row, y) {
    const found = marksOf(pen.trace, row.index);
    if (!found) return;
    pen.ctx.fillStyle = pen.colours.mark;
    drawMoments(pen, found.time, y, px(pen, 3));
}

/** Log lines: a mark, and the text if it fits before the next one. @param {Pen} pen @param {Row} row
 *  @param {number} y @param {number} height */
export function drawLog(pen, row, y, height) {
    const { start, n } = row, edge = pen.left + pen.scale.width, to = pen.scale.from
        + pen.scale.width * pen.scale.perPixel;
    for (let i = notBefore(start, n, pen.scale.from); i < n && start[i] < to; i = nextPixel(pen, start, n, i)) {
        const x = xOf(pen, start[i]), end = i + 1 < n ? Math.min(edge, xOf(pen, start[i + 1])) : edge;
        pen.ctx.fillStyle = pen.colours.blocked;
        pen.ctx.fillRect(x, y, px(pen, 1), height);
        pen.ctx.fillStyle = pen.colours.text;
        if (end - x > px(pen, 30)) writeIn(pen, eventText(pen.trace, row.what[i]), x + px(pen, 2), y + (height >> 1),
            end - x - px(pen, 6));
    }
}

/** What happens at a moment, as a line over all rows. There are none if there would be too many.
 * @param {Pen} pen @param {Float64Array} times @param {string} colour @param {number} y @param {number} height
 *  @param {number} most */
export function drawLines(pen, times, colour, y, height, most) {
    const n = times.length, to = pen.scale.from + pen.scale.width * pen.scale.perPixel,
        first = notBefore(times, n, pen.scale.from);
    if (notBefore(times, n, to) - first > most) return;
    pen.ctx.fillStyle = colour;
    pen.ctx.globalAlpha = 0.6;
    for (let i = first; i < n && times[i] < to; i = nextPixel(pen, times, n, i))
        pen.ctx.fillRect(xOf(pen, times[i]), y, Math.max(1, px(pen, 1)), height);
    pen.ctx.globalAlpha = 1;
}

/** Problems: a triangle, and what it is if that fits before the next one.
 * @param {Pen} pen @param {import('./types.js').Problem[]} problems @param {Float64Array} times @param {number} y
 *  @param {number} height */
export function drawProblems(pen, problems, times, y, height) {
    const n = times.length, to = pen.scale.from + pen.scale.width * pen.scale.perPixel, edge = pen.left
        + pen.scale.width;
    pen.ctx.fillStyle = pen.colours.problem;
    drawTriangles(pen, times, y, px(pen, 5));
    for (let i = notBefore(times, n, pen.scale.from); i < n && times[i] < to; i = nextPixel(pen, times, n, i)) {
        const x = xOf(pen, times[i]) + px(pen, 5), end = i + 1 < n ? Math.min(edge, xOf(pen, times[i + 1]) - px(pen, 8))
            : edge;
        writeIn(pen, problems[i].text, x, y + (height >> 1), end - x);
    }
}
