// main.js - puts the page together: a trace comes from files, its picture is drawn, and then its answers are asked for.
import { fromBase64, newDecoder, unpack } from './decoder.js';

/** @returns {HTMLElement} */
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function start() {
    const wasm = await unpack(fromBase64(element('decoder').textContent ?? ''), 'deflate');
    const decoder = await newDecoder(wasm, element('worker').textContent ?? '');
    const { told } = await decoder.run(['--version'], [], []);
    document.body.dataset.state = told ? 'failed' : 'empty';
    element('summary').textContent = 'No trace yet.';
    element('empty').hidden = false;
}

start();
