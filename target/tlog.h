/* SPDX-License-Identifier: MIT */
/* tlog.h - the one header that firmware includes: logging, control, and getting the trace out.
 *
 *     #include "tlog.h"
 *     TRACER_LOGEVENT(FTrace_EVT_user_event_0, channel, value);
 *
 * Logging works from the first instruction of main() on (once .data and .bss are set up). No call is needed before it,
 * unless TLOG_START says so.
 *
 * "Any context" below means: threads, interrupt handlers, fault handlers and NMI, on any CPU. Two exceptions:
 *   - On cores with an unprivileged mode only privileged threads may log: most clocks are unreadable otherwise.
 *   - On ARMv6-M an NMI handler must not log: there, and only there, tlog masks interrupts, for five instructions
 *     (port/port_v6m.h).
 * No call takes a lock, allocates memory, divides (but tlog_clock_rate()), or calls libc. All times are in ticks of the
 * clock (TLOG_CLOCK_HZ).
 *
 * The options, and what each of them costs, are in tlog_config.h. This header also includes the other kinds of calls:
 *   tlog_event.h    traceevents: events of a class with up to 224 words of data, and texts
 *   tlog_printk.h   TLOG_PRINTK(): printf whose formats stay on the host
 *   tlog_level.h    TLOG_ERROR() to TLOG_DEBUG(): the same with levels
 *   tlog_define.h   events of your own: a name, typed fields, counters, spans
 *   tlog_chunk.h    chunks that are created, linked and selected at run time
 *   tlog_shark.h    S.Ha.R.K.'s names for the calls
 * tlog_fault.h (faults), tlog_pack.h (compression) and tlog_type_names.h (S.Ha.R.K.'s and QNX's names of types) are
 * included by themselves.
 */
#ifndef TLOG_H
#define TLOG_H

#include "src/tlog_call.h"
#include "tlog_config.h"
#include "tlog_wire.h"

TLOG_BEGIN_CALLS

/* ---- logging ---------------------------------------------------------------------------------------------------- */

/* Log an event, a record of one slot.
 *   type: the event's code, 0x01..0xFE: FTrace_EVT_*, listed as TLOG_EVENTS in tlog_wire.h. Another constant does not
 *         compile (with optimisation); another value of a variable is counted as a lost event. With TLOG_ARENA = 1
 *         FTrace_EVT_next_chunk is a command: see tlog_next_chunk().
 *   par1: 16 bits of data. A constant outside 0..65535 does not compile; a variable loses its higher bits
 *   par2: 32 bits of data
 * An event without a free slot is dropped and counted (tlog_dropped()). While logging is disabled or the code's family
 * is suppressed, nothing is recorded. With a constant code the usual path is inline, without a call; with -Os and
 * without optimisation (-O0) it is a call.
 * Callable from: any context. Source: S.Ha.R.K. New Tracer, TRACER_LOGEVENT. */
#define TRACER_LOGEVENT(type, par1, par2)                                                                              \
    do {                                                                                                               \
        TLOG_CHECK_PAR1(par1);                                                                                         \
        TLOG_CHECK_CODE(__builtin_constant_p(type) && !tlog_code_ok(type) && !tlog_is_command(type))                   \
        TLOG_LOG_RECORD((type), (par1), (par2));                                                                       \
    } while (0)

/* Log an event past the filter: also while logging is disabled or its family is suppressed. A bit of the record says
 * so. The code must be a constant, 0x01..0xFE, and not a command. par1 as above.
 * Callable from: any context. Source: S.Ha.R.K. New Tracer, FAST_TRACER_LOGEVENT, which does not store par2; here par2
 * is recorded. */
#define FAST_TRACER_LOGEVENT(type, par1, par2)                                                                         \
    do {                                                                                                               \
        TLOG_CHECK_PAR1(par1);                                                                                         \
        TLOG_CHECK_CODE(!__builtin_constant_p(type) || !tlog_code_ok(type))                                            \
        TLOG_LOG_FAST((type), (par1), (par2));                                                                         \
    } while (0)

