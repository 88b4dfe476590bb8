/* app.c - logs events across many wraps of the clock, from every phase of it, and makes a dump for each phase.
 *
 * Each event carries the 64-bit time at which it was logged: par1 the wraps, par2 the counter. The clock is a word in
 * memory; on the host it also runs by itself.
 *
 * A clock of fewer than 32 bits (TLOG_CLOCK_BITS) is shifted up: then all times here are multiples of its tick, or, if
 * it counts down, one less than one.
 *
 * Where no events are logged for long, only tlog_tick() is called, a little more often than once in half a wrap, or
 * tlog_clock_slept(). */
#include "tlog.h"

#ifdef __unix__
#include <stdio.h>
enum {
    TICK = 1,
    HALF = 0x7FFFFFFF - 100,
    OPENING = 20000
}; /* the clock also runs by itself, mainly while the ring is opened */
#define CLOCK tlog_posix_clock

static void write_dump(const char *path, const void *bytes, uint32_t length)
{
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, length, file);
    fclose(file);
}
#else
#include "out_semihost.h"
enum { TICK = 1u << TLOG_CLOCK_SHIFT, HALF = (int)(0x80000000u - TICK), OPENING = 0 };
#define CLOCK test_clock[0]
volatile uint32_t test_clock[1];

static void write_dump(const char *path, const void *bytes, uint32_t length)
{
    semihost_write_file(path, bytes, length);
}
#endif

enum { BORDERS = 7, EVENTS = 6 }; /* half wraps crossed in each way; events around each of them */

static uint64_t time_now; /* what a 64-bit clock would read */

#ifdef __unix__
static void pass(uint64_t ticks)
{
    time_now += (uint32_t)(CLOCK - (uint32_t)time_now);
    time_now += ticks;
    CLOCK = (uint32_t)time_now;
}
#else
/* The bits of the word above the counter's are noise. */
static void pass(uint64_t ticks)
{
    const uint32_t noise = TICK > 1 ? 0xA5A5A5A5u << (TLOG_CLOCK_BITS & 31) : 0;
    time_now += ticks - ticks % TICK;
    CLOCK = noise ^ (TLOG_CLOCK_DOWN ? ~(uint32_t)time_now : (uint32_t)time_now) >> TLOG_CLOCK_SHIFT;
}
#endif

static void log_one(void)
{
    pass(0);
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, (uint32_t)(time_now >> 32), (uint32_t)time_now);
#if TLOG_TRACEEVENTS
    pass(0);
    tlog_event(TLOG_TRACE_USER, 7, (uint32_t)(time_now >> 32), (uint32_t)time_now);
#endif
}

static void log_every(uint32_t ticks, uint32_t events)
{
    for (; events > 0; events--) {
        log_one();
        pass(ticks);
    }
}

/* Only ticks until just before the counter's next half wrap, then events across it. */
static void log_across(uint32_t ticks)
{
    pass(0);
    uint32_t left = 0x80000000u - ((uint32_t)time_now & 0x7FFFFFFFu), ahead = ticks * (EVENTS / 2u);
    tlog_tick();
    if (left > ahead + 100u)
        pass(left - ahead);
    tlog_tick();
    log_every(ticks, EVENTS);
}

static void log_all(void)
{
    log_one();
    for (uint32_t i = 0; i < BORDERS; i++)
        log_across(TICK);
    for (uint32_t i = 0; i < BORDERS; i++)
        log_across(1000u / TICK * TICK + 3u * TICK);
    log_every(HALF, BORDERS);
    log_one();
    for (uint32_t i = 0; i < 3 * BORDERS; i++) {
        tlog_tick();
        pass(HALF);
    }
    tlog_tick();
    log_every(HALF / 2, BORDERS);
    for (uint32_t i = 0; i < BORDERS; i++) {
        uint64_t ticks = (uint64_t)i << 32 | (uint32_t)(i * (0x2AAAAAAAu + TICK));
        tlog_tick();
        pass(0);
        tlog_clock_slept(ticks / TICK);
        time_now += ticks - ticks % TICK;
        log_one();
    }
    pass(TICK); /* a lone slot at the end that is wraps away from all others would be damage */
    log_one();
}

static const uint32_t phases[] = {0,          1,          0x3FFFFFFF, 0x40000000, 0x7FFFFFFE, 0x7FFFFFFF,
                                  0x80000000, 0x80000001, 0xBFFFFFFF, 0xC0000000, 0xFFFFFFFE, 0xFFFFFFFF};

int main(void)
{
    const struct tlog_ring *ring = tlog_cpus[0].ring;
    char path[] = "time-a.bin";
    for (uint32_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++, path[5]++) {
        tlog_cpus[0] = (struct tlog_cpu)TLOG_CPU_INIT(ring);
        time_now = phases[i] / TICK * TICK + (TLOG_CLOCK_DOWN ? TICK - 1u : 0u) - OPENING;
        CLOCK = (uint32_t)time_now;
        pass(0);
        tlog_start();
        log_all();
        write_dump(path, ring->first, ring->chunks * ring->pattern[TLOG_PATTERN_SIZE]);
    }
    return 0;
}
