/* main.js - puts the page together: files come, the decoder makes a picture of them, and then its answers are asked. */
import { isCancelled, newDecoder } from './decoder.js';
import { followFragment } from './fragment.js';
import { newHelp } from './help.js';
import { givenBy, givenInPage, isInPage, readFiles, readTransfer } from './load.js';
import { newPanel } from './panel.js';
import { learnStat } from './problems.js';
import { openInPerfetto, save } from './save.js';
import { newState } from './state.js';
import { newSummary } from './summary.js';
import { newTimeline } from './timeline.js';
import { openTrace } from './trace.js';
import { refusal, warnings } from './trouble.js';
import { fromBase64, unpack } from './unpack.js';

/**
 * @typedef {import('./types.js').PageFile} PageFile
 * @typedef {import('./load.js').Given} Given
 */

/** @returns {HTMLElement} */
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Given} */ const NOTHING = { inputs: [], firmware: [], options: [], boards: [], files: [], notes: [] };
/** @type {Given|null} */ let shown = null;
/** @type {import('./decoder.js').Decoder} */ let decoder;
/** @type {Promise<void>} until there is a decoder */ let ready;
/** @type {import('./types.js').Timeline|null} */ let timeline = null;

/** @param {'empty'|'reading'|'drawn'|'shown'|'failed'} state */
function setState(state) {
    document.body.dataset.state = state;
    element('progress').hidden = state !== 'reading';
    element('empty').hidden = state !== 'empty' && state !== 'failed';
    element('timeline').hidden = element('panel').hidden = state !== 'drawn' && state !== 'shown';
    for (const button of document.querySelectorAll('.needs-trace'))
        /** @type {HTMLButtonElement} */ (button).disabled = state !== 'shown';
}

/** @param {string} text '' for nothing */
function tell(text) {
    element('trouble').textContent = text;
    element('trouble').hidden = text === '';
}

/** @param {string} why */
function fail(why) {
    setState('failed');
    element('summary').textContent = 'No trace.';
    tell(why);
}

/** What --filter becomes if the trace came with one, too: both. @param {string[]} before @param {string[]} options */
function joinFilters(before, options) {
    const [first] = before.filter((option) => option.startsWith('--filter='));
    return options.map((option) => (first !== undefined && option.startsWith('--filter=')
        ? `--filter=(${first.slice(9)}) && (${option.slice(9)})` : option));
}

/** Run the decoder over what the page was given.
 *  @param {Given} given @param {string[]} options @param {string[]} outputs
 *  @param {(part: number) => void} [progress] */
function decode(given, options, outputs, progress) {
    const boards = options.some((option) => /^--(stat|info|check)$/.test(option)) ? [] : given.boards;
    const all = [...given.options, ...boards, ...given.firmware.map((name) => `--elf=${name}`),
        ...joinFilters(given.options, options), '--', ...given.inputs];
    return decoder.run(all, given.files, outputs, progress);
}

/** Draw a trace. @param {import('./types.js').Trace} trace @param {import('./save.js').Decode} decodeIt */
function draw(trace, decodeIt) {
    const state = newState(trace);
    timeline?.close();
    timeline = newTimeline(element('timeline'), trace, state);
    newSummary(element('summary'), trace, state);
    newPanel(element('panel'), trace, state, decodeIt);
    followFragment(trace, state);
    return state;
}

/** Show a trace: its picture first, then the answers. @param {Given} given */
async function show(given) {
    await ready;
    decoder.cancel();
    tell('');
    setState('reading');
    element('summary').textContent = `Reading ${given.inputs.join(', ')} ...`;
    const bar = /** @type {HTMLProgressElement} */ (element('progress'));
    const run = given.inputs.length === 0 ? { code: 1, told: '', said: '', files: new Map() }
        : await decode(given, ['--format=columns', '-o', 'columns'], ['columns'], (part) => { bar.value = part; });
    const columns = run.files.get('columns');
    if (columns === undefined)
        return fail(refusal(given, run.told));
    tell(warnings(given, run));
    const trace = openTrace(columns.buffer);
    shown = given;
    setState('drawn');
    const state = draw(trace, (options, outputs) => decode(given, options, outputs).catch(
        (error) => ({ code: 1, files: new Map(), said: '', told: String(error) })));
    const answer = await decode(given, ['-q', '--stat', '--json'], []);
    state.change(learnStat(trace, answer.said));
    setState('shown');
}

