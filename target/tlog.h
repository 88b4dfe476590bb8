/* tlog.h - the one header firmware includes.
 *
 *     #include "tlog.h"
 *     TRACER_LOGEVENT(FTrace_EVT_user_event_0, channel, value);
 *
 * Logging works from the first instruction of main on (once .data and .bss are in place), with no call before it. Every function
 * says where it may be called from: "any context" means threads, interrupt and fault handlers, NMI, on any of the CPUs;
 * threads that are privileged, where the core knows others, for most clocks cannot be read by those. Nothing here takes a
 * lock, allocates, divides or calls libc; nor masks an interrupt, but on ARMv6-M, for five instructions, and there NMI must
 * not log (port/port_v6m.h).
 *
 * With several CPUs (TLOG_CPUS) an event goes to the ring of the CPU that logs it, and the calls that steer act on all of
 * them. A thread may be moved to another CPU in the middle of any call: it finishes the call on the ring it began with,
 * which is safe (tlog_ring.c), and the event then bears the number of the CPU where the call began.
 *
 * Configuration: macros below, from the command line or from a header named by TLOG_CONFIG, e.g.
 * -DTLOG_CONFIG='"tlog_config.h"'. The same for every file of the firmware that includes tlog.h, and for target/ *.c.
 */
#ifndef TLOG_H
#define TLOG_H

#ifdef TLOG_CONFIG
#include TLOG_CONFIG
#endif

/* 0: all calls vanish, their arguments are still checked, and what they return is what they return when there is
 * nothing. Of the runtime nothing is compiled in then; it may still be linked. */
#ifndef TLOG_ENABLE
#define TLOG_ENABLE 1
#endif

/* CPUs that log, 1..8, a plain number: every CPU that calls anything here has a number below it. Each has a ring and a
 * chunk for names of its own, all of the sizes below. More than one need a port that tells the CPU's number, a clock
 * that all of them read, and memory in which store-exclusives of one CPU are seen by the others: port/tlog_port.h. */
#ifndef TLOG_CPUS
#define TLOG_CPUS 1
#endif

/* Slots per chunk, 1..65534. A slot is 16 bytes. */
#ifndef TLOG_SLOTS
#define TLOG_SLOTS 256
#endif

/* Chunks of a CPU's ring, 1..255: filled in turn, the oldest overwritten. */
#ifndef TLOG_CHUNKS
#define TLOG_CHUNKS 1
#endif

/* Runs of the firmware that memory has room for, 1..255. 1: a new run's first event takes the place of the run before.
 * More: there are so many rings of TLOG_CHUNKS chunks, and so many chunks for names, and a new run takes those of the
 * oldest run, so that what was logged before a reset stays until TLOG_RUNS - 1 further runs have begun. Each CPU has such
 * banks of its own; one that logs nothing in a run keeps what it has for longer. See tlog_last_run(). What is to outlive a
 * reset must be in memory by then: behind a data cache that writes back (Cortex-M7, M55, A) the chunks stand in memory that
 * is written through (on Cortex-M also: not cached), or the firmware cleans the cache before it resets and after it logged
 * a fault. */
#ifndef TLOG_RUNS
#define TLOG_RUNS 1
#endif

/* 1: stop when the last chunk is full, keep the oldest events. 0: start over, keep the newest. */
#ifndef TLOG_STOP_WHEN_FULL
#define TLOG_STOP_WHEN_FULL 0
#endif

/* Emergency slots per chunk, 0..65534: they take the events that matter most when the chunk is full and nothing follows
 * it. Events of family 0, task_deadline_miss, task_wcet_violation, and those of tlog_record_emergency(). */
#ifndef TLOG_EMERGENCY_SLOTS
#define TLOG_EMERGENCY_SLOTS 0
#endif

/* 1: chunks can be made, linked and selected at run time (tlog_chunk.h), in memory that the linker script sets aside. */
#ifndef TLOG_ARENA
#define TLOG_ARENA 0
#endif

/* 1: traceevents can be logged (tlog_event.h). Every lap of a chunk of more than two slots then begins with two that tell the
 * time. */
#ifndef TLOG_TRACEEVENTS
#define TLOG_TRACEEVENTS 0
#endif

