/* stat.js - the figures of --stat: read, and found by their paths. */

/** The answers of `--stat --json`, one for each input. A whole number that may be beyond 2^53 stays a text, so that no
 *  digit is lost. @param {string} said @returns {any[]} */
export function readStat(said) {
    const kept = said.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g,
        (found) => (found[0] === '"' ? found : `"${found}"`));
    return JSON.parse(kept);
}

/**
 * A figure by its path, as "response.p99".
 * @param {any} of
 * @param {string} path
 */
export function figureOf(of, path) {
    return path.split('.').reduce((value, key) => (value == null ? null : value[key]), of);
}

/**
 * A moment of --stat as the trace counts: since its first event.
 * @param {import('./types.js').Trace} trace
 * @param {number|string} at
 */
export function timeInTrace(trace, at) {
    return Number(BigInt(at) - BigInt(trace.start));
}

/**
 * The sum of a figure over elements.
 * @param {any[]} elements
 * @param {string} path
 */
export function total(elements, path) {
    return elements.reduce((sum, element) => sum + Number(figureOf(element, path)), 0);
}