/* Log an event, as TRACER_LOGEVENT() does, but always by a function call: smaller at every use, a few instructions
 * slower. Callable from: any context. */
TLOG_ALWAYS_INLINE void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2);

/* Log an event that must not be missed. If no slot is free it takes an emergency slot, as long as one is left. Not
 * recorded while logging is disabled or its family is suppressed. Callable from: any context. */
TLOG_CALL void tlog_record_emergency(uint32_t code, uint32_t par1, uint32_t par2) TLOG_WHEN_OFF();

/* What the macros and tlog_record_call() expand to, without the macros' checks of code and par1. In tlog_record_any()
 * the parameters come first because a caller has them in these registers already. Callable from: any context. */
TLOG_ALWAYS_INLINE void tlog_record(uint32_t code, uint32_t par1, uint32_t par2);
TLOG_ALWAYS_INLINE void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2);
TLOG_CALL void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code) TLOG_WHEN_OFF();

/* The same for a code that was checked, and for FAST_TRACER_LOGEVENT(). Callable from: any context. */
TLOG_CALL void tlog_record_checked(uint32_t par1, uint32_t par2, uint32_t code) TLOG_WHEN_OFF();
TLOG_CALL void tlog_record_fast_call(uint32_t par1, uint32_t par2, uint32_t code) TLOG_WHEN_OFF();

/* Give a task, an interrupt, a mutex, an event code or an object of the operating system a name for the viewer.
 *   kind: TLOG_NAME_TASK (id: the task's context), TLOG_NAME_INTERRUPT, TLOG_NAME_MUTEX; TLOG_NAME_EVENT (id: the code
 *         of a record, 0x01..0xFE, in TLOG_EVENTS or not; other ids are ignored); or another one of TLOG_NAME_*
 *         (tlog_wire.h)
 *   id:   a number or an address, of as many bits as a pointer has
 *   name: UTF-8 with a NUL. It is copied, up to 31 bytes, and cut behind a whole character. The name of an event code
 *         may also name the two parameters: "adc_sample(channel,value)". A parameter called task, irq, mutex, or like a
 *         kind of object (queue, timer, event_group ...) shows as the name of that object instead of its number
 * A name stays until the same kind and id get another one. Names are recorded also while logging is disabled. They have
 * a chunk of their own (TLOG_NAME_SLOTS); a name that finds no room there is counted as dropped in that chunk. If other
 * calls that name something interrupt this one again and again, it tries three times; then the name is dropped, too.
 * Callable from: any context. */
TLOG_CALL void tlog_name(uint32_t kind, uintptr_t id, const char *name) TLOG_WHEN_OFF();

/* Tell that a task's priority is now `priority`, -32766..32766; other values are cut to that range. A change is logged
 * as FTrace_EVT_set_priority with the old and the new priority. The new one is also kept beside the names, so it shows
 * even when the ring has overwritten all changes. The filter may suppress the record, but not what is kept. Do not log
 * FTrace_EVT_set_priority for the same tasks in another way. Cost: a change takes about 100 instructions.
 * Callable from: any context; two contexts should not change the same task's priority at once. */
TLOG_CALL void tlog_priority(uint32_t context, int32_t priority) TLOG_WHEN_OFF();

/* Tell that an object was deleted. Its name, and a task's priority, stays for events that are still in the ring, until
 * other names need the room. Only firmware that keeps creating objects needs this call. Callable from: any context. */
TLOG_FORGET_CALL void tlog_forget(uint32_t kind, uintptr_t id) TLOG_WITHOUT_FORGET();

/* The number of a task that the kernel knows by the address `task`: the `context` of all calls that take one. The same
 * address always has the same number, 1..65535; NULL has 0, as the idle task. When an address comes for the first time
 * its task gets the name `name`, unless that is NULL. A task that is created where a deleted one was needs
 * tlog_name(), or tlog_rtos_task_create(). There is room for TLOG_CONTEXTS addresses. Further ones get a number from
 * 0x8000 on, made of the address, which two tasks may share. Cost: 14 instructions on Cortex-M3 for an address that is
 * known, and 6 more for each one that it has to step over; RAM and flash only in firmware that calls it. Callable from:
 * any context, on any CPU. */
