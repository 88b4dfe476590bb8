/* app.c - firmware of threadx.sh: an application of the stand-in, which runs every hook of tlog_threadx.h. */
#include "stand_in.h"

#include "out_semihost.h"

void _tx_execution_initialize(void);

int main(void)
{
    static thread_t high, low;
    interrupt_early();
    thread_create(&high, "HIGH", 1);
    thread_create(&low, "LOW", 10);
    TX_DISABLE
    RUN(_tx_execution_initialize, ());
    TX_RESTORE
    switch_to(&high);
    thread_tour(&low);
    mutex_tour(&low);
    object_tour(&low);
    pool_tour(&low);
    idle_tour(&low);
    return tlog_semihost_save("dump.bin") | expect_save();
}
