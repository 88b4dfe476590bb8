/* app.c - firmware of zephyr.sh: an application of the stand-in, which runs every hook of tlog_zephyr.h. */
#include "stand_in.h"

#include "out_semihost.h"

/* The name may change behind the call. */
static void named_events(void)
{
    char name[] = "temperature";
    expect("bprint: tlog_zephyr_named_event: temperature: 23 4294967295");
    note_hook("sys_trace_named_event");
    sys_trace_named_event(name, 23, 0xFFFFFFFFu);
    name[0] = '?';
    expect("bprint: tlog_zephyr_named_event: a name of more than 63 characters, of which the first 63 are lo: 1 0");
    sys_trace_named_event("a name of more than 63 characters, of which the first 63 are logged", 1, 0);
}

int main(void)
{
    static thread_t idle, first, high, low;
    interrupt_early();
    thread_create(&first, "main", 0);
    thread_create(&idle, "idle", K_IDLE_PRIO);
    kernel_start(&first);
    thread_create(&low, "LOW", 10);
    thread_create(&high, "HIGH", -2);
    switch_to(&high);
    thread_tour(&idle);
    mutex_tour(&low);
    object_tour(&low);
    memory_tour(&idle);
    idle_tour(&idle, &low);
    named_events();
    return tlog_semihost_save("dump.bin") | expect_save();
}
