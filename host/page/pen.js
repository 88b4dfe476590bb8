/* pen.js - what all that draws shares: the canvas, colours, hatching, text that fits, and room for a row's pieces,
 * so that a frame allocates nothing. All places are whole pixels of the screen. */

import { cut, newCuts } from './pyramid.js';

/** @typedef {import('./pyramid.js').Scale} Scale */
/** @typedef {import('./pyramid.js').Cuts} Cuts */
/** Cuts of a band as they were for a scale.
 *  @typedef {{cuts: Cuts, band: import('./pyramid.js').Band|null, from: number, perPixel: number}} Known */
/** @typedef {Record<typeof COLOURS[number], string>} Colours */
/** @typedef {{ready: CanvasPattern, unknown: CanvasPattern, pause: CanvasPattern}} Hatches */
/**
 * @typedef {object} Pen
 * @property {CanvasRenderingContext2D} ctx
 * @property {string} font
 * @property {string} bold
 * @property {number} ratio pixels of the screen in a CSS pixel
 * @property {number} left width of the names
 * @property {Scale} scale what is shown; pixel 0 is at `left`
 * @property {Cuts} cuts of the row that is drawn
 * @property {Known[]} known cuts of the rows that were drawn last
 * @property {number} oldest of them
 * @property {number} nmixed pixels of the row that have several intervals
 * @property {Colours} colours
 * @property {Hatches} hatches
 * @property {Map<string, number>} widths of texts that were measured
 * @property {boolean} writes false: rows are drawn over each other, without texts
 * @property {import('./types.js').Trace} trace
 * @property {boolean} isDense rows are drawn that go into `strip`, see beginRow()
 * @property {boolean} isPlain a crowded row was drawn, and no piece has room for a text
 * @property {number} rowTop
 * @property {number} rowHeight
 * @property {ImageData} strip
 * @property {Uint32Array} pixels of it
 * @property {Record<keyof Colours, number>} packed colours, as pixels have them
 * @property {number} ink
 * @property {boolean} isHatched
 */

const COLOURS = /** @type {const} */ (['back', 'names', 'text', 'faint', 'grid', 'running', 'on-running', 'ready',
    'blocked', 'irq', 'on-irq', 'held', 'span', 'plot', 'area', 'unknown', 'problem', 'mark', 'chosen', 'selection',
    'cursor']);
const TEXT_SIZE = 12, TEXTS_MOST = 8192, DENSE = 64, HATCH = 5, HIGHEST = 128, KNOWN_MOST = 64;
const FONT = 'system-ui, "DejaVu Sans", sans-serif';

/** CSS pixels that a text needs at least. */
export const LEAST_ROOM = 14;

/** The colours of the style: --tl-running and so on. @param {Element} element */
export function readColours(element) {
    const style = getComputedStyle(element);
    return /** @type {Colours} */ (Object.fromEntries(
        COLOURS.map((name) => [name, style.getPropertyValue(`--tl-${name}`).trim() || '#808080'])));
}

/** Colours as a pixel's 32 bits: what a canvas makes of them. @param {Colours} colours */
function packedOf(colours) {
    const canvas = document.createElement('canvas');
    canvas.width = COLOURS.length;
    canvas.height = 1;
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
    COLOURS.forEach((name, i) => {
        ctx.fillStyle = colours[name];
        ctx.fillRect(i, 0, 1, 1);
    });
    const pixels = new Uint32Array(ctx.getImageData(0, 0, COLOURS.length, 1).data.buffer);
    return /** @type {Record<keyof Colours, number>} */ (Object.fromEntries(COLOURS.map((name, i) =>
        [name, pixels[i]])));
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
    return { ready: hatch(ctx, colours.ready, size(HATCH), 1.6 * ratio, true),
        unknown: hatch(ctx, colours.unknown, size(8), 1.3 * ratio, true),
        pause: hatch(ctx, colours.unknown, size(8), 1.3 * ratio, false) };
}

/** @param {HTMLCanvasElement} canvas @param {Colours} colours @param {number} ratio @param {number} left
 *  @param {import('./types.js').Trace} trace @returns {Pen} */
export function newPen(canvas, colours, ratio, left, trace) {
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false }));
    const width = Math.max(1, canvas.width - left), strip = ctx.createImageData(width, Math.round(HIGHEST * ratio));
    ctx.textBaseline = 'middle';
    const font = `${Math.round(TEXT_SIZE * ratio)}px ${FONT}`;
    ctx.font = font;
    return {
        ctx, font, bold: `600 ${font}`, ratio, left, scale: { from: 0, perPixel: 1, width }, cuts: newCuts(0),
        known: [], oldest: 0, nmixed: 0,
        colours, packed: packedOf(colours), hatches: hatchesOf(ctx, colours, ratio), widths: new Map(), writes: true,
        trace, isDense: false, isPlain: false, rowTop: 0, rowHeight: 0, ink: 0, isHatched: false,
        strip, pixels: new Uint32Array(strip.data.buffer),
    };
}

