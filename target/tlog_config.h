/* SPDX-License-Identifier: MIT */
/* tlog_config.h - the options of the firmware runtime: for each one its meaning, range, default, cost, and the check.
 *
 * Give options on the compiler's command line (-DTLOG_SLOTS=4096), or in a header of the firmware that TLOG_CONFIG
 * names:
 *
 *     -DTLOG_CONFIG='"my_tlog_options.h"'
 *
 * All files that include tlog.h, and the runtime's own files (target, port), must be compiled with the same options.
 * Where a difference would matter, the linker refuses the file and names the option: "undefined reference to
 * `tlog_all_files_need_TLOG_CONTEXT_1'" says that this file was compiled with TLOG_CONTEXT = 1, and src/tlog.c was not.
 * Sizes and numbers of chunks, such as TLOG_SLOTS, are read by the runtime's own files only.
 * Options of the clock and of several CPUs are in port/tlog_port.h, those of the UDP sender in port/out_udp.h and
 * port/net_udp.h.
 *
 * Levels of optimisation need no option, and files may differ in them. At -O0 and -Os an event is a call. At -O0 gcc
 * compiles the runtime's own files for speed nevertheless (src/tlog_speed.h); clang needs -O2 for them, and says so.
 *
 * "Flash" below is about what an option adds to the record path, on Cortex-M3 with gcc -O2, in a program that only
 * logs; without any option that path takes 4852 bytes. `make size` measures it. */
/* The guard is not TLOG_CONFIG_H: the firmware's own header may use that. */
#ifndef TLOG_TARGET_CONFIG_H
#define TLOG_TARGET_CONFIG_H

#ifdef TLOG_CONFIG
#define TLOG_CONFIG_IS_READ
#include TLOG_CONFIG
#undef TLOG_CONFIG_IS_READ
#endif

#include "tlog_wire.h"

/* TLOG_CHIP: a header of port/chips, without .h, for chips whose clock takes more than options: -DTLOG_CHIP=nrf51.
 * port/README.md has a table of chips. Default: none. */
#ifdef TLOG_CHIP
#define TLOG_CHIP_NUMBER(chip)  TLOG_CHIP_NUMBER_(chip)
#define TLOG_CHIP_NUMBER_(chip) TLOG_CHIP_##chip
#define TLOG_CHIP_nrf51         1
#define TLOG_CHIP_samd21        2
#if TLOG_CHIP_NUMBER(TLOG_CHIP) == TLOG_CHIP_nrf51
#include "chips/nrf51.h"
#elif TLOG_CHIP_NUMBER(TLOG_CHIP) == TLOG_CHIP_samd21
#include "chips/samd21.h"
#else
#error "tlog: TLOG_CHIP is nrf51 or samd21; for another chip give TLOG_CLOCK_ADDRESS (port/README.md)"
#endif
#endif
#ifdef ARDUINO
#include "tlog_arduino.h"
#endif

/* Whether anything is logged at all.
 * Range: 0, 1. Default: 1. Cost: with 0 no flash and no RAM: nothing of the runtime is compiled, but it may still be
 * linked. All calls of tlog.h and its companions then remain and do nothing. Arguments are type-checked and evaluated,
 * and each call returns what its declaration says. */
#ifndef TLOG_ENABLE
#define TLOG_ENABLE 1
#endif
TLOG_STATIC_ASSERT((TLOG_ENABLE) == 0 || (TLOG_ENABLE) == 1, "TLOG_ENABLE: 0 or 1");

/* Number of CPUs that log. Every CPU that calls anything of tlog must have a number below TLOG_CPUS.
 * Range: 1..8, a plain number without suffix or parentheses. Default: 1. Cost: each CPU has its own rings and its own
 * chunk for names, of the sizes given below, and 64 bytes of state; each event also reads the number of the CPU.
 * More than one CPU needs a port that tells the CPU's number, a clock that all CPUs read, and memory in which a store
 * by one CPU ends the exclusive watch of the others (port/tlog_port.h). */
