/* draw_names.js - the names at the left, with the share of the time, and rings around what is chosen and where the
 * keys are. */

import { px, setFont, shortened, widthOf, xOf } from './pen.js';
import { topOf } from './scene.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./rows.js').Lane} Lane */
/** @typedef {import('./pen.js').Pen} Pen */

const EDGE = 8, TRIANGLE = 14; /* CSS pixels */

/** @param {Scene} scene @param {number} top */
export function drawNames(scene, top) {
    const { pen, lanes, canvas } = scene;
    pen.ctx.fillStyle = pen.colours.names;
    pen.ctx.fillRect(0, top, pen.left, canvas.height - top);
    for (let k = 0; k < lanes.length; k++) {
        const y = topOf(scene, lanes[k]), height = px(pen, lanes[k].height);
        if (y + height > top && y < canvas.height) drawName(pen, lanes[k], y, height);
    }
    pen.ctx.fillStyle = pen.colours.grid;
    pen.ctx.fillRect(pen.left - px(pen, 1), top, px(pen, 1), canvas.height - top);
    if (document.activeElement === canvas) ringLane(scene, lanes[scene.at.lane]);
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

/** @param {Scene} scene @param {Lane|undefined} lane */
function ringLane(scene, lane) {
    if (lane) ring(scene.pen, 0, topOf(scene, lane), scene.pen.left, px(scene.pen, lane.height));
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