TLOG_CALL uint32_t tlog_context(const void *task, const char *name) TLOG_WHEN_OFF(return 0);

/* ---- control -------------------------------------------------------------------------------------------------------
 *
 * These calls act on all CPUs. An event that another CPU has begun to log at that moment is still recorded. */

/* Disable logging until tlog_enable(). Events are then neither recorded nor counted as lost; an event with a wrong code
 * is still counted. Names, faults and FAST_TRACER_LOGEVENT() are still recorded. At reset logging is enabled, but with
 * TLOG_START = 2. The trace tells the pause: FTrace_EVT_trace_stop here; at tlog_enable() how long it was, and
 * FTrace_EVT_trace_start with the clock's ticks per ms. Until a switch no output tells then what runs. The rings are
 * opened, unless TLOG_RUNS is more than 1, or TLOG_START than 0. Further calls do nothing. Callable from: any
 * context. */
TLOG_CALL void tlog_disable(void) TLOG_WHEN_OFF();

/* Enable logging, with the families suppressed as tlog_filter() left them. Further calls do nothing. Other CPUs are
 * told of the pause ahead of their next events. In a dump tlog_enable() and tlog_disable() act on this switch alone:
 * the dump goes on. Callable from: any context. */
TLOG_CALL void tlog_enable(void) TLOG_WHEN_OFF();

/* Suppress (true) or record (false) a family of events. It is the low nibble of its codes: 0..15, or a FTrace_filter_*
 * constant; higher bits are ignored. Takes effect also while logging is disabled. A change of the families 0..11 is
 * itself an event, with the family's FTrace_filter_* as its code and suppress as par1. Callable from: any context. */
TLOG_CALL void tlog_filter(uint32_t family, bool suppress) TLOG_WHEN_OFF();

/* The same by the number of a bit of the filter word: 0..15 are the families, 16..30 the classes 1..15 of traceevents.
 * Callable from: any context. */
TLOG_CALL void tlog_filter_bit(uint32_t number, bool suppress) TLOG_WHEN_OFF();

/* Choose what happens when the last chunk of the ring is full. true: logging stops, and the oldest events stay. false:
 * the ring starts over, and the newest stay; a ring that has stopped goes on. At reset: TLOG_STOP_WHEN_FULL. Callable
 * from: any context. */
TLOG_CALL void tlog_stop_when_full(bool stop) TLOG_WHEN_OFF();

/* Set a trigger: exactly `after` further events are recorded on each CPU, then logging stops. Events that are in the
 * ring by then stay. Later ones are dropped and counted; faults and urgent events take emergency slots.
 * An event of several slots is recorded whole. Dropped events do not count towards `after`, which may be larger than
 * the ring; above 2^26 - 1 it counts as that. A mark in the trace shows the place; on other CPUs it stands before their
 * next event. Another call sets the trigger again. With TLOG_TRIGGER_OFF it takes the trigger back, and logging goes
 * on. Either of them reports the losses meanwhile. Cost: several hundred instructions for each event while a trigger is
 * set.
 * Not with TLOG_ARENA = 1 or TLOG_MINIMAL = 1. Callable from: any context. */
#define TLOG_TRIGGER_OFF 0xFFFFFFFFu
#if TLOG_ENABLE && (TLOG_ARENA || TLOG_MINIMAL)
void tlog_trigger(uint32_t after)
    __attribute__((error("tlog: tlog_trigger() is not for TLOG_ARENA = 1 or TLOG_MINIMAL = 1")));
#else
TLOG_CALL void tlog_trigger(uint32_t after) TLOG_WHEN_OFF((void)after);
#endif

/* Open the rings now, and format all slots: then no event, neither the first one nor those of the first lap, costs more
 * than later ones. Takes about 3 instructions for each slot. Optional; with TLOG_START = 1 the firmware must call it,
 * and events before it are dropped and counted. With TLOG_START = 2 logging stays off until tlog_enable(). Further
 * calls do nothing. Callable from: any context. */