/** @param {Pen} pen @param {boolean} isBold */
export function setFont(pen, isBold) {
    pen.ctx.font = isBold ? pen.bold : pen.font;
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

/** Cuts what is shown of a band, unless that is known: a row is drawn more than once in a frame, and in the next one.
 *  @param {Pen} pen @param {import('./pyramid.js').Band} band */
export function cutBand(pen, band) {
    const { from, perPixel, width } = pen.scale;
    let known = pen.known[band.slot];
    if (known?.band !== band) {
        band.slot = pen.oldest;
        pen.oldest = (pen.oldest + 1) % KNOWN_MOST;
        known = pen.known[band.slot] ??= { cuts: newCuts(width), band, from, perPixel: 0 };
        known.band = band;
        known.perPixel = 0;
    }
    if (known.from !== from || known.perPixel !== perPixel) cut(band, pen.scale, known.cuts);
    known.from = from;
    known.perPixel = perPixel;
    pen.cuts = known.cuts;
    pen.nmixed = known.cuts.nmixed;
}

/** Whether a text may fit into a piece. @param {Pen} pen */
function hasRoom({ cuts, ratio }) {
    for (let k = 0; k < cuts.n; k++) if (cuts.right[k] - cuts.left[k] >= LEAST_ROOM * ratio) return true;
    return false;
}

/** Begins a row that is cut; tells whether it is to be filled now. Rows with many pixels that have several intervals
 * are filled first, into an image, which is faster than thousands of calls, and the others afterwards.
 * @param {Pen} pen @param {number} y @param {number} height */
export function beginRow(pen, y, height) {
    const isDense = pen.nmixed > DENSE && height <= pen.strip.height;
    if (isDense !== pen.isDense) return false;
    if (isDense && (pen.writes || pen.rowTop !== y)) pen.pixels.fill(pen.packed.back, 0, pen.scale.width * height);
    pen.rowTop = y;
    pen.rowHeight = height;
    pen.isPlain = isDense && !hasRoom(pen);
    return true;
}

/** Chooses what fill() fills with. @param {Pen} pen @param {keyof Colours} colour
 *  @param {CanvasPattern|null} pattern */
export function ink(pen, colour, pattern) {
    pen.ink = pen.packed[colour];
    pen.isHatched = pattern !== null;
    if (!pen.isDense) pen.ctx.fillStyle = pattern ?? pen.colours[colour];
}

/** Fills a rectangle of the row. @param {Pen} pen @param {number} x from the row's left edge @param {number} y
 *  @param {number} width @param {number} height */
export function fill(pen, x, y, width, height) {
    if (!pen.isDense) pen.ctx.fillRect(pen.left + x, y, width, height);
    else if (width === 1 && !pen.isHatched) fillColumn(pen, x, y - pen.rowTop, height);
    else fillPixels(pen, x, y - pen.rowTop, width, height);
}

/** @param {Pen} pen @param {number} x @param {number} y @param {number} height */
function fillColumn({ pixels, scale: { width }, ink: colour }, x, y, height) {
    for (let at = y * width + x, end = at + height * width; at < end; at += width) pixels[at] = colour;
}

/** @param {Pen} pen @param {number} x @param {number} y @param {number} width @param {number} height */
function fillPixels({ pixels, scale, ink: colour, isHatched, ratio }, x, y, width, height) {
    const period = Math.round(HATCH * ratio), line = period >> 1;
    for (let row = y; row < y + height; row++) {
        const at = row * scale.width;
        for (let k = x; k < x + width; k++) if (!isHatched || (k + row) % period < line) pixels[at + k] = colour;
    }
}

/** Shows what was filled. @param {Pen} pen */
export function endRow(pen) {
    if (pen.isDense) pen.ctx.putImageData(pen.strip, pen.left, pen.rowTop, 0, 0, pen.scale.width, pen.rowHeight);
}

/** Writes a text if it fits, with a little room at both sides. Tells whether it did.
 * @param {Pen} pen @param {string} text @param {number} x @param {number} y of its middle @param {number} room */
export function writeIn(pen, text, x, y, room) {
    const edge = px(pen, 4);
    if (!pen.writes || room < px(pen, LEAST_ROOM) || text === '' || widthOf(pen, text) + 2 * edge > room) return false;
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