/* 1: every stamp of a CPU is greater than the one before, whatever the clock says; names have the clock's own time. For
 * clocks that tick less than once per 20 instructions or so, where two events can read the same. An event that would have
 * the stamp of the one before, or less, has one more. So while events come faster than ticks the stamps run ahead of the
 * clock, by about a tick for each event, lost ones included, and are in step again as soon as the clock has caught up; by
 * 2^30 ticks at most, or time is wrong. The two slots that begin a lap are one event. On Cortex-M3 a record costs 44
 * instructions instead of 23, a combine event of 2 slots 58 instead of 35. */
#ifndef TLOG_UNIQUE_STAMPS
#define TLOG_UNIQUE_STAMPS 0
#endif

/* 1: records bear the context they were logged in, as far as the core tells: on Cortex-M the exception's number, on
 * ARMv7-A the processor's mode. Two instructions an event; and 22 bits are left for the wraps of the clock, which at
 * 1 GHz are 208 days. traceevents have no room for it. */
#ifndef TLOG_CONTEXT
#define TLOG_CONTEXT 0
#endif

/* Slots for names, 1..65534; they are kept apart from the events and never overwritten. Used only if tlog_name is. */
#ifndef TLOG_NAME_SLOTS
#define TLOG_NAME_SLOTS 48
#endif

/* Frequency of the clock, Hz; 0: unknown to the compiler. Then log FTrace_EVT_cycles_per_msec once. */
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 0
#endif

#include "tlog_cxx.h"
#include "tlog_ring.h"

#if TLOG_CPUS > 1 && TLOG_ARENA
#error "tlog: TLOG_ARENA = 1 is for a single CPU: chunks made at run time belong to no CPU in particular"
#endif
TLOG_STATIC_ASSERT(TLOG_CPUS >= 1 && TLOG_CPUS <= 8, "TLOG_CPUS: 1..8");
TLOG_STATIC_ASSERT(TLOG_SLOTS >= 1 && TLOG_SLOTS <= TLOG_SLOTS_MAX, "TLOG_SLOTS: 1..65534");
TLOG_STATIC_ASSERT(TLOG_CHUNKS >= 1 && TLOG_CHUNKS <= 255, "TLOG_CHUNKS: 1..255");
TLOG_STATIC_ASSERT(TLOG_RUNS >= 1 && TLOG_RUNS <= 255, "TLOG_RUNS: 1..255");
TLOG_STATIC_ASSERT(TLOG_EMERGENCY_SLOTS >= 0 && TLOG_EMERGENCY_SLOTS <= TLOG_SLOTS_MAX,
                   "TLOG_EMERGENCY_SLOTS: 0..65534");
TLOG_STATIC_ASSERT(TLOG_NAME_SLOTS >= 1 && TLOG_NAME_SLOTS <= TLOG_SLOTS_MAX, "TLOG_NAME_SLOTS: 1..65534");

TLOG_BEGIN_C

/* What is compiled into the callers must be the same in all files, or it contradicts the rest of the runtime. Files that were
 * compiled with other options ask the linker for another name. */
#define TLOG_JOIN_5(a, b, c, d, e)  TLOG_JOIN_5_(a, b, c, d, e)
#define TLOG_JOIN_5_(a, b, c, d, e) a##b##c##d##e
#if TLOG_CPUS > 1
#define TLOG_NAME_CPUS _with_TLOG_CPUS
#else
#define TLOG_NAME_CPUS
#endif
#if TLOG_CONTEXT
#define TLOG_NAME_CONTEXT _with_TLOG_CONTEXT
#else
#define TLOG_NAME_CONTEXT
#endif
#if TLOG_UNIQUE_STAMPS
#define TLOG_NAME_UNIQUE_STAMPS _with_TLOG_UNIQUE_STAMPS
#else
#define TLOG_NAME_UNIQUE_STAMPS
#endif
#if TLOG_TRACEEVENTS
#define TLOG_NAME_TRACEEVENTS _with_TLOG_TRACEEVENTS
#else
#define TLOG_NAME_TRACEEVENTS
#endif
#define tlog_cpus                                                                                                      \
    TLOG_JOIN_5(tlog_cpus, TLOG_NAME_CPUS, TLOG_NAME_CONTEXT, TLOG_NAME_UNIQUE_STAMPS, TLOG_NAME_TRACEEVENTS)

extern struct tlog_cpu tlog_cpus[TLOG_CPUS];
#define tlog_cpu0 tlog_cpus[0]