#ifndef TLOG_CPUS
#define TLOG_CPUS 1
#endif
TLOG_STATIC_ASSERT(TLOG_CPUS >= 1 && TLOG_CPUS <= 8, "TLOG_CPUS: 1..8");

/* Slots per chunk of the ring. A record takes one slot, a traceevent one or more.
 * Range: 1..65534. Default: 256. Cost: 16 bytes of RAM for each slot, and 4 bytes for each 32 slots, rounded up to
 * 16 bytes. A chunk needs 224 bytes besides (header, end mark, notes of passed slots, seal). */
#ifndef TLOG_SLOTS
#define TLOG_SLOTS 256
#endif
TLOG_STATIC_ASSERT(TLOG_SLOTS >= 1 && TLOG_SLOTS <= TLOG_SLOTS_MAX, "TLOG_SLOTS: 1..65534");

/* Chunks of a CPU's ring. They are filled in turn. Behind the last one the oldest is overwritten, or logging stops
 * (TLOG_STOP_WHEN_FULL). A single chunk overwrites itself slot by slot.
 * Range: 1..255. Default: 1. Cost: RAM for each chunk (TLOG_SLOTS); more than one: flash 1100 bytes. */
#ifndef TLOG_CHUNKS
#define TLOG_CHUNKS 1
#endif
TLOG_STATIC_ASSERT(TLOG_CHUNKS >= 1 && TLOG_CHUNKS <= 255, "TLOG_CHUNKS: 1..255");

/* Runs of the firmware whose events memory keeps, the present run included. A run lasts from one reset to the next.
 * Range: 1..255. Default: 1: the first event of a new run overwrites the events of the run before. Cost: RAM for all
 * chunks of all CPUs, chunks for names included, times TLOG_RUNS; more than one run: RAM 4 bytes per CPU. The first
 * event takes longer then, because it formats all chunks; that saves 180 bytes of flash.
 * Each CPU has TLOG_RUNS banks, of TLOG_CHUNKS chunks and a chunk for names each. A new run takes the bank of the
 * oldest run, so what was logged before a reset stays until TLOG_RUNS - 1 further runs have begun. But a reset that
 * comes again and again does not push out what explains it: of runs that ended early, within their first lap and 64
 * events, the newest one goes first. With 3 runs the last long one, the first short one and the present one stay.
 * A CPU that logs nothing during a run keeps its old events for longer. See tlog_old_runs() and tlog_last_run().
 * More than one run needs the section tlog_chunks in the linker script, in memory that start-up code leaves alone
 * (linker/tlog.ld). Without it the linker misses tlog_runs_above_1_need_INCLUDE_tlog.ld_in_the_linker_script.
 * Events survive a reset only if they are in memory by then. A data cache that writes back (Cortex-M7, M55, A) may
 * still hold them. Either let the chunks stand in memory that is written through (on Cortex-M also: that is not
 * cached), or clean the cache before a reset and after a fault was logged. */
#ifndef TLOG_RUNS
#define TLOG_RUNS 1
#endif
TLOG_STATIC_ASSERT(TLOG_RUNS >= 1 && TLOG_RUNS <= 255, "TLOG_RUNS: 1..255");

/* What opens the rings: makes chunks of memory with any content.
 * Range: 0..2. Default: 0: the first event does, and its first lap formats the slots that it comes to; tlog_start()
 *       formats all at once, in 3 instructions for each slot, and then all laps are alike.
 *     1: the firmware promises to call tlog_start(), which formats all. No event opens a ring: events before that are
 *       dropped and counted, and the first one behind it tells how many. Names and priorities are kept before, too.
 *       Neither they nor tlog_tick(), tlog_filter(), tlog_disable() and tlog_enable() open the rings; other calls that
 *       need them do, and a fault does. Ports to kernels call tlog_start() where the first task or object is created
 *       (port/rtos/README.md).
 *     2: as 1, but logging is off until tlog_enable(), which also starts. Before that only FAST_TRACER_LOGEVENT(), and
 *       events with a wrong code, are counted.
 * Cost: none for an event; 1 or 2 saves 620 bytes of flash, tlog_start() included, and with traceevents 800; no
 * RAM. With TLOG_RUNS above 1, TLOG_ARENA or TLOG_MINIMAL nothing is formatted bit by bit: 0 means there that
 * the first event formats all, and 1 or 2 takes 20 to 400 bytes more. What interrupts tlog_start() may log; with 0 it
 * is recorded. A second tlog_start() in the middle of the first one, or with 0 so many events that they reach the block
 * of 16 slots that is being formatted, may leave up to 16 slots unused, as owners that do not come back do. */
