/* histogram.js - samples as bars. The bars have round bounds, and each says how many samples it has. */
import { makeSvg } from './dom.js';
import { samplesOf } from './samples.js';
import { countText, roundStep, timeText } from './units.js';

const BARS = 30, BARS_LEAST = 8, WIDTH = 160, HEIGHT = 24;

/**
 * How many samples each bar has; bar i is for those from `from + i * step` to below the next one.
 * @param {number[]} samples
 */
export function barsOf(samples) {
    const least = samples.reduce((a, b) => Math.min(a, b));
    const most = samples.reduce((a, b) => Math.max(a, b));
    const step = roundStep((most - least) / (BARS - 1));
    const first = Math.floor(least / step);
    const counts = new Array(Math.floor(most / step) - first + 1).fill(0);
    for (const sample of samples)
        counts[Math.floor(sample / step) - first]++;
    return { from: first * step, step, counts };
}

/**
 * @param {{from: number, step: number, counts: number[]}} bars
 * @param {(time: number) => string} textOf
 */
function drawBars({ from, step, counts }, textOf) {
    const most = Math.max(...counts);
    const wide = WIDTH / Math.max(counts.length, BARS_LEAST);
    return counts.map((n, i) => {
        const high = n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT);
        const where = `${textOf(from + i * step)} to ${textOf(from + (i + 1) * step)}`;
        const place = { x: i * wide, y: HEIGHT - high, width: Math.max(wide - 1, 1), height: high, 'data-n': n };
        return makeSvg('rect', place, makeSvg('title', {}, `${countText(n)} from ${where}`));
    });
}

/** What is known without samples: marks on the line from min to max. @param {any} figure */
function drawFigure(figure) {
    const { min, max } = figure;
    const place = (/** @type {number} */ time) => (max > min ? ((time - min) / (max - min)) * (WIDTH - 2) : 0);
    const marks = ['min', 'p50', 'avg', 'p99', 'max'].filter((key) => figure[key] !== undefined);
    return [makeSvg('rect', { x: 0, y: HEIGHT - 1, width: WIDTH, height: 1 }),
        ...marks.map((key) => makeSvg('rect', { x: place(figure[key]), y: HEIGHT / 2, width: 2, height: HEIGHT / 2 },
            makeSvg('title', {}, key)))];
}

/**
 * The samples of a task as bars; if only the figures are known, these as marks.
 * @param {import('./types.js').Trace} trace
 * @param {any} task of --stat
 * @param {string} which of its figures: response, latency, period
 */
export function newHistogram(trace, task, which) {
    const figure = task[which], samples = samplesOf(trace, task, /** @type {any} */ (which));
    const textOf = (/** @type {number} */ time) => timeText(time, trace.unit);
    const about = `${task.task}: ${countText(figure.count)} samples, ${textOf(figure.min)} to ${textOf(figure.max)}`;
    const label = samples === null ? `${about}; how they spread is not known here` : about;
    const bars = samples === null ? drawFigure(figure) : drawBars(barsOf(samples), textOf);
    return makeSvg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label,
        'data-samples': samples?.length ?? 0, class: samples === null ? 'marks' : 'bars' }, ...bars);
}
