/* pyramid.js - a row at any zoom. What is a pixel wide or more is drawn as it is. What shares a pixel with others
 * is told by the share of that pixel that each state has. Where pixels are long, the shares come from a grid: sums
 * of the time in each state at regular times, a power of two apart; else from the intervals, and sums before each
 * 8th of them. So a row costs as many steps as it has pixels, however many intervals there are and however uneven
 * they lie. Of a counter the least and the most are kept for each power of two of samples. */

/** @typedef {import('./types.js').Row} Row */

/**
 * Intervals that do not overlap, sorted by time, and the sums before each 8th.
 * @typedef {object} Band
 * @property {number} n
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint8Array} state
 * @property {Float64Array} sums of the time in the states 1 to 3, for each 8th interval
 * @property {Grid[]} grids each coarser than the one before
 * @property {Uint32Array|null} index of its intervals in the row; null: it has all
 * @property {number} slot where a pen keeps its cuts
 */

/** The same sums, and the first interval that ends later, at each multiple of `width`.
 * @typedef {{width: number, count: number, sums: Float64Array, first: Uint32Array}} Grid */

/** Which pixels a frame has: pixel x begins at from + x * perPixel.
 *  @typedef {{from: number, perPixel: number, width: number}} Scale */

/**
 * A row cut into pieces of whole pixels. A piece is an interval, or a pixel in which there are several.
 * @typedef {object} Cuts
 * @property {number} n
 * @property {number} nmixed
 * @property {Int32Array} left
 * @property {Int32Array} right
 * @property {Int32Array} index of the interval in the band, of the first if it is mixed
 * @property {Uint8Array} mixed
 * @property {Float32Array} running shares of a mixed one
 * @property {Float32Array} ready
 * @property {Float32Array} blocked
 */

const STRIDE_BITS = 3, STRIDE = 1 << STRIDE_BITS, STATES = 3, FINE = 8, CROWD = 4, COARSER = 8, COARSEST = 8192;
/* The grid is used for pixels that are so many times as long, and where at least CROWD intervals end in one. */

/** The first interval at or behind i that ends after a time. It looks near i first, about so far away as `step`.
 * @param {Float64Array} end @param {number} n @param {number} i @param {number} time */
