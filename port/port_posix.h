/* SPDX-License-Identifier: MIT */
/* port_posix.h - any POSIX host, for unit tests: one thread, with simulated interrupts.
 *
 * tlog_posix_step() runs before every access to shared memory. There it calls tlog_posix_interrupt, if a test has set
 * that, which can act as an interrupt. As on the target, an interrupt ends the exclusive watch. The clock is a counter
 * that the test may set. */
#ifndef TLOG_PORT_POSIX_H
#define TLOG_PORT_POSIX_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif

extern bool tlog_posix_watching;
extern uint32_t
    tlog_posix_forgotten; /* watches that were begun before an earlier watch of the same context had ended */
extern volatile uint32_t tlog_posix_clock;
extern volatile bool tlog_posix_halted; /* the clock stands still */
#define TLOG_CLOCK_HALT(halted) (tlog_posix_halted = (halted))

/* Advance the clock by one and call tlog_posix_interrupt. */
void tlog_posix_step(void);

/* Called in every step, unless NULL as at first. */
extern void (*tlog_posix_interrupt)(void);

TLOG_INLINE void tlog_posix_watch(void)
{
    tlog_posix_forgotten += tlog_posix_watching;
    tlog_posix_watching = true;
}

TLOG_INLINE uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    tlog_posix_step();
    tlog_posix_watch();
    return *(const volatile uint32_t *)word;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    tlog_posix_step();
    if (!tlog_posix_watching)
        return 1;
    tlog_posix_watching = false;
    *(volatile uint32_t *)word = value;
    return 0;
}

TLOG_INLINE void *tlog_port_load_exclusive_pointer(void *const *word)
{
    tlog_posix_step();
    tlog_posix_watch();
    return *(void *const volatile *)word;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    tlog_posix_step();
    if (!tlog_posix_watching)
        return 1;
    tlog_posix_watching = false;
    *(void *volatile *)word = value;
    return 0;
}

TLOG_INLINE void tlog_port_clear_exclusive(void)
{
    tlog_posix_watching = false;
}

TLOG_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
    return cpu;
}

/* Called between the stores that fill a slot and the one that publishes it, so an interrupt can come there, too. */
TLOG_INLINE void tlog_port_publish(void)
{
    tlog_posix_step();
}

TLOG_INLINE void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    TLOG_NEED_OPTIONS();
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = (low & 0xFFFFu) | high << 16;
}

TLOG_INLINE uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    tlog_posix_step();
    return TLOG_PORT_TIME(*clock);
}

/* Number of the active exception; a test sets it. */
extern volatile uint32_t tlog_posix_context;

#define TLOG_PORT_CONTEXT TLOG_CONTEXT_EXCEPTION
TLOG_INLINE uint32_t tlog_port_context(uint32_t high)
{
    return high | tlog_posix_context;
}

uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor);
bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out);
const volatile uint32_t *tlog_port_clock_start(void);

#endif
