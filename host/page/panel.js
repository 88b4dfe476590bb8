/* panel.js - the region below the picture. Tabs: figures of --stat, problems, events; beside them what is chosen. */
import { answerOf, cursorsText } from './chosen.js';
import { make, onKey } from './dom.js';
import { newEvents } from './events.js';
import { newFigures } from './figures.js';
import { newProblems } from './problem_list.js';
import { newSearch } from './search.js';
import { newSplitter } from './splitter.js';
import { countText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').States} States */
/** @typedef {{id: string, title: string, content: HTMLElement}} Page of the panel */

const REST = 80; /* ms without a change of the selection before its sums are shown */

/** Tabs as a row of buttons; arrow keys go from one to the next. @param {Page[]} pages */
function newTabs(pages) {
    const tabs = pages.map(({ id, title, content }, i) => {
        content.id = `page-${id}`;
        content.setAttribute('role', 'tabpanel');
        content.setAttribute('aria-labelledby', `tab-${id}`);
        return make('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': content.id,
            onclick: () => open(i) }, title);
    });
    const open = (/** @type {number} */ at) => {
        pages.forEach(({ content }, i) => { content.hidden = i !== at; });
        tabs.forEach((tab, i) => {
            tab.setAttribute('aria-selected', String(i === at));
            tab.tabIndex = i === at ? 0 : -1;
        });
    };
    const bar = make('div', { role: 'tablist', 'aria-label': 'Answers' }, ...tabs);
    bar.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = tabs.findIndex((tab) => tab === document.activeElement);
        if (step === undefined || at < 0)
            return;
        const next = (at + step + tabs.length) % tabs.length;
        event.stopPropagation();
        open(next);
        tabs[next].focus();
    });
    open(0);
    return { bar, tabs, open };
}

/** What is chosen, beside the tabs; hidden if that is nothing. A drag changes the selection often: its sums can wait.
 *  @param {Trace} trace @param {States} state @param {HTMLInputElement} digits */
function newAside(trace, state, digits) {
    const title = make('h2', { id: 'answer-title' });
    const close = make('button', { type: 'button', 'aria-label': 'Close', title: 'Close (Escape)',
        onclick: () => state.change({ chosen: null, selection: null }) }, '×');
    const content = make('div', { class: 'answer-content' });
    const aside = make('section', { class: 'answer', 'aria-labelledby': 'answer-title', hidden: true },
        make('header', {}, title, close), content);
    const show = () => {
        const answer = answerOf(trace, state, digits.checked);
        aside.hidden = answer === null;
        aside.classList.toggle('wide', answer?.isWide === true);
        title.replaceChildren(make('bdi', {}, answer?.title ?? ''));
        content.replaceChildren(...(answer?.content ?? []));
    };
    let timer = 0;
    show();
    digits.addEventListener('change', show);
    state.listen((_, changed) => {
        if (!('chosen' in changed || 'selection' in changed || 'problems' in changed))
            return;
        clearTimeout(timer);
        if ('chosen' in changed)
            show();
        else
            timer = window.setTimeout(show, REST);
    });
    return aside;
}

/** @param {Trace} trace @param {States} state */
function newCursors(trace, state) {
    const line = make('output', { class: 'cursors' });
    const show = () => { line.textContent = cursorsText(trace, state) ?? ''; };
    show();
    state.listen((_, changed) => (changed.cursors === undefined ? undefined : show()));
    return line;
}

/**
 * Fill an element with the panel.
 * @param {HTMLElement} element
 * @param {Trace} trace
 * @param {States} state
 * @param {import('./search.js').Decode} decode
 */
export function newPanel(element, trace, state, decode) {
    const problems = newProblems(trace, state), events = newEvents(trace, state);
    const search = newSearch(trace, state, decode);
    const digits = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox', id: 'all-digits' }));
    const pages = [
        { id: 'figures', title: 'Figures', content: newFigures(trace, state, digits) },
        { id: 'problems', title: 'Problems', content: problems },
        { id: 'events', title: 'Events', content: make('div', {}, search, events.element) },
    ];
    const { bar, tabs, open } = newTabs(pages);
    const count = () => { tabs[1].textContent = `Problems (${countText(state.get().problems.length)})`; };
    state.listen((_, changed) => (changed.problems === undefined ? undefined : count()));
    count();
    const left = make('div', { class: 'pages' }, ...pages.map(({ content }) => content));
    const label = make('label', { class: 'digits' }, digits, ' all digits');
    const head = make('div', { class: 'panel-head' }, bar, newCursors(trace, state), label);
    element.replaceChildren(newSplitter(element), head,
        make('div', { class: 'panel-body' }, left, newAside(trace, state, digits)));
    onKey('/', () => {
        open(2);
        search.querySelector('input')?.focus();
    });
}
