/* trouble.js - what went wrong, as sentences that say what to do. */

/** @typedef {import('./load.js').Given} Given */

const NO_MEMORY = new RegExp('no memory|out of memory|memory access out of bounds|allocation failed|No space left|'
    + 'RangeError|could not be cloned', 'i');
const ADVICE = {
    unknown: 'Drop a dump of tlog with its firmware.elf, a trace.dat, a .kev file, a file of S.Ha.R.K., or a trace of '
        + 'LTTng.',
    memory: 'The trace needs more memory than this browser gives. Choose a part of it with the decoder on the command '
        + 'line:\ntlog-decode --time=1..2 dump.bin --elf=firmware.elf -o part.html',
    packed: 'The decoder in this page has no libraries for that. Unpack it first; of a trace.dat:\n'
        + 'tlog-decode trace.dat --compress=none -o plain.dat',
};

/** What the decoder told, without its name, and without its summaries. @param {string} told */
function linesOf(told) {
    return told.split('\n').map((line) => line.replace(/^tlog-decode: /, ''))
        .filter((line) => line !== '' && !/^columns: |^Try 'tlog-decode/.test(line));
}

/** Why there is nothing to see. @param {Given} given @param {string} why what the decoder, or the browser, told */
export function refusal(given, why) {
    const lines = linesOf(why);
    if (given.inputs.length === 0 && given.firmware.length > 0)
        return `${given.firmware.join(', ')} is firmware, and tells names only. Drop the dump of its trace, too.`;
    if (given.inputs.length === 0)
        return `There was no file in it. ${ADVICE.unknown}`;
    if (NO_MEMORY.test(why))
        return ADVICE.memory;
    if (/was built without/.test(why))
        return `${lines.join('\n')}\n${ADVICE.packed}`;
    return [`Nothing in ${given.inputs.join(', ')} could be decoded.`, ...lines, ADVICE.unknown].join('\n');
}

/** What is to be known of a trace that is shown: damage, another firmware. '' if there is nothing. @param {Given} given
 *  @param {import('./types.js').Run} run */
export function warnings({ notes }, { code, told }) {
    const more = code === 0 ? [] : ['What could be read is shown. The decoder tells:'];
    return [...notes, ...more, ...linesOf(told)].join('\n');
}