/** Show what is being read, or say why not. @param {Promise<Given>} reading */
async function attempt(reading) {
    let given = NOTHING;
    try {
        given = await reading;
        await show(given);
    } catch (error) {
        if (!isCancelled(error))
            fail(refusal(given, String(error)));
    }
}

/** Files as a trace; only firmware gives names to the trace that is shown. @param {Promise<PageFile[]>} reading
 *  @returns {Promise<Given>} */
async function take(reading) {
    const given = await givenBy(await reading);
    if (given.inputs.length > 0 || given.firmware.length === 0 || shown === null)
        return given;
    return { ...shown, firmware: given.firmware, files: [...shown.files, ...given.files] };
}

function listen() {
    const chooser = /** @type {HTMLInputElement} */ (element('files'));
    for (const id of ['open', 'choose'])
        element(id).addEventListener('click', () => chooser.click());
    chooser.addEventListener('change', () => {
        attempt(take(readFiles([...chooser.files ?? []])));
        chooser.value = '';
    });
    document.addEventListener('dragover', (event) => {
        event.preventDefault();
        document.body.dataset.drop = '';
    });
    document.addEventListener('dragleave', () => delete document.body.dataset.drop);
    document.addEventListener('drop', (event) => {
        event.preventDefault();
        delete document.body.dataset.drop;
        if (event.dataTransfer?.types.includes('Files'))
            attempt(take(readTransfer(event.dataTransfer)));
    });
    document.addEventListener('paste', (event) => {
        if (event.clipboardData?.files.length)
            attempt(take(readTransfer(event.clipboardData)));
    });
}

/** A button that makes something of the trace. @param {string} id @param {(given: Given) => Promise<void>} act */
function onTrace(id, act) {
    element(id).addEventListener('click', () => {
        if (shown !== null)
            act(shown).catch((error) => tell(error.message));
    });
}

function listenToButtons() {
    const of = (/** @type {Given} */ given) => (/** @type {string[]} */ options, /** @type {string[]} */ outputs) =>
        decode(given, options, outputs);
    onTrace('save-dat', (given) => save(of(given), 'trace.dat', 'trace.dat'));
    onTrace('save-pftrace', (given) => save(of(given), 'perfetto', 'trace.pftrace'));
    onTrace('perfetto', (given) => openInPerfetto(of(given), given.inputs.join(', ')));
}

/** Light or dark: as the system, or as the user chooses. */
function followTheme() {
    const choice = /** @type {HTMLSelectElement} */ (element('theme')),
        system = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
        const isDark = choice.value === 'dark' || (choice.value === 'auto' && system.matches);
        document.documentElement.toggleAttribute('data-dark', isDark);
    };
    choice.addEventListener('change', apply);
    system.addEventListener('change', apply);
    apply();
}

/** Make the decoder ready. If the browser cannot run it, that is told, and what waits for it waits for ever. */
async function loadDecoder() {
    try {
        const wasm = await unpack(fromBase64(element('decoder').textContent ?? ''), 'deflate');
        decoder = await newDecoder(wasm.bytes, element('worker').textContent ?? '');
    } catch (error) {
        fail(`This browser cannot run the page: ${/** @type {Error} */ (error).message}`);
        await new Promise(() => {});
    }
}

/** From now on files may be dropped, and wait for the decoder. */
function start() {
    followTheme();
    newHelp();
    listen();
    listenToButtons();
    if (!isInPage()) {
        setState('empty');
        element('summary').textContent = 'No trace yet.';
    }
    ready = loadDecoder();
    if (isInPage())
        attempt(givenInPage());
}

start();
