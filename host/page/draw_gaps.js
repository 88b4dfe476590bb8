/* draw_gaps.js - hatching over all rows where events are lost or damaged, where the trace pauses, and where a
 * filter left events out; what it is, is written on top where it fits. */

import { endsAfter } from './pyramid.js';
import { px, widthOf, writeIn, xOf } from './pen.js';
import { countText } from './units.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./types.js').Gaps} Gaps */

const KINDS = ['lost', 'damaged', 'paused', 'left out'], PAUSE = 2;

/** "12 lost". @param {Gaps} gaps @param {number} i */
export function gapText(gaps, i) {
    const kind = KINDS[gaps.kind[i]] ?? 'unknown';
    return gaps.count[i] > 0 && gaps.kind[i] !== PAUSE ? `${countText(gaps.count[i])} ${kind}` : kind;
}

/** @type {WeakMap<Gaps, string[]>} */
const texts = new WeakMap();

/** The same text each time. @param {Gaps} gaps @param {number} i */
function textOnce(gaps, i) {
    let all = texts.get(gaps);
    if (!all) texts.set(gaps, all = []);
    return (all[i] ??= gapText(gaps, i));
}

/** @param {Pen} pen @param {Gaps} gaps @param {number} y @param {number} height @param {boolean} named */
export function drawGaps(pen, gaps, y, height, named) {
    const { from, perPixel, width } = pen.scale;
    let i = endsAfter(gaps.end, gaps.n, 0, from);
    while (i < gaps.n && gaps.start[i] < from + width * perPixel) {
        const left = Math.max(pen.left, xOf(pen, gaps.start[i])),
            right = Math.min(pen.left + width, xOf(pen, gaps.end[i]));
        drawGap(pen, gaps, i, left, Math.max(right, left + px(pen, 2)), y, height, named);
        i = Math.max(i + 1, endsAfter(gaps.end, gaps.n, i, from + (right - pen.left + 0.5) * perPixel));
    }
}

/** @param {Pen} pen @param {Gaps} gaps @param {number} i @param {number} left @param {number} right @param {number} y
 *  @param {number} height @param {boolean} named */
function drawGap(pen, gaps, i, left, right, y, height, named) {
    const { ctx, hatches, colours } = pen;
    ctx.fillStyle = gaps.kind[i] === PAUSE ? hatches.pause : hatches.unknown;
    ctx.fillRect(left, y, right - left, height);
    if (!named) return;
    const text = textOnce(gaps, i), high = px(pen, 16), wide = writtenWidth(pen, text, right - left);
    if (wide === 0) return;
    ctx.fillStyle = colours.back;
    ctx.fillRect(left + ((right - left - wide) >> 1), y, wide, high);
    ctx.fillStyle = colours.text;
    writeIn(pen, text, left + ((right - left - wide) >> 1), y + (high >> 1), wide);
}

/** How wide a text is with its edges; 0 if it does not fit. @param {Pen} pen @param {string} text
 *  @param {number} room */
function writtenWidth(pen, text, room) {
    if (room < px(pen, 20)) return 0;
    const wide = widthOf(pen, text) + px(pen, 8);
    return wide <= room ? wide : 0;
}
