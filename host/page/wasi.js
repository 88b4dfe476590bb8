// wasi.js - a process of WASI (preview 1), as far as the decoder needs it: arguments, files in memory, what it says.
//
// A tree of nodes stands for the file system. The process has its root as its only directory, and all of its names are
// meant from there. There are no links, no permissions, and nothing to wait for.

/**
 * @typedef {{ id: number, parent: Node|null, children: Map<string, Node>|null, bytes: Uint8Array, size: number }} Node
 *     a file has bytes, of which size are its own; a directory has children
 * @typedef {{ node: Node, at: number, append: boolean }} Open
 * @typedef {{ args: string[], root: Node, most: number, read: (bytes: number) => void }} Start
 *     most: as many bytes may its files have together; read is told how many bytes it reads of its files
 */

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSPC = 51, NOSYS = 52, NOTDIR = 54;
const NOTEMPTY = 55, SPIPE = 70;
const DIRECTORY = 3, FILE = 4; // kinds of files
const CREATE = 1, MUST_BE_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8; // how path_open() opens
const ROOT = 3; // the number of the root's descriptor
const SAID_MOST = 1 << 26; // bytes of standard output, and of standard error
const NOTHING = new Uint8Array(0);
let ids = 0;

/** @returns {Node} */
function newNode(/** @type {Node|null} */ parent, /** @type {boolean} */ isDirectory) {
    return { id: ++ids, parent, children: isDirectory ? new Map() : null, bytes: NOTHING, size: 0 };
}

/** A tree with nothing in it but a directory for temporary files. */
export function newRoot() {
    const root = newNode(null, true);
    root.children?.set('tmp', newNode(root, true));
    return root;
}

/** @returns {{ directory: Node, name: string, node: Node|null }|number} where a path leads, or why it leads nowhere */
function find(/** @type {Node} */ from, /** @type {string} */ path) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    let at = from, name = '';
    /** @type {Node|null} */ let node = from;
    for (name of names) {
        if (node === null) return NOENT;
        if (node.children === null) return NOTDIR;
        at = node;
        node = name === '..' ? node.parent ?? node : node.children.get(name) ?? null;
    }
    return { directory: at, name, node };
}

/** Put a file into the tree, with the directories that its path names. */
export function putFile(/** @type {Node} */ root, /** @type {string} */ path, /** @type {Uint8Array} */ bytes) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.' && name !== '..');
    const last = names.pop() ?? 'file';
    let at = root;
    for (const name of names) {
        const next = at.children?.get(name) ?? newNode(at, true);
        at.children?.set(name, next);
        at = next;
    }
    const node = newNode(at, false);
    node.bytes = bytes;
    node.size = bytes.length;
    at.children?.set(last, node);
}

/** @returns {Uint8Array|null} the bytes of a file, which leave the tree */
export function takeFile(/** @type {Node} */ root, /** @type {string} */ path) {
    const found = find(root, path);
    if (typeof found === 'number' || found.node === null || found.node.children !== null) return null;
    const { bytes, size } = found.node;
    found.node.bytes = NOTHING;
    return bytes.length === size ? bytes : resized(bytes, size);
}

/** @returns {Uint8Array} of another length; the old bytes may not be used any more */
function resized(/** @type {Uint8Array} */ bytes, /** @type {number} */ length) {
    const buffer = /** @type {any} */ (bytes.buffer);
    if (buffer.transfer && bytes !== NOTHING && bytes.byteLength === buffer.byteLength)
        return new Uint8Array(buffer.transfer(length));
    const made = new Uint8Array(length);
    made.set(bytes.subarray(0, length));
    return made;
}

/** Have a file take bytes up to an end. False: that is more than it may have. */
function makeRoom(/** @type {Node} */ node, /** @type {number} */ end, /** @type {number} */ most) {
    if (end > most) return false;
    try {
        if (end > node.bytes.length)
            node.bytes = resized(node.bytes, Math.max(65536, Math.min(most, Math.floor(end * 1.5))));
    } catch {
        return false; // the browser has no more memory
    }
    if (end > node.size) node.size = end;
    return true;
}

