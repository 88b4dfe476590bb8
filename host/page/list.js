/* list.js - a table of any number of rows, of which only those on the screen are elements. The keyboard moves in it. */
import { make } from './dom.js';

const HIGH_MOST = 4e6; /* of what scrolls, in CSS pixels: browsers have a limit. A longer list has larger steps */
const MORE = 2; /* rows besides those that fit */

/**
 * @typedef {object} Model
 * @property {string} label
 * @property {[title: string, kind: string][]} columns
 * @property {() => number} count
 * @property {(i: number) => string[]} cells
 * @property {(i: number) => string} kindOf a class of the row
 * @property {(i: number) => void} choose
 */

/** The row that a key leads to. @param {string} key @param {number} at @param {number} n @param {number} page
 *  @returns {number|undefined} */
function rowOfKey(key, at, n, page) {
    /** @type {Record<string, number>} */
    const rows = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: n - 1 };
    return rows[key] === undefined ? undefined : Math.max(0, Math.min(n - 1, rows[key]));
}

export class List {
    first = 0;
    current = -1;
    /** @type {HTMLElement[]} */
    rows = [];

    /** @param {Model} model */
    constructor(model) {
        this.model = model;
        this.id = `list-${model.label.toLowerCase().replace(/\W/g, '-')}`;
        this.body = make('div', { role: 'rowgroup', class: 'list-rows' });
        this.space = make('div', { class: 'list-space' });
        this.box = make('div', { class: 'list-box', role: 'presentation', tabindex: -1 }, this.body, this.space);
        const heads = model.columns.map(([title, kind]) => make('span', { role: 'columnheader', class: kind }, title));
        const head = make('div', { role: 'row', class: 'list-row list-head' }, ...heads);
        const about = { class: 'list', id: this.id, role: 'grid', tabindex: 0, 'aria-label': model.label };
        this.element = make('div', about, make('div', { role: 'rowgroup' }, head), this.box);
        this.listen();
    }

    listen() {
        this.box.addEventListener('scroll', () => this.scrolled());
        this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        this.element.addEventListener('keydown', (event) => this.key(event));
        this.body.addEventListener('click', (event) => {
            const at = this.rows.findIndex((row) => row.contains(/** @type {Node} */ (event.target)));
            if (at >= 0)
                this.choose(this.first + at);
        });
        new ResizeObserver(() => this.refresh()).observe(this.box);
    }

    get high() {
        return this.rows[0]?.offsetHeight || 20;
    }

    /** Whole rows on the screen. */
    get page() {
        return Math.max(1, Math.floor(this.box.clientHeight / this.high));
    }

    get last() {
        return Math.max(0, this.model.count() - this.page);
    }

    scrolled() {
        const most = this.box.scrollHeight - this.box.clientHeight;
        const seen = Math.round(this.scrollOf(this.first));
        if (Math.abs(this.box.scrollTop - seen) > 1) {
            this.first = most > 0 ? Math.round((this.box.scrollTop / most) * this.last) : 0;
            this.draw();
        }
    }

    /** @param {number} first */
    scrollOf(first) {
        return this.last > 0 ? (first / this.last) * (this.box.scrollHeight - this.box.clientHeight) : 0;
    }

    /** The wheel goes by rows, however long the list is. @param {WheelEvent} event */
    wheel(event) {
        if (event.ctrlKey || event.deltaY === 0)
            return;
        const rows = event.deltaMode === 0 ? event.deltaY / this.high : event.deltaY;
        const first = Math.max(0, Math.min(this.last, this.first + (Math.trunc(rows) || Math.sign(rows))));
        if (first !== this.first)
            event.preventDefault();
        this.scrollTo(first);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const to = rowOfKey(event.key, this.current, this.model.count(), this.page);
        if (event.ctrlKey || event.metaKey || event.altKey || (to === undefined && event.key !== 'Enter'))
            return;
        event.preventDefault();
        event.stopPropagation();
        if (to !== undefined)
            this.show(to);
        else if (this.current >= 0)
            this.choose(this.current);
    }

    /** @param {number} i */
    choose(i) {
        this.show(i);
        this.model.choose(i);
    }

    /** Make a row the current one, and bring it onto the screen. @param {number} i */
    show(i) {
        this.current = i;
        if (i >= 0 && i < this.first)
            this.first = i;
        if (i >= this.first + this.page)
            this.first = i - this.page + 1;
        this.scrollTo(this.first);
    }

    /** @param {number} first */
    scrollTo(first) {
        this.first = Math.max(0, Math.min(this.last, first));
        this.box.scrollTop = this.scrollOf(this.first);
        this.draw();
    }

    /** The rows have changed, or the room for them. */
    refresh() {
        this.draw();
        this.space.style.height = `${Math.min(this.model.count() * this.high, HIGH_MOST)}px`;
        this.element.setAttribute('aria-rowcount', String(this.model.count() + 1));
        this.scrollTo(this.first);
    }

    draw() {
        const n = Math.min(this.model.count() - this.first, this.rows.length === 0 ? 1 : this.page + MORE);
        while (this.rows.length < n)
            this.rows.push(this.newRow(this.rows.length));
        this.body.replaceChildren(...this.rows.slice(0, Math.max(n, 0)));
        for (let i = 0; i < n; i++)
            this.fill(this.rows[i], this.first + i);
        const at = this.current - this.first;
        if (at >= 0 && at < n)
            this.element.setAttribute('aria-activedescendant', this.rows[at].id);
        else
            this.element.removeAttribute('aria-activedescendant');
    }

    /** @param {number} i */
    newRow(i) {
        const cells = this.model.columns.map(([, kind]) =>
            make('span', { role: 'gridcell', class: kind }, make('bdi')));
        return make('div', { role: 'row', class: 'list-row', id: `${this.id}-${i}` }, ...cells);
    }

    /** @param {HTMLElement} row @param {number} i */
    fill(row, i) {
        const texts = this.model.cells(i);
        row.querySelectorAll('bdi').forEach((cell, column) => { cell.textContent = texts[column]; });
        row.className = `list-row ${this.model.kindOf(i)}`;
        row.setAttribute('aria-rowindex', String(i + 2));
        row.setAttribute('aria-selected', String(i === this.current));
    }
}
