/* last.c - firmware that sends the last run ahead of its first event: a long run, then SHORT short ones. The run behind
 * these writes the last one to last.bin; with LOGS, events are logged meanwhile, as an interrupt would log them.
 *
 * The number of the boot lies where neither the start-up code nor a reset of QEMU writes. */
#include "board.h"
#include "out_semihost.h"
#include "reset.h"
#include "tlog.h"

int main(void);

static int write_last(void *ctx, const void *bytes, uint32_t length)
{
#ifdef LOGS
    TRACER_LOGEVENT(FTrace_EVT_user_event_2, 0, length);
#endif
    return semihost_write(*(int *)ctx, bytes, length);
}

int main(void)
{
    volatile uint32_t *number = (volatile uint32_t *)RESET_STATE_ADDRESS;
    const uint32_t boot = ++*number;
    if (boot == SHORT + 2u) {
        int file = semihost_open("last.bin");
        const struct tlog_sink sink = {write_last, &file};
        int result = tlog_last_run(&sink);
        semihost_close(file);
        return result;
    }
    tlog_name(TLOG_NAME_TASK, boot, "task");
    for (uint32_t i = 0; i < (boot == 1u ? 3u * TLOG_SLOTS : 62u); i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, boot & 0xFFFFu, i);
    *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* AIRCR.SYSRESETREQ */
    for (;;)
        ;
}
