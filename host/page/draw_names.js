/* draw_names.js - the names at the left, with the share of the time, and rings around what is chosen and where the
 * keys are. */

import { px, setFont, shortened, widthOf, xOf } from './pen.js';
import { topOf } from './scene.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./rows.js').Lane} Lane */
/** @typedef {import('./pen.js').Pen} Pen */

const EDGE = 8, TRIANGLE = 14; /* CSS pixels */

/** What a picture of the names shows. @typedef {{pen: Pen|null, lanes: Lane[]|null, scroll: number, lane: number,
 *  canvas: HTMLCanvasElement}} Picture */

/** @type {WeakMap<Scene, Picture>} */
const pictures = new WeakMap();

/** The names, of which there is a picture, as long as they stay. @param {Scene} scene @param {number} top */
export function drawNames(scene, top) {
    const { pen, lanes, canvas, at, scroll } = scene, lane = document.activeElement === canvas ? at.lane : -1;
    let picture = pictures.get(scene);
    if (!picture) {
        picture = { pen: null, lanes: null, scroll: 0, lane: 0, canvas: document.createElement('canvas') };
        pictures.set(scene, picture);
    }
    const isSame = picture.pen === pen && picture.lanes === lanes && picture.scroll === scroll && picture.lane === lane;
    if (!isSame) {
        Object.assign(picture, { pen, lanes, scroll, lane });
        paintNames(scene, top, picture.canvas, lane);
    }
    pen.ctx.drawImage(picture.canvas, 0, top);
}

/** @param {Scene} scene @param {number} top @param {HTMLCanvasElement} onto @param {number} focused lane, -1: none */
function paintNames({ pen, lanes, scroll, canvas }, top, onto, focused) {
    onto.width = Math.max(1, pen.left);
    onto.height = Math.max(1, canvas.height - top);
    const ctx = /** @type {CanvasRenderingContext2D} */ (onto.getContext('2d', { alpha: false })),
        names = { ...pen, ctx };
    ctx.fillStyle = pen.colours.names;
    ctx.fillRect(0, 0, onto.width, onto.height);
    ctx.textBaseline = 'middle';
    setFont(names, false);
    for (const lane of lanes) {
        const y = px(pen, lane.y - scroll), height = px(pen, lane.height);
        if (y + height > 0 && y < onto.height) drawName(names, lane, y, height);
    }
    ctx.fillStyle = pen.colours.grid;
    ctx.fillRect(pen.left - px(pen, 1), 0, px(pen, 1), onto.height);
    if (lanes[focused]) ring(names, 0, px(pen, lanes[focused].y - scroll), pen.left, px(pen, lanes[focused].height));
}

/** Where the text of a lane begins. @param {Pen} pen @param {Lane} lane */
const textAt = (pen, lane) => px(pen, EDGE) + (lane.fold === null ? 0 : px(pen, TRIANGLE));

/** Shortens a label where it must; before that its share goes. @param {Pen} pen @param {Lane} lane */
function fitName(pen, lane) {
    const room = pen.left - textAt(pen, lane) - px(pen, EDGE), share = widthOf(pen, lane.share) + 2 * px(pen, EDGE);
    lane.hasShare = lane.share !== '' && widthOf(pen, lane.label) + share <= room;
    lane.shown = shortened(pen, lane.label, room);
}

/** @param {Pen} pen @param {Lane} lane @param {number} y @param {number} height */
function drawName(pen, lane, y, height) {
    const { ctx, colours } = pen, middle = y + (height >> 1);
    if (lane.kind === 'heading') setFont(pen, true);
    if (lane.shown === null) fitName(pen, lane);
    ctx.fillStyle = colours.text;
    ctx.fillText(lane.shown ?? '', textAt(pen, lane), middle);
    if (lane.fold !== null) triangle(pen, px(pen, EDGE), middle, lane.folded);
    if (lane.kind === 'heading') setFont(pen, false);
    ctx.fillStyle = colours.faint;
    if (lane.hasShare) ctx.fillText(lane.share, pen.left - px(pen, EDGE) - widthOf(pen, lane.share), middle);
}

/** Points to the right: folded; down: not. @param {Pen} pen @param {number} x @param {number} y
 *  @param {boolean} folded */
function triangle(pen, x, y, folded) {
    const size = px(pen, 4);
    pen.ctx.beginPath();
    pen.ctx.moveTo(x, y - size);
    pen.ctx.lineTo(folded ? x + size * 1.5 : x + size * 2, folded ? y : y - size);
    pen.ctx.lineTo(folded ? x : x + size, folded ? y + size : y + size / 2);
    pen.ctx.fill();
}

/** @param {Pen} pen @param {number} x @param {number} y @param {number} width @param {number} height */
function ring(pen, x, y, width, height) {
    const line = px(pen, 2);
    pen.ctx.strokeStyle = pen.colours.chosen;
    pen.ctx.lineWidth = line;
    pen.ctx.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
}

/** Around what is chosen, and around where the arrow keys are. @param {Scene} scene */
export function drawRing(scene) {
    const { trace, states, lanes, at, pen } = scene, { chosen, problems } = states.get(), lane = lanes[at.lane];
    if (chosen?.kind === 'interval') ringInterval(scene, chosen.row, chosen.index);
    if (chosen?.kind === 'event') ringMoment(scene, trace.events.row[chosen.index], trace.events.time[chosen.index]);
    if (chosen?.kind === 'problem' && problems[chosen.index]) ringMoment(scene, problems[chosen.index].row,
        problems[chosen.index].time);
    if (at.index < 0 || !lane || document.activeElement !== scene.canvas) return;
    if (lane.rows.length > 0) ringInterval(scene, lane.rows[0].index, at.index);
    else if (lane.kind === 'problems') ring(pen, xOf(pen, scene.problems[at.index]) - px(pen, 7), topOf(scene, lane),
        px(pen, 14), px(pen, lane.height));
}

/** @param {Scene} scene @param {number} index of the row @param {number} i */
function ringInterval({ trace, pen, tops, lanes }, index, i) {
    const row = trace.rows[index], y = tops[index], lane = lanes.find((one) => one.rows.includes(row));
    if (!row || !lane || y < 0 || i >= row.n) return;
    const end = row.end.length > 0 ? row.end[i] : row.start[i], edge = px(pen, 2);
    const left = Math.max(pen.left - edge, xOf(pen, row.start[i]) - edge),
        right = Math.min(pen.left + pen.scale.width + edge, xOf(pen, end) + edge);
    if (right > pen.left && left < pen.left + pen.scale.width) ring(pen, left, y - edge,
        Math.max(right - left, 3 * edge), px(pen, lane.height - 6) + 2 * edge);
}

/** A line over all rows, thicker at its own. @param {Scene} scene @param {number} row @param {number} time */
function ringMoment({ pen, tops, canvas }, row, time) {
    const x = xOf(pen, time), y = tops[row] ?? -1;
    if (x < pen.left || x > pen.left + pen.scale.width) return;
    pen.ctx.fillStyle = pen.colours.chosen;
    pen.ctx.fillRect(x, 0, px(pen, 1), canvas.height);
    if (y >= 0) pen.ctx.fillRect(x - px(pen, 2), y - px(pen, 3), px(pen, 5), px(pen, 26));
}
