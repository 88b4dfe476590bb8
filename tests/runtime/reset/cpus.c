/* cpus.c - two CPUs log and are reset, several times; firmware for virt and mps2-an521 that starts in memory full of
 * noise.
 *
 * Each boot is a run. In each run both CPUs begin at once and log a name and EVENTS numbered events each; in odd runs
 * they begin by opening all rings. CPU 1 continues until the reset. In run QUIET, CPU 1 logs nothing. The first run
 * saves all of memory to first.bin; the last run saves the previous run to last.bin and all of memory to dump.bin.
 *
 * QEMU's reset of mps2-an521 leaves CPU 1 running. On that board memory.bin is what a reset would leave, and the test
 * starts QEMU again with it. */
#include "board.h"
#include "board_cpus.h"
#include "out_semihost.h"
#include "tlog.h"

enum { EVENTS = 100, FURTHER = 300, BOOTS = 5, QUIET = 3, MAGIC = 0x43505553 };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

/* In the chunks' section, which a reset leaves as it is. */
static struct {
    uint32_t magic, boot;
} state __attribute__((section("tlog_chunks.state"), aligned(16)));

static volatile uint32_t ready, done;

int main(void);

static _Noreturn void reset(void)
{
    __asm volatile("dsb" ::: "memory");
#ifdef BOARD_GIC_DISTRIBUTOR
    register uint32_t r0 __asm("r0") = 0x84000009u; /* PSCI SYSTEM_RESET */
    __asm volatile(".arch_extension virt\n\thvc #0" ::"r"(r0));
    for (;;)
        ;
#else
    semihost_write_file("memory.bin", __start_tlog_chunks, (uint32_t)(__stop_tlog_chunks - __start_tlog_chunks) * 4u);
    semihost_exit(0);
#endif
}

static void make_noise(void)
{
    uint32_t random = 1;
    for (volatile uint32_t *word = __start_tlog_chunks; word < __stop_tlog_chunks; word++)
        *word = random = random * 1664525u + 1013904223u;
    state.magic = MAGIC;
    state.boot = 0;
}

static void add_one(volatile uint32_t *word)
{
    tlog_ring_add((uint32_t *)(uintptr_t)word, 1u);
}

static void log_run(void)
{
    uint32_t me = tlog_cpu_number();
    bool is_alone = state.boot == QUIET;
    add_one(&ready);
    while (!is_alone && ready < 2)
        ;
    if (state.boot % 2u == 1 && !is_alone)
        tlog_start();
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 10u * state.boot + me, 0);
    tlog_name(TLOG_NAME_TASK, 10u * state.boot + me, me == 0 ? "first" : "second");
    for (uint32_t i = 0; i < EVENTS; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, me, state.boot << 16 | i);
    add_one(&done);
    while (!is_alone && done < 2)
        ;
}

static void other(void)
{
    log_run();
    for (uint32_t i = 0; i < FURTHER && state.boot < BOOTS; i++) {
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, 1, state.boot << 16 | i);
        for (volatile uint32_t wait = 0; wait < 1000; wait++)
            ;
    }
}

static int write_to(void *ctx, const void *bytes, uint32_t length)
{
    return semihost_write(*(int *)ctx, bytes, length);
}

static void save(const char *path, int (*what)(const struct tlog_sink *sink))
{
    int file = semihost_open(path);
    struct tlog_sink sink = {write_to, &file};
    if (what(&sink) != 0)
        semihost_exit(4);
    semihost_close(file);
}

int main(void)
{
    if (state.magic != MAGIC)
        make_noise();
    state.boot++;
    uint32_t old = tlog_old_runs();
    if (state.boot != QUIET && board_start_cpu(1, other) != 0)
        return 3;
    log_run();
    TRACER_LOGEVENT(FTrace_EVT_user_event_2, old, state.boot);
    if (state.boot == 1)
        save("first.bin", tlog_dump);
    if (state.boot < BOOTS)
        reset();
    save("last.bin", tlog_last_run);
    return 0;
}