class Exit {
    constructor(/** @type {number} */ code) {
        this.code = code;
    }
}

/** What a process says by standard output or standard error. */
function newSpeech() {
    const decoder = new TextDecoder();
    let text = '', bytes = 0;
    return {
        add(/** @type {Uint8Array} */ part) {
            bytes += part.length;
            if (bytes <= SAID_MOST) text += decoder.decode(part, { stream: true });
        },
        text: () => text + decoder.decode(),
    };
}

/** The process's memory, as its calls need it. */
function newMemory() {
    /** @type {WebAssembly.Memory|null} */ let memory = null;
    let view = new DataView(new ArrayBuffer(0));
    const now = () => {
        if (memory !== null && view.buffer !== memory.buffer) view = new DataView(memory.buffer);
        return view;
    };
    const bytes = (/** @type {number} */ at, /** @type {number} */ size) => new Uint8Array(now().buffer, at, size);
    return {
        use: (/** @type {WebAssembly.Memory} */ made) => { memory = made; },
        view: now,
        bytes,
        text: (/** @type {number} */ at, /** @type {number} */ size) => new TextDecoder().decode(bytes(at, size)),
        u32: (/** @type {number} */ at, /** @type {number} */ value) => now().setUint32(at, value, true),
        u64: (/** @type {number} */ at, /** @type {number} */ value) => now().setBigUint64(at, BigInt(value), true),
        /** Call a function with each piece of memory that a vector names, until one is not taken whole. The sum. */
        each(/** @type {number} */ at, /** @type {number} */ n, /** @type {(piece: Uint8Array) => number} */ take) {
            let sum = 0;
            for (let i = 0; i < n; i++, at += 8) {
                const piece = bytes(now().getUint32(at, true), now().getUint32(at + 4, true));
                const taken = take(piece);
                if (taken < 0) return -1;
                sum += taken;
                if (taken < piece.length) break;
            }
            return sum;
        },
    };
}

/**
 * @typedef {ReturnType<typeof newMemory>} Memory
 * @typedef {Record<string, (...given: any[]) => number>} Calls
 */

/** Arguments, clock, random numbers, the end. @returns {Calls} */
function processCalls(/** @type {Memory} */ memory, /** @type {string[]} */ args) {
    const texts = args.map((text) => new TextEncoder().encode(text + '\0'));
    return {
        args_sizes_get(count, size) {
            memory.u32(count, texts.length);
            memory.u32(size, texts.reduce((sum, text) => sum + text.length, 0));
            return OK;
        },
        args_get(list, room) {
            for (const [i, text] of texts.entries()) {
                memory.u32(list + 4 * i, room);
                memory.bytes(room, text.length).set(text);
                room += text.length;
            }
            return OK;
        },
        environ_sizes_get(count, size) {
            memory.u32(count, 0);
            memory.u32(size, 0);
            return OK;
        },
        environ_get: () => OK,
        clock_time_get(clock, precision, result) {
            const ms = clock === 0 ? Date.now() : performance.now();
            memory.u64(result, Math.round(ms * 1e6));
            return OK;
        },
        random_get(at, size) {
            crypto.getRandomValues(memory.bytes(at, size));
            return OK;
        },
        proc_exit(code) {
            throw new Exit(code);
        },
        poll_oneoff: () => NOSYS,
    };
}

/** The calls about open files. Standard streams are no files: the first is empty, the others are speech.
 * @returns {Calls} */
