/* input.js - keys, wheel and pointer on the timeline. They change the state, and the timeline follows it. */

import { marksOf } from './draw_marks.js';
import { endsAfter, notBefore } from './pyramid.js';
import { bandsOfRow, inRow } from './draw_intervals.js';
import { laneAt } from './rows.js';
import { HEAD, OVERVIEW, countOf, endOf, scrollTo, timesOf } from './scene.js';
import { laneWords, wordsOf } from './words.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./rows.js').Lane} Lane */
/** @typedef {import('./words.js').Target} Target */
/** What a drag does. @typedef {'select'|'pan'|'overview'|null} Drag */

const ZOOM = 1.25, WHEEL_ZOOM = 0.002, STEP = 0.1, NEAR = 5, MOVED = 3; /* of what is shown; CSS pixels */

/* ---- places ------------------------------------------------------------------------------------------------------ */

/** @param {Scene} scene @param {number} x in CSS pixels */
function timeAt({ pen, states }, x) {
    const { from, to } = states.get(), time = from + (x * pen.ratio - pen.left) * (to - from) / pen.scale.width;
    return Math.min(Math.max(time, from), to);
}

/** The width of some CSS pixels. @param {Scene} scene @param {number} css */
const timeOf = ({ pen, states }, css) => css * pen.ratio * (states.get().to - states.get().from) / pen.scale.width;

/** @param {Scene} scene @param {number} y in CSS pixels @returns {Lane|undefined} */
const laneBelow = (scene, y) => (y < HEAD ? undefined
    : scene.lanes[laneAt(scene.lanes, y - HEAD + scene.scroller.scrollTop)]);

/** The nearest of sorted times, if it is near. @param {Float64Array} times @param {number} time @param {number} near */
function nearest(times, time, near) {
    const i = notBefore(times, times.length, time), before = i > 0 ? time - times[i - 1] : Infinity;
    const after = i < times.length ? times[i] - time : Infinity;
    if (Math.min(before, after) > near) return -1;
    return before < after ? i - 1 : i;
}

/** The interval of a row at a time, or a very near one; the deepest at that height.
 * @param {import('./types.js').Row} row @param {number} time @param {number} near
 *  @param {number} part of the row's height @returns {Target|null} */
function intervalAt(row, time, near, part) {
    const bands = bandsOfRow(row), band = bands[Math.min(bands.length - 1, Math.floor(part * bands.length))];
    let i = endsAfter(band.end, band.n, 0, time);
    if (i > 0 && (i === band.n || band.start[i] > time) && time - band.end[i - 1] < near) i--;
    if (i === band.n || band.start[i] - time > near) return null;
    return { kind: 'interval', row: row.index, index: inRow(band, i) };
}

/** What a row shows at a time. @param {Scene} scene @param {import('./types.js').Row} row @param {number} time
 *  @param {number} part @returns {Target|null} */
function targetInRow(scene, row, time, part) {
    const near = timeOf(scene, NEAR), own = marksOf(scene.trace, row.index);
    const mark = own && part < 0.3 ? nearest(own.time, time, near) : -1;
    if (own && mark >= 0) return { kind: 'event', index: own.index[mark] };
    if (row.kind !== 'counter' && row.kind !== 'log') return intervalAt(row, time, near, part);
    const i = notBefore(row.start, row.n, time + near) - 1;
    if (i < 0) return null;
    return row.kind === 'log' ? { kind: 'event', index: row.what[i] } : { kind: 'sample', row: row.index, index: i };
}

/** What is at a place. @param {Scene} scene @param {number} x @param {number} y @returns {Target|null} */
function targetAt(scene, x, y) {
    const lane = laneBelow(scene, y), time = timeAt(scene, x);
    if (!lane || x * scene.pen.ratio < scene.pen.left) return null;
    if (lane.kind === 'problems') {
        const index = nearest(scene.problems, time, timeOf(scene, 2 * NEAR));
        return index < 0 ? null : { kind: 'problem', index };
    }
    const part = (y - HEAD + scene.scroller.scrollTop - lane.y) / lane.height;
    for (const row of lane.rows) {
        const target = targetInRow(scene, row, time, part);
        if (target) return target;
    }
    return null;
}

/* ---- what moves -------------------------------------------------------------------------------------------------- */

