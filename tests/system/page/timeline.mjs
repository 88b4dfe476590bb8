/* timeline.mjs - the timeline in a headless Chromium, of a made-up trace (timeline.html).
 *
 * Pixels are read back: a task that runs is filled, one that is blocked is a line, what is lost is hatched, at any
 * place and zoom that numbers choose. Keys, wheel and pointer do what help says, and what is chosen is told in words. A
 * thousand frames leave the memory as it was, and 100,000 events are drawn in a multiple of the time that filling the
 * canvas takes. */
import { check, checks } from './browser.mjs';
import { pathToFileURL } from 'node:url';
import { HEAD } from '../../../host/page/scene.js';

const FRAMES = 1000, GROWTH = 3e6, SLOWER = 40;

const settled = (page) => page.evaluate(() =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const stateOf = (page) => page.evaluate(() => {
    const { from, to, selection, cursors, chosen, folded } = here.state.get();
    return { from, to, selection, cursors, chosen, folded: [...folded] };
});
const saidOn = (page) => page.evaluate(() => document.querySelector('.tl-said').textContent);

async function press(page, ...keys) {
    for (const key of keys) await page.keyboard.press(key);
    await settled(page);
}

/** A page with a trace. */
async function opened(browser, of, { width = 1000, height = 700, scale = 1, dark = false } = {}) {
    const page = await browser.browser.newPage();
    page.on('pageerror', (error) => check('an error', false, String(error?.stack ?? error)));
    await page.setViewport({ width, height, deviceScaleFactor: scale });
    await page.goto(pathToFileURL('tests/system/page/timeline.html').href);
    await page.waitForFunction(() => globalThis.openHere !== undefined);
    await page.evaluate((made, isDark) => {
        document.documentElement.toggleAttribute('data-dark', isDark);
        openHere(made);
    }, of, dark);
    await settled(page);
    return page;
}

/* ---- pixels ------------------------------------------------------------------------------------------------------ */

/** Shows intervals of a state, each over half of the canvas, and gives the colours at three quarters of it, from the
 *  row's upper edge to its lower one. */
const columnsOf = (page, state) => page.evaluate((wanted) => {
    const { trace, state: states, timeline: { scene, draw } } = here, found = [];
    const isTask = ({ kind, name }) => kind === 'task' && !['worker', 'idle', 'never'].includes(name);
    for (const row of trace.rows.filter(isTask)) {
        const all = [...row.start.keys()].filter((i) => row.state[i] === wanted
            && row.end[i] - row.start[i] > 2000).slice(0, 15);
        for (const i of all) {
            const length = row.end[i] - row.start[i], lane = scene.lanes.find((one) => one.rows.includes(row));
            states.change({ from: row.start[i] - length / 2, to: row.end[i] + length / 2 });
            draw();
            const time = row.start[i] + length * 0.75, x = scene.pen.left
                + Math.round((time - scene.pen.scale.from) / scene.pen.scale.perPixel);
            const height = Math.round((lane.height - 6) * devicePixelRatio),
                { data } = scene.pen.ctx.getImageData(x, scene.tops[row.index], 1, height);
            found.push({ what: `${row.name} ${i}`,
                pixels: Array.from({ length: height }, (_, k) => [...data.slice(4 * k, 4 * k + 3)]) });
        }
    }
    return found;
}, state);

const coloursOf = (page) => page.evaluate(() => {
    const { colours } = here.timeline.scene.pen,
        parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return Object.fromEntries(Object.entries(colours).map(([name, hex]) => [name, parts(hex)]));
});

const isColour = (pixel, colour) => pixel.every((value, i) => Math.abs(value - colour[i]) <= 2);
const share = (pixels, isIt) => pixels.filter(isIt).length / Math.max(pixels.length, 1);
const most = (columns, isIt) => share(columns, isIt) > 0.9; /* an arrow or a mark may be in the way */

async function testStates(page, what) {
    const colours = await coloursOf(page), isEmpty = (pixel) => isColour(pixel, colours.back)
        || isColour(pixel, colours.grid);
    const [running, ready, blocked] = [await columnsOf(page, 1), await columnsOf(page, 2), await columnsOf(page, 3)];
    check(`${what}: there are columns`, running.length > 20 && ready.length > 20 && blocked.length > 20);
    check(`${what}: running is filled`, most(running,
        ({ pixels }) => share(pixels, (pixel) => isColour(pixel, colours.running)) > 0.9));
    check(`${what}: ready is half as high`,
        most(ready, ({ pixels }) => pixels.slice(0, pixels.length / 2 - 2).every(isEmpty)));
    const lower = ({ pixels }) => share(pixels.slice(pixels.length / 2), (pixel) => !isEmpty(pixel));
    check(`${what}: ready is hatched`, most(ready, (column) => lower(column) > 0.2 && lower(column) < 0.95),
        ready.map(lower));
    check(`${what}: blocked is a line`, most(blocked, ({ pixels }) => isColour(pixels.at(-1), colours.blocked)
        && pixels.slice(0, -4).every(isEmpty)));
}

/** Each gap is hatched over each row: there is the colour of the hatching, and not only that. */
async function testGaps(page, what) {
    const seen = await page.evaluate(() => {
        const { trace: { gaps }, state, timeline: { scene, draw } } = here, found = [];
        for (let i = 0; i < gaps.n; i++) {
            const length = gaps.end[i] - gaps.start[i];
            state.change({ from: gaps.start[i] - length, to: gaps.end[i] + length });
            draw();
            const { pen } = scene, x = pen.left
                + Math.round((gaps.start[i] + length / 10 - pen.scale.from) / pen.scale.perPixel);
            for (const lane of scene.lanes) for (const row of lane.rows) {
                const { data } = pen.ctx.getImageData(x, scene.tops[row.index], 24, 12);
                found.push(Array.from({ length: 24 * 12 }, (_, k) => [...data.slice(4 * k, 4 * k + 3)]));
            }
        }
        return found;
    });
    const { unknown } = await coloursOf(page), hatched = (pixels) => share(pixels, (pixel) => isColour(pixel, unknown));
    check(`${what}: what is lost is hatched`, seen.length > 10
        && seen.every((pixels) => hatched(pixels) > 0.02 && hatched(pixels) < 0.6), seen.map(hatched).slice(0, 5));
}

/** A crowded row shows the shares: the filled part of all its columns is the task's part of the time. */
async function testShares(page) {
    const shares = await page.evaluate(() => {
        const { trace, state, timeline: { scene, draw } } = here;
        state.change({ from: 0, to: trace.span });
        draw();
        const { pen } = scene, blue = pen.packed.running;
        return trace.rows.filter(({ kind, name }) => kind === 'task'
            && ['control', 'sensor', 'comms', 'logger', 'idle'].includes(name)).map((row) => {
            const { data } = pen.ctx.getImageData(pen.left, scene.tops[row.index] + 2, pen.scale.width, 18),
                pixels = new Uint32Array(data.buffer);
            const time = row.start.reduce((sum, start, i) => sum + (row.state[i] === 1 ? row.end[i] - start : 0), 0);
            return [pixels.filter((pixel) => pixel === blue).length / pixels.length, time / trace.span, row.name];
        });
    });
    for (const [seen, told, name] of shares) check(`${name} fills its share`, Math.abs(seen - told) < 0.02,
        [seen, told]);
}

/* ---- keys, wheel, pointer ---------------------------------------------------------------------------------------- */

const LABELS = (page) => page.evaluate(() => here.timeline.scene.lanes.map((lane) => lane.label));
const near = (a, b, part) => Math.abs(a - b) <= part;

async function testZoomKeys(page) {
    const span = await page.evaluate(() => { here.state.change({ from: 0, to: here.trace.span });
        return here.trace.span; });
    await press(page, 'w', 'w');
    const { from, to } = await stateOf(page);
    check('w zooms in around the middle', near(to - from, span / 1.25 ** 2, 1) && near(from + to, span, 2),
        [from, to, span]);
    await press(page, 'd');
    const right = await stateOf(page);
    check('d goes right', near(right.from - from, (to - from) * 0.1, 1) && near(right.to - right.from, to - from, 1));
    await press(page, 'a');
    check('a goes left', near((await stateOf(page)).from, from, 1));
    await press(page, 's', 's', 's');
    const back = await stateOf(page);
    check('s zooms out', near(back.from, 0, 1) && near(back.to, span, 1), back);
    await page.evaluate(() => here.state.change({ selection: { from: 1e6, to: 2e6 } }));
    await press(page, 'f');
    const fitted = await stateOf(page);
    check('f shows the selection', fitted.from < 1e6 && fitted.to > 2e6 && fitted.to - fitted.from < 1.2e6, fitted);
    await press(page, 'Escape', 'f');
    check('f shows all', (await stateOf(page)).to === span && (await stateOf(page)).selection === null);
}

async function testArrows(page) {
    await page.focus('.tl-canvas');
    const labels = await LABELS(page), at = () => page.evaluate(() => here.timeline.scene.at.lane);
    for (let i = await at(); i > 0; i--) await press(page, 'ArrowUp');
    for (let i = 0; i < labels.length; i++, await press(page, 'ArrowDown'))
        check(`the row ${labels[i]} is told`, await at() === i && (await saidOn(page)).startsWith(labels[i]),
            await saidOn(page));
    while (await at() > labels.indexOf('control')) await press(page, 'ArrowUp');
    await page.evaluate(() => here.state.change({ from: 5e6, to: 9e6 }));
    await press(page, 'ArrowRight', 'ArrowRight', 'Enter');
    const told = await page.evaluate(() => {
        const row = here.trace.rows.find(({ name }) => name === 'control'),
            index = row.start.findIndex((time) => time >= 5e6) + 1;
        return { row: row.index, index, state: ['not known', 'running', 'ready', 'blocked'][row.state[index]] };
    });
    const { chosen } = await stateOf(page);
    check('Enter chooses an interval', chosen?.row === told.row && chosen.index === told.index, [chosen, told]);
    check('it is told in words', (await saidOn(page)).startsWith(`control: ${told.state}`), await saidOn(page));
    await press(page, 'Escape');
    check('Escape goes back', (await stateOf(page)).chosen === null);
    await press(page, 'Home');
    check('Home goes to the first', await page.evaluate(() => here.timeline.scene.at.index) === 0
        && (await stateOf(page)).from === 0);
    await press(page, 'End');
    const [index, n, to] = await page.evaluate(() =>
        [here.timeline.scene.at.index, here.trace.rows.find(({ name }) => name === 'control').n,
        here.trace.span - here.state.get().to]);
    check('End goes to the last', index === n - 1 && to < 4e6, [index, n, to]);
    while (await at() > labels.indexOf('Tasks (7)')) await press(page, 'ArrowUp');
    await press(page, 'Enter');
    check('Enter folds', !(await LABELS(page)).includes('control'));
    await press(page, ' ');
    check('and unfolds', String(await LABELS(page)) === String(labels));
}

async function testMarks(page) {
    await page.evaluate(() => here.state.change({ from: 0, to: 1e6, cursors: [null, null], chosen: null }));
    await page.mouse.move(600, 300);
    await press(page, 'm');
    await page.mouse.move(800, 300);
    await press(page, 'm');
    const { cursors: [a, b] } = await stateOf(page), left = await page.evaluate(() => here.timeline.scene.pen.left);
    check('m sets two cursors', near(b - a, 200 / (1000 - left) * 1e6, 3000), [a, b]);
    await press(page, 'm');
    check('m begins again', (await stateOf(page)).cursors[1] === null);
    await press(page, 'Escape');
    check('Escape takes them away', (await stateOf(page)).cursors[0] === null);
}

async function testPointer(page) {
    const span = await page.evaluate(() => { here.state.change({ from: 0, to: 10e6, chosen: null, selection: null });
        return here.trace.span; });
    const left = await page.evaluate(() => here.timeline.scene.pen.left),
        timeAt = (x) => (x - left) / (1000 - left) * 10e6;
    await page.mouse.move(500, 400);
    await page.mouse.down();
    await page.mouse.move(700, 420, { steps: 4 });
    await page.mouse.up();
    const { selection } = await stateOf(page);
    check('a drag selects', near(selection.from, timeAt(500), 20000) && near(selection.to, timeAt(700), 20000),
        selection);
    await page.mouse.move(600, 300);
    await page.keyboard.down('Control');
    await page.mouse.wheel({ deltaY: -300 });
    await page.keyboard.up('Control');
    await settled(page);
    const zoomed = await stateOf(page), before = timeAt(600), after = zoomed.from
        + (600 - left) / (1000 - left) * (zoomed.to - zoomed.from);
    check('Ctrl and the wheel zoom around the pointer', zoomed.to - zoomed.from < 9e6 && near(before, after, 20000),
        [zoomed, before, after]);
    await page.mouse.move(left + 10, 15);
    await page.mouse.down();
    await page.mouse.move(500, 15, { steps: 3 });
    await page.mouse.up();
    const part = await stateOf(page);
    check('a drag in the overview shows that part', near(part.to, (500 - left) / (1000 - left) * span, span / 100),
        part);
    await page.evaluate(() => here.state.change({ from: 0, to: 10e6, selection: null }));
    await settled(page);
    const place = await page.evaluate(() => {
        const { scene } = here.timeline, row = here.trace.rows.find(({ name }) => name === 'logger'),
            i = row.start.findIndex((_, k) => row.state[k] === 3 && row.start[k] > 1e6);
        const x = scene.pen.left + ((row.start[i] + row.end[i]) / 2 - scene.pen.scale.from) / scene.pen.scale.perPixel;
        return { i, x, y: scene.middles[row.index], row: row.index };
    });
    await page.mouse.move(place.x, place.y);
    await settled(page);
    check('hovering tells', /^logger: blocked/.test(await page.evaluate(() =>
        document.querySelector('.tl-tip').textContent)));
    await page.mouse.click(place.x, place.y);
    check('a click chooses', JSON.stringify((await stateOf(page)).chosen) === JSON.stringify({ kind: 'interval',
        row: place.row, index: place.i }), (await stateOf(page)).chosen);
}

/** Whatever is chosen, from whatever place: its row is seen, whole. */
async function testScrolling(page) {
    await page.setViewport({ width: 1000, height: 320 });
    await settled(page);
    const unseen = await page.evaluate((head) => {
        const { trace, state, timeline: { scene } } = here, { scroller } = scene;
        const problems = trace.rows.map(({ index }) => ({ kind: 'deadline', time: 5, end: 5, row: index, event: -1,
            text: '', of: null }));
        state.change({ problems });
        const ways = trace.rows.flatMap(({ index, n }) => [{ kind: 'problem', index },
            ...(n > 0 ? [{ kind: 'interval', row: index, index: 0 }] : [])]);
        const isSeen = ({ y, height }) => y >= scroller.scrollTop
            && y + height <= scroller.scrollTop + scroller.clientHeight - head;
        return [0, 1e9].flatMap((from) => ways.filter((chosen) => {
            scroller.scrollTop = from;
            state.change({ chosen });
            const lane = scene.lanes.find(({ rows }) => rows.includes(trace.rows[chosen.row ?? chosen.index]));
            return lane && !isSeen(lane);
        }));
    }, HEAD);
    check('the row of what is chosen is seen', unseen.length === 0, unseen);
    const canScroll = await page.evaluate(() => here.timeline.scene.scroller.scrollTop > 0);
    check('not all rows are seen at once', canScroll);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

async function testFrames(page) {
    const seen = await page.evaluate(async (frames) => {
        const { trace: { span }, state, timeline } = here, { scene } = timeline,
            next = () => new Promise((done) => requestAnimationFrame(done));
        /* of each view the least: others had the CPU meanwhile */
        const VIEWS = 150, times = Array(VIEWS).fill(Infinity);
        const run = async (count) => {
            for (let i = 0; i < count; i++) {
                const zoom = [1, 0.2, 0.01][i % 3], from = span * (1 - zoom) * ((i % 50) / 50), view = i % VIEWS;
                state.change({ from, to: from + span * zoom });
                const begin = performance.now();
                timeline.draw();
                times[view] = Math.min(times[view], performance.now() - begin);
                if (i % 4 === 0) await next();
            }
        };
        await run(VIEWS);
        gc();
        const before = performance.memory.usedJSHeapSize;
        await run(frames);
        gc();
        const grown = performance.memory.usedJSHeapSize - before, middle = times.sort((a, b) => a - b)[VIEWS >> 1];
        let fill = Infinity;
        for (let i = 0; i < 100; i++) {
            await next();
            const begin = performance.now();
            scene.pen.ctx.fillRect(0, 0, scene.canvas.width, scene.canvas.height);
            scene.pen.ctx.getImageData(0, 0, 1, 1);
            fill = Math.min(fill, performance.now() - begin);
        }
        return { grown, frame: middle, fill };
    }, FRAMES);
    const ms = (time) => `${time.toFixed(2)} ms`;
    console.log(`a frame ${ms(seen.frame)}, filling ${ms(seen.fill)}; ${FRAMES} frames leave ${seen.grown} bytes`);
    check('frames leave the memory as it was', seen.grown < GROWTH, seen);
    check('a frame is fast', seen.frame < SLOWER * Math.max(seen.fill, 0.2), seen);
}

await checks(async (browser) => {
    const page = await opened(browser, 3000);
    await testStates(page, 'light');
    await testGaps(page, 'light');
    for (const test of [testZoomKeys, testArrows, testMarks, testPointer]) await test(page);
    await testScrolling(page);
    const dark = await opened(browser, 3000, { scale: 2, dark: true });
    await testStates(dark, 'dark, twice as fine');
    await testGaps(dark, 'dark, twice as fine');
    const large = await opened(browser, 100000);
    await testShares(large);
    await testFrames(large);
}, ['--allow-file-access-from-files']);