/* The number of the CPU that runs this. */
TLOG_ALWAYS_INLINE uint32_t tlog_cpu_number(void)
{
#if TLOG_CPUS > 1
    return tlog_port_cpu();
#else
    return 0;
#endif
}

/* Its state. */
TLOG_ALWAYS_INLINE struct tlog_cpu *tlog_cpu_here(void)
{
    return &tlog_cpus[tlog_cpu_number()];
}

/* Where a dump goes. */
struct tlog_sink {
    /* Take length bytes; the memory is the caller's and may change after the return. 0, or a negative number of the
     * sink's own that tlog_dump() passes on. */
    int (*write)(void *ctx, const void *bytes, uint32_t length);
    void *ctx;
};

/* What tlog_last_run() says when there is none. */
#define TLOG_NO_RUN 1

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* Never defined: a call that the optimiser leaves in the program is an error with this text. */
#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
void tlog_refuse_code(void) __attribute__((
    error("tlog: an event code is 0x01..0xFE, without other bits; 0xFF, next_chunk, needs TLOG_ARENA = 1")));
#else
TLOG_INLINE void tlog_refuse_code(void)
{
}
#endif

/* Codes that can be recorded: 0x01..0xFE. 0x00 is an empty slot, 0xFF a command, higher bits mark other slots. */
TLOG_ALWAYS_INLINE bool tlog_code_ok(uint32_t code)
{
    return code - 1u < 0xFEu;
}

/* Codes that are commands: next_chunk, where there are chunks to go to, or nothing goes anywhere. */
TLOG_INLINE bool tlog_is_command(uint32_t code)
{
    return (TLOG_ARENA || !TLOG_ENABLE) && code == FTrace_EVT_next_chunk;
}

/* Record an event: code (see TLOG_EVENTS in tlog_wire.h), par1 (16 bits; more are cut off), par2 (32 bits). Any
 * context. Nothing is recorded while logging is disabled or the code's family is filtered; without a free slot the
 * event is dropped and counted. A constant code that cannot be recorded does not compile (with optimisation); another
 * is dropped and counted. Source: S.Ha.R.K. New Tracer, TRACER_LOGEVENT. */
#define TRACER_LOGEVENT(type, par1, par2)                                                                              \
    do {                                                                                                               \
        if (__builtin_constant_p(type) && !tlog_code_ok(type) && !tlog_is_command(type))                               \
            tlog_refuse_code();                                                                                        \
        tlog_record((type), (par1), (par2));                                                                           \
    } while (0)

/* The same without a look at the filter: recorded also while the family is suppressed or logging is disabled; the record
 * says so. The code is a constant, and no command. Any context. Source: FAST_TRACER_LOGEVENT, which
 * also leaves par2 out; here it is recorded. */
#define FAST_TRACER_LOGEVENT(type, par1, par2)                                                                         \
    do {                                                                                                               \
        if (!__builtin_constant_p(type) || !tlog_code_ok(type))                                                        \
            tlog_refuse_code();                                                                                        \
        tlog_record_fast((type), (par1), (par2));                                                                      \
    } while (0)

#if TLOG_ENABLE

/* The parameters first, because a caller has them in these registers already. Use tlog_record_call(). Any context. */
void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code);

/* The same as a function call: smaller at every call, a few instructions slower. Any context. */
TLOG_INLINE void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2)
{
    tlog_record_any(par1, par2, code);
}

/* What TRACER_LOGEVENT expands to: inlined for a constant code, a call for another. Any context. */
TLOG_ALWAYS_INLINE void tlog_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (__builtin_constant_p(code) && !tlog_is_command(code))
        tlog_ring_record(tlog_cpu_here(), code, par1, par2);
    else
        tlog_record_call(code, par1, par2);
}

/* What FAST_TRACER_LOGEVENT expands to. Any context. */
TLOG_ALWAYS_INLINE void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2)
{
    tlog_ring_record_fast(tlog_cpu_here(), TLOG_RECORD_FAST | code, par1, par2);
}

/* Record an event that must not be missed: without a slot it takes an emergency slot, if one is left. Not recorded while
 * logging is disabled or its family is suppressed. Any context. */
void tlog_record_emergency(uint32_t code, uint32_t par1, uint32_t par2);

/* ---- control --------------------------------------------------------------------------------------------------- */