#ifndef TLOG_START
#define TLOG_START 0
#endif
TLOG_STATIC_ASSERT(TLOG_START >= 0 && TLOG_START <= 2, "TLOG_START: 0, 1 or 2");

/* What happens when the last chunk of a ring is full. tlog_stop_when_full() changes it at run time.
 * Range: 0: start over, which keeps the newest events; 1: stop, which keeps the oldest. Default: 0. Cost: none. */
#ifndef TLOG_STOP_WHEN_FULL
#define TLOG_STOP_WHEN_FULL 0
#endif
TLOG_STATIC_ASSERT((TLOG_STOP_WHEN_FULL) == 0 || (TLOG_STOP_WHEN_FULL) == 1, "TLOG_STOP_WHEN_FULL: 0 or 1");

/* Emergency slots per chunk. They serve the events that matter most when a chunk is full and no chunk follows it: those
 * of family 0, task_deadline_miss, task_wcet_violation, faults (tlog_fault.h), and those logged with
 * tlog_record_emergency(). Emergency slots are never overwritten.
 * Range: 0..65534. Default: 0. Cost: 16 bytes of RAM for each slot; more than none: flash 280 bytes. */
#ifndef TLOG_EMERGENCY_SLOTS
#define TLOG_EMERGENCY_SLOTS 0
#endif
TLOG_STATIC_ASSERT(TLOG_EMERGENCY_SLOTS >= 0 && TLOG_EMERGENCY_SLOTS <= TLOG_SLOTS_MAX,
                   "TLOG_EMERGENCY_SLOTS: 0..65534");

/* Whether chunks can be created, linked and selected at run time (tlog_chunk.h). Their memory, the arena, is set aside
 * by the linker script (linker/tlog.ld); otherwise the linker misses __tlog_arena_start.
 * Range: 0, 1. Default: 0. Cost: flash for the calls of tlog_chunk.h that are used; switching to the next chunk, and
 * the first event, take longer. In the record path it saves 290 bytes of flash. For a single CPU only. */
#ifndef TLOG_ARENA
#define TLOG_ARENA 0
#endif
TLOG_STATIC_ASSERT((TLOG_ARENA) == 0 || (TLOG_ARENA) == 1, "TLOG_ARENA: 0 or 1");
#if TLOG_CPUS > 1 && TLOG_ARENA
#error "tlog: TLOG_ARENA = 1 is for a single CPU: chunks made at run time belong to no CPU in particular"
#endif

/* Whether traceevents can be logged (tlog_event.h), TLOG_PRINTK included (tlog_printk.h).
 * Range: 0, 1. Default: 0. Cost: the first two slots of every lap of a chunk of more than two slots tell the time;
 * flash 900 bytes in the record path, more for the calls that are used. */
#ifndef TLOG_TRACEEVENTS
#define TLOG_TRACEEVENTS 0
#endif
TLOG_STATIC_ASSERT((TLOG_TRACEEVENTS) == 0 || (TLOG_TRACEEVENTS) == 1, "TLOG_TRACEEVENTS: 0 or 1");

/* Whether every time stamp of a CPU is greater than the one before. For clocks that tick less than once per 20
 * instructions or so, where two events can read the same time: the later one gets the last stamp plus one tick.
 * Range: 0, 1. Default: 0. Cost: on Cortex-M3 a record takes 43 instructions instead of 22, a combine event of 4 slots
 * 59 instead of 39; flash 370 bytes, RAM 4 bytes per CPU.
 * While events come faster than ticks, stamps run ahead of the clock, by about one tick for each event, lost events
 * included. The clock catches up later. More than 2^30 ticks ahead, times are wrong. The two slots that begin a lap
 * share a stamp; names have the clock's own time. */
