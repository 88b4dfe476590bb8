// decoder.js - the decoder, from the page's side: each run is a process in a worker of its own, so that memory is given
// back after it, and a run that is not wanted any more is ended at once. The WebAssembly is compiled only once.

/**
 * @typedef {import('./types.js').PageFile} PageFile
 * @typedef {import('./types.js').Run} Ended
 * @typedef {{ run: (args: string[], files: PageFile[], outputs: string[], progress?: (part: number) => void)
 *             => Promise<Ended>, cancel: () => void }} Decoder
 */

const CANCELLED = 'cancelled';

/** Whether a run was ended since nobody wants it any more. @param {unknown} error */
export function isCancelled(error) {
    return error instanceof Error && error.message === CANCELLED;
}

/** How long a run had to go; a worker reads its files once at least. */
function partRead(/** @type {PageFile[]} */ files, /** @type {number} */ read) {
    const size = files.reduce((sum, file) => sum + file.bytes.length, 1);
    return Math.min(1, read / size);
}

/** @returns {Promise<Decoder>} */
export async function newDecoder(/** @type {Uint8Array<ArrayBuffer>} */ wasm, /** @type {string} */ workerScript) {
    const module = await WebAssembly.compile(wasm);
    const script = URL.createObjectURL(new Blob([workerScript], { type: 'text/javascript' }));
    /** @type {Set<() => void>} */ const running = new Set();

    /** @type {Decoder['run']} */
    const run = (args, files, outputs, progress = () => {}) => new Promise((resolve, reject) => {
        const worker = new Worker(script);
        const end = () => {
            worker.terminate();
            running.delete(cancel);
        };
        const cancel = () => {
            end();
            reject(new Error(CANCELLED));
        };
        running.add(cancel);
        worker.onmessage = ({ data }) => {
            if (data.read !== undefined) return progress(partRead(files, data.read));
            end();
            return data.ended ? resolve(data.ended) : reject(new Error(data.failed));
        };
        worker.onerror = (event) => {
            end();
            reject(new Error(event.message || 'the browser refused to run the decoder'));
        };
        worker.postMessage({ module, args, files, outputs });
    });
    return { run, cancel: () => running.forEach((cancel) => cancel()) };
}
