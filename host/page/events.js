/* events.js - the table of events. It follows what is shown; with a filter it has only the events that it chose. */
import { lookAt } from './find.js';
import { List } from './list.js';
import { exactText } from './units.js';

/** @typedef {import('./types.js').Trace} Trace */

const REST = 120; /* ms without a change of the view before the table follows */
const NO_ROW = 0xFFFFFFFF;

/** What an event was logged in. @param {Trace} trace @param {number} i */
export function ownerOf(trace, i) {
    const row = trace.events.row[i];
    return row === NO_ROW ? '' : (trace.rows[row]?.name ?? '');
}

/**
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 */
export function newEvents(trace, state) {
    const { events, types } = trace;
    const eventOf = (/** @type {number} */ i) => state.get().matches?.[i] ?? i;
    const count = () => state.get().matches?.length ?? events.n;
    const list = new List({
        label: 'Events', count,
        columns: [[trace.unit === 'ns' ? 'Time in s' : 'Ticks', 'time'], ['CPU', 'number'], ['Task', 'text'],
            ['Event', 'text'], ['Fields', 'text wide']],
        cells(i) {
            const event = eventOf(i);
            return [exactText(trace, events.time[event]), String(events.cpu[event]), ownerOf(trace, event),
                types[events.type[event]].name, events.text(event)];
        },
        kindOf: (i) => (isChosen(eventOf(i)) ? 'chosen' : ''),
        choose(i) {
            const index = eventOf(i);
            lookAt(state, events.time[index], events.time[index], { kind: 'event', index });
        },
    });
    const isChosen = (/** @type {number} */ event) => {
        const { chosen } = state.get();
        return chosen?.kind === 'event' && chosen.index === event;
    };
    follow(trace, state, list, count, eventOf);
    return list;
}

/** The first row at or after a time. @param {Trace} trace @param {number} time @param {() => number} count
 *  @param {(i: number) => number} eventOf */
function rowAt(trace, time, count, eventOf) {
    let low = 0, high = count();
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (trace.events.time[eventOf(middle)] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/**
 * @param {Trace} trace
 * @param {import('./types.js').States} state
 * @param {List} list
 * @param {() => number} count
 * @param {(i: number) => number} eventOf
 */
function follow(trace, state, list, count, eventOf) {
    let timer = 0;
    const showView = () => {
        const { chosen, from } = state.get();
        const isEvent = chosen?.kind === 'event';
        const row = rowAt(trace, isEvent ? trace.events.time[chosen.index] : from, count, eventOf);
        if (isEvent)
            showChosen(row, chosen.index);
        else
            list.scrollTo(row);
    };
    const showChosen = (/** @type {number} */ row, /** @type {number} */ event) => {
        while (row < count() && eventOf(row) < event)
            row++;
        list.show(eventOf(row) === event ? row : -1);
    };
    state.listen((_, changed) => {
        if ('matches' in changed)
            list.refresh();
        if (!('from' in changed || 'to' in changed || 'chosen' in changed || 'matches' in changed))
            return;
        clearTimeout(timer);
        timer = window.setTimeout(showView, REST);
    });
}
