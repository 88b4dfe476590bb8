/* panel.mjs - the panel of the page in a browser, in node --experimental-default-type=module: all figures of its
 * tables are those of the native --stat --json, sorted by keyboard, too; a filter leaves the events that the native one
 * leaves; states come back from the address; problems lead to where they are; the keyboard reaches all; names stay
 * text. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build, check, checks, inState, native, openEmpty, rested, show, textOf } from './browser.mjs';
import { writeFragment } from '../../../host/page/fragment.js';
import { foldedAtFirst } from '../../../host/page/rows.js';
import { openTrace } from '../../../host/page/trace.js';
import { randomOf } from './made.js';

const files = [join(build, 'demo/dump.bin'), join(build, 'demo/firmware.elf')];
const demo = [files[0], `--elf=${files[1]}`];

async function openWith(browser, paths, options) {
    const page = await openEmpty(browser, options);
    await inState(page, 'empty');
    check('the page shows the trace', await show(page, paths) === 'shown', await textOf(page, '#trouble'));
    return page;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/** The rows that each table must have, made from the answer alone. */
const ROWS = {
    load: (stat) => stat.load,
    tasks: (stat) => stat.tasks,
    responses: (stat) => stat.tasks.filter((task) => task.response.count > 0),
    latencies: (stat) => stat.tasks.filter((task) => task.latency.count > 0),
    periods: (stat) => stat.tasks.filter((task) => task.period.count > 0),
    cycles: (stat) => stat.tasks.filter((task) => task.cycle.count > 0),
    waits: (stat) => stat.tasks.flatMap(({ task, blocked }) => blocked.map((of) => ({ task, of }))),
    interrupts: (stat) => stat.interrupts.map((of) => ({ of })),
    mutexes: (stat) => stat.mutexes,
    inversions: (stat) => stat.inversions,
    watermarks: (stat) => stat.stacks_and_heaps,
};
/** What tables do not show: how --stat got its figures, what stands elsewhere, and columns of zeros. */
const UNSHOWN = /\.(exact|in_no_percentile|lock|kind)$|^(mutexes \S*\.(time|min|avg)|mutexes number)$/;

const readTables = (page) => page.evaluate(() => [...document.querySelectorAll('table[data-table]')].map((table) => ({
    id: table.dataset.table,
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => cell.dataset.path !== undefined)
        .map((cell) => ({ path: cell.dataset.path, value: cell.dataset.value, text: cell.textContent,
        kind: cell.className }))),
})));

const at = (row, path) => path.split('.').reduce((value, key) => value[key], row);
const asText = (value) => (Array.isArray(value) ? JSON.stringify(value) : String(value));

/** The paths of all figures of a row. */
function pathsOf(row, before = '') {
    return Object.entries(row).flatMap(([key, value]) =>
        (value !== null && typeof value === 'object' && !Array.isArray(value)
        ? pathsOf(value, `${before}${key}.`) : [`${before}${key}`]));
}

/** Every figure of the answer is in some table, or is 0 in all rows. */
function checkComplete(tables, stat) {
    const shown = new Set(tables.flatMap(({ id, rows: [cells] }) =>
        cells.map(({ path }) => `${path.startsWith('of.') ? id : ''} ${path}`)));
    for (const [id, rowsOf] of Object.entries(ROWS)) {
        const rows = rowsOf(stat), isOf = ['waits', 'interrupts'].includes(id);
        for (const path of rows.length > 0 ? pathsOf(rows[0]) : []) {
            const isShown = shown.has(`${isOf && path !== 'task' ? id : ''} ${path}`) || path === 'blocked';
            const isZero = rows.every((row) => !at(row, path));
            check('each figure of --stat is in a table', isShown || isZero || UNSHOWN.test(`${id} ${path}`),
                `${id} ${path}`);
        }
    }
}