/** @param {Scene} scene @param {number} by more than 1: out @param {number} around a time that stays in its place */
function zoom({ states }, by, around) {
    const { from, to } = states.get();
    states.change({ from: around - (around - from) * by, to: around + (to - around) * by });
}

/** @param {Scene} scene @param {number} by of what is shown */
function pan({ states }, by) {
    const { from, to } = states.get(), shift = (to - from) * by;
    states.change({ from: from + shift, to: to + shift });
}

/** Shows a stretch, with a little room at both sides. @param {Scene} scene @param {number} from @param {number} to */
function fit({ states }, from, to) {
    const room = (to - from) * 0.05 || 1000;
    states.change({ from: from - room, to: to + room });
}

/** Where what is chosen begins and ends. @param {Scene} scene @returns {import('./types.js').Stretch|null} */
function chosenStretch({ trace: { rows, events }, states }) {
    const { chosen, problems } = states.get(), problem = chosen?.kind === 'problem' ? problems[chosen.index]
        : undefined;
    if (chosen?.kind === 'interval') {
        const { start, end } = rows[chosen.row];
        return { from: start[chosen.index], to: end[chosen.index] };
    }
    if (chosen?.kind === 'event') return { from: events.time[chosen.index], to: events.time[chosen.index] };
    return problem ? { from: problem.time, to: Math.max(problem.time, problem.end) } : null;
}

/** What `f` shows: the selection, what is chosen, or all. @param {Scene} scene */
function fitChosen(scene) {
    const part = scene.states.get().selection ?? chosenStretch(scene);
    if (part) fit(scene, part.from, part.to);
    else scene.states.change({ from: 0, to: scene.trace.span });
}

/** Brings a time into view. @param {Scene} scene @param {number} time */
function bringIntoView({ states }, time) {
    const { from, to } = states.get();
    if (time < from || time > to) states.change({ from: time - (to - from) / 2, to: time + (to - from) / 2 });
}

/** Where W and S zoom, and m marks: the pointer, where the keys are, or the middle. @param {Scene} scene */
function placeOf(scene) {
    const { pointer, lanes, at, states } = scene, { from, to } = states.get(), lane = lanes[at.lane];
    if (pointer && pointer.x * scene.pen.ratio >= scene.pen.left) return timeAt(scene, pointer.x);
    const time = at.index >= 0 && lane ? timesOf(scene, lane)[at.index] : -1;
    return time >= from && time <= to ? time : (from + to) / 2;
}

/** Sets the first cursor, then the second, then begins again. @param {Scene} scene */
function mark(scene) {
    const [a, b] = scene.states.get().cursors, time = Math.round(placeOf(scene));
    scene.states.change({ cursors: a === null || b !== null ? [time, null] : [a, time] });
}

/** One step back. @param {Scene} scene */
function goBack(scene) {
    const { chosen, selection, cursors } = scene.states.get();
    if (chosen) scene.states.change({ chosen: null });
    else if (selection) scene.states.change({ selection: null });
    else if (cursors[0] !== null) scene.states.change({ cursors: [null, null] });
    else scene.at.index = -1;
    scene.redraw();
}

