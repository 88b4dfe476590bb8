/* app.c - events, a name and a text: what a dump must hold, wherever the linker script puts tlog's memory. With
 * RAM_VECTORS it has a vector table in RAM, as an SDK may, with CCM_DATA a variable in CCM with a value. */
#include "out_semihost.h"
#include "tlog.h"

#ifdef RAM_VECTORS
uint32_t ram_vector_table[48] __attribute__((section(".ram_vector_table")));
#endif

#ifdef CCM_DATA
volatile uint32_t ccm_data __attribute__((section(".ccmram"))) = 42;
#endif

int main(void);
int main(void)
{
#ifdef RAM_VECTORS
    ram_vector_table[0] = 1;
#endif
#ifdef CCM_DATA
    ccm_data++;
#endif
#ifndef NAMELESS
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
#endif
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, i * i);
#ifndef TEXTLESS
    TLOG_PRINTK("text %d", 42);
#endif
    return 0;
}