TLOG_CALL void tlog_start(void) TLOG_WHEN_OFF();

/* ---- contexts that are deleted -------------------------------------------------------------------------------------
 *
 * An event that is begun and not finished keeps its slot: the context was interrupted, preempted or suspended there, or
 * it was deleted and never comes back. Writers go past such a slot, but must not use it, for its owner may return at
 * any time. So each context that is killed in the middle of a call costs a slot, until this call tells that none of
 * those that began before can return. */

/* Tell that no context of this CPU is in the middle of a call of tlog, or ever comes back to one. Slots that were
 * reserved before and not filled are used again. Call it now and then, once a lap of the ring or less often:
 * - without a kernel: in the main loop, if that is the only context that is no interrupt. One that was left in the
 *   middle (longjmp out of a handler, a task restarted from its beginning) does not come back, and so does not matter
 * - in a kernel whose port does not call by itself: in the idle thread, if no other thread has its priority, and none
 *   that was ready was suspended by another one and has not blocked by itself since. If you cannot tell that, do not
 *   call: then such slots are lost, which is all
 * - with several CPUs: on each of them, by one context each. A slot is used again when all CPUs have called since it
 * was
 *   reserved. Not if threads may be moved to another CPU in the middle of a call
 * Returns true; or false if the call was ignored and counted: an interrupt called, or the kernel's port calls by itself
 * (port/rtos). With TLOG_ARENA it holds for the current chunk. Cost: 40 instructions, and 20 for each further chunk.
 * Callable from: thread. */
TLOG_CALL bool tlog_quiescent(void) TLOG_WHEN_OFF(return false);

/* How many calls of tlog_quiescent() were ignored. Callable from: any context. */
TLOG_CALL uint32_t tlog_quiescent_ignored(void) TLOG_WHEN_OFF(return 0);

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* Keep 64-bit time right while nothing is logged. Call this, or log something, at least once per half wrap of the clock
 * (2^31 ticks). A call on one CPU serves all CPUs. With a coarse clock (TLOG_COARSE_HZ) whole wraps that passed unseen
 * are counted, too. Callable from: any context. */
TLOG_CALL void tlog_tick(void) TLOG_WHEN_OFF();

/* Advance the clock by the ticks of a sleep in which it stood still, or of a halt in a debugger. The caller measures
 * them by another clock. Any number of ticks; several calls add up; the call takes a bounded time.
 * Returns true; or false, and nothing is changed: with a clock that cannot be set (TLOG_CLOCK_HALT in
 * port/tlog_port.h), and with several CPUs, whose clock must never stand still.
 * Call tlog_tick() before the sleep, and this right after WFI with interrupts masked: then next to nothing is lost. The
 * counter stands still for some instructions of the call, and for interrupts that are handled in between. Events logged
 * meanwhile bear times from before the sleep up to after it, in order. Whole wraps are added first; traceevents of an
 * interrupt in that moment may bear the time before these wraps.
 * Callable from: any context. */
TLOG_CALL bool tlog_clock_slept(uint64_t ticks) TLOG_WHEN_OFF(return false);

/* Sleep until an interrupt, by WFI, and advance the clock by the time in which it stood still. This is the whole of a
 * sleep, for a main loop or an idle thread:
 *     mask interrupts; if (nothing is to do) tlog_wfi(); unmask
 * It masks interrupts (PRIMASK; on ARMv7-A the I bit), which WFI wakes up for nevertheless, and leaves them as they
 * were. So the handler that ends the sleep runs behind the correction, and logs the right time.
 * It needs TLOG_SLEEP_HZ, without which it is WFI alone. Callable from: thread. */
TLOG_CALL void tlog_wfi(void) TLOG_WHEN_OFF(TLOG_PORT_WAIT());

/* The same for a sleep of your own: around it, with interrupts masked. tlog_sleep_end() advances the clock by what the
 * sleep clock tells (TLOG_PORT_SLEEP_NOW) less what the clock ran by itself: nothing, if it did not stand still. What
 * is less than a tick of the sleep clock is kept for the next sleep: so the time is right to a tick of that clock after
 * any number of sleeps, which may be nested, of 0, or as long as the sleep clock takes to wrap. Where the two clocks
 * drift apart while the core is awake, the trace's counts. Cost: two divisions of 64 bits each.
 * Do not call tlog_clock_slept() for the same sleep. Callable from: thread, or a kernel's hook of idle. */
