/* ch.h - what the hooks of tlog_chibios.h see of ChibiOS/RT. The names are the kernel's. */
#ifndef RTOS_CHIBIOS_CH_H
#define RTOS_CHIBIOS_CH_H

#include <stddef.h>
#include <stdint.h>

#define TRUE 1

#include "chconf.h"

#ifndef CH_KERNEL_MAJOR
#define CH_KERNEL_MAJOR 8
#endif

#define CH_DBG_TRACE_MASK_DISABLED 255u
#ifndef CH_DBG_TRACE_MASK
#define CH_DBG_TRACE_MASK CH_DBG_TRACE_MASK_DISABLED
#endif

#define IDLEPRIO 1u

enum {
    CH_STATE_READY,
    CH_STATE_CURRENT,
    CH_STATE_WTSTART,
    CH_STATE_SUSPENDED,
    CH_STATE_QUEUED,
    CH_STATE_WTSEM,
    CH_STATE_WTMTX,
    CH_STATE_WTCOND,
    CH_STATE_SLEEPING,
    CH_STATE_WTEXIT,
    CH_STATE_WTOREVT,
    CH_STATE_WTANDEVT,
    CH_STATE_SNDMSGQ,
    CH_STATE_SNDMSG,
    CH_STATE_WTMSG,
    CH_STATE_FINAL,
    CH_STATES
};

typedef struct ch_thread {
    union {
        struct {
            void *next, *prev;
            uint32_t prio;
        } pqueue;
    } hdr;
    uint8_t state;
    const char *name;
    union {
        int32_t rdymsg;
        void *wtobjp;
    } u;
    CH_CFG_THREAD_EXTRA_FIELDS
} thread_t;

typedef struct {
    struct {
        thread_t *current;
    } rlist;
} os_instance_t;

extern os_instance_t ch0;

static inline thread_t *chThdGetSelfX(void)
{
    return ch0.rlist.current;
}

#endif