#ifndef TLOG_UNIQUE_STAMPS
#define TLOG_UNIQUE_STAMPS 0
#endif
TLOG_STATIC_ASSERT((TLOG_UNIQUE_STAMPS) == 0 || (TLOG_UNIQUE_STAMPS) == 1, "TLOG_UNIQUE_STAMPS: 0 or 1");

/* Whether each record also bears its context: on Cortex-M the number of the active exception (0: thread), on ARMv7-A
 * the processor's mode. Traceevents have no room for it.
 * Range: 0, 1. Default: 0. Cost: two instructions for each record; flash 30 bytes. 22 instead of 31 bits are left for
 * the wraps of the clock, so 64-bit time repeats after 208 days of a 1 GHz clock. */
#ifndef TLOG_CONTEXT
#define TLOG_CONTEXT 0
#endif
TLOG_STATIC_ASSERT((TLOG_CONTEXT) == 0 || (TLOG_CONTEXT) == 1, "TLOG_CONTEXT: 0 or 1");

/* Slots for names (tlog_name()) and priorities (tlog_priority()), apart from the events. A name of up to 16 bytes takes
 * two slots, of up to 28 three, of 31 four; a priority takes one. Where pointers have 8 bytes it is 12 and 24 bytes. A
 * name of what was deleted stays until its room is needed.
 * Range: 1..65534, of all CPUs together. Default: 80, for 12 tasks and 12 objects with names of 16 bytes, and some
 * more. Cost: as TLOG_SLOTS, and 2 bytes of RAM more for each slot, and 64 to 1024 bytes for an index; nothing if
 * neither is called and the linker drops unused sections. */
#ifndef TLOG_NAME_SLOTS
#define TLOG_NAME_SLOTS 80
#endif
TLOG_STATIC_ASSERT(TLOG_NAME_SLOTS >= 1 && TLOG_NAME_SLOTS <= TLOG_SLOTS_MAX, "TLOG_NAME_SLOTS: 1..65534");

/* Tasks that tlog_context() can number by their addresses. Take twice as many as there are, or more, and it is fast.
 * Range: a power of two, 1..32768. Default: 64. Cost: RAM of one pointer each, in firmware that calls it. */
#ifndef TLOG_CONTEXTS
#define TLOG_CONTEXTS 64
#endif

/* Frequency of the clock, in Hz. Boards usually give it, in the header of the board.
 * Range: 0..4294967295. Default: 0: not known at compile time; then log FTrace_EVT_cycles_per_msec once, with the ticks
 * per millisecond as par2. Cost: none. */
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 0
#endif
TLOG_STATIC_ASSERT(TLOG_U64(TLOG_CLOCK_HZ) <= 0xFFFFFFFFu, "TLOG_CLOCK_HZ: 0..4294967295");

/* How many bits the counter has that is the clock (TLOG_CLOCK_ADDRESS). What is read is shifted up to 32 bits, so times
 * count TLOG_CLOCK_RATE ticks per second, which the dump tells: one tick of the counter is 2^(32 - TLOG_CLOCK_BITS) of
 * them. So it needs TLOG_CLOCK_HZ, and that below 2^TLOG_CLOCK_BITS: at most 65535 Hz with 16 bits, 16777215 Hz with
 * 24. If a timer counts faster, let its prescaler divide.
 * Its interrupts call tlog_tick(), at least once per half wrap of the counter: port/README.md, Time.
 * Range: 16..32, a plain number without suffix or parentheses. Default: 32. Cost: an instruction for each event; none
 * more with TLOG_CLOCK_DOWN, but on ARMv6-M. */