TLOG_CALL void tlog_sleep_begin(void) TLOG_WHEN_OFF();
TLOG_CALL void tlog_sleep_end(void) TLOG_WHEN_OFF();

/* Tell that the clock counts `hz` ticks per second from now on. What was logged before keeps the old rate, what is
 * logged later has the new one. Call it where the rate changes: behind the code that sets up the clock, as
 * `tlog_clock_rate(SystemCoreClock);`, or in the driver's call-back. A rate of 0, the one that the clock has, and one
 * that is too fast for TLOG_CLOCK_BITS change nothing. If an interrupt changes the rate in the middle of a call, it is
 * the interrupt's rate that counts. Each change is a mark in the ring, of four slots; while logging is disabled the
 * last one is marked when it is enabled again. Cost: some hundred instructions, with three divisions of 64 bits (libgcc
 * or the like). With TLOG_CLOCK_CHANGES = 1 only. Callable from: any context. */
#if TLOG_ENABLE && !TLOG_CLOCK_CHANGES
void tlog_clock_rate(uint32_t hz) __attribute__((error("tlog: tlog_clock_rate() needs TLOG_CLOCK_CHANGES = 1")));
#else
TLOG_CALL void tlog_clock_rate(uint32_t hz) TLOG_WHEN_OFF((void)hz);
#endif

/* ---- getting the trace out -------------------------------------------------------------------------------------- */

#define TLOG_DUMP_PIECE 1024u

/* Where a dump goes. The caller of tlog_dump() owns it. */
struct tlog_sink {
    /* Take length bytes. The memory belongs to tlog and may change after the return. Returns 0; or a negative number of
     * the sink's own, which tlog_dump() returns. */
    int (*write)(void *ctx, const void *bytes, uint32_t length);
    void *ctx; /* passed to write() */
};

/* Seal every chunk and write tlog's whole memory to the sink, by calls of write() with at most TLOG_DUMP_PIECE bytes
 * each. The first call that does not return 0 is the last. Returns what the last call returned; with TLOG_ENABLE = 0
 * there is no memory, and it returns 0. Nothing is logged meanwhile on any CPU: events, FAST_TRACER_LOGEVENT()
 * included, are dropped and counted. The trace tells this pause as it tells that of tlog_disable(), which is
 * independent of it: FTrace_EVT_trace_stop stands in the dump, the rest behind it. Only a fault is recorded. The task
 * must not be deleted in the call. The call waits, for a bounded time, for events that other CPUs are logging. An event
 * may stay unfinished, for instance if its thread was preempted, or ran into the fault that leads to the dump. Its
 * chunk is written without a seal: checksums are missing, but no event. Between the calls of write() the time is kept
 * right, as by tlog_tick(). So the dump may take any time, if each call takes less than half a wrap of the clock. A
 * debugger can save the same bytes without this call: tlog_event_chunks and, if there are names, tlog_name_chunks. If
 * the linker script has the section: all from __start_tlog_chunks up to __stop_tlog_chunks. Callable from: thread or
 * fault handler, one call at a time. */
TLOG_CALL int tlog_dump(const struct tlog_sink *sink) TLOG_WHEN_OFF(return 0);

/* The chunk behind this one in tlog's memory; with NULL the first chunk. Returns NULL behind the last one. A loop thus
 * sees all chunks, those of events, names and older runs, and can pass them to functions such as tlog_pack(). The
 * chunks belong to tlog. Callable from: any context. */
TLOG_CALL struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk) TLOG_WHEN_OFF(return TLOG_NULL);

/* The number of earlier runs of the firmware in memory, whole or with the chunks of some CPUs; 0 with TLOG_RUNS = 1.
 * Callable from: thread. */
