/* tlog.h - the one header that firmware includes: logging, control, and getting the trace out.
 *
 *     #include "tlog.h"
 *     TRACER_LOGEVENT(FTrace_EVT_user_event_0, channel, value);
 *
 * Logging works from the first instruction of main() on (once .data and .bss are set up). No call is needed before it.
 *
 * "Any context" below means: threads, interrupt handlers, fault handlers and NMI, on any CPU. Two exceptions:
 *   - On cores with an unprivileged mode only privileged threads may log: most clocks are unreadable otherwise.
 *   - On ARMv6-M an NMI handler must not log: there, and only there, tlog masks interrupts, for five instructions
 *     (port/port_v6m.h).
 * No call takes a lock, allocates memory, divides, or calls libc. All times are in ticks of the clock (TLOG_CLOCK_HZ).
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

/* Log an event (a record of one slot).
 *   type: the event's code, 0x01..0xFE: FTrace_EVT_*, listed as TLOG_EVENTS in tlog_wire.h. A constant that is no such
 *         code does not compile (with optimisation); a variable that is none is counted as a lost event. With
 *         TLOG_ARENA = 1 FTrace_EVT_next_chunk is a command: see tlog_next_chunk().
 *   par1: 16 bits of data. A constant above 65535, or below 0, does not compile; of a variable the higher bits are cut
 *         off. par2: 32 bits of data.
 * Nothing is recorded while logging is disabled or the code's family is suppressed. An event that finds no free slot is
 * dropped and counted (tlog_dropped()). With a constant code the usual path is inline, without a call.
 * Callable from: any context. Source: S.Ha.R.K. New Tracer, TRACER_LOGEVENT. */
#define TRACER_LOGEVENT(type, par1, par2)                                                                              \
    do {                                                                                                               \
        TLOG_CHECK_PAR1(par1);                                                                                         \
        if (__builtin_constant_p(type) && !tlog_code_ok(type) && !tlog_is_command(type))                               \
            tlog_refuse_code();                                                                                        \
        tlog_record((type), (par1), (par2));                                                                           \
    } while (0)

/* Log an event and ignore the filter: it is recorded also while its family is suppressed or logging is disabled. A bit
 * of the record says so. The code must be a constant, 0x01..0xFE, and not a command. par1 as above.
 * Callable from: any context. Source: S.Ha.R.K. New Tracer, FAST_TRACER_LOGEVENT, which does not store par2; here par2
 * is recorded. */
#define FAST_TRACER_LOGEVENT(type, par1, par2)                                                                         \
    do {                                                                                                               \
        TLOG_CHECK_PAR1(par1);                                                                                         \
        if (!__builtin_constant_p(type) || !tlog_code_ok(type))                                                        \
            tlog_refuse_code();                                                                                        \
        tlog_record_fast((type), (par1), (par2));                                                                      \
    } while (0)

/* Log an event, as TRACER_LOGEVENT() does, but always by a function call: smaller at every use, a few instructions
 * slower. Callable from: any context. */
TLOG_INLINE void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2);

/* Log an event that must not be missed: if no slot is free it takes an emergency slot, if one is left. Not recorded
 * while logging is disabled or its family is suppressed. Callable from: any context. */
TLOG_CALL void tlog_record_emergency(uint32_t code, uint32_t par1, uint32_t par2) TLOG_WHEN_OFF();

/* What the macros and tlog_record_call() expand to, without the macros' checks of code and par1. In tlog_record_any()
 * the parameters come first because a caller has them in these registers already. Callable from: any context. */
TLOG_ALWAYS_INLINE void tlog_record(uint32_t code, uint32_t par1, uint32_t par2);
TLOG_ALWAYS_INLINE void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2);
TLOG_CALL void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code) TLOG_WHEN_OFF();