#ifndef TLOG_CLOCK_BITS
#define TLOG_CLOCK_BITS 32
#endif
#define TLOG_CLOCK_SHIFT (32 - TLOG_CLOCK_BITS)
#define TLOG_CLOCK_RATE  ((uint32_t)(TLOG_U64(TLOG_CLOCK_HZ) << TLOG_CLOCK_SHIFT))
TLOG_STATIC_ASSERT(TLOG_CLOCK_BITS >= 16 && TLOG_CLOCK_BITS <= 32, "TLOG_CLOCK_BITS: 16..32");
TLOG_STATIC_ASSERT(
    TLOG_CLOCK_BITS == 32 || TLOG_U64(TLOG_CLOCK_HZ) >> TLOG_CLOCK_BITS == 0,
    "TLOG_CLOCK_HZ: below 2^TLOG_CLOCK_BITS, that is at most 65535 Hz with 16 bits, 16777215 Hz with 24, "
    "and so on, twice as much with each bit: let the timer's prescaler divide");
TLOG_STATIC_ASSERT(TLOG_CLOCK_BITS == 32 || TLOG_U64(TLOG_CLOCK_HZ) > 0,
                   "TLOG_CLOCK_BITS below 32: give TLOG_CLOCK_HZ, the counter's frequency");

/* Whether the frequency of the clock changes while the firmware runs: at start-up, when a PLL takes over, or to save
 * power. Then tell each change by tlog_clock_rate(). TLOG_CLOCK_HZ is the frequency at the first event; if it is 0,
 * CMSIS' variable SystemCoreClock as it is then, if there is one.
 * Range: 0, 1. Default: 0. Cost: none for an event; each change, and the first event, logs a mark of four slots, and
 * writes three of TLOG_NAME_SLOTS; flash 4420 bytes, and the RAM of TLOG_NAME_SLOTS; where names are used, 2240 of
 * them (three divisions of 64 bits among them), and RAM 72 bytes. A coarse clock then tells nothing to the target:
 * wraps that it has not seen are not counted (as with TLOG_CLOCK_HZ = 0). */
#ifndef TLOG_CLOCK_CHANGES
#define TLOG_CLOCK_CHANGES 0
#endif
TLOG_STATIC_ASSERT((TLOG_CLOCK_CHANGES) == 0 || (TLOG_CLOCK_CHANGES) == 1, "TLOG_CLOCK_CHANGES: 0 or 1");

/* Frequency of a coarse clock, in Hz, such as the tick count of an RTOS. It goes on while nothing is logged; by it the
 * decoder knows how often the clock wrapped meanwhile.
 * Range: 0..4294967295, a plain number; not above TLOG_CLOCK_HZ, and not below TLOG_CLOCK_HZ / 2^29. Default: 0: there
 * is none. Cost: a slot at the beginning of each lap of a chunk of more than one slot (three with traceevents); 8 bytes
 * of RAM per CPU, and 4 more; flash 790 bytes; a switch takes longer.
 * Give TLOG_PORT_COARSE_NOW as well: an expression that reads it, 32 bits, counts up, wraps, from any context. Only the
 * runtime's own files read it. If it is a function, the header that TLOG_CONFIG names declares it.
 * The slot at the beginning of each lap tells its time, and another one where a wrap was noticed. With TLOG_CLOCK_HZ
 * the target counts such wraps itself, in tlog_tick(), tlog_start() and the slow path: then the times of all later
 * events are right. That is exact as long as the two clocks drift apart by less than half a wrap while nothing is
 * logged.
 * A clock that stands still in a sleep must be set by tlog_clock_slept() before anything else of tlog is called:
 * otherwise the sleep's wraps are counted twice. */
#ifndef TLOG_COARSE_HZ
#define TLOG_COARSE_HZ 0
#endif
TLOG_STATIC_ASSERT(TLOG_U64(TLOG_COARSE_HZ) <= 0xFFFFFFFFu, "TLOG_COARSE_HZ: 0..4294967295");
#if TLOG_COARSE_HZ && !defined(TLOG_PORT_COARSE_NOW)
#error "tlog: TLOG_COARSE_HZ is given: give TLOG_PORT_COARSE_NOW, too, an expression that reads that clock"
#endif
#if defined(TLOG_PORT_COARSE_NOW) && !TLOG_COARSE_HZ
#error "tlog: TLOG_PORT_COARSE_NOW is given: give TLOG_COARSE_HZ, too, the ticks of that clock per second"
#endif
#if TLOG_COARSE_HZ
TLOG_STATIC_ASSERT((TLOG_CLOCK_HZ) == 0
                       || ((TLOG_COARSE_HZ) <= (TLOG_CLOCK_HZ) && TLOG_CLOCK_RATE / (TLOG_COARSE_HZ) <= 0x20000000u),
                   "TLOG_COARSE_HZ: not above TLOG_CLOCK_HZ, and eight or more in a wrap of the clock");
