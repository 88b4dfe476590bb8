/* rates.c - the clock's rate changes while events are logged, in handlers, too; two dumps of one run.
 *
 * usage: rates SEED EVENTS DUMP DUMP >truth. Prints what it did: "event NUMBER TICKS", with the time behind the call,
 * and "rate HZ TICKS TICKS", with the times ahead of the call and behind it. The first dump is made in the middle. */
#include "tlog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint32_t rates[] = {8000000, 72000000, 32768, 4000000000u, 1000003, 16000000};
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static uint64_t now(void)
{
    uint32_t high, low;
    do {
        tlog_tick();
        high = tlog_cpus[0].high;
        low = tlog_posix_clock;
    } while ((int32_t)(high ^ low) < 0);
    return (uint64_t)tlog_ring_wraps(high) << 32 | low;
}

static void log_one(uint32_t number)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, number >> 16, number);
    printf("event %" PRIu32 " %" PRIu64 "\n", number, now());
}

static void change_rate(void)
{
    uint32_t hz = rates[below(sizeof rates / sizeof rates[0])];
    uint64_t before = now();
    tlog_clock_rate(hz);
    printf("rate %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", hz, before, now());
}

static int put(void *to, const void *bytes, uint32_t length)
{
    return fwrite(bytes, 1, length, to) == length ? 0 : -1;
}

static void dump(const char *path)
{
    FILE *file = fopen(path, "wb");
    struct tlog_sink sink = {put, file};
    if (file == NULL || tlog_dump(&sink) != 0 || fclose(file) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    seed = strtoul(argv[1], NULL, 10);
    uint32_t n = (uint32_t)strtoul(argv[2], NULL, 10), wraps = below(3), often = 3u + below(20);
    for (uint32_t i = 0; i < n; i++) {
        log_one(i);
        tlog_posix_clock += below(wraps == 0 && below(8) == 0 ? 0x70000000u : 5000);
        if (below(often) == 0) {
            TRACER_LOGEVENT(FTrace_EVT_interrupt_start, 9, 0);
            change_rate();
            TRACER_LOGEVENT(FTrace_EVT_interrupt_end, 9, 0);
        }
        if (i == n / 2u)
            dump(argv[3]);
    }
    dump(argv[4]);
    return 0;
}