/* Give a task, an interrupt, a mutex, an event code or an object of the operating system a name for the viewer.
 *   kind: TLOG_NAME_TASK (id: the task's context), TLOG_NAME_INTERRUPT, TLOG_NAME_MUTEX; TLOG_NAME_EVENT (id: the code
 *         of a record, 0x01..0xFE, also one that is not listed in TLOG_EVENTS; other ids are ignored); or another one
 *         of TLOG_NAME_* (tlog_wire.h)
 *   id:   a number, or an address: as many bits as a pointer has
 *   name: ASCII with a NUL; at most 31 characters are kept. It is copied: the caller may change it afterwards. The name
 *         of an event code may also name the two parameters: "adc_sample(channel,value)". If a parameter is called
 *         task, irq, mutex, or like a kind of object (queue, timer, event_group ...), the decoder shows the name of
 *         that task, interrupt, mutex or object instead of the number
 * A name stays until another one is given for the same kind and id. Names are recorded also while logging is disabled,
 * in a chunk of their own (TLOG_NAME_SLOTS). A name that finds no room there is counted as dropped in that chunk. Costs
 * some hundred instructions and about 15 for each slot that is in use; twice as many for these if no slot is free.
 * Callable from: any context. */
TLOG_CALL void tlog_name(uint32_t kind, uintptr_t id, const char *name) TLOG_WHEN_OFF();

/* Tell that a task's priority is now `priority`, -32766..32766; other values are cut to that range. If this is a
 * change, the call logs FTrace_EVT_set_priority with the old and the new priority, and keeps the new one beside the
 * names: so the priority is shown even when the ring has overwritten all changes. Do not log FTrace_EVT_set_priority in
 * another way for the same tasks. The filter may suppress the record, as any other, but not what is kept beside the
 * names. Costs as much as tlog_name(), a change as much as two of them. Callable from: any context; two contexts should
 * not change the same task's priority at once. */
TLOG_CALL void tlog_priority(uint32_t context, int32_t priority) TLOG_WHEN_OFF();

/* Tell that the object with that kind and id was deleted. Its name, and for TLOG_NAME_TASK its priority, is kept for
 * events that are still in the ring, until other names need the room. Only firmware that keeps creating objects needs
 * this call. Callable from: any context. */
TLOG_FORGET_CALL void tlog_forget(uint32_t kind, uintptr_t id) TLOG_WITHOUT_FORGET();

/* ---- control -------------------------------------------------------------------------------------------------------
 *
 * These calls act on all CPUs. An event that another CPU has begun to log at that moment is still recorded. */

/* Disable logging until tlog_enable(). Until then events are neither recorded nor counted as lost, except that events
 * whose code cannot be recorded are counted. Names, faults and FAST_TRACER_LOGEVENT() are still recorded. At reset
 * logging is enabled. Callable from: any context. */
TLOG_CALL void tlog_disable(void) TLOG_WHEN_OFF();

/* Enable logging, with the families suppressed as tlog_filter() left them. Callable from: any context. */
TLOG_CALL void tlog_enable(void) TLOG_WHEN_OFF();

/* Suppress (true) or record (false) a family of events. It is the low nibble of its codes: 0..15, or a FTrace_filter_*
 * constant; higher bits are ignored. Takes effect also while logging is disabled. Callable from: any context. */
TLOG_CALL void tlog_filter(uint32_t family, bool suppress) TLOG_WHEN_OFF();

/* The same by the number of a bit of the filter word: 0..15 are the families, 16..30 the classes 1..15 of traceevents.
 * Callable from: any context. */
TLOG_CALL void tlog_filter_bit(uint32_t number, bool suppress) TLOG_WHEN_OFF();

/* Choose what happens when the last chunk of the ring is full: true: logging stops, which keeps the oldest events;
 * false: the ring starts over, which keeps the newest. A ring that has stopped goes on after a call with false. The
 * choice at reset is TLOG_STOP_WHEN_FULL. Callable from: any context. */
TLOG_CALL void tlog_stop_when_full(bool stop) TLOG_WHEN_OFF();

