/* problem_list.js - the page of the panel that lists missed deadlines and priority inversions. */
import { make, onKey } from './dom.js';
import { lookAt } from './find.js';
import { List } from './list.js';
import { inversionsIn } from './summary.js';
import { countText, exactText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').States} States */

/** @param {States} state @param {number} index */
function chooseProblem(state, index) {
    const problem = state.get().problems[index];
    if (problem !== undefined)
        lookAt(state, problem.time, problem.end, { kind: 'problem', index });
}

/** The next problem from what is chosen, or from the middle of the view. @param {States} state @param {-1|1} step */
function stepProblem(state, step) {
    const { chosen, problems, from, to } = state.get();
    const middle = (from + to) / 2, later = problems.findIndex(({ time }) => time >= middle);
    const next = later < 0 ? problems.length : later;
    const at = chosen?.kind === 'problem' ? chosen.index + step : next + (step < 0 ? -1 : 0);
    chooseProblem(state, Math.max(0, Math.min(problems.length - 1, at)));
}

/** @param {Trace} trace @param {States} state */
function newTable(trace, state) {
    const isChosen = (/** @type {number} */ i) => {
        const { chosen } = state.get();
        return chosen?.kind === 'problem' && chosen.index === i;
    };
    return new List({
        label: 'Problems',
        columns: [[trace.unit === 'ns' ? 'Time in s' : 'Ticks', 'time'], ['What', 'text'], ['Problem', 'text wide']],
        count: () => state.get().problems.length,
        cells(i) {
            const { time, kind, text } = state.get().problems[i];
            return [exactText(trace, time), kind, text];
        },
        kindOf: (i) => (isChosen(i) ? 'chosen' : ''),
        choose: (i) => chooseProblem(state, i),
    });
}

/** What the list lacks, or ''. @param {Readonly<import('./types.js').State>} state */
function lackText({ stat, problems }) {
    const all = stat === null ? 0 : inversionsIn(stat);
    const listed = problems.filter(({ kind }) => kind === 'inversion').length;
    if (listed === all)
        return '';
    return listed > 0 ? `Of ${countText(all)} priority inversions the ${listed} longest are listed.`
        : 'The priority inversions of several inputs are under Figures.';
}

/** The list, which `[` and `]` go through from anywhere. @param {Trace} trace @param {States} state */
export function newProblems(trace, state) {
    const list = newTable(trace, state), note = make('p', { class: 'note', hidden: true });
    state.listen((now, changed) => {
        if (changed.problems !== undefined) {
            note.textContent = lackText(now);
            note.hidden = note.textContent === '';
            list.refresh();
        }
        if (now.chosen?.kind === 'problem' && (changed.chosen !== undefined || changed.problems !== undefined))
            list.show(now.chosen.index);
    });
    onKey('[', () => stepProblem(state, -1));
    onKey(']', () => stepProblem(state, 1));
    return make('div', {}, note, list.element);
}
