/* SPDX-License-Identifier: MIT */
/* port_posix.c - the simulated core of the unit tests. */
#include "tlog.h"

#include <stddef.h>

#ifdef TLOG_PORT_POSIX_H

bool tlog_posix_watching;
uint32_t tlog_posix_forgotten;
volatile uint32_t tlog_posix_clock;
volatile uint32_t tlog_posix_context;
volatile bool tlog_posix_halted;
void (*tlog_posix_interrupt)(void);

static void count_tick(void)
{
    if (!tlog_posix_halted)
        tlog_posix_clock = tlog_posix_clock + 1u;
}

void tlog_posix_step(void)
{
    count_tick();
    if (tlog_posix_interrupt != NULL)
        tlog_posix_interrupt();
}

uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    tlog_posix_step();
    *cursor = cpu->cursor;
    return cpu->filter;
}

static bool give_up(void)
{
    tlog_port_clear_exclusive();
    return false;
}

bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    do {
        out->cursor = tlog_port_load_exclusive(cursor);
        out->slot = (uint32_t *)((uintptr_t)cursor + (out->cursor >> 12));
        tlog_posix_step();
        if (((volatile uint32_t *)out->slot)[TLOG_WORD_HEAD] & out->cursor & TLOG_TAG_MASK)
            return give_up();
        tlog_posix_step();
        out->high = *(volatile uint32_t *)&cpu->high;
        out->low = tlog_port_now_at(cpu->clock);
        if ((int32_t)(out->high ^ out->low) < 0)
            return give_up();
    } while (tlog_port_store_exclusive(out->cursor + TLOG_CURSOR_STEP, cursor));
    if (TLOG_CONTEXT)
        out->high = tlog_port_context(out->high);
    return true;
}

const volatile uint32_t *tlog_port_clock_start(void)
{
    return &tlog_posix_clock;
}

#endif