/* Record nothing, and count nothing as lost but codes that cannot be recorded, until tlog_enable(). Names,
 * FAST_TRACER_LOGEVENT and faults are recorded all the same. Logging is enabled at reset. Here and below, for all CPUs; what
 * another CPU has begun to log goes on. Any context. */
void tlog_disable(void);

/* Go on recording with the families as tlog_filter() left them. Any context. */
void tlog_enable(void);

/* Suppress (true) or record (false) a family: 0..15, the low nibble of its codes, or a FTrace_filter_* constant. Holds
 * also while logging is disabled. Any context. */
void tlog_filter(uint32_t family, bool suppress);

/* The same by the number of the bit of the filter word: 0..15 families, 16..30 classes of traceevents. Any context. */
void tlog_filter_bit(uint32_t number, bool suppress);

/* What happens when the ring is full: true = stop, keeping the oldest events; false = start over, keeping the newest.
 * Going from true to false is also how a ring that stopped is set going again. Any context. */
void tlog_stop_when_full(bool stop);

/* Keep 64-bit time right while nothing is logged: call it, or log, at least once per half wrap of the clock (2^31
 * ticks). A call on one CPU does for all of them. Any context. */
void tlog_tick(void);

/* The clock stood still, in a sleep or under a debugger, while so many of its ticks passed by another clock: it goes on by
 * them, so that the time of events does. Any number, in a bounded time; several calls add up. Events logged before it
 * returns bear times from before the sleep up to after it, in order. The counter is made to stand still for some
 * instructions, and for the interrupts that come in between: called with interrupts masked, as after WFI, it loses
 * next to nothing. Call tlog_tick() before sleeping. traceevents of an interrupt that comes while it adds whole wraps
 * of the clock may bear the time before them. False, and the clock goes on as it is, if it cannot be set (TLOG_CLOCK_HALT in
 * port/tlog_port.h), and with several CPUs, which need a clock that never stands still. Any context. */
bool tlog_clock_slept(uint64_t ticks);

/* Open the rings now, so that the first event costs no more than any other. Optional. Any context. */
void tlog_start(void);

/* Events lost so far for want of a slot, or because their code cannot be recorded. Any context. */
uint32_t tlog_dropped(void);

/* Give a task (kind TLOG_NAME_TASK, id = its context), an interrupt, a mutex or an event code a name for the viewer:
 * ASCII, at most 31 characters, copied. Without room for names the call is counted as dropped in the names' chunk. Any
 * context. */
void tlog_name(uint32_t kind, uint32_t id, const char *name);

/* ---- getting it out -------------------------------------------------------------------------------------------- */

/* Seal every chunk and write the memory of all of them to the sink, in one call of its write. Logging is disabled
 * meanwhile, on all CPUs, as by tlog_disable(). Events that other CPUs are logging at that moment are waited for, though not
 * for ever. A chunk
 * with one whose writer does not come back, such as a thread that was preempted or has run into the fault, is written
 * without a seal: it lacks checksums, no event. A debugger gets the same bytes from __start_tlog_chunks up to
 * __stop_tlog_chunks. Returns what the sink returned. Thread, or a fault handler; one at a time. */
int tlog_dump(const struct tlog_sink *sink);

/* The chunk that stands behind this one in tlog's memory; NULL: the first. One after the other these are all chunks, those of
 * events and of names and of older runs, for what takes a chunk, like tlog_pack(). NULL when there is none. Any context. */
struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk);

#if TLOG_RUNS > 1
/* How many runs of the firmware before this one there are in memory, whole or with the chunks of some CPUs. Thread. */
uint32_t tlog_old_runs(void);

/* Seal the chunks of the run before this one and write them, names and all, to the sink: a call of its write for each chunk,
 * until one of them does not return 0. Returns TLOG_NO_RUN, or what the last call returned. Thread. */
int tlog_last_run(const struct tlog_sink *sink);
#else
TLOG_INLINE uint32_t tlog_old_runs(void)
{
    return 0;
}
TLOG_INLINE int tlog_last_run(const struct tlog_sink *sink)
{
    (void)sink;
    return TLOG_NO_RUN;
}
#endif

#endif

TLOG_END_C

#include "tlog_chunk.h"
#include "tlog_event.h"
#include "tlog_printk.h"
#include "tlog_shark.h"
#if !TLOG_ENABLE
#include "tlog_off.h"
#endif

#endif