/** @param {Scene} scene @param {Lane} lane */
function fold({ states }, lane) {
    const folded = new Set(states.get().folded), id = /** @type {number} */ (lane.fold);
    if (!folded.delete(id)) folded.add(id);
    states.change({ folded });
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/** What the arrow keys are at. @param {Scene} scene @returns {Target|null} */
function targetOfKeys({ lanes, at }) {
    const lane = lanes[at.lane], row = lane?.rows[0];
    if (!lane || at.index < 0) return null;
    if (lane.kind === 'problems') return { kind: 'problem', index: at.index };
    if (!row) return null;
    if (row.kind === 'log') return { kind: 'event', index: row.what[at.index] };
    return { kind: row.kind === 'counter' ? 'sample' : 'interval', row: row.index, index: at.index };
}

/** Says where the keys are. @param {Scene} scene */
function say(scene) {
    const target = targetOfKeys(scene), lane = scene.lanes[scene.at.lane];
    scene.said.textContent = target ? wordsOf(scene.trace, scene.states.get().problems, target) : lane ? laneWords(lane)
        : '';
    scene.redraw();
}

/** To another lane, which is brought into view. @param {Scene} scene @param {number} by */
function moveLane(scene, by) {
    const { at, lanes } = scene;
    at.lane = Math.min(Math.max(at.lane + by, 0), lanes.length - 1);
    at.index = -1;
    scrollTo(scene, lanes[at.lane]);
    say(scene);
}

/** To the next or the last thing in the lane; the first time to the first one in view. @param {Scene} scene
 *  @param {number} by */
function moveIndex(scene, by) {
    const { at, states } = scene, lane = scene.lanes[at.lane], n = lane ? countOf(scene, lane) : 0;
    if (!lane || n === 0) return say(scene);
    const { from, to } = states.get(), times = timesOf(scene, lane);
    if (at.index < 0 && Number.isFinite(by)) at.index = by > 0 ? notBefore(times, n, from)
        : notBefore(times, n, to) - 1;
    else at.index += by;
    at.index = Math.min(Math.max(at.index, 0), n - 1);
    bringIntoView(scene, Math.min(times[at.index], endOf(scene, lane, at.index)));
    say(scene);
}

/** Chooses what the keys are at, or folds. @param {Scene} scene */
function enter(scene) {
    const lane = scene.lanes[scene.at.lane], target = targetOfKeys(scene);
    if (target) choose(scene, target);
    else if (lane && lane.fold !== null) fold(scene, lane);
    say(scene);
}

/** @param {Scene} scene @param {Target} target */
function choose({ states }, target) {
    if (target.kind !== 'sample') states.change({ chosen: target });
}

/** Keys on the whole page. @type {Record<string, (scene: Scene) => void>} */
const KEYS = {
    w: (scene) => zoom(scene, 1 / ZOOM, placeOf(scene)), s: (scene) => zoom(scene, ZOOM, placeOf(scene)),
    a: (scene) => pan(scene, -STEP), d: (scene) => pan(scene, STEP), f: fitChosen, m: mark, escape: goBack,
};
/** Keys when the timeline has the focus. @type {Record<string, (scene: Scene) => void>} */
const OWN_KEYS = {
    arrowup: (scene) => moveLane(scene, -1), arrowdown: (scene) => moveLane(scene, 1),
    arrowleft: (scene) => moveIndex(scene, -1), arrowright: (scene) => moveIndex(scene, 1),
    home: (scene) => moveIndex(scene, -Infinity), end: (scene) => moveIndex(scene, Infinity), enter, ' ': enter,
    '+': (scene) => zoom(scene, 1 / ZOOM, placeOf(scene)), '-': (scene) => zoom(scene, ZOOM, placeOf(scene)),
};

/** @param {EventTarget|null} target */
const takesText = (target) => target instanceof HTMLElement
    && (target.matches('input, select, textarea') || target.isContentEditable);

/** @param {Scene} scene @param {KeyboardEvent} event */
function key(scene, event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || takesText(event.target)) return;
    const name = event.key.toLowerCase(), does = KEYS[name]
        ?? (event.target === scene.canvas ? OWN_KEYS[name] : undefined);
    if (!does) return;
    event.preventDefault();
    does(scene);
}

/* ---- wheel and pointer ------------------------------------------------------------------------------------------- */

/** With Ctrl it zooms, sideways or with Shift it pans, else the browser scrolls the rows. @param {Scene} scene
 *  @param {WheelEvent} event */
function wheel(scene, event) {
    const sideways = event.deltaX + (event.shiftKey ? event.deltaY : 0), lines = event.deltaMode === 0 ? 1 : 16;
    const by = Math.exp(event.deltaY * lines * WHEEL_ZOOM);
    if (event.ctrlKey || event.metaKey) zoom(scene, by, timeAt(scene, event.offsetX));
    else if (sideways !== 0) pan(scene, sideways * lines / scene.scroller.clientWidth);
    else return;
    event.preventDefault();
}

/** The part of the trace between two places of the overview. @param {Scene} scene @param {number} a
 *  @param {number} b */
function showPart({ pen, trace, states }, a, b) {
    const at = (/** @type {number} */ x) => (x * pen.ratio - pen.left) / pen.scale.width * trace.span;
    const { from, to } = states.get();
    if (Math.abs(b - a) > MOVED) states.change({ from: at(Math.min(a, b)), to: at(Math.max(a, b)) });
    else states.change({ from: at(b) - (to - from) / 2, to: at(b) + (to - from) / 2 });
}

