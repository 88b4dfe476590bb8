/* summary.js - the first sentence: how long the trace is, whether all of it is known, and what is wrong. */
import { link, make } from './dom.js';
import { lookAt } from './find.js';
import { total } from './stat.js';
import { countText, timeText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').Stat} Stat */

/** "1 event", "2 events" @param {number} n @param {string} one @param {string} [more] */
const many = (n, one, more = `${one}s`) => `${countText(n)} ${n === 1 ? one : more}`;

/** All elements of a list of --stat, of all inputs that could be read. @param {any[]} stat @param {string} key */
const listOf = (stat, key) => stat.flatMap((one) => one[key] ?? []);

/** What is not known, as parts of a sentence. @param {Trace} trace @param {Stat|null} stat @returns {string[]} */
function missing(trace, stat) {
    const { counts, unit } = trace;
    const unknown = stat === null ? 0 : total(listOf(stat, 'load'), 'unknown');
    const isLost = counts.lost + counts.damaged === 0 && trace.gaps.kind.some((kind) => kind < 2);
    return [
        counts.lost > 0 && `${many(counts.lost, 'event')} lost`,
        counts.damaged > 0 && `${many(counts.damaged, 'event')} damaged`,
        isLost && 'an unknown number of events lost',
        counts.leftOut > 0 && `${many(counts.leftOut, 'event')} left out`,
        counts.pauses > 0 && `${many(counts.pauses, 'pause')} of ${timeText(counts.paused, unit)}`,
        unknown > 0 && `what ran is unknown for ${timeText(unknown, unit)}`,
    ].filter((part) => part !== false);
}

/** What the trace is. @param {Trace} trace @param {Stat|null} stat */
export function extentText(trace, stat) {
    const parts = missing(trace, stat);
    const what = [`${timeText(trace.span, trace.unit)} of ${many(trace.cpus, 'CPU')}`,
        many(trace.counts.events, 'event'), ...(parts.length > 0 ? parts : ['nothing lost'])];
    return `${what.join(', ')}.`;
}

/** How many priority inversions there are. @param {Stat} stat */
export const inversionsIn = (stat) => total(listOf(stat, 'mutexes'), 'inversions');

/** How many problems there are. @param {Stat} stat @returns {string[]} */
function wrong(stat) {
    const missed = total(listOf(stat, 'tasks'), 'deadlines_missed');
    const inversions = inversionsIn(stat);
    return [missed > 0 ? many(missed, 'deadline') + ' missed' : '',
        inversions > 0 ? many(inversions, 'priority inversion') : ''].filter((part) => part !== '');
}

/** @param {Stat|null} stat */
export function problemText(stat) {
    if (stat === null)
        return 'Looking for problems.';
    const parts = wrong(stat);
    return parts.length > 0 ? parts.join(', ') : 'No deadline missed, no priority inversion.';
}

/**
 * Keeps the sentence in an element.
 * @param {HTMLElement} element
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 */
export function newSummary(element, trace, state) {
    const show = () => {
        const { stat, problems } = state.get();
        const first = problems[0];
        const go = () => lookAt(state, first.time, first.end, { kind: 'problem', index: 0 });
        const text = ` ${problemText(stat)}`;
        element.replaceChildren(make('span', { class: 'extent' }, extentText(trace, stat)),
            make('span', { class: first === undefined ? 'fine' : 'wrong' }, text,
                ...(first === undefined ? [] : [': ', link('show the first', go), '.'])));
    };
    show();
    return state.listen((_, changed) => (changed.stat === undefined ? undefined : show()));
}
