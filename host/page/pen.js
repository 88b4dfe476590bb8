/* pen.js - what all that draws shares: the canvas, colours, hatching, text that fits, and room for a row's pieces, so that
 * a frame allocates nothing. All places are whole pixels of the screen. */

import { newCuts } from './pyramid.js';

/** @typedef {import('./pyramid.js').Scale} Scale */
/** @typedef {Record<typeof COLOURS[number], string>} Colours */
/** @typedef {{ready: CanvasPattern, unknown: CanvasPattern, pause: CanvasPattern}} Hatches */
/**
 * @typedef {object} Pen
 * @property {CanvasRenderingContext2D} ctx
 * @property {number} ratio pixels of the screen in a CSS pixel
 * @property {number} left width of the names
 * @property {Scale} scale what is shown; pixel 0 is at `left`
 * @property {import('./pyramid.js').Cuts} cuts
 * @property {Colours} colours
 * @property {Hatches} hatches
 * @property {Map<string, number>} widths of texts that were measured
 * @property {import('./types.js').Trace} trace
 */

const COLOURS = /** @type {const} */ (['back', 'names', 'text', 'faint', 'grid', 'running', 'on-running', 'ready', 'blocked', 'irq',
    'on-irq', 'held', 'span', 'plot', 'area', 'unknown', 'problem', 'mark', 'chosen', 'selection', 'cursor']);
const TEXT_SIZE = 12, TEXTS_MOST = 8192, FONT = 'system-ui, "DejaVu Sans", sans-serif';

/** The colours of the style: --tl-running and so on. @param {Element} element */
export function readColours(element) {
    const style = getComputedStyle(element);
    return /** @type {Colours} */ (Object.fromEntries(
        COLOURS.map((name) => [name, style.getPropertyValue(`--tl-${name}`).trim() || '#808080'])));
}

/** Lines across a square that can be laid side by side. @param {CanvasRenderingContext2D} ctx @param {string} colour
 *  @param {number} size @param {number} line @param {boolean} rising */
function hatch(ctx, colour, size, line, rising) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const to = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
    to.strokeStyle = colour;
    to.lineWidth = line;
    to.beginPath();
    for (const shift of [-size, 0, size]) {
        to.moveTo(shift - 1, rising ? size + 1 : -1);
        to.lineTo(shift + size + 1, rising ? -1 : size + 1);
    }
    to.stroke();
    return /** @type {CanvasPattern} */ (ctx.createPattern(tile, 'repeat'));
}

/** @param {CanvasRenderingContext2D} ctx @param {Colours} colours @param {number} ratio @returns {Hatches} */
function hatchesOf(ctx, colours, ratio) {
    const size = (/** @type {number} */ css) => Math.max(4, Math.round(css * ratio));
    return { ready: hatch(ctx, colours.ready, size(5), 1.6 * ratio, true),
        unknown: hatch(ctx, colours.unknown, size(8), 1.3 * ratio, true),
        pause: hatch(ctx, colours.unknown, size(8), 1.3 * ratio, false) };
}

/** @param {HTMLCanvasElement} canvas @param {Colours} colours @param {number} ratio @param {number} left
 *  @param {import('./types.js').Trace} trace @returns {Pen} */
export function newPen(canvas, colours, ratio, left, trace) {
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false }));
    const width = Math.max(1, canvas.width - left);
    ctx.textBaseline = 'middle';
    setFont(ctx, ratio, false);
    return { ctx, ratio, left, scale: { from: 0, perPixel: 1, width }, cuts: newCuts(width), colours,
        hatches: hatchesOf(ctx, colours, ratio), widths: new Map(), trace };
}

/** @param {CanvasRenderingContext2D} ctx @param {number} ratio @param {boolean} bold */
export function setFont(ctx, ratio, bold) {
    ctx.font = `${bold ? '600 ' : ''}${Math.round(TEXT_SIZE * ratio)}px ${FONT}`;
}

/** CSS pixels as whole pixels of the screen. @param {Pen} pen @param {number} css */
export const px = (pen, css) => Math.round(css * pen.ratio);

/** The pixel of a time, from the canvas' edge on. @param {Pen} pen @param {number} time */
export const xOf = (pen, time) => pen.left + Math.round((time - pen.scale.from) / pen.scale.perPixel);

/** @param {Pen} pen @param {string} text */
export function widthOf(pen, text) {
    let width = pen.widths.get(text);
    if (width === undefined) {
        if (pen.widths.size >= TEXTS_MOST) pen.widths.clear();
        pen.widths.set(text, width = Math.ceil(pen.ctx.measureText(text).width));
    }
    return width;
}

/** Writes a text if it fits, with a little room at both sides. Tells whether it did.
 * @param {Pen} pen @param {string} text @param {number} x @param {number} y of its middle @param {number} room */
export function writeIn(pen, text, x, y, room) {
    const edge = px(pen, 4);
    if (room < px(pen, 14) || text === '' || widthOf(pen, text) + 2 * edge > room) return false;
    pen.ctx.fillText(text, x + edge, y);
    return true;
}

/** A text, shortened so that it fits. @param {Pen} pen @param {string} text @param {number} room */
export function shortened(pen, text, room) {
    if (widthOf(pen, text) <= room) return text;
    let n = text.length;
    while (n > 1 && pen.ctx.measureText(text.slice(0, n) + '…').width > room) n--;
    return text.slice(0, n) + '…';
}