#endif

/* Frequency of a clock that goes on while the core sleeps, in Hz, such as an RTC: by it tlog_sleep_end() and tlog_wfi()
 * advance the trace's clock by the time in which it stood still, as CYCCNT does in WFI on most low-power chips.
 * Give TLOG_PORT_SLEEP_NOW as well: an expression that reads it, 32 bits, counts up, wraps; a narrower one is shifted
 * up, and its rate as well. It may be the coarse clock, but not a kernel's count of ticks, which is late behind a
 * sleep. Range: 0..4294967295. Default: 0: there is none. Cost: none for an event; 400 bytes of flash, and a division
 * of 64 bits (libgcc or the like); RAM 40 bytes. */
#ifndef TLOG_SLEEP_HZ
#define TLOG_SLEEP_HZ 0
#endif
TLOG_STATIC_ASSERT(TLOG_U64(TLOG_SLEEP_HZ) <= 0xFFFFFFFFu, "TLOG_SLEEP_HZ: 0..4294967295");
#if TLOG_SLEEP_HZ && !defined(TLOG_PORT_SLEEP_NOW)
#error "tlog: TLOG_SLEEP_HZ is given: give TLOG_PORT_SLEEP_NOW, too, an expression that reads that clock"
#endif
#if defined(TLOG_PORT_SLEEP_NOW) && !TLOG_SLEEP_HZ
#error "tlog: TLOG_PORT_SLEEP_NOW is given: give TLOG_SLEEP_HZ, too, the ticks of that clock per second"
#endif
#if TLOG_SLEEP_HZ && TLOG_CPUS > 1
#error "tlog: TLOG_SLEEP_HZ is for one CPU: the clock of several must never stand still"
#endif

/* Whether to use the minimal runtime: for firmware with one CPU that needs one chunk of records. Calls, the inlined
 * event and dumps are the same.
 * Range: 0, 1. Default: 0. Cost: saves 3060 bytes of flash, and 1160 more where names are used; 2 bits of RAM for each
 * slot. On Cortex-M3 an event by a call takes 39 instructions instead of 30, one that begins a lap 230, a dropped one
 * 133. The first event formats the whole chunk, which takes 24 instructions for each slot; call tlog_start() to do that
 * earlier, and with TLOG_START = 1 in 3 for each slot.
 * It does not have: traceevents and texts (own events are logged as records); more than one chunk, run or CPU;
 * emergency slots; the arena; unique stamps; the coarse clock; tlog_trigger(). Lost events are counted, but no record
 * tells where they are missing. Room for a name is never used for another one: a longer name for the same id is cut to
 * it, and tlog_forget() does nothing. An event may be shown at a wrong time if its thread is stopped in the middle of
 * it for a lap or longer (tlog_minimal.c). */
#ifndef TLOG_MINIMAL
#define TLOG_MINIMAL 0
#endif
TLOG_STATIC_ASSERT((TLOG_MINIMAL) == 0 || (TLOG_MINIMAL) == 1, "TLOG_MINIMAL: 0 or 1");
#if TLOG_MINIMAL                                                                                                       \
    && (TLOG_CPUS > 1 || TLOG_CHUNKS > 1 || TLOG_RUNS > 1 || TLOG_EMERGENCY_SLOTS > 0 || TLOG_ARENA                    \
        || TLOG_TRACEEVENTS || TLOG_UNIQUE_STAMPS || TLOG_COARSE_HZ)
#error                                                                                                                 \
    "tlog: TLOG_MINIMAL = 1 is for one CPU, one chunk, one run and records; its other options must have their defaults"
#endif

#elif defined(TLOG_CONFIG_IS_READ)
#error "tlog: TLOG_CONFIG names tlog's own tlog_config.h: give the firmware's header another name"
#endif
