/* draw_counters.js - a counter as a plot of steps: an area, and a line on top. Where a pixel has several samples,
 * the line reaches from the least to the most of them. */

import { endsAfter, extremeOf, extremesOf, notBefore } from './pyramid.js';
import { beginRow, endRow, fill, ink, px } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./types.js').Row} Row */

/** The range that is drawn: all values and zero. @param {Row} row */
function rangeOf(row) {
    const { least, most } = extremesOf(row);
    const low = Math.min(0, least[least.length - 1]?.[0] ?? 0), high = Math.max(0, most[most.length - 1]?.[0] ?? 0);
    return { low, high: high > low ? high : low + 1 };
}

/** @type {WeakMap<Row, {low: number, high: number}>} */
const ranges = new WeakMap();

/** @param {Row} row */
function rangeOnce(row) {
    let range = ranges.get(row);
    if (!range) ranges.set(row, range = rangeOf(row));
    return range;
}

/** @param {Pen} pen @param {Row} row @param {number} y @param {number} height */
export function drawCounter(pen, row, y, height) {
    const first = notBefore(row.start, row.n, pen.scale.from), to = pen.scale.from
        + pen.scale.width * pen.scale.perPixel;
    pen.nmixed = endsAfter(row.start, row.n, first, to) - first;
    if (!beginRow(pen, y, height)) return;
    ink(pen, 'area', null);
    plot(pen, row, y, height, true);
    ink(pen, 'plot', null);
    plot(pen, row, y, height, false);
    endRow(pen);
}

/** Goes from pixel to pixel that has samples. Before the first sample there is nothing.
 * @param {Pen} pen @param {Row} row @param {number} y @param {number} height @param {boolean} isArea */
function plot(pen, row, y, height, isArea) {
    const { from, perPixel, width } = pen.scale, { least, most } = extremesOf(row);
    let i = Math.max(0, notBefore(row.start, row.n, from) - 1), x = pixelOf(pen, row, i), last = row.value[i];
    while (x < width && i < row.n) {
        const next = endsAfter(row.start, row.n, i + 1, from + (x + 0.5) * perPixel), to = pixelOf(pen, row, next);
        if (isArea) fillTo(pen, row, y, height, x, to, row.value[next - 1]);
        else {
            const low = Math.min(last, extremeOf(row.value, least, i, next, false));
            lineTo(pen, row, y, height, x, to, row.value[next - 1], low,
                Math.max(last, extremeOf(row.value, most, i, next, true)));
        }
        last = row.value[next - 1];
        i = next;
        x = to;
    }
}

/** Where a sample is drawn. @param {Pen} pen @param {Row} row @param {number} i */
const pixelOf = (pen, row, i) => (i >= row.n ? pen.scale.width
    : Math.min(pen.scale.width, Math.max(0, Math.round((row.start[i] - pen.scale.from) / pen.scale.perPixel))));

/** The height of a value. @param {Row} row @param {number} y @param {number} height @param {number} value */
function yOf(row, y, height, value) {
    const { low, high } = rangeOnce(row);
    return y + Math.round((height - 1) * (high - value) / (high - low));
}

/** @param {Pen} pen @param {Row} row @param {number} y @param {number} height @param {number} x @param {number} to
 *  @param {number} value */
function fillTo(pen, row, y, height, x, to, value) {
    const zero = yOf(row, y, height, 0), top = yOf(row, y, height, value);
    fill(pen, x, Math.min(top, zero), to - x, Math.abs(zero - top));
}

/** @param {Pen} pen @param {Row} row @param {number} y @param {number} height @param {number} x @param {number} to
 *  @param {number} value @param {number} low @param {number} high */
function lineTo(pen, row, y, height, x, to, value, low, high) {
    const line = px(pen, 1.5), top = yOf(row, y, height - line, high), bottom = yOf(row, y, height - line, low);
    if (bottom > top) fill(pen, x, top, Math.min(line, pen.scale.width - x), bottom - top);
    fill(pen, x, yOf(row, y, height - line, value), to - x, line);
}