/** @param {Scene} scene @param {PointerEvent} event @returns {Drag} */
function dragOf({ pen }, event) {
    if (event.offsetX * pen.ratio < pen.left) return null;
    if (event.offsetY < OVERVIEW) return 'overview';
    return event.shiftKey || event.button === 1 ? 'pan' : 'select';
}

/** @param {Scene} scene @param {Drag} drag @param {number} from where it began @param {number} last
 *  @param {number} x */
function dragTo(scene, drag, from, last, x) {
    const a = timeAt(scene, from), b = timeAt(scene, x);
    if (drag === 'overview') showPart(scene, from, x);
    else if (drag === 'pan') pan(scene, (last - x) * scene.pen.ratio / scene.pen.scale.width);
    else if (drag === 'select') scene.dragged = { from: Math.round(Math.min(a, b)), to: Math.round(Math.max(a, b)) };
    scene.redraw();
}

/** What was dragged is selected: then, not before, its sums are told. @param {Scene} scene */
function endDrag(scene) {
    const { dragged } = scene;
    scene.dragged = null;
    if (dragged && dragged.to > dragged.from) scene.states.change({ selection: dragged });
}

/** A click without a drag. @param {Scene} scene @param {PointerEvent} event */
function click(scene, event) {
    const lane = laneBelow(scene, event.offsetY), target = targetAt(scene, event.offsetX, event.offsetY);
    if (event.offsetY < OVERVIEW) return showPart(scene, event.offsetX, event.offsetX);
    if (lane) scene.at.lane = scene.lanes.indexOf(lane);
    scene.at.index = -1;
    if (lane && lane.fold !== null && (lane.kind === 'heading'
        || event.offsetX * scene.pen.ratio < scene.pen.left)) fold(scene, lane);
    else if (target) choose(scene, target);
    else scene.states.change({ chosen: null, selection: null });
    scene.said.textContent = target ? wordsOf(scene.trace, scene.states.get().problems, target) : lane ? laneWords(lane)
        : '';
}

/** Text beside the pointer. @param {Scene} scene @param {number} x @param {number} y */
function showTip(scene, x, y) {
    const { tip, scroller } = scene, target = targetAt(scene, x, y);
    tip.hidden = target === null;
    if (!target) return;
    tip.textContent = wordsOf(scene.trace, scene.states.get().problems, target);
    tip.style.left = `${Math.max(0, Math.min(x + 12, scroller.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 20 + tip.offsetHeight > scroller.clientHeight ? y - tip.offsetHeight - 8 : y + 16}px`;
}

/** @param {Scene} scene @param {(name: string, fn: (event: any) => void) => void} on */
function listenToPointer(scene, on) {
    /** @type {Drag} */
    let drag = null;
    let from = 0, last = 0, moved = false;
    on('pointerdown', (event) => {
        drag = dragOf(scene, event);
        from = last = event.offsetX;
        moved = false;
        if (event.button < 2) scene.canvas.setPointerCapture(event.pointerId);
    });
    on('pointermove', (event) => {
        scene.pointer = { x: event.offsetX, y: event.offsetY };
        moved ||= event.buttons !== 0 && Math.abs(event.offsetX - from) > MOVED;
        if (event.buttons !== 0 && drag && moved) dragTo(scene, drag, from, last, event.offsetX);
        if (event.buttons === 0) showTip(scene, event.offsetX, event.offsetY);
        last = event.offsetX;
    });
    on('pointerup', (event) => {
        if (moved) endDrag(scene);
        else if (event.button === 0) click(scene, event);
    });
    on('pointercancel', () => endDrag(scene));
    on('pointerleave', () => {
        scene.pointer = null;
        scene.tip.hidden = true;
    });
}

/** @param {Scene} scene @returns {() => void} ends it */
export function listenTo(scene) {
    const { canvas, scroller } = scene, end = new AbortController(), { signal } = end;
    canvas.addEventListener('wheel', (event) => wheel(scene, event), { signal, passive: false });
    listenToPointer(scene, (name, fn) => canvas.addEventListener(name, fn, { signal }));
    canvas.addEventListener('focus', () => say(scene), { signal });
    canvas.addEventListener('blur', scene.redraw, { signal });
    scroller.addEventListener('scroll', scene.redraw, { signal });
    document.addEventListener('keydown', (event) => key(scene, event), { signal });
    return () => end.abort();
}
