/* load.js - files become what the decoder is given: traces, the firmware that they come from, and options. Files are
 * told from each other by their bytes; their names are only names. */
import { fromBase64, isTar, readTar, unpack } from './unpack.js';

/**
 * @typedef {import('./types.js').PageFile} PageFile
 * @typedef {object} Given what the decoder is given; the names are those of the files, or of directories of them
 * @property {string[]} inputs
 * @property {string[]} firmware names of ELF files, or what --save-events made of them
 * @property {string[]} options
 * @property {string[]} boards options for several inputs, which --stat does not take
 * @property {PageFile[]} files
 * @property {string[]} notes what is to be told of the files
 */

/** @typedef {{path: string, files: PageFile[], notes: string[]}} Opened a file or directory, unpacked */

const ELF = 0x464c457f, CORE = 4, EVENTS = 'tlog-events ';
const OUTPUTS = ['columns', 'saved', 'tmp']; // names that are taken

/** The bytes at an offset as a number, the lowest first.
 *  @param {Uint8Array} bytes @param {number} at @param {number} n */
function numberAt(bytes, at, n) {
    let value = 0;
    for (let i = n - 1; i >= 0; i--)
        value = value * 256 + (bytes[at + i] ?? 0);
    return value;
}

/** Whether it is a firmware's file. A core file of a debugger is memory, and so a trace. @param {Uint8Array} bytes */
function isFirmware(bytes) {
    if (numberAt(bytes, 0, 4) === ELF)
        return (bytes[5] === 2 ? numberAt(bytes, 17, 1) : numberAt(bytes, 16, 1)) !== CORE;
    return new TextDecoder('latin1').decode(bytes.subarray(0, EVENTS.length)) === EVENTS;
}

/** Names as paths of the decoder's: none that it takes for something else than a file. @param {string} name */
function pathOf(name) {
    return name === '-' || name.startsWith('udp:') ? `./${name}` : name;
}

/** The directory that all the paths are in. @param {string[]} paths */
function commonDirectory(paths) {
    const parts = paths.map((path) => path.split('/').slice(0, -1));
    const differs = (/** @type {number} */ i) => parts.some((part) => part[i] === undefined || part[i] !== parts[0][i]);
    let n = 0;
    while (n < parts[0].length && !differs(n))
        n++;
    return parts[0].slice(0, n).join('/');
}

/** What a file becomes: itself, unpacked, or the directory that was packed in it. @param {PageFile} file
 *  @returns {Promise<Opened>} */
async function open(file) {
    let { name, bytes } = file, isWhole = true;
    if (numberAt(bytes, 0, 3) === 0x088b1f) {
        ({ bytes, isWhole } = await unpack(bytes, 'gzip'));
        name = name.replace(/\.gz$/, '').replace(/\.tgz$/, '.tar');
    }
    const notes = isWhole ? [] : [`${file.name} is cut or damaged: what was ahead of that is shown.`];
    if (!isTar(bytes))
        return { path: name, files: [{ name, bytes }], notes };
    const files = readTar(bytes)
        .map((part) => ({ name: `${name}/${part.name}`.replace(/\/(\.\/)+/g, '/'), bytes: part.bytes }));
    return { path: files.length > 0 ? commonDirectory(files.map((part) => part.name)) : name, files, notes };
}

/** Give each trace a path of its own. @param {{path: string, files: PageFile[]}[]} opened */
function separate(opened) {
    const taken = new Set(OUTPUTS);
    for (const [i, each] of opened.entries()) {
        if (taken.has(each.path)) {
            each.path = `${i + 1}/${each.path}`;
            each.files = each.files.map((file) => ({ name: `${i + 1}/${file.name}`, bytes: file.bytes }));
        }
        taken.add(each.path);
    }
}

/** @param {PageFile[]} files dropped or chosen; those of a directory have paths in their names
 *  @returns {Promise<Given>} */
export async function givenBy(files) {
    const alone = files.filter((file) => !file.name.includes('/'));
    const folders = Map.groupBy(files.filter((file) => file.name.includes('/')), (file) => file.name.split('/')[0]);
    const opened = await Promise.all(alone.map((file) => open({ name: pathOf(file.name), bytes: file.bytes })));
    for (const inside of folders.values())
        opened.push({ path: commonDirectory(inside.map((file) => file.name)), files: inside, notes: [] });
    separate(opened);
    const isElf = (/** @type {Opened} */ { path, files: [file] }) => file?.name === path && isFirmware(file.bytes);
    const inputs = opened.filter((each) => !isElf(each)).map((each) => each.path);
    return { inputs, firmware: opened.filter(isElf).map((each) => each.path), options: [],
        boards: inputs.length > 1 ? ['--merge'] : [], files: opened.flatMap((each) => each.files),
        notes: opened.flatMap((each) => each.notes) };
}

/** Whether the native decoder has put a trace into the page. */
export function isInPage() {
    return document.getElementById('trace') !== null;
}

/** That trace. @returns {Promise<Given>} */
export async function givenInPage() {
    const { inputs, firmware, options, boards, packed, files } =
        JSON.parse(document.getElementById('trace')?.textContent ?? '');
    const whole = [];
    for (const [i, element] of [...document.querySelectorAll('script.file')].entries()) {
        const bytes = fromBase64(element.textContent ?? '');
        element.remove();
        const unpacked = packed ? await unpack(bytes, 'deflate') : { bytes, isWhole: true };
        if (!unpacked.isWhole)
            throw new Error(`${files[i]} is damaged in this page. Save the page once more.`);
        const opened = await open({ name: files[i], bytes: unpacked.bytes });
        if (inputs.includes(files[i]))
            inputs[inputs.indexOf(files[i])] = opened.path;
        whole.push(...opened.files);
    }
    return { inputs, firmware, options, boards, files: whole, notes: [] };
}

/** The files of a directory that was dropped, with its name ahead of theirs. @param {FileSystemEntry} entry
 *  @returns {Promise<PageFile[]>} */
async function filesBelow(entry) {
    if (entry.isFile) {
        const file = await new Promise((done, fail) => /** @type {FileSystemFileEntry} */ (entry).file(done, fail));
        return [await readFile(file, entry.fullPath.slice(1))];
    }
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    const files = [];
    for (;;) {
        /** @type {FileSystemEntry[]} */ const some = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (some.length === 0)
            return files;
        files.push(...(await Promise.all(some.map(filesBelow))).flat());
    }
}

/** @param {File} file @param {string} name @returns {Promise<PageFile>} */
async function readFile(file, name) {
    try {
        return { name, bytes: new Uint8Array(await file.arrayBuffer()) };
    } catch {
        throw new Error(`${name} cannot be read: has it moved, or is it too large for this browser?`);
    }
}

/** What was dropped or pasted: files, and directories. @param {DataTransfer} data @returns {Promise<PageFile[]>} */
export async function readTransfer(data) {
    const entries = [...data.items].map((item) => item.webkitGetAsEntry?.());
    const folders = entries.filter((entry) => entry?.isDirectory);
    if (folders.length === 0)
        return readFiles(data.files);
    return (await Promise.all(entries.map((entry) => (entry ? filesBelow(entry) : [])))).flat();
}

/** @param {Iterable<File>} files */
export function readFiles(files) {
    return Promise.all([...files].map((file) => readFile(file, file.name)));
}
