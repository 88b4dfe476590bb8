/* search.js - chooses events by an expression of --filter. The decoder does it: it writes the events that are left, and
 * they are found again among all. */
import { make } from './dom.js';
import { openTrace } from './trace.js';
import { countText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {(options: string[], outputs: string[]) => Promise<import('./types.js').Run>} Decode */

const OUT = 'filtered.columns';

/** A number for each type of one trace, which the same type of another has, too. @param {Trace} trace
 *  @param {Map<string, number>} names */
function typeNumbers(trace, names) {
    return trace.types.map(({ system, name }) => {
        const key = `${system}:${name}`;
        return names.get(key) ?? names.set(key, names.size).size - 1;
    });
}

/**
 * Which events of a trace those of a part of it are: by time, CPU, type and text, in order.
 * @param {Trace} whole
 * @param {Trace} part
 * @returns {Uint32Array}
 */
export function matchEvents(whole, part) {
    const names = new Map(), later = Number(BigInt(part.start) - BigInt(whole.start));
    const types = typeNumbers(whole, names), partTypes = typeNumbers(part, names);
    const a = whole.events, b = part.events, found = new Uint32Array(b.n);
    const isSame = (/** @type {number} */ i, /** @type {number} */ j) => a.cpu[i] === b.cpu[j]
        && types[a.type[i]] === partTypes[b.type[j]] && a.text(i) === b.text(j);
    let n = 0, i = 0;
    for (let j = 0; j < b.n; j++) {
        const time = b.time[j] + later;
        while (i < a.n && a.time[i] < time)
            i++;
        let at = i;
        while (at < a.n && a.time[at] === time && !isSame(at, j))
            at++;
        if (at < a.n && a.time[at] === time) {
            found[n++] = at;
            i = at + 1;
        }
    }
    return found.subarray(0, n);
}

/** What the decoder said against an expression, and the place in it. @param {string} told @param {string} expression */
export function readError(told, expression) {
    const [, all, column, what] = /--filter=(.*): column (\d+): (.*)/s.exec(told) ?? [];
    if (all === undefined)
        return { text: told.trim().split('\n')[0], place: -1 };
    const before = new TextEncoder().encode(all).subarray(0, Number(column) - 1);
    const place = new TextDecoder().decode(before).length - Math.max(all.lastIndexOf(expression), 0);
    return { text: `column ${place + 1}: ${what.split('\n')[0]}`, place };
}

/** What the decoder noted: names that no event has. @param {string} told */
function notesOf(told) {
    return [...told.matchAll(/: --filter: (no event is or has .*)/g)].map(([, note]) => `; ${note}`).join('');
}

/** The events that an expression chooses. @param {Trace} trace @param {Decode} decode @param {string} expression */
async function search(trace, decode, expression) {
    const run = await decode([`--filter=${expression}`, '--format=columns', `--output=${OUT}`], [OUT]);
    const bytes = run.files.get(OUT);
    if (bytes === undefined || bytes.length === 0)
        return { matches: null, error: readError(run.told, expression), note: '' };
    const part = openTrace(/** @type {ArrayBuffer} */ (bytes.slice().buffer));
    return { matches: matchEvents(trace, part), error: null, note: notesOf(run.told) };
}

/**
 * The field for the expression.
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 * @param {Decode} decode
 */
export function newSearch(trace, state, decode) {
    const field = /** @type {HTMLInputElement} */ (make('input', { type: 'search', id: 'filter', spellcheck: 'false',
        autocomplete: 'off', placeholder: 'value > 300 && task == "sensor"', 'aria-describedby': 'filter-note' }));
    const note = make('p', { id: 'filter-note', role: 'status' });
    const form = make('form', { role: 'search', class: 'search' }, make('label', { for: 'filter' }, 'Filter'), field,
        make('button', { type: 'submit' }, 'Choose'),
        make('button', { type: 'button', onclick: () => set('') }, 'All'), note);
    const set = (/** @type {string} */ filter) => state.change({ filter });
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        set(field.value.trim());
    });
    const show = newAnswer(trace, state, decode, field, note);
    state.listen((_, changed) => (changed.filter === undefined ? undefined : show(changed.filter)));
    show(state.get().filter);
    return form;
}

/**
 * What runs the decoder for an expression. Only the newest expression counts.
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 * @param {Decode} decode
 * @param {HTMLInputElement} field
 * @param {HTMLElement} note
 */
function newAnswer(trace, state, decode, field, note) {
    let newest = '';
    const tell = (/** @type {string} */ text, isWrong = false) => {
        note.textContent = text;
        field.setAttribute('aria-invalid', String(isWrong));
    };
    const take = (/** @type {Awaited<ReturnType<typeof search>>} */ { matches, error, note: more }) => {
        state.change({ matches });
        if (error === null)
            tell(`${countText(matches.length)} of ${countText(trace.events.n)} events${more}`);
        else
            tell(error.text, true);
        if (error !== null && error.place >= 0 && document.activeElement === field)
            field.setSelectionRange(error.place, field.value.length);
    };
    return async (/** @type {string} */ filter) => {
        if (filter === newest)
            return;
        newest = field.value = filter;
        tell(filter === '' ? '' : 'The decoder looks for them.');
        const found = filter === '' ? null : await search(trace, decode, filter);
        if (filter !== newest)
            return;
        if (found === null)
            state.change({ matches: null });
        else
            take(found);
    };
}
