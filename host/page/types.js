/* types.js - the types that modules share. README.md, "What they share", tells what the numbers mean.
 *
 * Times are ns, or ticks if the clock's frequency is not known, since the trace's first event. */

/** @typedef {'cpu'|'irq'|'task'|'mutex'|'counter'|'span'|'log'} RowKind */

/**
 * What a row shows. A kind that lacks an array has an empty one.
 * @typedef {object} Row
 * @property {number} index
 * @property {RowKind} kind
 * @property {string} name
 * @property {number} cpu -1: of no CPU
 * @property {number|string} number of the interrupt, task, mutex; a text if it is above 2^53
 * @property {number|null} priority
 * @property {number} parent -1, or the row that it belongs to
 * @property {number} n
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Uint8Array} state
 * @property {Uint32Array} what
 * @property {Float64Array} value
 * @property {Uint8Array} flags of interrupts and mutexes (host/formats/columns/FORMAT.md)
 */

/**
 * @typedef {object} Events
 * @property {number} n
 * @property {Float64Array} time
 * @property {Uint16Array} type
 * @property {Uint16Array} cpu
 * @property {Uint32Array} row
 * @property {Uint8Array} flags
 * @property {(index: number) => string} text
 */

/** @typedef {{n: number, start: Float64Array, end: Float64Array, kind: Uint8Array, cpu: Uint16Array, count:
 * Float64Array}} Gaps */
/** @typedef {{n: number, time: Float64Array, from: Uint32Array, to: Uint32Array}} Wakes */
/** @typedef {{events: number, derived: number, lost: number, damaged: number, leftOut: number, pauses: number,
 * paused: number}} Counts */
/** @typedef {{system: string, name: string, means: string}} EventType */

/**
 * @typedef {object} Trace
 * @property {'ns'|'ticks'} unit
 * @property {string} start the time of the first event, decimal
 * @property {number} span
 * @property {number} cpus
 * @property {string|null} target
 * @property {number} clockHz
 * @property {'lowest_first'|'highest_first'} priorityOrder which priorities are the more urgent ones
 * @property {boolean} exact
 * @property {boolean} complete
 * @property {Counts} counts
 * @property {Row[]} rows
 * @property {Events} events
 * @property {Gaps} gaps
 * @property {Wakes} wakes
 * @property {(index: number) => string} strings the same string object each time
 * @property {EventType[]} types
 */

/** @typedef {{from: number, to: number}} Stretch */
/** @typedef {{kind: 'event', index: number} | {kind: 'interval', row: number, index: number} | {kind: 'problem',
 * index: number}} Chosen */

/** @typedef {any} Stat the figures of --stat (stat.js) */
/** @typedef {any} Inversion of a Stat */

/**
 * @typedef {object} Problem
 * @property {'deadline'|'inversion'} kind
 * @property {number} time
 * @property {number} end
 * @property {number} row of the task
 * @property {number} event -1: none
 * @property {string} text
 * @property {Inversion|null} of
 */

/**
 * @typedef {object} State
 * @property {number} from what is shown
 * @property {number} to
 * @property {Stretch|null} selection
 * @property {[number|null, number|null]} cursors
 * @property {Chosen|null} chosen
 * @property {Set<number>} folded rows and groups of rows (rows.js)
 * @property {string} filter
 * @property {Uint32Array|null} matches events that the filter chose
 * @property {Stat|null} stat
 * @property {Problem[]} problems by time
 */

/**
 * The state, and who listens to it. get() gives the same object each time; only change() changes it.
 * @typedef {object} States
 * @property {() => Readonly<State>} get
 * @property {(patch: Partial<State>) => void} change
 * @property {(fn: (state: Readonly<State>, changed: Partial<State>) => void) => () => void} listen gives what ends it
 */

/**
 * The timeline, whose canvas follows the state.
 * @typedef {object} Timeline
 * @property {import('./scene.js').Scene} scene where everything is, for tests
 * @property {() => void} draw a frame, at once
 * @property {() => void} focus
 * @property {() => void} close removes what listens
 */

/** @typedef {{name: string, bytes: Uint8Array<ArrayBuffer>}} PageFile README's File: the browser has one of its own */
/** @typedef {{code: number, files: Map<string, Uint8Array<ArrayBuffer>>, said: string, told: string}} Run */

export {};
