/* scene.js - what frames and input share: the elements, the lanes and where they are, and what the arrow keys go
 * through. */

import { newPen, px, readColours } from './pen.js';
import { heightOf, lanesOf } from './rows.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./rows.js').Lane} Lane */
/** @typedef {import('./pen.js').Pen} Pen */
/**
 * What frames and input share.
 * @typedef {object} Scene
 * @property {Trace} trace
 * @property {import('./types.js').States} states
 * @property {HTMLElement} scroller
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} spacer as high as the rows that are not shown
 * @property {HTMLElement} tip text beside the pointer
 * @property {HTMLElement} said what is chosen, in words
 * @property {Pen} pen
 * @property {Lane[]} lanes
 * @property {number} scroll how far the rows are scrolled, in the frame that is drawn
 * @property {Uint8Array} isDone 1: all of a row is drawn, as a crowded one
 * @property {Int32Array} tops of each row's lane on the screen; -1: not shown
 * @property {Int32Array} middles
 * @property {{lane: number, index: number}} at where the arrow keys are; index -1: at the lane
 * @property {{x: number, y: number}|null} pointer in CSS pixels
 * @property {import('./types.js').Stretch|null} dragged what a drag selects when it ends
 * @property {Float64Array} problems their times
 * @property {Float64Array} matches times of what the filter chose
 * @property {HTMLCanvasElement|null} overview
 * @property {number} frame that is asked for; 0: none
 * @property {() => void} redraw asks for a frame
 */

/* Heights in CSS pixels. Below the axis lengths are told. */
export const OVERVIEW = 36;
export const AXIS = 26;
export const HEAD = OVERVIEW + AXIS + 18;
export const NO_TIMES = new Float64Array(0);

/** @param {string} name @param {string} kind @param {HTMLElement} parent */
function child(name, kind, parent) {
    const element = document.createElement(name);
    element.className = kind;
    parent.append(element);
    return element;
}

/** @param {HTMLElement} element @param {Trace} trace @param {import('./types.js').States} states @returns {Scene} */
export function newScene(element, trace, states) {
    const scroller = child('div', 'tl-scroller', element),
        canvas = /** @type {HTMLCanvasElement} */ (child('canvas', 'tl-canvas', scroller));
    const spacer = child('div', 'tl-spacer', scroller), said = child('p', 'tl-said', element),
        tip = child('div', 'tl-tip', element);
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', 'Timeline: arrow keys go through rows and what is in them, Enter chooses, '
        + 'W S A D zoom and pan');
    said.setAttribute('aria-live', 'polite');
    tip.hidden = true;
    said.textContent = 'Arrow keys go through rows and what is in them, W S zoom, A D pan, ? tells all keys.';
    return { trace, states, scroller, canvas, spacer, tip, said, pen: newPen(canvas, readColours(element), 1, 0, trace),
        lanes: [], scroll: 0, isDone: new Uint8Array(trace.rows.length),
        tops: new Int32Array(trace.rows.length), middles: new Int32Array(trace.rows.length), at: { lane: 0, index: -1 },
            pointer: null, dragged: null,
        problems: NO_TIMES, matches: NO_TIMES, overview: null, frame: 0, redraw() {} };
}

/** @param {Scene} scene */
export function layOut(scene) {
    const { folded, problems } = scene.states.get();
    scene.lanes = lanesOf(scene.trace, folded, problems.length > 0);
    scene.at.lane = Math.min(scene.at.lane, scene.lanes.length - 1);
    scene.spacer.style.height = `${Math.max(0, HEAD + heightOf(scene.lanes) - scene.scroller.clientHeight)}px`;
}

/** Scrolls just so far that a lane can be seen. @param {Scene} scene @param {Lane} lane */
export function scrollTo({ scroller }, { y, height }) {
    const room = scroller.clientHeight - HEAD;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    else if (y + height > scroller.scrollTop + room) scroller.scrollTop = y + height - room;
}

/** The upper edge of a lane on the screen. @param {Scene} scene @param {Lane} lane */
export const topOf = (scene, lane) => px(scene.pen, HEAD + lane.y - scene.scroll);

/** How many things the arrow keys go through in a lane: intervals, log lines, samples, problems. @param {Scene} scene
 *  @param {Lane} lane */
export const countOf = (scene, lane) => (lane.kind === 'problems' ? scene.problems.length : lane.rows[0]?.n ?? 0);

/** Their times. @param {Scene} scene @param {Lane} lane */
export const timesOf = (scene, lane) => (lane.kind === 'problems' ? scene.problems : lane.rows[0]?.start ?? NO_TIMES);

/** When the i-th of them ends. @param {Scene} scene @param {Lane} lane @param {number} i */
export const endOf = (scene, lane, i) => lane.rows[0]?.end[i] ?? timesOf(scene, lane)[i];
