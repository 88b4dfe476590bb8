/* timeline.js - the canvas with the overview, the axis, the names and the rows. It is drawn when the state, its
 * size, its colours or the pointer change. input.js moves it; words.js tells in words what is chosen. */

import { drawArrows } from './draw_arrows.js';
import { drawAxis, drawCursors, drawGrid, drawLengths, drawSelection } from './draw_axis.js';
import { drawCounter } from './draw_counters.js';
import { drawGaps } from './draw_gaps.js';
import { drawIrq, drawMutex, drawOver, drawSpans } from './draw_intervals.js';
import { drawLines, drawLog, drawMarks, drawProblems } from './draw_marks.js';
import { drawNames, drawRing } from './draw_names.js';
import { drawOverview, pictureOf } from './draw_overview.js';
import { drawCpu, drawTask } from './draw_tasks.js';
import { listenTo } from './input.js';
import { newPen, px, readColours, setFont } from './pen.js';
import { heightOf } from './rows.js';
import { AXIS, HEAD, NO_TIMES, OVERVIEW, layOut, newScene, scrollTo, topOf } from './scene.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./rows.js').Lane} Lane */
/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('./scene.js').Scene} Scene */

const PAD = 3, STRIP = 6, LINES = 60, LEAST_NAMES = 104, MOST_NAMES = 220, NAMES_SHARE = 0.22;
    /* CSS pixels, and a share of the width */

/** Makes all anew that depends on the size, the screen or the colours. @param {Scene} scene */
function resize(scene) {
    const { canvas, scroller } = scene, ratio = window.devicePixelRatio || 1;
    const width = scroller.clientWidth, height = scroller.clientHeight;
    const names = Math.min(MOST_NAMES, Math.max(LEAST_NAMES, width * NAMES_SHARE));
    canvas.style.height = `${height}px`;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    scene.pen = newPen(canvas, readColours(scroller), ratio, Math.round(names * ratio), scene.trace);
    scene.overview = null;
    for (const lane of scene.lanes) lane.shown = null;
    scene.spacer.style.height = `${Math.max(0, HEAD + heightOf(scene.lanes) - height)}px`;
    draw(scene);
}

/** @param {Pen} pen @param {import('./types.js').Row} row @param {number} y @param {number} height */
function drawRow(pen, row, y, height) {
    switch (row.kind) {
    case 'cpu': return drawCpu(pen, row, y, height);
    case 'task': return drawTask(pen, row, y, height);
    case 'irq': return drawIrq(pen, row, y, height);
    case 'mutex': return drawMutex(pen, row, y, height);
    case 'counter': return drawCounter(pen, row, y, height);
    case 'span': return drawSpans(pen, row, y, height);
    default: return drawLog(pen, row, y, height);
    }
}

/** Rows of one lane, with their own events. @param {Scene} scene @param {Lane} lane @param {number} y
 *  @param {number} height */
function drawLane(scene, lane, y, height) {
    const { pen } = scene;
    pen.writes = lane.rows.length <= 1;
    for (let i = 0; i < lane.rows.length; i++) {
        const { index } = lane.rows[i];
        if (pen.isDense) pen.isPlain = false;
        if (pen.isDense || scene.isDone[index] === 0) drawRow(pen, lane.rows[i], y, height);
        if (pen.isDense) scene.isDone[index] = pen.isPlain ? 1 : 0;
    }
    pen.writes = true;
    if (pen.isDense) return;
    for (let i = 0; i < lane.rows.length; i++) drawMarks(pen, lane.rows[i], y - px(pen, 2));
    if (lane.kind === 'problems') drawProblems(pen, scene.states.get().problems, scene.problems, y, height);
}

/** Where the rows are on the screen. @param {Scene} scene */
function place(scene) {
    const { pen, lanes, tops, middles, canvas } = scene;
    tops.fill(-1);
    middles.fill(-1);
    for (let k = 0; k < lanes.length; k++) {
        const y = topOf(scene, lanes[k]), height = px(pen, lanes[k].height), isShown = y + height > px(pen, HEAD)
            && y < canvas.height;
        for (let i = 0; i < lanes[k].rows.length; i++) {
            middles[lanes[k].rows[i].index] = y + (height >> 1);
            if (isShown) tops[lanes[k].rows[i].index] = y + px(pen, PAD);
        }
    }
}

/** The rows that are shown: crowded ones first, see beginRow(). @param {Scene} scene @param {boolean} isDense */
function drawLanes(scene, isDense) {
    const { pen, lanes, canvas } = scene, pad = px(pen, PAD);
    pen.isDense = isDense;
    pen.rowTop = -1;
    for (let k = 0; k < lanes.length; k++) {
        const lane = lanes[k], y = topOf(scene, lane), height = px(pen, lane.height);
        if (y + height <= px(pen, HEAD) || y >= canvas.height) continue;
        drawLane(scene, lane, y + pad, height - 2 * pad);
        if (isDense) continue;
        pen.ctx.fillStyle = lane.kind === 'heading' ? pen.colours.names : pen.colours.grid;
        pen.ctx.fillRect(pen.left, lane.kind === 'heading' ? y : y + height - 1, pen.scale.width,
            lane.kind === 'heading' ? height : 1);
    }
}

/** Interrupts over what they interrupt. @param {Scene} scene */
function drawInterrupts(scene) {
    const { pen, trace: { rows }, tops } = scene;
    for (let i = 0; i < rows.length; i++)
        if (rows[i].kind === 'irq' && rows[rows[i].cpu]?.kind === 'cpu') drawOver(pen, rows[i], rows[rows[i].cpu], tops,
            px(pen, STRIP));
}

