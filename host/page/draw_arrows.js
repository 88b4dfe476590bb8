/* draw_arrows.js - who woke whom: an arrow from the row of the one that woke to the row of the one that became
 * ready. They are drawn for the chosen row, and for all where there is room. */

import { notBefore } from './pyramid.js';
import { px, xOf } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./types.js').Wakes} Wakes */

const ALL = 60, MOST = 5000; /* wake-ups on the screen: then arrows are drawn for all rows, for the chosen one */

/** @param {Pen} pen @param {Wakes} wakes @param {number} chosen row, or -1
 *  @param {Int32Array} yOf of each row's middle, -1: not shown */
export function drawArrows(pen, wakes, chosen, yOf) {
    const { from, perPixel, width } = pen.scale;
    const first = notBefore(wakes.time, wakes.n, from), end = notBefore(wakes.time, wakes.n, from + width * perPixel);
    const all = end - first <= ALL;
    if (end - first > MOST) return;
    pen.ctx.fillStyle = pen.colours.text;
    for (let i = first; i < end; i++) {
        if (!all && wakes.from[i] !== chosen && wakes.to[i] !== chosen) continue;
        const y = yOf[wakes.from[i]] ?? -1, to = yOf[wakes.to[i]] ?? -1;
        if (y >= 0 && to >= 0 && y !== to) arrow(pen, xOf(pen, wakes.time[i]), y, to);
    }
}

/** Straight down or up: it stands at the time of the wake-up. @param {Pen} pen @param {number} x @param {number} from
 *  @param {number} to */
function arrow(pen, x, from, to) {
    const { ctx } = pen, size = px(pen, 4), line = Math.max(1, px(pen, 1)), back = to > from ? -size : size;
    ctx.globalAlpha = 0.5;
    ctx.fillRect(x, Math.min(from, to), line, Math.abs(to - from));
    ctx.globalAlpha = 1;
    ctx.fillRect(x - px(pen, 2), from - px(pen, 2), px(pen, 4) + line, px(pen, 4));
    ctx.beginPath();
    ctx.moveTo(x + line / 2, to);
    ctx.lineTo(x + line / 2 - size, to + back * 1.4);
    ctx.lineTo(x + line / 2 + size, to + back * 1.4);
    ctx.fill();
}
