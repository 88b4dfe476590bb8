/* figures.js - the page of the panel with all tables of --stat, for each input. */
import { make, nameOf } from './dom.js';
import { lookAt } from './find.js';
import { timeInTrace } from './stat.js';
import { TABLES, newTable } from './tables.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').States} States */

/** @param {import('./tables.js').Manner} manner @param {import('./tables.js').Table} table @param {any} stat */
function newSection(manner, table, stat) {
    const rows = table.rowsOf(stat);
    if (rows.length === 0)
        return null;
    const about = { class: 'table-box', tabindex: 0, role: 'region', 'aria-label': table.title };
    return make('div', about, newTable(manner, table, rows));
}

/** The tables of one input. @param {import('./tables.js').Manner} manner @param {any} stat @param {boolean} isNamed */
function newAnswers(manner, stat, isNamed) {
    const title = isNamed ? make('h2', {}, nameOf(stat.input)) : null;
    if (stat.error !== undefined)
        return [title, make('p', {}, nameOf(`${stat.input}: ${stat.error}`))];
    const note = 'There was too much to count all of it: some is left out.';
    const left = stat.complete ? null : make('p', { class: 'wrong' }, note);
    return [title, left, ...TABLES.map((table) => newSection(manner, table, stat))];
}

/**
 * The page, which the state fills as soon as --stat has answered.
 * @param {Trace} trace
 * @param {States} state
 * @param {HTMLInputElement} digits whether all are shown
 */
export function newFigures(trace, state, digits) {
    const tables = make('div', { class: 'figures' });
    const show = () => {
        const { stat } = state.get();
        const go = (/** @type {number|string} */ at, /** @type {number} */ length) => {
            const from = timeInTrace(trace, at);
            lookAt(state, from, from + length);
        };
        const isOne = stat?.length === 1; /* several have clocks of their own */
        const manner = { trace, isExact: digits.checked, go: isOne ? go : null };
        tables.replaceChildren(stat === null ? 'The decoder counts.' : '');
        for (const one of stat ?? [])
            tables.append(...newAnswers(manner, one, stat.length > 1).filter((part) => part !== null));
    };
    digits.addEventListener('change', show);
    state.listen((_, changed) => (changed.stat === undefined ? undefined : show()));
    show();
    return make('div', {}, tables);
}