/** The row of what is chosen; -1: none. @param {Scene} scene */
function chosenRow({ states, trace }) {
    const { chosen, problems } = states.get();
    if (chosen?.kind === 'interval') return chosen.row;
    if (chosen?.kind === 'event') return trace.events.row[chosen.index];
    return chosen?.kind === 'problem' ? problems[chosen.index]?.row ?? -1 : -1;
}

/** The row whose wake-ups are shown. @param {Scene} scene */
function rowOfArrows(scene) {
    const { states, lanes, at } = scene;
    return states.get().chosen ? chosenRow(scene) : lanes[at.lane]?.rows[0]?.index ?? -1;
}

/** Scrolls to the row of what is chosen, if it is not folded. @param {Scene} scene */
function scrollToChosen(scene) {
    const row = chosenRow(scene), lane = scene.lanes.find(({ rows }) => rows.some(({ index }) => index === row));
    if (lane) scrollTo(scene, lane);
}

/** What lies over the rows. @param {Scene} scene @param {number} top @param {number} height */
function drawOverRows(scene, top, height) {
    const { pen, trace, states } = scene, state = states.get();
    drawInterrupts(scene);
    drawGaps(pen, trace.gaps, top, height, true);
    drawLines(pen, scene.problems, pen.colours.problem, top, height, LINES);
    drawLines(pen, scene.matches, pen.colours.mark, top, height, LINES);
    drawLines(pen, scene.matches, pen.colours.mark, top - px(pen, 6), px(pen, 8), Infinity);
    drawArrows(pen, trace.wakes, rowOfArrows(scene), scene.middles);
    const selection = scene.dragged ?? state.selection;
    if (selection) drawSelection(pen, selection, top, height);
    drawRing(scene);
    drawCursors(pen, state, top, height);
}

/** @param {Scene} scene */
function drawHead(scene) {
    const { pen, states } = scene, high = px(pen, OVERVIEW), top = px(pen, HEAD);
    pen.ctx.fillStyle = pen.colours.names;
    pen.ctx.fillRect(0, 0, pen.left, top);
    pen.ctx.fillStyle = pen.colours.back;
    pen.ctx.fillRect(pen.left, 0, pen.scale.width, top);
    scene.overview ??= pictureOf(pen, high, scene.problems);
    drawOverview(pen, scene.overview, high);
    drawAxis(pen, high, px(pen, AXIS));
    const state = states.get(), below = high + px(pen, AXIS);
    drawLengths(pen, state, scene.dragged ?? state.selection, below, top - below);
}

/** One frame. @param {Scene} scene */
export function draw(scene) {
    const { pen, canvas, states } = scene, { from, to } = states.get(), top = px(pen, HEAD);
    pen.scale.from = from;
    scene.scroll = scene.scroller.scrollTop;
    pen.scale.perPixel = (to - from) / pen.scale.width;
    setFont(pen, false);
    pen.ctx.fillStyle = pen.colours.back;
    pen.ctx.fillRect(0, 0, canvas.width, canvas.height);
    drawGrid(pen, top, canvas.height - top);
    place(scene);
    drawLanes(scene, true);
    drawLanes(scene, false);
    drawOverRows(scene, top, canvas.height - top);
    drawNames(scene, top);
    drawHead(scene);
}

/** @param {Scene} scene @param {Partial<import('./types.js').State>} changed */
function follow(scene, changed) {
    const { trace, states } = scene, { problems, matches } = states.get();
    if ('problems' in changed) {
        scene.problems = Float64Array.from(problems, (problem) => problem.time);
        scene.overview = null;
    }
    if ('matches' in changed) scene.matches = matches ? Float64Array.from(matches, (i) => trace.events.time[i])
        : NO_TIMES;
    if ('folded' in changed || 'problems' in changed) layOut(scene);
    if ('chosen' in changed || 'problems' in changed) scrollToChosen(scene);
    scene.redraw();
}

/** What makes the timeline new: its size, the colours, the pixels of the screen. @param {Scene} scene */
function watchSize(scene) {
    const again = () => resize(scene), dark = matchMedia('(prefers-color-scheme: dark)');
    const sizes = new ResizeObserver(again), themes = new MutationObserver(again);
    sizes.observe(scene.scroller);
    themes.observe(document.documentElement, { attributes: true });
    dark.addEventListener('change', again);
    return () => {
        sizes.disconnect();
        themes.disconnect();
        dark.removeEventListener('change', again);
    };
}

/** Fills an element with the timeline. @param {HTMLElement} element @param {Trace} trace
 *  @param {import('./types.js').States} states @returns {import('./types.js').Timeline} */
export function newTimeline(element, trace, states) {
    const scene = newScene(element, trace, states);
    const frame = () => {
        cancelAnimationFrame(scene.frame);
        scene.frame = 0;
        draw(scene);
    };
    scene.redraw = () => { scene.frame ||= requestAnimationFrame(frame); };
    follow(scene, { problems: [], matches: null });
    resize(scene);
    const ends = [states.listen((_, changed) => follow(scene, changed)), watchSize(scene), listenTo(scene)];
    return {
        scene,
        draw: frame,
        focus: () => scene.canvas.focus(),
        close() {
            for (const end of ends) end();
            cancelAnimationFrame(scene.frame);
            element.replaceChildren();
        },
    };
}
