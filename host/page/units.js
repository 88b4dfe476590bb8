/* units.js - times as text, in the unit that suits them, and round numbers for the axis. Times in the trace are exact
 * to a ns also where they count from 1970: they are added as BigInt. */

/** @type {[string, number][]} */
const UNITS = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];
const FIGURES = 4; /* of a duration, as --stat shows */
const WHOLE_FIGURES = 6; /* before the point of a place on the axis; more are told in a larger unit */

/** A number with commas. @param {number} n */
export const countText = (n) => n.toLocaleString('en-US');

/** @param {number} value in the unit @param {string} unit */
function shortText(value, unit) {
    const whole = Math.floor(Math.abs(value)).toString().length;
    return `${value.toFixed(Math.max(0, FIGURES - whole))} ${unit}`;
}

/** A duration: "15.74 ms", "12 ns", "1,234 ticks". @param {number} time @param {'ns'|'ticks'} unit */
export function timeText(time, unit) {
    if (unit === 'ticks') return `${countText(Math.round(time))} ticks`;
    const rounded = Number(time.toPrecision(FIGURES));
    for (const [name, size] of UNITS)
        if (Math.abs(rounded) >= size && size > 1) return shortText(rounded / size, name);
    return `${Math.round(time)} ns`;
}

/** A fraction: "49.61 %". @param {number} part @param {number} whole */
export const shareText = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(2)} %` : '');

/** 1, 2 or 5 times a power of ten: the least that is not below `least`, and not below 1. @param {number} least */
export function roundStep(least) {
    if (!(least > 1)) return 1;
    const power = 10 ** Math.floor(Math.log10(least)), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/** Round places lie at multiples of the step, less this. @param {string} start of the trace @param {number} step */
export const stepOffset = (start, step) => Number(BigInt(start) % BigInt(step));

/** The unit for marks a step apart: the step's own, or a larger one if numbers would be too long.
 * @param {number} at @param {number} step */
function unitFor(at, step) {
    const most = 10 ** WHOLE_FIGURES;
    let i = UNITS.findIndex((unit) => step >= unit[1]);
    while (i > 0 && Math.abs(at) / UNITS[i][1] >= most) i--;
    return UNITS[i];
}

/** A whole number of ns as a number of a unit, with as many figures as the step needs.
 * @param {bigint} at @param {number} size @param {number} step */
function inUnit(at, size, step) {
    const unit = BigInt(size), places = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
    const sign = at < 0n ? '-' : '', positive = at < 0n ? -at : at;
    const digits = String(size).length - 1;
    const rest = String(positive % unit).padStart(digits, '0').slice(0, places);
    return `${sign}${(positive / unit).toLocaleString('en-US')}${places > 0 ? '.' + rest : ''}`;
}

/** A place in the trace as the axis tells it: "375.98 ms". A step tells how exact. Times that are shown count as the
 * trace's own: `start` is added. @param {import('./types.js').Trace} trace @param {number} time @param {number} step */
export function placeText(trace, time, step) {
    const at = BigInt(trace.start) + BigInt(Math.round(time));
    if (trace.unit === 'ticks') return at.toLocaleString('en-US');
    const [name, size] = unitFor(Number(at), step);
    return `${inUnit(at, size, step)} ${name}`;
}

/** A place in full, in seconds as --stat and --time have it: "0.375983120". @param {import('./types.js').Trace} trace
 *  @param {number} time */
export function exactText(trace, time) {
    const at = BigInt(trace.start) + BigInt(Math.round(time));
    return trace.unit === 'ticks' ? String(at) : inUnit(at, 1e9, 1).replaceAll(',', '');
}
