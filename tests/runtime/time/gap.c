/* gap.c - events ahead of a gap in which nothing is logged and nobody ticks, and events behind it; a dump for each
 * length of the gap, from every phase of the clock. Host only.
 *
 * Each event carries the 64-bit time at which it was logged: par1 the wraps, par2 the counter. */
#include "tlog.h"

#include <stdio.h>

enum { EVENTS = 100, STEP = 1000 };
#define WRAP (1ull << 32)

static uint64_t time_now; /* what a 64-bit clock would read */

static uint64_t read_time(void)
{
    return time_now += (uint32_t)(tlog_posix_clock - (uint32_t)time_now);
}

uint32_t test_coarse_now(void)
{
    return (uint32_t)(read_time() / (TLOG_CLOCK_HZ / 1000));
}

static void pass(uint64_t ticks)
{
    time_now = read_time() + ticks;
    tlog_posix_clock = (uint32_t)time_now;
}

static void log_all(void)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint64_t now = read_time();
        if (i % 2u || !GAP_RECORDS)
            tlog_event(TLOG_TRACE_USER, 7, (uint32_t)(now >> 32), (uint32_t)now);
        else
            TRACER_LOGEVENT(FTrace_EVT_user_event_0, (uint32_t)(now >> 32), (uint32_t)now);
        pass(STEP);
    }
}

static int write_bytes(void *file, const void *bytes, uint32_t length)
{
    return fwrite(bytes, 1, length, file) == length ? 0 : -1;
}

static void write_dump(const char *path)
{
    FILE *file = fopen(path, "wb");
    const struct tlog_sink sink = {write_bytes, file};
    tlog_dump(&sink);
    fclose(file);
}

static const uint64_t gaps[] = {
    WRAP / 5,      WRAP * 65 / 100,  WRAP * 95 / 100,        WRAP + 300000,
    WRAP * 16 / 5, WRAP * 1004 / 10, WRAP * 7 / 2 - 5000000, WRAP * 40007 / 10,
};
static const uint32_t phases[] = {20000, 0x3FFFFFFF, 0x5FFFFFFF, 0x7FFFF000, 0x80000000, 0xBFFFFFFF, 0xFFFF0000};
enum { GAPS = sizeof gaps / sizeof *gaps, PHASES = sizeof phases / sizeof *phases };

int main(void)
{
    const struct tlog_cpu fresh = tlog_cpus[0];
    char path[32];
    for (uint32_t i = 0; i < GAPS * PHASES; i++) {
        tlog_cpus[0] = fresh;
        time_now = tlog_posix_clock = phases[i % PHASES];
        tlog_start();
        log_all();
        pass(gaps[i / PHASES]);
        log_all();
        snprintf(path, sizeof path, "gap-%02u.bin", (unsigned)i);
        write_dump(path);
    }
    return 0;
}