function checkFigures(tables, stat) {
    const wanted = Object.keys(ROWS).filter((id) => ROWS[id](stat).length > 0);
    check('there are all tables', tables.map(({ id }) => id).join() === wanted.join(), tables.map(({ id }) => id));
    let cells = 0;
    for (const { id, rows } of tables) {
        const expected = ROWS[id](stat);
        check(`${id}: as many rows`, rows.length === expected.length, [rows.length, expected.length]);
        rows.forEach((row, i) => row.forEach(({ path, value }) => {
            cells++;
            check(`${id}: ${path} in row ${i}`, value === asText(at(expected[i], path)),
                [value, at(expected[i], path)]);
        }));
    }
    check('there are many figures', cells > 300, String(cells));
}

/** With all digits, what can be read is the figure. */
function checkDigits(tables) {
    for (const { id, rows } of tables)
        for (const { kind, value, text } of rows.flat().filter((cell) => ['time', 'number'].includes(cell.kind)))
            check(`${id}: ${kind} has all digits`, Number(text.replace(/,| ns$/g, '')) === Number(value),
                [text, value]);
}

/** The same four digits as in the text of --stat. */
function checkShort(tables) {
    const lines = native(...demo, '--stat').split('\n');
    for (const [id, title] of [['responses', 'Responses'], ['latencies', 'Latencies']]) {
        const first = lines.findIndex((line) => line.startsWith(title)) + 1;
        const { rows } = tables.find((table) => table.id === id);
        rows.forEach((row, i) => {
            const cells = lines[first + i].trim().split(/ {2,}/);
            const shown = ['task', 'count', 'min', 'avg', 'p50', 'p99', 'max']
                .map((key) => row.find(({ path }) => path.endsWith(key)).text);
            check(`${id}: as in the text of --stat`, shown.join() === cells.slice(0, 7).join(), [shown, cells]);
        });
    }
}

async function checkTables(page) {
    const [stat] = JSON.parse(native(...demo, '--stat', '--json'));
    const tables = await readTables(page);
    checkFigures(tables, stat);
    checkComplete(tables, stat);
    checkShort(tables);
    const samples = await page.evaluate(() => [...document.querySelectorAll('svg[data-samples]')]
        .map((svg) => ({ n: Number(svg.dataset.samples),
        bars: [...svg.querySelectorAll('rect')].map((bar) => Number(bar.dataset.n)) })));
    const counts = ['response', 'latency', 'period']
        .flatMap((key) => stat.tasks.map((task) => task[key].count).filter((n) => n > 0));
    check('each histogram has all samples', JSON.stringify(samples.map(({ n }) => n)) === JSON.stringify(counts),
        samples);
    check('bars have all samples', samples.every(({ n, bars }) => bars.reduce((a, b) => a + b, 0) === n), samples);
    await page.click('#all-digits');
    checkDigits(await readTables(page));
    await page.click('#all-digits');
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

const columnOf = (page, id, column) => page.evaluate((id, column) => {
    const table = document.querySelector(`table[data-table="${id}"]`), head = table.tHead.rows[0].cells[column];
    return { sort: head.ariaSort, values: [...table.tBodies[0].rows]
        .map((row) => row.cells[column].dataset.value.replace(/^null$/, '')) };
}, id, column);

/** Press Enter on the heading of each column, twice. */
async function checkSorting(page) {
    const order = (a, b) => (/^-?[\d.]+$/.test(a + b) ? Number(a) - Number(b)
        : String(a).localeCompare(String(b), 'en', { numeric: true }));
    const heads = await page.evaluate(() => [...document.querySelectorAll('th')].map((head) =>
        [head.closest('table').dataset.table, head.cellIndex, head.querySelector('button') !== null]));
    for (const [id, column] of heads.filter(([id, , isButton]) => isButton
        && ['tasks', 'responses', 'waits', 'interrupts'].includes(id))) {
        const { values: before } = await columnOf(page, id, column);
        for (let times = 0; times < 2; times++) {
            await page.evaluate((id, column) =>
                document.querySelector(`table[data-table="${id}"]`).tHead.rows[0].cells[column]
                .firstChild.focus(), id, column);
            await page.keyboard.press('Enter');
            const { sort, values } = await columnOf(page, id, column);
            const signed = (a, b) => (sort === 'descending' ? order(b, a) : order(a, b));
            check(`${id}: column ${column} is sorted`,
                sort && values.every((value, i) => i === 0 || signed(values[i - 1], value) <= 0), [sort, values]);
            check(`${id}: all rows stay`, [...values].sort().join() === [...before].sort().join(), values);
        }
    }
}

/* ---- events and filter ------------------------------------------------------------------------------------------- */

/** All rows of a list, read while it scrolls from its beginning to its end by keyboard. */
async function readList(page, id) {
    const rows = new Map();
    await page.focus(`#${id}`);
    await page.keyboard.press('Home');
    const total = await page.evaluate((id) => Number(document.getElementById(id).ariaRowCount) - 1, id);
    for (let before = -1; rows.size < total && rows.size > before;) {
        before = rows.size;
        const seen = await page.evaluate((id) => [...document.querySelectorAll(`#${id} .list-box .list-row`)]
            .map((row) => [row.ariaRowIndex, [...row.children].map((cell) => cell.textContent)]), id);
        seen.forEach(([i, cells]) => rows.set(Number(i) - 2, cells));
        await page.keyboard.press('PageDown');
    }
    check(`${id}: all rows can be reached`, rows.size === total, [rows.size, total]);
    return [...rows].sort(([a], [b]) => a - b).map(([, cells]) => cells);
}

/** The lines of text as cells: time, event, fields. */
const linesOf = (...given) => native('-q', ...demo, ...given).split('\n').slice(1, -1)
    .map((line) => /\[(\d+)\] +([\d.]+): (\S+): +(.*)$/.exec(line))
    .map(([, cpu, time, event, fields]) => [time, String(Number(cpu)), event, fields.trim()].join(' | '));

async function filter(page, text) {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('/');
    await page.evaluate(() => document.getElementById('filter').select());
    await page.keyboard.sendCharacter(text);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.getElementById('filter-note').textContent.startsWith('The decoder'),
        { polling: 20 });
    await rested(page); /* the table follows */
    return textOf(page, '#filter-note');
}