function fileCalls(/** @type {Memory} */ memory, /** @type {Map<number, Open>} */ files,
                   /** @type {Map<number, ReturnType<typeof newSpeech>>} */ speeches, /** @type {Start} */ start) {
    /** @typedef {(file: Open, at: number, piece: Uint8Array) => number} Move */
    /** @type {Move} */ const readAt = (file, at, piece) => {
        const part = file.node.bytes.subarray(at, Math.min(file.node.size, at + piece.length));
        piece.set(part);
        start.read(part.length);
        return part.length;
    };
    /** @type {Move} */ const writeAt = (file, at, piece) => {
        if (!makeRoom(file.node, at + piece.length, start.most)) return -1;
        file.node.bytes.set(piece, at);
        return piece.length;
    };
    /** Read or write pieces from an offset on: if none is told, from where the file stands, and it moves on.
     * @param {Move} each @param {number} fd @param {number} list @param {number} n @param {number} result
     * @param {bigint|null} offset */
    const move = (each, fd, list, n, result, offset) => {
        const file = files.get(fd);
        if (file === undefined) return BADF;
        if (file.node.children !== null) return ISDIR;
        const from = offset !== null ? Number(offset) : file.append ? file.node.size : file.at;
        let at = from;
        const moved = memory.each(list, n, (piece) => {
            const done = each(file, at, piece);
            at += Math.max(done, 0);
            return done;
        });
        if (offset === null) file.at = at;
        memory.u32(result, Math.max(moved, 0));
        return moved < 0 ? NOSPC : OK;
    };
    return {
        fd_read(fd, list, n, result) {
            if (fd !== 0) return move(readAt, fd, list, n, result, null);
            memory.u32(result, 0);
            return OK;
        },
        fd_write(fd, list, n, result) {
            const speech = speeches.get(fd);
            if (speech === undefined) return move(writeAt, fd, list, n, result, null);
            memory.u32(result, memory.each(list, n, (piece) => {
                speech.add(piece);
                return piece.length;
            }));
            return OK;
        },
        fd_pread: (fd, list, n, offset, result) => move(readAt, fd, list, n, result, offset),
        fd_pwrite: (fd, list, n, offset, result) => move(writeAt, fd, list, n, result, offset),
        fd_seek(fd, offset, whence, result) {
            const file = files.get(fd);
            if (file === undefined) return speeches.has(fd) || fd === 0 ? SPIPE : BADF;
            const at = [0, file.at, file.node.size][whence] + Number(offset);
            if (!(at >= 0)) return INVAL;
            file.at = at;
            memory.u64(result, at);
            return OK;
        },
        fd_close: (fd) => files.delete(fd) || speeches.has(fd) || fd === 0 ? OK : BADF,
        fd_allocate: () => NOSYS,
        fd_fdstat_get(fd, result) {
            const file = files.get(fd);
            if (file === undefined && !speeches.has(fd) && fd !== 0) return BADF;
            memory.bytes(result, 24).fill(0);
            memory.bytes(result, 1)[0] = file === undefined ? 0 : file.node.children !== null ? DIRECTORY : FILE;
            memory.bytes(result + 8, 16).fill(255); // all rights
            return OK;
        },
        fd_fdstat_set_flags: () => OK,
        fd_prestat_get(fd, result) {
            if (fd !== ROOT) return BADF;
            memory.u64(result, 0);
            memory.u32(result + 4, 1);
            return OK;
        },
        fd_prestat_dir_name(fd, result) {
            memory.bytes(result, 1)[0] = '/'.charCodeAt(0);
            return OK;
        },
    };
}