export function endsAfter(end, n, i, time, step = 1) {
    let low = i, high = i;
    while (high < n && end[high] <= time) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = Math.min(high, n);
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (end[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** The first of sorted times that is not before a time. @param {Float64Array} times @param {number} n
 *  @param {number} time */
export function notBefore(times, n, time) {
    let low = 0, high = n;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (times[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** @param {Float64Array} start @param {Float64Array} end @param {Uint8Array} state */
function sumsBefore(start, end, state) {
    const sums = new Float64Array(((start.length >> STRIDE_BITS) + 1) * STATES), now = new Float64Array(STATES);
    for (let i = 0; i < start.length; i++) {
        if (i % STRIDE === 0) sums.set(now, (i >> STRIDE_BITS) * STATES);
        if (state[i] >= 1 && state[i] <= STATES) now[state[i] - 1] += end[i] - start[i];
    }
    if (start.length % STRIDE === 0) sums.set(now, (start.length >> STRIDE_BITS) * STATES);
    return sums;
}

/** @param {Float64Array} start @param {Float64Array} end @param {Uint8Array} state @param {Uint32Array|null} index
 *  @returns {Band} */
export const newBand = (start, end, state, index) =>
    ({ n: start.length, start, end, state, index, sums: sumsBefore(start, end, state),
        grids: newGrids(start, end, state), slot: 0 });

/** The widths are a power of two, and there are about half as many as intervals.
 * @param {Float64Array} start @param {Float64Array} end @param {Uint8Array} state @returns {Grid} */
function newGrid(start, end, state) {
    const n = start.length, last = n > 0 ? end[n - 1] : 0;
    const width = 2 ** Math.max(0, Math.ceil(Math.log2(2 * last / Math.max(n, 1)) || 0));
    const count = Math.ceil(last / width) + 1, sums = new Float64Array(count * STATES);
    const first = new Uint32Array(count), now = new Float64Array(STATES);
    for (let b = 0, i = 0; b < count; b++) {
        for (; i < n && end[i] <= b * width; i++) if (state[i] >= 1
            && state[i] <= STATES) now[state[i] - 1] += end[i] - start[i];
        sums.set(now, b * STATES);
        if (i < n && state[i] >= 1 && state[i] <= STATES)
            sums[b * STATES + state[i] - 1] += Math.max(0, b * width - start[i]);
        first[b] = i;
    }
    return { width, count, sums, first };
}

/** The band of a row's intervals at one depth. @param {Row} row @param {number} depth */
function bandAtDepth(row, depth) {
    const index = Uint32Array.from(row.start.keys()).filter((i) => row.state[i] === depth);
    const of = (/** @type {Float64Array} */ times) => Float64Array.from(index, (i) => times[i]);
    return newBand(of(row.start), of(row.end), new Uint8Array(index.length).fill(1), index);
}

/** @type {WeakMap<Row, Band[]>} */
const bands = new WeakMap();

/** The bands of a row, made when it is first drawn: of spans one for each depth. `stateOf` gives states of a kind that
 * has none. @template T @param {Row} row @param {number} depth @param {(row: Row, of: T) => Uint8Array} stateOf
 *  @param {T} of */
export const bandsOf = (row, depth, stateOf, of) => bands.get(row) ?? makeBands(row, depth, stateOf, of);

/** @template T @param {Row} row @param {number} depth @param {(row: Row, of: T) => Uint8Array} stateOf @param {T} of */
function makeBands(row, depth, stateOf, of) {
    const made = depth > 1 ? Array.from({ length: depth }, (_, d) => bandAtDepth(row, d))
        : [newBand(row.start, row.end, stateOf(row, of), null)];
    bands.set(row, made);
    return made;
}

/** @param {number} width in pixels @returns {Cuts} */
export const newCuts = (width) => ({
    n: 0, nmixed: 0,
    left: new Int32Array(width + 2), right: new Int32Array(width + 2), index: new Int32Array(width + 2),
    mixed: new Uint8Array(width + 2), running: new Float32Array(width + 2), ready: new Float32Array(width + 2),
    blocked: new Float32Array(width + 2),
});

const before = new Float64Array(STATES), until = new Float64Array(STATES);

/** Adds the time in each state between two times, of the intervals from i up to j.
 * @param {Band} band @param {number} i @param {number} j @param {number} from @param {number} to
 *  @param {Float64Array} out */
function addUp(band, i, j, from, to, out) {
    for (let k = i; k < j; k++) {
        const s = band.state[k] - 1;
        if (s >= 0 && s < STATES) out[s] += Math.max(0, Math.min(band.end[k], to) - Math.max(band.start[k], from));
    }
}

/** The time in each state before a time; i is the first interval that ends after it.
 * @param {Band} band @param {number} i @param {number} time @param {Float64Array} out */
function timeBefore(band, i, time, out) {
    const block = i >> STRIDE_BITS;
    for (let s = 0; s < STATES; s++) out[s] = band.sums[block * STATES + s];
    addUp(band, block << STRIDE_BITS, Math.min(i + 1, band.n), -Infinity, time, out);
}

/** The time in each state between two times, as until less before; i and j are the first intervals that end after
 *  them. Few intervals are added up, many are told by the sums.
 *  @param {Band} band @param {number} i @param {number} j @param {number} from @param {number} to */
function timeWithin(band, i, j, from, to) {
    for (let s = 0; s < STATES; s++) before[s] = until[s] = 0;
    if (j - i < 2 * STRIDE) return addUp(band, i, Math.min(j + 1, band.n), from, to, until);
    timeBefore(band, i, from, before);
    timeBefore(band, j, to, until);
}

/** @param {Cuts} cuts @param {number} left @param {number} right @param {number} index @param {number} mixed */
function put(cuts, left, right, index, mixed) {
    const n = cuts.n++;
    cuts.left[n] = left;
    cuts.right[n] = right;
    cuts.index[n] = index;
    cuts.mixed[n] = mixed;
}

/** Adds a pixel in which there are several intervals, and gives the first one behind it.
 * @param {Band} band @param {Scale} scale @param {number} x @param {number} i @param {Cuts} cuts
 *  @param {number} step to the next one, about */
function putMixed(band, scale, x, i, cuts, step) {
    const from = scale.from + (x - 0.5) * scale.perPixel, to = from + scale.perPixel;
    const next = endsAfter(band.end, band.n, i, to, step);
    let first = i;
    while (first > 0 && band.end[first - 1] > from) first--;
    timeWithin(band, first, next, from, to);
    putShares(cuts, x, i, scale.perPixel);
    return next;
}

/** Each COARSER-th of a grid. @param {Grid} grid @returns {Grid} */
function coarser({ width, count, sums, first }) {
    const less = Math.ceil((count - 1) / COARSER) + 1, size = less * STATES;
    const made = { width: width * COARSER, count: less, sums: new Float64Array(size), first: new Uint32Array(less) };
    for (let b = 0; b < less; b++) {
        const from = Math.min(b * COARSER, count - 1);
        for (let s = 0; s < STATES; s++) made.sums[b * STATES + s] = sums[from * STATES + s];
        made.first[b] = first[from];
    }
    return made;
}

/** @param {Float64Array} start @param {Float64Array} end @param {Uint8Array} state @returns {Grid[]} */
function newGrids(start, end, state) {
    const grids = [newGrid(start, end, state)];
    while (grids[grids.length - 1].count > COARSEST) grids.push(coarser(grids[grids.length - 1]));
    return grids;
}

/** The coarsest grid that is fine enough for pixels of that length. @param {Grid[]} grids @param {number} perPixel */
function gridFor(grids, perPixel) {
    let i = grids.length - 1;
    while (i >= 0 && grids[i].width * FINE > perPixel) i--;
    return i < 0 ? null : grids[i];
}

/** The sums at a place in the grid, between those that it has.
 * @param {Float64Array} sums @param {number} place @param {number} b the bucket there @param {Float64Array} out */
function sumsAt(sums, place, b, out) {
    const part = place - b, i = b * STATES;
    for (let s = 0; s < STATES; s++) out[s] = sums[i + s] + (sums[i + STATES + s] - sums[i + s]) * part;
}

/** The bucket of the grid in which a pixel begins. @param {Grid} grid @param {Scale} scale @param {number} x */
const bucketAt = (grid, scale, x) =>
    Math.min(Math.max(Math.floor((scale.from + (x - 0.5) * scale.perPixel) / grid.width), 0), grid.count - 1);

/** Adds pixels from the grid as long as they are crowded, and gives the first that is not.
 * @param {Grid} grid @param {Scale} scale @param {number} x @param {Cuts} cuts */
function putCrowd({ width, count, sums, first }, scale, x, cuts) {
    const begin = (scale.from - 0.5 * scale.perPixel) / width, step = scale.perPixel / width, last = count - 1 - 1e-9;
    let place = Math.min(Math.max(begin + x * step, 0), last), bucket = Math.floor(place), isFirst = true;
    for (; x < scale.width; x++) {
        const next = Math.min(Math.max(begin + (x + 1) * step, 0), last), nextBucket = Math.floor(next);
        if (first[nextBucket] - first[bucket] < CROWD) break;
        if (isFirst) sumsAt(sums, place, bucket, before);
        sumsAt(sums, next, nextBucket, until);
        putShares(cuts, x, first[bucket], scale.perPixel);
        for (let s = 0; s < STATES; s++) before[s] = until[s];
        isFirst = false;
        place = next;
        bucket = nextBucket;
    }
    return x;
}

/** A mixed pixel, whose shares are until less before. @param {Cuts} cuts @param {number} x @param {number} index
 *  @param {number} perPixel */
function putShares(cuts, x, index, perPixel) {
    cuts.running[cuts.n] = (until[0] - before[0]) / perPixel;
    cuts.ready[cuts.n] = (until[1] - before[1]) / perPixel;
    cuts.blocked[cuts.n] = (until[2] - before[2]) / perPixel;
    cuts.nmixed++;
    put(cuts, x, x + 1, index, 1);
}

/** Cuts what is shown of a band. @param {Band} band @param {Scale} scale @param {Cuts} cuts */
export function cut(band, scale, cuts) {
    const { from, perPixel, width } = scale;
    const grid = gridFor(band.grids, perPixel);
    cuts.n = cuts.nmixed = 0;
    let x = 0, step = 1, i = endsAfter(band.end, band.n, 0, from);
    while (i < band.n) {
        const behind = grid !== null ? putCrowd(grid, scale, x, cuts) : x;
        if (grid !== null && behind > x) {
            x = behind;
            i = endsAfter(band.end, band.n, grid.first[bucketAt(grid, scale, x)], from
                + (x - 0.5) * perPixel);
            continue;
        }
        const begin = Math.round((band.start[i] - from) / perPixel), end = Math.round((band.end[i] - from) / perPixel);
        const left = Math.max(x, begin), right = Math.min(width, end);
        if (left >= width) break;
        if (right > left && band.end[i] - band.start[i] >= perPixel) put(cuts, left, x = right, i++, 0);
        else if (band.end[i] <= from + (x - 0.5) * perPixel) i++;
        else {
            const next = putMixed(band, scale, left, i, cuts, step);
            step = 1 + ((next - i) >> 1);
            i = next;
            x = left + 1;
        }
    }
}

/** @typedef {{least: Float64Array[], most: Float64Array[]}} Extremes one array for each power of two, from 8
 * samples on */

/** @param {Float64Array} of @param {number} size @param {(a: number, b: number) => number} choose */
function powers(of, size, choose) {
    let level = Float64Array.from({ length: Math.ceil(of.length / size) },
        (_, k) => of.subarray(k * size, (k + 1) * size).reduce((a, b) => choose(a, b)));
    const levels = [level];
    while (level.length > 1) {
        const below = level;
        levels.push(level = Float64Array.from({ length: Math.ceil(below.length / 2) },
            (_, k) => choose(below[2 * k], below[Math.min(2 * k + 1, below.length - 1)])));
    }
    return levels;
}

/** @type {WeakMap<Row, Extremes>} */
const extremes = new WeakMap();

/** @param {Row} row */
export function extremesOf(row) {
    let made = extremes.get(row);
    if (made) return made;
    made = { least: powers(row.value, STRIDE, Math.min), most: powers(row.value, STRIDE, Math.max) };
    extremes.set(row, made);
    return made;
}

/** The least or most of the samples from i up to j: of whole powers of two where they fit.
 * @param {Float64Array} values @param {Float64Array[]} levels @param {number} i @param {number} j
 *  @param {boolean} most */
export function extremeOf(values, levels, i, j, most) {
    let found = values[i];
    while (i < j) {
        let level = -1, size = 1;
        for (let next = STRIDE; i % next === 0 && i + next <= j && level + 1 < levels.length; next *= 2) {
            level++;
            size = next;
        }
        const value = level < 0 ? values[i] : levels[level][i / size];
        if (most ? value > found : value < found) found = value;
        i += size;
    }
    return found;
}