/* Set a trigger: exactly `after` further events are recorded on each CPU, then logging stops; later events are dropped
 * and counted, but faults and urgent events take emergency slots. Older events that are in the ring at the end stay. An
 * event of several slots is recorded whole; dropped events do not count towards `after`. `after` may be larger than the
 * ring; above 2^26 - 1 it counts as that. A mark in the trace shows the place; on other CPUs it is before the next
 * event there. Another call sets the trigger again, or takes it back with TLOG_TRIGGER_OFF, and logging goes on. Losses
 * while a trigger is set are reported when it is taken back or set again. While a trigger is set an event takes several
 * hundred instructions. Not with TLOG_ARENA = 1 or TLOG_MINIMAL = 1. Callable from: any context. */
#define TLOG_TRIGGER_OFF 0xFFFFFFFFu
#if TLOG_ENABLE && (TLOG_ARENA || TLOG_MINIMAL)
void tlog_trigger(uint32_t after)
    __attribute__((error("tlog: tlog_trigger() is not for TLOG_ARENA = 1 or TLOG_MINIMAL = 1")));
#else
TLOG_CALL void tlog_trigger(uint32_t after) TLOG_WHEN_OFF((void)after);
#endif

/* Open the rings now, so that the first event costs no more than any other. Optional. Callable from: any context. */
TLOG_CALL void tlog_start(void) TLOG_WHEN_OFF();

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* Keep 64-bit time right while nothing is logged: call this, or log something, at least once per half wrap of the clock
 * (2^31 ticks). A call on one CPU serves all CPUs. With a coarse clock (TLOG_COARSE_HZ) whole wraps that passed unseen
 * are counted, too. Callable from: any context. */
TLOG_CALL void tlog_tick(void) TLOG_WHEN_OFF();

/* Advance the clock by the ticks that passed while it stood still, in a sleep or under a debugger. The caller measures
 * them by another clock. Any number of ticks; several calls add up; the call takes a bounded time.
 * Returns true; or false, and the clock goes on as it is, if the clock cannot be set (TLOG_CLOCK_HALT in
 * port/tlog_port.h), and with several CPUs, because these need a clock that never stands still.
 * Call tlog_tick() before the sleep. The call makes the counter stand still for some instructions, and while interrupts
 * that come in between are handled; with interrupts masked, as right after WFI, it loses next to nothing. Events logged
 * before the call returns bear times from before the sleep up to after it, in order. Traceevents of an interrupt that
 * comes while whole wraps of the clock are being added may bear the time before these wraps.
 * Callable from: any context. */
TLOG_CALL bool tlog_clock_slept(uint64_t ticks) TLOG_WHEN_OFF(return false);

/* ---- getting the trace out -------------------------------------------------------------------------------------- */

#define TLOG_DUMP_PIECE 1024u

/* Where a dump goes. The caller of tlog_dump() owns it. */
struct tlog_sink {
    /* Take length bytes. The memory belongs to tlog and may change after the return. Returns 0, or a negative number of
     * the sink's own, which the caller of tlog_dump() gets. */
    int (*write)(void *ctx, const void *bytes, uint32_t length);
    void *ctx; /* passed to write() */
};

/* Seal every chunk and write tlog's whole memory to the sink, by calls of its write() with at most TLOG_DUMP_PIECE
 * bytes each, until one of them does not return 0. Returns what the last call returned; with TLOG_ENABLE = 0 there is
 * no memory: write() is not called and 0 is returned. Between the calls of write() the time is kept right, as by
 * tlog_tick(): so the dump may take any time, if each call takes less than half a wrap of the clock.
 * Logging is disabled meanwhile on all CPUs, as by tlog_disable(). The call waits, for a bounded time, until other CPUs
 * have finished events they are logging. An event may stay unfinished, for instance if its thread was preempted or has
 * run into the fault that leads to the dump. Its chunk is written without a seal: then the checksums are missing, but
 * no event. A debugger can save the same bytes without this call: tlog_event_chunks and, if there are names,
 * tlog_name_chunks; or all from __start_tlog_chunks up to __stop_tlog_chunks, if the script has the section.
 * Callable from: thread or fault handler, one call at a time. */
