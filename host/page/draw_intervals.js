/* draw_intervals.js - rows of interrupts, mutexes and spans: boxes with names. An interrupt inside of another is
 * lower. It is also drawn over the task that it interrupts. */

import { bandsOf, endsAfter } from './pyramid.js';
import { depthOf } from './rows.js';
import { beginRow, cutBand, endRow, fill, ink, px, writeIn } from './pen.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./pyramid.js').Band} Band */
/** @typedef {import('./types.js').Row} Row */

/** All intervals of these kinds are "running". @param {Row} row */
const busy = (row) => new Uint8Array(row.n).fill(1);

/** @param {Row} row */
export const bandsOfRow = (row) => bandsOf(row, depthOf(row), busy, null);

/** The index in the row of an interval of a band. @param {Band} band @param {number} i */
export const inRow = (band, i) => (band.index === null ? i : band.index[i]);

/** Fills pieces, and of pixels with several intervals the share, at least a little.
 * @param {Pen} pen @param {number} y @param {number} height
 *  @param {Row|null} row whose intervals are lower the deeper they are
 *  @param {Band} band */
function fillPieces(pen, y, height, row, band) {
    const { cuts } = pen, least = px(pen, 3);
    for (let k = 0; k < cuts.n; k++) {
        const drop = cuts.mixed[k] === 1 ? height - Math.max(least, Math.round(cuts.running[k] * height))
            : row === null ? 0 : Math.min(row.state[inRow(band, cuts.index[k])], 2) * (height >> 2);
        fill(pen, cuts.left[k], y + drop, cuts.right[k] - cuts.left[k], height - drop);
    }
}

/** The name of an interval of a band. @param {Pen} pen @param {Row} row @param {Band} band @param {number} i */
const textOf = (pen, row, band, i) =>
    (row.kind === 'irq' ? row.name : pen.trace.strings(row.what[inRow(band, i)]));

/** @param {Pen} pen @param {Row} row @param {Band} band @param {number} y of the middle */
function writePieces(pen, row, band, y) {
    const { cuts, left } = pen;
    for (let k = 0; k < cuts.n; k++)
        if (cuts.mixed[k] === 0)
            writeIn(pen, textOf(pen, row, band, cuts.index[k]), left + cuts.left[k], y, cuts.right[k] - cuts.left[k]);
}

/** Edges, so that boxes side by side can be told apart. @param {Pen} pen @param {number} y @param {number} height */
function edgePieces(pen, y, height) {
    const { cuts } = pen, least = px(pen, 4);
    ink(pen, 'back', null);
    for (let k = 0; k < cuts.n; k++)
        if (cuts.right[k] - cuts.left[k] > least) fill(pen, cuts.right[k] - 1, y, 1, height);
}

/** @param {Pen} pen @param {Row} row @param {number} y @param {number} height */
export function drawIrq(pen, row, y, height) {
    const bands = bandsOfRow(row);
    for (let i = 0; i < bands.length; i++) drawBand(pen, row, bands[i], y, height, 'irq', 'on-irq');
}

/** @param {Pen} pen @param {Row} row @param {number} y @param {number} height */
export function drawMutex(pen, row, y, height) {
    drawBand(pen, row, bandsOfRow(row)[0], y, height, 'held', 'text');
}

/** @param {Pen} pen @param {Row} row @param {Band} band @param {number} y @param {number} height
 *  @param {'irq'|'held'|'span'} colour @param {'on-irq'|'text'} onColour */
function drawBand(pen, row, band, y, height, colour, onColour) {
    cutBand(pen, band);
    if (beginRow(pen, y, height)) {
        ink(pen, colour, null);
        fillPieces(pen, y, height, colour === 'irq' ? row : null, band);
        edgePieces(pen, y, height);
        endRow(pen);
    }
    if (pen.isDense) return;
    pen.ctx.fillStyle = pen.colours[onColour];
    writePieces(pen, row, band, y + (height >> 1));
}

/** Spans: those inside of others stand below them.
 * @param {Pen} pen @param {Row} row @param {number} y @param {number} height of all depths */
export function drawSpans(pen, row, y, height) {
    const levels = bandsOfRow(row), each = Math.floor(height / levels.length);
    for (let depth = 0; depth < levels.length; depth++)
        drawBand(pen, row, levels[depth], y + depth * each, each - px(pen, 1), 'span', 'text');
}

/** Interrupts over the tasks that they interrupt, as wide as they are long; none if there are too many to be told
 * apart.
 * @param {Pen} pen @param {Row} irq @param {Row} cpu what runs
 *  @param {Int32Array} yOf of each row's lane, -1: not shown
 * @param {number} height */
export function drawOver(pen, irq, cpu, yOf, height) {
    const { ctx, left, scale } = pen, band = bandsOfRow(irq)[0],
        first = endsAfter(band.end, band.n, 0, scale.from);
    if (endsAfter(band.end, band.n, first, scale.from + scale.width * scale.perPixel) - first > scale.width) return;
    cutBand(pen, band);
    const { cuts } = pen;
    ctx.fillStyle = pen.colours.irq;
    let i = 0;
    for (let k = 0; k < cuts.n; k++) {
        if (cuts.mixed[k] === 1) continue;
        i = endsAfter(cpu.end, cpu.n, i, irq.start[cuts.index[k]]);
        const y = i < cpu.n ? yOf[cpu.what[i]] ?? -1 : -1;
        if (y >= 0) ctx.fillRect(left + cuts.left[k], y, cuts.right[k] - cuts.left[k], height);
    }
}