async function checkFilter(page, text) {
    const note = await filter(page, text), lines = linesOf(`--filter=${text}`);
    check(`${text}: how many are left`, note.startsWith(`${lines.length.toLocaleString('en-US')} of 8,672 events`),
        [note, lines.length]);
    const shown = (await readList(page, 'list-events'))
        .map(([time, cpu, , event, fields]) => [time, cpu, event, fields].join(' | '));
    const wrong = shown.findIndex((line, i) => line !== lines[i]);
    check(`${text}: the same events`, shown.length === lines.length && wrong < 0, [shown[wrong], lines[wrong]]);
}

async function checkFilterErrors(page) {
    for (const text of ['value ==', '(task == "x"', 'ü == 3', 'a && && b', 'task == "x']) {
        const note = await filter(page, text);
        const { stderr } = spawnSync(join(build, 'tlog-decode'), [...demo, `--filter=${text}`, '-o', '/dev/null'],
            { encoding: 'utf8' });
        const [, column, what] = /column (\d+): (.*)/.exec(stderr);
        check(`${text}: as the decoder says it`, note.endsWith(`: ${what}`) && note.startsWith('column '),
            [note, stderr]);
        check(`${text}: the place`, Number(/\d+/.exec(note)[0]) <= Number(column), [note, column]);
        check(`${text}: it is told to be wrong`,
            await page.evaluate(() => document.getElementById('filter').ariaInvalid) === 'true');
    }
}

async function checkEvents(page) {
    for (const text of ['event == "task_deadline_miss"', 'value > 900', 'task == "logger" && event ~ "set_mutex*"'])
        await checkFilter(page, text);
    await checkFilterErrors(page);
    await filter(page, '');
    check('without a filter there are all events',
        await page.evaluate(() => document.getElementById('list-events').ariaRowCount) === '8673');
}

/* ---- the address ------------------------------------------------------------------------------------------------- */