TLOG_CALL int tlog_dump(const struct tlog_sink *sink) TLOG_WHEN_OFF(return 0);

/* The chunk behind this one in tlog's memory; with NULL the first chunk. Returns NULL when there is none. Called again
 * and again it yields all chunks, those of events, of names, and of older runs, for functions that take one chunk, such
 * as tlog_pack(). The chunks belong to tlog. Callable from: any context. */
TLOG_CALL struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk) TLOG_WHEN_OFF(return 0);

/* The number of earlier runs of the firmware that memory still holds, completely or with the chunks of some CPUs. 0
 * with TLOG_RUNS = 1. Callable from: thread. */
TLOG_RUNS_CALL uint32_t tlog_old_runs(void) TLOG_WITHOUT_RUNS(return 0);

/* Seal the chunks of the run before this one, chunks for names included, and write them to the sink, as tlog_dump()
 * does, until one call of write() does not return 0. Returns what the last call returned, or TLOG_NO_RUN if there is
 * no such run. Callable from: thread. */
#define TLOG_NO_RUN 1
TLOG_RUNS_CALL int tlog_last_run(const struct tlog_sink *sink) TLOG_WITHOUT_RUNS((void)sink; return TLOG_NO_RUN);

/* The events lost so far on all CPUs, because no slot was free or their code cannot be recorded.
 * Callable from: any context. */
TLOG_CALL uint32_t tlog_dropped(void) TLOG_WHEN_OFF(return 0);

TLOG_END_CALLS

#include "src/tlog_ring.h" /* private: a CPU's state, and the record path */

TLOG_BEGIN_C

/* ---- how the inline calls are defined --------------------------------------------------------------------------- */

/* Never defined: if the optimiser leaves a call of it in the program, the compiler reports this text as an error. */
#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
void tlog_refuse_code(void) __attribute__((
    error("tlog: an event code is 0x01..0xFE, without other bits; 0xFF, next_chunk, needs TLOG_ARENA = 1")));
#else
TLOG_INLINE void tlog_refuse_code(void)
{
}
#endif

/* Whether a code can be recorded: 0x01..0xFE. 0x00 is an empty slot, 0xFF a command, and higher bits mark other
 * slots. */
TLOG_ALWAYS_INLINE bool tlog_code_ok(uint32_t code)
{
    return code - 1u < 0xFEu;
}

/* Whether a code is a command. The only one is next_chunk, where there are chunks to go to; and where nothing is
 * logged. */
TLOG_INLINE bool tlog_is_command(uint32_t code)
{
    return (TLOG_ARENA || !TLOG_ENABLE) && code == FTrace_EVT_next_chunk;
}

TLOG_INLINE void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2)
{
    tlog_record_any(par1, par2, code);
}

/* Inline if the code is a constant, so that the filter is a single test; otherwise, and for a command, a call. */
TLOG_ALWAYS_INLINE void tlog_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (TLOG_ENABLE && __builtin_constant_p(code) && !tlog_is_command(code))
        tlog_ring_record(tlog_cpu_here(), code, par1, par2);
    else
        tlog_record_call(code, par1, par2);
}

TLOG_ALWAYS_INLINE void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (TLOG_ENABLE)
        tlog_ring_record_fast(tlog_cpu_here(), TLOG_RECORD_FAST | code, par1, par2);
}

TLOG_END_C

#include "tlog_chunk.h"
#include "tlog_event.h"
#include "tlog_printk.h"
#include "tlog_level.h"  /* behind tlog_printk.h */
#include "tlog_define.h" /* behind tlog_level.h */
#include "tlog_shark.h"

#endif