/** The calls about names: what is there, directories, changes of them. @returns {Calls} */
function nameCalls(/** @type {Memory} */ memory, /** @type {Map<number, Open>} */ files) {
    let next = ROOT + 1;
    /** Find a name, from an open directory on.
     * @param {number} fd @param {number} name @param {number} size */
    const at = (fd, name, size) => {
        const file = files.get(fd);
        return file === undefined ? BADF : find(file.node, memory.text(name, size));
    };
    const tell = (/** @type {Node} */ node, /** @type {number} */ result) => {
        memory.bytes(result, 64).fill(0);
        memory.u64(result + 8, node.id);
        memory.bytes(result + 16, 1)[0] = node.children !== null ? DIRECTORY : FILE;
        memory.u64(result + 24, 1);
        memory.u64(result + 32, node.size);
        return OK;
    };
    /** @param {boolean} isDirectory @returns {Calls[string]} */
    const remove = (isDirectory) => (fd, name, size) => {
        const found = at(fd, name, size);
        if (typeof found === 'number') return found;
        if (found.node === null) return NOENT;
        if ((found.node.children !== null) !== isDirectory) return isDirectory ? NOTDIR : ISDIR;
        if (found.node.children?.size) return NOTEMPTY;
        found.directory.children?.delete(found.name);
        return OK;
    };
    return {
        path_open(fd, follow, name, size, how, rights, inherited, flags, result) {
            const found = at(fd, name, size);
            if (typeof found === 'number') return found;
            let node = found.node;
            if (node === null && !(how & CREATE)) return NOENT;
            if (node !== null && how & EXCLUSIVE) return EXIST;
            if (node !== null && node.children === null && how & MUST_BE_DIRECTORY) return NOTDIR;
            if (node === null) {
                node = newNode(found.directory, false);
                found.directory.children?.set(found.name, node);
            }
            if (how & TRUNCATE) {
                node.bytes = NOTHING;
                node.size = 0;
            }
            files.set(next, { node, at: 0, append: (flags & 1) !== 0 });
            memory.u32(result, next++);
            return OK;
        },
        path_filestat_get(fd, follow, name, size, result) {
            const found = at(fd, name, size);
            if (typeof found === 'number') return found;
            return found.node === null ? NOENT : tell(found.node, result);
        },
        fd_filestat_get(fd, result) {
            const file = files.get(fd);
            if (file !== undefined) return tell(file.node, result);
            memory.bytes(result, 64).fill(0);
            return fd < ROOT ? OK : BADF;
        },
        fd_readdir(fd, to, size, cookie, result) {
            const children = files.get(fd)?.node.children;
            if (!children) return NOTDIR;
            let used = 0, index = 0;
            for (const [name, node] of children) {
                if (index++ < Number(cookie)) continue;
                const text = new TextEncoder().encode(name), entry = new Uint8Array(24 + text.length);
                const view = new DataView(entry.buffer);
                view.setBigUint64(0, BigInt(index), true);
                view.setBigUint64(8, BigInt(node.id), true);
                view.setUint32(16, text.length, true);
                view.setUint8(20, node.children !== null ? DIRECTORY : FILE);
                entry.set(text, 24);
                const part = entry.subarray(0, size - used);
                memory.bytes(to + used, part.length).set(part);
                used += part.length;
                if (used === size) break;
            }
            memory.u32(result, used);
            return OK;
        },
        path_create_directory(fd, name, size) {
            const found = at(fd, name, size);
            if (typeof found === 'number') return found;
            if (found.node !== null) return EXIST;
            found.directory.children?.set(found.name, newNode(found.directory, true));
            return OK;
        },
        path_rename(fd, name, size, toFd, toName, toSize) {
            const from = at(fd, name, size), to = at(toFd, toName, toSize);
            if (typeof from === 'number' || typeof to === 'number') return typeof from === 'number' ? from : Number(to);
            if (from.node === null) return NOENT;
            if (to.node?.children?.size) return NOTEMPTY;
            from.directory.children?.delete(from.name);
            to.directory.children?.set(to.name, from.node);
            from.node.parent = to.directory;
            return OK;
        },
        path_readlink(fd, name, size) {
            const found = at(fd, name, size);
            return typeof found === 'number' ? found : found.node === null ? NOENT : INVAL;
        },
        path_unlink_file: remove(false),
        path_remove_directory: remove(true),
    };
}

/** Run a program from its start to its end. */
export function runProcess(/** @type {WebAssembly.Module} */ module, /** @type {Start} */ start) {
    const memory = newMemory(), said = newSpeech(), told = newSpeech();
    const speeches = new Map([[1, said], [2, told]]);
    const files = new Map([[ROOT, { node: start.root, at: 0, append: false }]]);
    const calls = { ...processCalls(memory, start.args), ...fileCalls(memory, files, speeches, start),
                                    ...nameCalls(memory, files) };
    const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: calls });
    let code = 0;
    memory.use(/** @type {WebAssembly.Memory} */ (exports.memory));
    try {
        /** @type {() => void} */ (exports._start)();
    } catch (error) {
        if (!(error instanceof Exit)) throw error;
        code = error.code;
    }
    return { code, said: said.text(), told: told.text() };
}