TLOG_RUNS_CALL uint32_t tlog_old_runs(void) TLOG_WITHOUT_RUNS(return 0);

/* Seal the chunks of the run before this one, names included, and write them to the sink as tlog_dump() does. Ahead of
 * this run's first event that is always the last run. The first event may take a short run's memory (TLOG_RUNS), and
 * then it is the newest one that is left; but not while the last run is being written. Returns what the last call of
 * write() returned, or TLOG_NO_RUN if there is no such run. Callable from: thread. */
#define TLOG_NO_RUN 1
TLOG_RUNS_CALL int tlog_last_run(const struct tlog_sink *sink) TLOG_WITHOUT_RUNS((void)sink; return TLOG_NO_RUN);

/* The number of events lost so far on all CPUs: no slot was free, or their code cannot be recorded. Callable from: any
 * context. */
TLOG_CALL uint32_t tlog_dropped(void) TLOG_WHEN_OFF(return 0);

TLOG_END_CALLS

#include "src/tlog_ring.h" /* private: a CPU's state, and the record path */

TLOG_BEGIN_C

/* ---- how the inline calls are defined --------------------------------------------------------------------------- */

/* Never defined. If the optimiser leaves a call in the program, the compiler reports this text as an error. */
#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
void tlog_refuse_code(void) __attribute__((
    error("tlog: an event code is 0x01..0xFE, without other bits; 0xFF, next_chunk, needs TLOG_ARENA = 1")));
#else
TLOG_INLINE void tlog_refuse_code(void)
{
}
#endif

/* What the macros expand to. Without optimisation a code is not checked when it is compiled, and even the inline
 * functions would be calls, in front of the runtime's. */
#if TLOG_UNOPTIMIZED
#define TLOG_CHECK_CODE(is_wrong)
#define TLOG_LOG_RECORD(type, par1, par2) tlog_record_any((par1), (par2), (type))
#define TLOG_LOG_FAST(type, par1, par2)   tlog_record_fast_call((par1), (par2), (type))
#else
#define TLOG_CHECK_CODE(is_wrong)                                                                                      \
    if (is_wrong)                                                                                                      \
        tlog_refuse_code();
#define TLOG_LOG_RECORD tlog_record
#define TLOG_LOG_FAST   tlog_record_fast
#endif

/* Whether a code can be recorded: 0x01..0xFE. 0x00 is an empty slot, 0xFF a command, and higher bits mark other
 * slots. */
TLOG_ALWAYS_INLINE bool tlog_code_ok(uint32_t code)
{
    return code - 1u < 0xFEu;
}

/* Whether a code is a command. The only one is next_chunk, with TLOG_ARENA = 1, or where nothing is logged. */
TLOG_INLINE bool tlog_is_command(uint32_t code)
{
    return (TLOG_ARENA || !TLOG_ENABLE) && code == FTrace_EVT_next_chunk;
}

TLOG_ALWAYS_INLINE void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (!TLOG_UNOPTIMIZED && __builtin_constant_p(code) && tlog_code_ok(code))
        tlog_record_checked(par1, par2, code);
    else
        tlog_record_any(par1, par2, code);
}

/* Inline if the code is a constant, so that the filter is a single test; otherwise, and for a command, a call. */
TLOG_ALWAYS_INLINE void tlog_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (TLOG_ENABLE && !TLOG_BY_CALL && __builtin_constant_p(code) && !tlog_is_command(code))
        tlog_ring_record(tlog_cpu_here(), code, par1, par2);
    else
        tlog_record_call(code, par1, par2);
}

TLOG_ALWAYS_INLINE void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (TLOG_ENABLE && !TLOG_BY_CALL)
        tlog_ring_record_fast(tlog_cpu_here(), TLOG_RECORD_FAST | code, par1, par2);
    else
        tlog_record_fast_call(par1, par2, code);
}

TLOG_END_C

#include "tlog_chunk.h"
#include "tlog_event.h"
#include "tlog_printk.h"
#include "tlog_level.h"  /* behind tlog_printk.h */
#include "tlog_define.h" /* behind tlog_level.h */
#include "tlog_shark.h"

#endif
