/* draw_overview.js - the strip above the axis: the whole trace, with its load, losses and problems, and which part
 * of it is shown below. Its picture is drawn once, and again when the size, the colours or the problems change. */

import { bandOfCpu } from './draw_tasks.js';
import { drawGaps } from './draw_gaps.js';
import { drawTriangles } from './draw_marks.js';
import { cut, newCuts } from './pyramid.js';
import { px } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */

const PAD = 3;

/** The loads of the CPUs, one below the other. @param {Pen} pen @param {number} height */
function drawLoads(pen, height) {
    const { ctx, trace } = pen, cuts = newCuts(pen.scale.width), rows = trace.rows.filter((row) => row.kind === 'cpu');
    const each = Math.floor((height - 2 * px(pen, PAD)) / Math.max(1, rows.length));
    ctx.fillStyle = pen.colours.running;
    rows.forEach((row, i) => {
        const band = bandOfCpu(trace, row), bottom = px(pen, PAD) + (i + 1) * each;
        cut(band, pen.scale, cuts);
        for (let k = 0; k < cuts.n; k++) {
            const share = cuts.mixed[k] === 1 ? cuts.running[k] : band.state[cuts.index[k]] === 1 ? 1 : 0;
            const high = Math.round(share * (each - 1));
            ctx.fillRect(cuts.left[k], bottom - high, cuts.right[k] - cuts.left[k], high);
        }
    });
}

/** @param {Pen} pen @param {number} height @param {Float64Array} problems their times */
export function pictureOf(pen, height, problems) {
    const canvas = document.createElement('canvas'), { scale } = pen;
    canvas.width = scale.width;
    canvas.height = height;
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false }));
    const whole = { ...pen, ctx, left: 0,
        scale: { from: 0, perPixel: Math.max(pen.trace.span, 1) / scale.width, width: scale.width } };
    ctx.fillStyle = pen.colours.names;
    ctx.fillRect(0, 0, scale.width, height);
    drawLoads(whole, height);
    drawGaps(whole, pen.trace.gaps, 0, height, false);
    ctx.fillStyle = pen.colours.problem;
    drawTriangles(whole, problems, 0, px(pen, 4));
    return canvas;
}

/** The picture, and a frame around what is shown. @param {Pen} pen @param {HTMLCanvasElement} picture
 *  @param {number} height */
export function drawOverview(pen, picture, height) {
    const { ctx, colours, left, scale } = pen, span = Math.max(pen.trace.span, 1), line = px(pen, 2);
    const from = left + Math.round(scale.from / span * scale.width);
    const width = Math.max(3 * line, Math.round(scale.width * scale.perPixel / span * scale.width));
    ctx.drawImage(picture, left, 0);
    ctx.fillStyle = colours.back;
    ctx.globalAlpha = 0.6;
    ctx.fillRect(left, 0, from - left, height);
    ctx.fillRect(from + width, 0, left + scale.width - from - width, height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.chosen;
    ctx.lineWidth = line;
    ctx.strokeRect(from + line / 2, line / 2, Math.min(width, left + scale.width - from) - line, height - line);
}
