/* unpack.js - what files are packed in: base64, gzip, tar. */

/** @typedef {import('./types.js').PageFile} PageFile */

const BLOCK = 512; // bytes: all of a tar archive is in such blocks

/** What compressed bytes unpack to. If they are cut or damaged, that is what was ahead of it, and not whole.
 *  @param {Uint8Array<ArrayBuffer>} bytes @param {'deflate'|'gzip'} format */
export async function unpack(bytes, format) {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
    const pieces = [];
    let isWhole = true;
    try {
        for (let part = await reader.read(); !part.done; part = await reader.read())
            pieces.push(part.value);
    } catch {
        isWhole = false;
    }
    return { bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), isWhole };
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function fromBase64(text) {
    const PIECE = 1 << 20; // characters; four are three bytes
    const bytes = new Uint8Array(Math.ceil(text.length / 4) * 3);
    let n = 0;
    for (let at = 0; at < text.length; at += PIECE) {
        const piece = atob(text.slice(at, at + PIECE));
        for (let i = 0; i < piece.length; i++)
            bytes[n++] = piece.charCodeAt(i);
    }
    return bytes.subarray(0, n);
}

/** The text in a field of a tar archive, which a zero byte may end. @param {Uint8Array} field */
function textIn(field) {
    const end = field.indexOf(0);
    return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** What a header of a tar archive tells; null: it is none. @param {Uint8Array} header */
function readHeader(header) {
    const sum = header.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0);
    if (sum === 0 || parseInt(textIn(header.subarray(148, 156)), 8) !== sum)
        return null;
    const isUstar = textIn(header.subarray(257, 262)) === 'ustar';
    const prefix = isUstar && header[262] === 0 ? textIn(header.subarray(345, 500)) : '';
    return { name: (prefix && `${prefix}/`) + textIn(header.subarray(0, 100)),
        kind: String.fromCharCode(header[156] || 48),
        size: parseInt(textIn(header.subarray(124, 136)), 8) || 0 };
}

/** Whether the bytes are a tar archive. @param {Uint8Array} bytes */
export function isTar(bytes) {
    return bytes.length >= BLOCK && readHeader(bytes.subarray(0, BLOCK)) !== null;
}

/** The name that an archive tells ahead of a file, since it is too long for a header. @param {string} kind
 *  @param {Uint8Array} bytes */
function longName(kind, bytes) {
    return kind === 'L' ? textIn(bytes) : /^\d+ path=(.*)$/m.exec(textIn(bytes))?.[1] ?? '';
}

/** The files of a tar archive, as far as it is whole. @param {Uint8Array<ArrayBuffer>} bytes @returns {PageFile[]} */
export function readTar(bytes) {
    const files = [];
    let name = '';
    for (let at = 0; at + BLOCK <= bytes.length;) {
        const header = readHeader(bytes.subarray(at, at + BLOCK));
        if (header === null)
            break;
        const content = bytes.subarray(at + BLOCK, at + BLOCK + header.size);
        at += BLOCK + Math.ceil(header.size / BLOCK) * BLOCK;
        if (header.kind === 'L' || header.kind === 'x') {
            name = longName(header.kind, content);
            continue;
        }
        if (header.kind === '0' || header.kind === '7')
            files.push({ name: name || header.name, bytes: content });
        name = '';
    }
    return files;
}
