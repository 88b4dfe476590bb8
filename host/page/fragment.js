/* fragment.js - the state as the URL's fragment, so that a link shows a colleague the same. Times are whole.
 *
 *   v=FROM+LENGTH  what is shown        s=FROM+LENGTH  the selection        c=A,B  cursors
 *   x=eN iROW.N pN  what is chosen       f=16-19.23     folded rows          q=...  the filter */

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').State} State */

const FILTER_MOST = 2000; /* characters */
const FOLD_LEAST = -16; /* what can be folded has numbers from here on (rows.js); in the fragment they count from 0 */

/** @param {{from: number, to: number}} part */
function writePart(part) {
    const from = Math.floor(part.from);
    return `${from}+${Math.ceil(part.to) - from}`;
}

/** Folded rows as runs: 16-19.23 @param {Set<number>} set */
function writeSet(set) {
    const runs = [];
    for (const n of [...set].map((row) => row - FOLD_LEAST).sort((a, b) => a - b)) {
        const last = runs.at(-1);
        if (last !== undefined && last[1] === n - 1)
            last[1] = n;
        else
            runs.push([n, n]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join('.');
}

/** @param {any} chosen */
function writeChosen(chosen) {
    return chosen.kind === 'interval' ? `i${chosen.row}.${chosen.index}` : chosen.kind[0] + chosen.index;
}

/**
 * @param {Trace} trace
 * @param {Readonly<State>} state
 * @param {Set<number>} usual the rows that are folded without a fragment
 * @returns {string} without the #
 */
export function writeFragment(trace, state, usual) {
    const folded = writeSet(state.folded);
    const parts = [];
    if (state.from > 0 || state.to < trace.span)
        parts.push(`v=${writePart(state)}`);
    if (state.selection !== null)
        parts.push(`s=${writePart(state.selection)}`);
    if (state.cursors.some((at) => at !== null))
        parts.push(`c=${state.cursors.map((at) => (at === null ? '' : Math.round(at))).join()}`);
    if (state.chosen !== null)
        parts.push(`x=${writeChosen(state.chosen)}`);
    if (folded !== writeSet(usual))
        parts.push(`f=${folded}`);
    if (state.filter !== '')
        parts.push(`q=${encodeURIComponent(state.filter)}`);
    return parts.join('&');
}

/** A whole number from 0 to most; -1: it is none. @param {string|undefined} text @param {number} most */
function readWhole(text, most) {
    const n = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : -1;
    return n <= most ? n : -1;
}

/** @param {string|null} text @param {number} span */
function readPart(text, span) {
    const [a, b] = (text ?? '').split(/[+ ]/);
    const from = readWhole(a, span);
    const length = readWhole(b, Number.MAX_SAFE_INTEGER);
    return from < 0 || length < 1 ? null : { from, to: Math.min(from + length, span) };
}

/** @param {string|null} text @param {number} n of rows @returns {Set<number>} */
function readSet(text, n) {
    const most = n - 1 - FOLD_LEAST, set = new Set();
    let next = 0; /* runs are in order, so that a long text takes no longer than rows do */
    for (const run of (text ?? '').split('.')) {
        const [a, b = a] = run.split('-');
        const first = readWhole(a, most), last = readWhole(b, most);
        if (first < next)
            continue;
        for (next = first; next <= last; next++)
            set.add(next + FOLD_LEAST);
    }
    return set;
}

/**
 * What a fragment chooses, if it is there. Problems are found later than this is read: their number is only a number.
 * @param {Trace} trace
 * @param {string|null} text
 * @returns {State['chosen']}
 */
function readChosen(trace, text) {
    const [, kind, a, b] = /^([eip])(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text ?? '') ?? [];
    const index = Number(kind === 'i' ? b : a);
    if (kind === 'e')
        return index < trace.events.n ? { kind: 'event', index } : null;
    if (kind === 'i')
        return index < (trace.rows[Number(a)]?.n ?? 0) ? { kind: 'interval', row: Number(a), index } : null;
    return kind === 'p' ? { kind: 'problem', index } : null;
}

/**
 * What a fragment says, as a change of the state; what makes no sense is what it is without a fragment.
 * @param {Trace} trace
 * @param {string} fragment without the #
 * @param {Set<number>} usual
 * @returns {Partial<State>}
 */
export function readFragment(trace, fragment, usual) {
    const parts = new URLSearchParams(fragment.replaceAll('+', '%2B'));
    const view = readPart(parts.get('v'), trace.span);
    const cursors = (parts.get('c') ?? '').split(',').map((at) => readWhole(at, trace.span));
    return {
        from: view?.from ?? 0,
        to: view?.to ?? trace.span,
        selection: readPart(parts.get('s'), trace.span),
        cursors: [cursors[0] >= 0 ? cursors[0] : null, cursors[1] >= 0 ? cursors[1] : null],
        chosen: readChosen(trace, parts.get('x')),
        filter: (parts.get('q') ?? '').slice(0, FILTER_MOST),
        folded: parts.has('f') ? readSet(parts.get('f'), trace.rows.length) : new Set(usual),
    };
}

let before = ''; /* which trace the fragment was of */
let ending = new AbortController();

/** What is of one trace is nothing of another, but the first fragment came with the page. @param {Trace} trace */
function begin(trace) {
    const which = `${trace.start}+${trace.span}`;
    if (before !== '' && before !== which)
        history.replaceState(null, '', '#');
    before = which;
    ending.abort();
    ending = new AbortController();
    return ending.signal;
}

/** Let the state follow the fragment, and the fragment the state, until that is done for another trace.
 *  @param {Trace} trace @param {import('./types.js').States} state */
export function followFragment(trace, state) {
    const usual = new Set(state.get().folded), signal = begin(trace);
    let timer = 0, written = '';
    const read = () => {
        const now = location.hash.slice(1);
        if (now !== written && now !== '')
            state.change(readFragment(trace, now, usual));
        written = now;
    };
    const write = () => {
        if (signal.aborted)
            return;
        written = writeFragment(trace, state.get(), usual);
        if (written !== location.hash.slice(1))
            history.replaceState(null, '', `#${written}`);
    };
    read();
    state.listen(() => {
        clearTimeout(timer);
        timer = window.setTimeout(write, 200);
    });
    window.addEventListener('hashchange', read, { signal });
}
