// worker.js - a worker that runs the decoder once, as a process of its own; it ends when the page ends it.
import { newRoot, putFile, runProcess, takeFile } from './wasi.js';

const FILES_MOST = 3 * 2 ** 30; // bytes of an output; a browser gives less, if it has less
const TOLD_EVERY = 50; // ms

/** Tells the page how much of its files the decoder has read. */
function newMeter() {
    let sum = 0, last = performance.now();
    return (/** @type {number} */ bytes) => {
        sum += bytes;
        if (performance.now() - last < TOLD_EVERY) return;
        last = performance.now();
        postMessage({ read: sum });
    };
}

/** @returns {{ code: number, said: string, told: string, files: Map<string, Uint8Array> }} */
function run(/** @type {any} */ { module, args, files, outputs }) {
    const root = newRoot();
    for (const { name, bytes } of files) putFile(root, name, bytes);
    const ended = runProcess(module, { args: ['tlog-decode', ...args], root, most: FILES_MOST, read: newMeter() });
    const made = new Map();
    for (const name of outputs) {
        const bytes = takeFile(root, name);
        if (bytes !== null) made.set(name, bytes);
    }
    return { ...ended, files: made };
}

onmessage = ({ data }) => {
    try {
        const ended = run(data);
        /** @type {any} */ (self).postMessage({ ended }, [...ended.files.values()].map((bytes) => bytes.buffer));
    } catch (error) {
        postMessage({ failed: String(error) });
    }
};
