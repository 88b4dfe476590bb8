/* draw_axis.js - the axis: round numbers, and lines below them; cursors with their difference, and what is selected. */

import { px, widthOf, writeIn, xOf } from './pen.js';
import { placeText, roundStep, stepOffset, timeText } from './units.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./types.js').State} State */

/** Marks a step apart: their texts, by time.
 *  @typedef {{step: number, offset: number, texts: Map<number, string>}} Marks */

const TEXTS_MOST = 512, APART = 26; /* CSS pixels between texts */
/** @type {WeakMap<object, Map<number, Marks>>} */
const known = new WeakMap();

/** @param {Pen} pen @param {number} step @returns {Marks} */
function marksFor(pen, step) {
    let all = known.get(pen.trace);
    if (!all) known.set(pen.trace, all = new Map());
    let marks = all.get(step);
    if (!marks) all.set(step, marks = { step, offset: stepOffset(pen.trace.start, step), texts: new Map() });
    return marks;
}

/** @param {Pen} pen @param {Marks} marks @param {number} time */
function markText(pen, marks, time) {
    let text = marks.texts.get(time);
    if (text !== undefined) return text;
    if (marks.texts.size >= TEXTS_MOST) marks.texts.clear();
    marks.texts.set(time, text = placeText(pen.trace, time, marks.step));
    return text;
}

/** The first mark that is not before a time. @param {Marks} marks @param {number} time */
const firstMark = (marks, time) => Math.ceil((time + marks.offset) / marks.step) * marks.step - marks.offset;

/** Steps so wide that texts do not touch. @param {Pen} pen */
function chooseMarks(pen) {
    const { from, perPixel, width } = pen.scale;
    let marks = marksFor(pen, roundStep(perPixel * px(pen, 80)));
    for (let tries = 0; tries < 4; tries++) {
        const last = firstMark(marks, from + width * perPixel) - marks.step;
        if ((widthOf(pen, markText(pen, marks, last)) + px(pen, APART)) * perPixel <= marks.step) break;
        marks = marksFor(pen, roundStep(marks.step * 1.5));
    }
    return marks;
}

/** Lines below the marks, over all rows. @param {Pen} pen @param {number} y @param {number} height */
export function drawGrid(pen, y, height) {
    const marks = chooseMarks(pen), to = pen.scale.from + pen.scale.width * pen.scale.perPixel,
        line = Math.max(1, px(pen, 1));
    pen.ctx.fillStyle = pen.colours.grid;
    for (let time = firstMark(marks, pen.scale.from); time < to; time += marks.step) pen.ctx.fillRect(xOf(pen, time), y,
        line, height);
}

/** @param {Pen} pen @param {number} y @param {number} height */
export function drawAxis(pen, y, height) {
    const { ctx, colours, scale } = pen, marks = chooseMarks(pen), to = scale.from + scale.width * scale.perPixel;
    const line = Math.max(1, px(pen, 1)), small = marks.step / (String(marks.step)[0] === '2' ? 4 : 5);
    ctx.fillStyle = colours.faint;
    ctx.fillRect(pen.left, y + height - line, scale.width, line);
    for (let time = firstMark(marks, scale.from - marks.step); small >= 1 && time < to; time += small)
        if (time >= scale.from) ctx.fillRect(xOf(pen, time), y + height - px(pen, 4), line, px(pen, 4));
    ctx.fillStyle = colours.text;
    for (let time = firstMark(marks, scale.from); time < to; time += marks.step) {
        const x = xOf(pen, time);
        ctx.fillRect(x, y + height - px(pen, 8), line, px(pen, 8));
        writeIn(pen, markText(pen, marks, time), x, y + (height >> 1) - px(pen, 2), pen.left + scale.width - x);
    }
}

/** What is selected, over all rows. @param {Pen} pen @param {import('./types.js').Stretch} stretch @param {number} y
 *  @param {number} height */
export function drawSelection(pen, stretch, y, height) {
    const left = Math.max(pen.left, xOf(pen, stretch.from)),
        right = Math.min(pen.left + pen.scale.width, xOf(pen, stretch.to));
    if (right <= left) return;
    pen.ctx.fillStyle = pen.colours.selection;
    pen.ctx.globalAlpha = 0.12;
    pen.ctx.fillRect(left, y, right - left, height);
    pen.ctx.globalAlpha = 1;
    edge(pen, stretch.from, y, height);
    edge(pen, stretch.to, y, height);
}

