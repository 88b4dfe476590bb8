/* save.js - the trace for other programs: as a file, or handed to Perfetto's page. The decoder writes it. */

/** @typedef {(options: string[], outputs: string[]) => Promise<import('./types.js').Run>} Decode */

const PERFETTO = 'https://ui.perfetto.dev';
const PING_EVERY = 100, PINGS_MOST = 300; // ms; half a minute

/** @param {Decode} decode @param {string} format @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function written(decode, format) {
    const { files, told } = await decode(['-q', `--format=${format}`, '-o', 'saved'], ['saved']);
    const bytes = files.get('saved');
    if (bytes === undefined)
        throw new Error(told);
    return bytes;
}

/** Save the trace as a file. @param {Decode} decode @param {string} format @param {string} name */
export async function save(decode, format, name) {
    const address = URL.createObjectURL(new Blob([await written(decode, format)]));
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** Wait until Perfetto's window answers. @param {Window} perfetto @returns {Promise<void>} */
function answered(perfetto) {
    return new Promise((done, fail) => {
        let pings = 0;
        const end = () => {
            clearInterval(timer);
            window.removeEventListener('message', listen);
        };
        const listen = (/** @type {MessageEvent} */ { source, data }) => {
            if (source !== perfetto || data !== 'PONG')
                return;
            end();
            done();
        };
        const timer = setInterval(() => {
            if (perfetto.closed || pings++ === PINGS_MOST) {
                end();
                fail(new Error('ui.perfetto.dev does not answer. Is there a network? Or save as .pftrace, and open it '
                    + 'there.'));
            }
            perfetto.postMessage('PING', PERFETTO);
        }, PING_EVERY);
        window.addEventListener('message', listen);
    });
}

/** Hand the trace to a window of Perfetto's, which this opens. @param {Decode} decode @param {string} title */
export async function openInPerfetto(decode, title) {
    const perfetto = window.open(PERFETTO);
    if (perfetto === null)
        throw new Error('The browser did not open a window for ui.perfetto.dev: allow this page to do so.');
    const [bytes] = await Promise.all([written(decode, 'perfetto'), answered(perfetto)]);
    perfetto.postMessage({ perfetto: { buffer: bytes.buffer, title } }, PERFETTO);
}