function trace() {
    const bytes = execFileSync(join(build, 'tlog-decode'), ['-q', ...demo, '--format=columns', '-o', '-'],
        { maxBuffer: 1 << 28 });
    return openTrace(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The address once the page has put its state into it. */
async function hashOf(page) {
    await rested(page);
    return page.evaluate(() => location.hash.slice(1));
}

/** Go to an address, and read the one that the page makes of its state. */
async function throughAddress(page, fragment) {
    await page.evaluate((to) => new Promise((done) => {
        const before = location.href;
        location.hash = to;
        if (location.href === before)
            done();
        else
            window.addEventListener('hashchange', done, { once: true });
    }), fragment);
    return hashOf(page);
}

async function checkAddresses(page) {
    const whole = trace(), usual = foldedAtFirst(whole), random = randomOf(7), below = (n) => Math.floor(random() * n);
    for (let i = 0; i < 8; i++) {
        const from = below(whole.span / 2), cut = below(whole.span);
        const state = { from, to: from + 1000 + below(whole.span / 2 - 1000),
            selection: i % 2 ? { from: cut, to: whole.span } : null, cursors: [i % 3 ? null : cut, i % 5 ? cut : null],
            chosen: [null, { kind: 'event', index: below(whole.events.n) }, { kind: 'problem', index: below(14) },
                { kind: 'interval', row: 2, index: below(300) }][i % 4],
            folded: new Set(i % 2 ? [...usual, 3, 4] : usual), filter: i % 6 ? '' : 'value > 900' };
        const fragment = writeFragment(whole, state, usual), back = await throughAddress(page, fragment);
        check('a state comes back from the address', back === fragment, [fragment, back]);
        const isHidden = await page.evaluate(() => document.querySelector('.answer').hidden);
        check('what is chosen is told', isHidden === (state.chosen === null && state.selection === null), fragment);
    }
    for (const fragment of ['v=-1+3', 'x=i999.1', 'x=p99999', 'f=0-999999', '__proto__=1', 'q=%', 's=5', 'c=,,,,'])
        check('a hostile address does nothing',
            /^(f=[\d.-]*|x=p99999|q=%25)?$/.test(await throughAddress(page, fragment)), [fragment, await hashOf(page)]);
    await throughAddress(page, 'v=0+2000000000');
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

const viewOf = async (page) => {
    const [, from, length] = /v=(\d+)\+(\d+)/.exec(await hashOf(page)) ?? [0, 0, 1095163400];
    return { from: Number(from), to: Number(from) + Number(length) };
};

async function checkProblems(page) {
    const [stat] = JSON.parse(native(...demo, '--stat', '--json'));
    await page.click('#summary .link');
    check('the first problem is shown', (await hashOf(page)).includes('x=p0'), await hashOf(page));
    await page.click('#tab-problems');
    const rows = await readList(page, 'list-problems');
    check('all problems are listed', rows.length === 14 && rows.filter(([, kind]) => kind === 'deadline').length === 4,
        rows);
    for (const i of [3, 9, 5]) {
        await page.focus('#list-problems');
        for (const key of ['Home', ...Array(i).fill('ArrowDown')])
            await page.keyboard.press(key);
        await page.click(`#list-problems .list-box [aria-rowindex="${i + 2}"]`);
        const time = Math.round(Number(rows[i][0]) * 1e9) - stat.first, view = await viewOf(page);
        check('a click leads to the problem', view.from <= time && time <= view.to && view.to - view.from < 1e9,
            [rows[i], view]);
        check('it is told', (await textOf(page, '.answer')).includes(rows[i][2]), rows[i]);
        const steps = await page.evaluate(() => document.querySelectorAll('.chain button').length);
        check('what led to it are links', steps >= 3, String(steps));
        await page.click('.chain li:nth-child(2) button');
        check('a link chooses what it tells', /x=i\d+\.\d+/.test(await hashOf(page)), await hashOf(page));
    }
    await throughAddress(page, 'x=p4');
    for (const [key, index] of [[']', 5], [']', 6], ['[', 5]]) {
        await page.keyboard.press(key);
        check(`${key} steps`, (await hashOf(page)).includes(`x=p${index}`), await hashOf(page));
    }
    await throughAddress(page, 'v=0+2000000000');
}

/* ---- selection and cursors --------------------------------------------------------------------------------------- */

/** All of the trace is selected: the sums are those of --stat. A part of it has less, and the cursors tell their
 *  difference. */
async function checkSelection(page) {
    const [stat] = JSON.parse(native(...demo, '--stat', '--json'));
    const sums = async () => (await readTables(page)).find(({ id }) => id === 'sum-tasks').rows
        .map((row) => Object.fromEntries(row.map(({ path, value }) => [path, value])));
    await throughAddress(page, `s=0+${stat.last - stat.first}`);
    const whole = await sums();
    for (const task of stat.tasks) {
        const sum = whole.find((row) => row['row.name'] === task.task);
        for (const key of ['running', 'ready'])
            check(`${task.task}: ${key} of all that is selected`, Number(sum?.[key]) === task[key],
                [sum?.[key], task[key]]);
    }
    await throughAddress(page, 's=370000000+18000000&c=375983000,391725680');
    const part = await sums();
    check('a part has less', part.every((row) => Number(row.running) <= 18e6) && part.length > 3, part);
    check('its title', (await textOf(page, '.answer h2')) === 'Selected: 18.00 ms', await textOf(page, '.answer h2'));
    check('the cursors', (await textOf(page, '.cursors')).endsWith(': 15.74 ms between them'),
        await textOf(page, '.cursors'));
    await page.focus('.splitter');
    const high = () => page.evaluate(() => document.getElementById('panel').offsetHeight);
    const before = await high();
    await page.keyboard.press('ArrowUp');
    check('a key gives the panel more room', await high() > before, [before, await high()]);
    await throughAddress(page, 'v=0+2000000000');
}

/* ---- keyboard ---------------------------------------------------------------------------------------------------- */

/** What has the focus: its name as a reader tells it, and whether it is seen. */
const focused = (page) => page.evaluate(() => {
    const element = document.activeElement, style = getComputedStyle(element);
    element.dataset.walked = '';
    return { name: element.computedName, role: element.computedRole, tag: element.tagName,
        html: element.outerHTML.slice(0, 100),
        isSeen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
});

/** Walk through the whole page by Tab: each stop has a name and is seen, and nothing that can be used is left out. */
async function walk(page, where) {
    for (let ends = 0, i = 0; ends < 2 && i < 800; i++) {
        await page.keyboard.press('Tab');
        const stop = await focused(page);
        ends += stop.tag === 'BODY' ? 1 : 0;
        check(`${where}: each stop has a name`, stop.name !== '' || stop.tag === 'BODY', stop);
        check(`${where}: the focus is seen`, stop.isSeen || ['BODY', 'CANVAS'].includes(stop.tag), stop);
    }
    const missed = await page.evaluate(() =>
        [...document.querySelectorAll('button, input, select, textarea, a[href], [tabindex]')]
        .filter((element) => element.checkVisibility() && !element.disabled && element.tabIndex >= 0
            && element.dataset.walked === undefined)
        .map((element) => element.outerHTML.slice(0, 120)));
    check(`${where}: nothing is left out`, missed.length === 0, missed);
}

async function checkKeyboard(page) {
    await walk(page, 'figures');
    await page.focus('#tab-figures');
    await page.keyboard.press('ArrowRight');
    check('an arrow key opens the next tab', await page.evaluate(() => document.activeElement.id === 'tab-problems'
        && !document.getElementById('page-problems').hidden));
    await page.focus('#list-problems');
    for (const key of ['Home', 'ArrowDown', 'Enter'])
        await page.keyboard.press(key);
    await walk(page, 'problems');
    check('Enter tells of the problem',
        await page.evaluate(() => document.querySelectorAll('.chain button[data-walked]').length) > 2);
    await page.focus('#tab-problems');
    await page.keyboard.press('ArrowRight');
    await walk(page, 'events');
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('?');
    check('? opens the keys', await page.evaluate(() => document.querySelector('dialog').open));
    await page.keyboard.press('Escape');
    check('Escape closes them', await page.evaluate(() => !document.querySelector('dialog').open));
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/** The demo as a trace.dat in which two tasks have other names, of the same lengths. */
function withNames(folder) {
    execFileSync(join(build, 'tlog-decode'), ['-q', ...demo, '-o', join(folder, 'plain.dat')]);
    let bytes = readFileSync(join(folder, 'plain.dat')).toString('latin1');
    for (const [name, hostile] of [['control', '<i>"&x<'], ['sensor', '‮abc']])
        bytes = bytes.replaceAll(name, Buffer.from(hostile).toString('latin1'));
    writeFileSync(join(folder, 'hostile.dat'), bytes, 'latin1');
    return join(folder, 'hostile.dat');
}

async function checkNames(browser) {
    const folder = mkdtempSync(join(tmpdir(), 'tlog-names-'));
    const page = await openWith(browser, [withNames(folder)]);
    const cells = await page.evaluate(() => [...document.querySelectorAll('td.text')]
        .map((cell) => [cell.textContent, cell.firstChild.nodeName]));
    check('markup in a name stays text', cells.filter(([text]) => text === '<i>"&x<').length > 3, cells);
    check('a mark of direction stays in its name',
        cells.filter(([text, tag]) => text === '‮abc' && tag === 'BDI').length > 3, cells);
    await page.click('#tab-problems');
    check('no markup in problems', (await readList(page, 'list-problems'))
        .some(([, , text]) => text.startsWith('<i>"&x< waited')));
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    check('a name in a title', (await textOf(page, '.chain')).includes('<i>"&x<'), await textOf(page, '.answer'));
    check('no element comes from a name', await page.evaluate(() => document.querySelectorAll('i').length) === 0);
    check('nothing went wrong', page.problems.length === 0, page.problems);
    rmSync(folder, { recursive: true });
}

/** A link of somebody else: the page is opened with it, and then gets the trace. */
async function checkLink(browser) {
    const fragment = 'v=366000000+30000000&c=375983000,&x=p4&q=value%20%3E%20900';
    const page = await openWith(browser, files, { fragment });
    await page.waitForFunction(() => document.getElementById('filter-note').textContent.startsWith('405 of'),
        { polling: 20 });
    check('a link shows what it says', await hashOf(page) === fragment, await hashOf(page));
    const answer = await textOf(page, '.answer');
    check('a link chooses', answer.includes('control waited 15.74 ms for mutex bus, held by logger'), answer);
    const folder = mkdtempSync(join(tmpdir(), 'tlog-part-')), part = join(folder, 'part.dat');
    execFileSync(join(build, 'tlog-decode'), ['-q', ...demo, '--time=0.1..0.5', '-o', part]);
    await show(page, [part]);
    rmSync(folder, { recursive: true });
    check('what was of another trace is gone', await hashOf(page) === '', await hashOf(page));
    check('nothing went wrong', page.problems.length === 0, page.problems);
}

/** What stands in the first sentence. */
async function checkSummary(page) {
    const text = await textOf(page, '#summary');
    check('the first sentence',
        text === '1.095 s of 1 CPU, 7,026 events, nothing lost. 4 deadlines missed, 10 priority inversions: '
            + 'show the first.', text);
}

await checks(async (browser) => {
    const page = await openWith(browser, files);
    for (const run of [checkSummary, checkTables, checkSorting, checkEvents, checkAddresses, checkProblems,
        checkSelection, checkKeyboard]) {
        const begin = performance.now();
        await run(page);
        if (process.env.VERBOSE)
            console.error(`${run.name}: ${Math.round(performance.now() - begin)} ms`);
    }
    check('nothing went wrong', page.problems.length === 0, page.problems);
    await checkNames(browser);
    await checkLink(browser);
}, ['--enable-blink-features=ComputedAccessibilityInfo']);
