/* noise.c - starts in memory with any content: noise, zeros, ones, and runs with one wrong bit in a header. */
#include "board.h"
#include "out_semihost.h"
#include "reset.h"
#include "tlog.h"

enum { IMAGES = 4000, LONG = 11, SHORT = 3, HEADER_BITS = 128 * 8 };
enum { CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS), BANK = TLOG_CHUNKS * CHUNK };
enum { ALL = TLOG_RUNS * BANK / 4 };

extern uint32_t __start_tlog_chunks[];

static uint32_t *const before = (uint32_t *)(RESET_STATE_ADDRESS + 0x100000u);
static uint32_t *const base = (uint32_t *)(RESET_STATE_ADDRESS + 0x180000u);
static uint32_t seq;

/* tlog's own variables as a reset leaves them. */
static void start_anew(void)
{
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    tlog_ring_boot = 0;
    BOARD_TIMER0->value = 0xFFFFFFFFu;
}

static void run(uint32_t events)
{
    const struct reset_layout layout = {0, BANK, CHUNK, TLOG_CHUNKS, TLOG_SLOTS, TLOG_ROLE_EVENTS};
    const struct reset_run all = {events, events, 0};
    for (uint32_t i = 0; i < ALL; i++)
        before[i] = __start_tlog_chunks[i];
    seq = (seq + 1u) & 0xFFFFu;
    start_anew();
    for (uint32_t n = 0; n < events; n++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, reset_hash(seq << 8 | n), seq << 8 | n);
    reset_check(&layout, before, &all, seq);
    if (tlog_old_runs() >= TLOG_RUNS)
        reset_fail("older runs", tlog_old_runs());
}

static void same_word(uint32_t word)
{
    for (uint32_t i = 0; i < ALL; i++)
        ((volatile uint32_t *)__start_tlog_chunks)[i] = word;
    run(SHORT);
    if (tlog_old_runs() != 0)
        reset_fail("runs in empty memory", word);
}

/* Flips one bit of one header, in the part that the check sum protects or in the rest, while all banks are taken. */
static void flip(uint32_t chunk, uint32_t bit)
{
    for (uint32_t i = 0; i < ALL; i++)
        __start_tlog_chunks[i] = base[i];
    __start_tlog_chunks[chunk * CHUNK / 4u + bit / 32u] ^= 1u << bit % 32u;
    run(SHORT);
    run(LONG);
}

_Noreturn void reset_noise(void)
{
    same_word(0);
    same_word(~0u);
    for (uint32_t seed = 0; seed < IMAGES; seed++) {
        reset_fill(__start_tlog_chunks, ALL, seed * 2654435761u);
        run(SHORT);
        if (tlog_old_runs() != 0)
            reset_fail("runs in noise", seed);
    }
    for (uint32_t i = 0; i < TLOG_RUNS + 1u; i++)
        run(LONG);
    for (uint32_t i = 0; i < ALL; i++)
        base[i] = __start_tlog_chunks[i];
    for (uint32_t chunk = 0; chunk < TLOG_RUNS * TLOG_CHUNKS; chunk++)
        for (uint32_t bit = 0; bit < HEADER_BITS; bit++)
            flip(chunk, bit);
    semihost_print("noise, and every bit of every header: ok\n");
    semihost_exit(0);
}
