/* tlog_port.h - the seam: all that tlog needs from a core, and the only header that picks one.
 *
 * A port is one header with the functions below, static inline, and at most one .c file. Rules for all of them:
 * callable from any context (thread, interrupt, fault, NMI), bounded time, no locks, no libc, no floating point.
 *
 *   uint32_t tlog_port_load_exclusive(const uint32_t *word)
 *       Load and start watching. The watch ends at the next store-exclusive, and whenever an interrupt was taken or
 *       returned from.
 *   uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
 *       Store if still watching: 0 = stored, other = nothing was stored.
 *   void tlog_port_clear_exclusive(void)
 *       Give the watch up. Every load-exclusive is followed by a store-exclusive or by this, before anything else that
 *       watches: a port without exclusives masks interrupts from the one to the other.
 *   void *tlog_port_load_exclusive_pointer(void *const *word)
 *   uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
 *       The same for a pointer.
 *   uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
 *       Load cpu->filter, which is returned, and cpu->cursor.
 *   bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
 *       The record path's one atomic step, under one watch: load *cursor; find its slot; return false if that slot
 *       already bears the cursor's tag; load cpu->high, read the clock, return false if their top bits differ; store
 *       the cursor advanced by one slot. Interrupted, it starts again, so out->low was read after every stamp of an
 *       earlier slot and before every stamp of a later one.
 *   uint32_t tlog_port_now_at(const volatile uint32_t *clock)
 *       Read the clock that tlog_port_clock_start() returned: 32 bits, counts up, wraps.
 *   uint32_t tlog_port_pack(uint32_t low, uint32_t high)
 *       (low & 0xFFFF) | high << 16.
 *   const volatile uint32_t *tlog_port_clock_start(void)
 *       Start the clock unless it runs; what it returns becomes cpu->clock. Called once before the first event, twice
 *       if interrupts come in at the worst moment.
 *   void tlog_port_publish(void)
 *       Keeps the compiler, and on cores that need it the core, from moving earlier stores behind later ones.
 *
 * The clock of a board that has a better one than the port's own: TLOG_CLOCK_ADDRESS, TLOG_CLOCK_DOWN (1 when it counts
 * down) and TLOG_CLOCK_HZ, in the board's header or on the command line.
 */
#ifndef TLOG_PORT_H
#define TLOG_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct tlog_cpu;

/* What tlog_port_reserve hands out. */
struct tlog_reserved {
    uint32_t *slot;  /* word 0 of the slot */
    uint32_t cursor; /* before the step: its tag is the slot's */
    uint32_t high;   /* the time stamp, high word */
    uint32_t low;    /* and low word */
};

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)
#include "port_v7m.h"
#elif defined(__unix__)
#include "port_posix.h"
#else
#error "tlog: no port for this core (see port/tlog_port.h)"
#endif

#endif