/** @param {Pen} pen @param {number} time @param {number} y @param {number} height */
function edge(pen, time, y, height) {
    const x = xOf(pen, time);
    if (x >= pen.left && x <= pen.left + pen.scale.width) pen.ctx.fillRect(x, y, Math.max(1, px(pen, 1)), height);
}

/** @param {Pen} pen @param {State} state @param {number} y @param {number} height */
export function drawCursors(pen, state, y, height) {
    pen.ctx.fillStyle = pen.colours.cursor;
    for (let i = 0; i < 2; i++) {
        const time = state.cursors[i];
        if (time !== null) edge(pen, time, y, height);
    }
}

/** Texts of lengths, by what stands before them: the same string each time. */
const LENGTHS = { 'shown: ': new Map(), '\u0394 ': new Map(), '': new Map() };

/** @param {Pen} pen @param {number} time @param {keyof typeof LENGTHS} before */
function lengthText(pen, time, before) {
    const lengths = LENGTHS[before];
    let text = lengths.get(time);
    if (lengths.size > TEXTS_MOST) lengths.clear();
    if (text === undefined) lengths.set(time, text = before + timeText(time, pen.trace.unit));
    return text;
}

/** How long the selection is, and how far the cursors are apart, in boxes below the axis.
 * @param {Pen} pen @param {State} state @param {import('./types.js').Stretch|null} selection
 * @param {number} y @param {number} height */
export function drawLengths(pen, state, selection, y, height) {
    const { colours } = pen, a = state.cursors[0], b = state.cursors[1];
    pen.ctx.fillStyle = colours.faint;
    writeIn(pen, lengthText(pen, Math.round(state.to - state.from), 'shown: '), px(pen, 4), y - (height >> 1),
        pen.left);
    let end = pen.left;
    if (selection) end = lengthBox(pen, selection.from, selection.to, '', colours.selection, y, height, end);
    if (a !== null && b !== null) lengthBox(pen, Math.min(a, b), Math.max(a, b), '\u0394 ', colours.cursor, y, height,
        end);
    if (a !== null) flag(pen, a, 'A', y, height);
    if (b !== null) flag(pen, b, 'B', y, height);
}

/** @param {Pen} pen @param {number} time @param {string} name @param {number} y @param {number} height */
function flag(pen, time, name, y, height) {
    const x = xOf(pen, time), size = px(pen, 14);
    if (x >= pen.left && x <= pen.left + pen.scale.width) box(pen, name, x, y, size, height, pen.colours.cursor);
}

/** @param {Pen} pen @param {string} text @param {number} x @param {number} y @param {number} width
 *  @param {number} height @param {string} colour */
function box(pen, text, x, y, width, height, colour) {
    const { ctx, colours } = pen;
    ctx.fillStyle = colour;
    ctx.fillRect(x, y, width, height);
    ctx.fillStyle = colours.back;
    ctx.fillText(text, x + ((width - widthOf(pen, text)) >> 1), y + (height >> 1));
}

/** A bar, and its length in a box in its middle, or further right if the last box is there. Gives where the box ends.
 * @param {Pen} pen @param {number} from @param {number} to @param {keyof typeof LENGTHS} before @param {string} colour
 * @param {number} y @param {number} height @param {number} least where the box may begin */
function lengthBox(pen, from, to, before, colour, y, height, least) {
    const { ctx, scale } = pen, edge = pen.left + scale.width, left = Math.max(pen.left, xOf(pen, from)),
        right = Math.min(edge, xOf(pen, to));
    if (right <= pen.left || left >= edge) return least;
    const text = lengthText(pen, to - from, before), width = widthOf(pen, text) + px(pen, 10);
    ctx.fillStyle = colour;
    ctx.fillRect(left, y + height - px(pen, 3), right - left, px(pen, 3));
    const x = Math.min(Math.max(((left + right) >> 1) - (width >> 1), least), edge - width);
    box(pen, text, x, y, width, height - px(pen, 2), colour);
    return x + width + px(pen, 4);
}
