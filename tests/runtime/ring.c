/* ring.c - the ring under interrupts, on the host and on the target.
 *
 * A schedule is: a ring in a certain state; a thread that logs; after a delay an interrupt that logs some events,
 * perhaps interrupted itself. The delay grows until the interrupt comes after the thread's call, so it has come at
 * every step of it. After each schedule, and at the start of every interrupt, the memory is checked (ring_harness.h).
 */
#include "ring_harness.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"
#include "lib/form.h"

/* Tests that make the clock wrap are left out if the clock cannot be set. */
#if defined(__unix__) || (defined(TLOG_CLOCK_ADDRESS) && (!defined(TLOG_CLOCK_READ) || defined(TEST_CLOCK)))
enum { CAN_SET_CLOCK = 1 };
#else
enum { CAN_SET_CLOCK = 0 };
#endif

/* 2: the interrupt is interrupted, too; 1: it is not. */
#ifndef TEST_DEPTH
#define TEST_DEPTH (TLOG_CHUNKS == 1 ? 2 : 1)
#endif

/* At depth 2 only every TEST_STEP-th delay of the inner interrupt is tried; the first one differs for each outer delay.
 */
#ifndef TEST_STEP
#define TEST_STEP 1u
#endif

#ifdef __unix__
#define ON_HOST 1u
#else
#define ON_HOST 0u
#endif

/* 0: only as much as takes about a minute under QEMU. */
#ifndef TEST_LONG
#define TEST_LONG ON_HOST
#endif

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static uint32_t inner_events, inner_delay;

static void inner(void)
{
    ring_check_instant();
    ring_log_many(inner_events);
}

static void outer(void)
{
    ring_check_instant();
    if (inner_delay)
        test_irq_arm(2, inner_delay, inner);
    ring_log_many(inner_events);
    if (inner_delay && !test_irq_disarm(2))
        inner_delay = 0;
}

/* The thread logs `calls` events, and the interrupt comes after `delay`. True if it came before the calls were done. */
static bool schedule(const struct tlog_ring *ring, uint32_t filled, uint32_t clock, uint32_t calls, uint32_t delay)
{
    ring_prepare(ring, filled, clock);
    test_irq_arm(1, delay, outer);
    ring_log_many(calls);
    bool taken = test_irq_disarm(1);
    ring_log_many(1);
    if (!test_has_failed())
        ring_check_end();
    return taken;
}

/* Either the thread has an event refused and the interrupt logs, or (tells) the interrupt has one refused while the
 * thread logs the report of a loss. */
static void refuse_interrupted(uint32_t filled, uint32_t burst, bool tells)
{
    bool taken = true;
    inner_events = burst;
    inner_delay = 0;
    for (uint32_t delay = test_irq_first() + (filled + burst) % TEST_STRIDE; taken && !test_has_failed();
         delay += TEST_STRIDE) {
        test_note("delay", delay);
        ring_prepare(&ring_cyclic, filled, 1000);
        if (tells)
            ring_refuse_one();
        test_irq_arm(1, delay, tells ? ring_refuse_one : outer);
        if (tells)
            ring_log_one();
        else
            ring_refuse_one();
        taken = test_irq_disarm(1);
        ring_log_many(1);
        if (!test_has_failed())
            ring_check_end();
    }
}

static void refuses(void)
{
    for (uint32_t filled = 0; filled <= 2 * SLOTS * CHUNKS && !test_has_failed(); filled++)
        for (uint32_t burst = 1; burst <= SLOTS * CHUNKS + 1u && !test_has_failed(); burst++) {
            test_note("filled", filled);
            test_note("burst", burst);
            refuse_interrupted(filled, burst, false);
            refuse_interrupted(filled, burst, true);
        }
}

/* Tries every delay of the interrupt; with depth 2, for each of them, every TEST_STEP-th delay of the inner interrupt.
 */
static void sweep(const struct tlog_ring *ring, uint32_t filled, uint32_t clock, uint32_t burst, int depth)
{
    static uint32_t schedules;
    bool taken = true;
    inner_events = burst;
    test_note("filled", filled);
    test_note("burst", burst);
    for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay++) {
        test_note("delay", delay);
        uint32_t second = depth > 1 ? test_irq_first() + delay % TEST_STEP : 0;
        do {
            test_note("second", second);
            inner_delay = second;
            taken = schedule(ring, filled, clock, 1, delay);
            test_note("schedules", ++schedules);
        } while (taken && inner_delay && (second += TEST_STEP) && !test_has_failed());
    }
}

/* The last burst fills the ring twice, so the cursor returns to the place where it began. */
static const uint32_t bursts[] = {1, SLOTS - 1, SLOTS, SLOTS + 1, 2 * SLOTS + 1, 3 * SLOTS, 2 * SLOTS *CHUNKS};
enum { COUNT = sizeof(bursts) / sizeof(bursts[0]) };

/* At depth 2 the thread's event is an ordinary one, one that opens the next lap, and one in a later lap. On the host it
 * is also the one that opens a ring of one chunk; that takes hours under QEMU, where runtime/sweep/ring.c covers it. */
static void sweep_all(const struct tlog_ring *ring, int depth)
{
    uint32_t first = depth == 1 || (ON_HOST && CHUNKS == 1) ? 0 : SLOTS * CHUNKS - 1u;
    uint32_t last = depth == 1 ? 2 * SLOTS * CHUNKS + 1 : SLOTS * CHUNKS + TEST_LONG * SLOTS;
    for (uint32_t filled = first; filled <= last && !test_has_failed(); filled += depth > 1 && TEST_LONG ? 3 : 1)
        for (uint32_t i = depth > 1 && !TEST_LONG ? 3 : 0; i < COUNT && !test_has_failed(); i += 3 - TEST_LONG * 2)
            sweep(ring, filled, 1000, bursts[i], depth);
}

static void cyclic_depth_1(void)
{
    sweep_all(&ring_cyclic, 1);
}

static void cyclic_depth_2(void)
{
    sweep_all(&ring_cyclic, 2);
}

static void stopping_depth_1(void)
{
    sweep_all(&ring_stopping, 1);
}

static void stopping_depth_2(void)
{
    sweep_all(&ring_stopping, 2);
}

/* The clock passes half a wrap, or a whole one, in the middle of a schedule. */
static void clock_wraps(void)
{
    for (uint32_t before = 0; before < 200 && !test_has_failed(); before += 7) {
        sweep(&ring_cyclic, 3, 0x80000000u - before, 2, 1);
        sweep(&ring_cyclic, 3, 0u - before, 2, 1);
        test_note("before", before);
    }
}

/* One event in each half of a wrap is enough to keep the time right, whether the event is kept or dropped. */
static void pass_wraps(const struct tlog_ring *ring, uint32_t filled)
{
    ring_prepare(ring, filled, 0);
    for (uint32_t half = 0; half < 7; half++) {
        test_clock_set(half * 0x80000000u + 5u);
        ring_log_one();
        CHECK(ring_cpu.high == (half / 2u | half << 31));
    }
    ring_read_all();
}

static void three_wraps(void)
{
    pass_wraps(&ring_cyclic, 0);
    pass_wraps(&ring_stopping, SLOTS * CHUNKS);
}

#ifdef __unix__
/* Several interrupts in sequence, some of them interrupted, log any number of events. The clock may advance by half
 * wraps in each of them, with an event in each half. The sequence is pseudo-random, and the same in each run. */
enum { RANDOM_SCHEDULES = 60000, STEPS = 80 };

static uint32_t noise = 1, interrupts_left, halves;

static uint32_t any(uint32_t below)
{
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise % below;
}

static void any_events(void)
{
    if (!ring_has_jumped)
        ring_check_instant();
    static bool is_jumping; /* if a jump were interrupted by another jump, half a wrap would pass without an event */
    bool can_jump = ring_has_jumped && !is_jumping && tlog_ring_is_open(&ring_cpu);
    is_jumping |= can_jump;
    for (uint32_t jumps = can_jump ? any(4) : 0; jumps > 0; jumps--) {
        test_clock_set(tlog_posix_clock + 0x80000000u);
        tlog_ring_tick(&ring_cpu);
        halves++;
    }
    is_jumping &= !can_jump;
    if (any(8) == 0)
        ring_refuse_one();
    ring_log_many(any(4) ? any(3) : any(2 * SLOTS));
}

static void any_interrupt(void)
{
    if (any(2))
        test_irq_arm(2, 1u + any(STEPS), any_events);
    any_events();
    if (--interrupts_left > 0)
        test_irq_arm(1, 1u + any(STEPS / 4), any_interrupt);
}

static void any_schedule(void)
{
    ring_prepare(any(2) ? &ring_cyclic : &ring_stopping, any(2 * SLOTS * CHUNKS + 2), 1000);
    ring_has_jumped = any(2);
    halves = 0;
    interrupts_left = 1u + any(5);
    test_irq_arm(1, 1u + any(STEPS), any_interrupt);
    if (any(4) == 0 && tlog_ring_is_open(&ring_cpu))
        tlog_ring_tick(&ring_cpu);
    if (any(4) == 0)
        ring_refuse_one();
    ring_log_many(1);
    test_irq_disarm(1);
    test_irq_disarm(2);
    ring_log_many(1);
    ring_check_end();
    CHECK(!tlog_ring_is_open(&ring_cpu) || ring_cpu.high == (halves / 2u | halves << 31));
    ring_has_jumped = false;
}

/* An interrupt that logs nothing makes the switch to the next chunk take its long way; a second interrupt on that way
 * logs so much that the cursor returns to the place where it began. */
static void log_burst(void)
{
    ring_log_many(inner_events);
}

static void log_nothing(void)
{
    test_irq_arm(1, inner_delay, log_burst);
}

static void the_long_way(void)
{
    inner_events = 2 * SLOTS * CHUNKS;
    for (uint32_t filled = SLOTS * CHUNKS; filled <= 2 * SLOTS * CHUNKS && !test_has_failed(); filled += SLOTS)
        for (uint32_t first = 1; first <= 16 && !test_has_failed(); first++) {
            bool taken = true;
            test_note("filled", filled);
            test_note("first", first);
            for (inner_delay = 1; taken && !test_has_failed(); inner_delay++) {
                test_note("second", inner_delay);
                ring_prepare(&ring_cyclic, filled, 1000);
                test_irq_arm(1, first, log_nothing);
                ring_log_one();
                taken = test_irq_disarm(1);
                ring_log_many(1);
                if (!test_has_failed())
                    ring_check_end();
            }
        }
}

static void any_schedules(void)
{
    for (uint32_t i = 0; i < RANDOM_SCHEDULES && !test_has_failed(); i++) {
        test_note("random", i);
        any_schedule();
    }
}
#endif

/* ---- one context ------------------------------------------------------------------------------------------------- */

static void stops_when_full(void)
{
    ring_prepare(&ring_stopping, SLOTS * CHUNKS, 0);
    ring_check_end();
    CHECK(ring_found.kept == SLOTS * CHUNKS && ring_found.dropped == 0);
    ring_log_many(5);
    ring_check_end();
    CHECK(ring_found.kept == SLOTS * CHUNKS && ring_found.dropped == 5 && !ring_found.seen[SLOTS * CHUNKS]);
}

static void keeps_the_newest(void)
{
    for (uint32_t n = 1; n < 5 * SLOTS * CHUNKS; n++) {
        ring_prepare(&ring_cyclic, n, 0);
        ring_check_end();
        uint32_t kept = n < SLOTS * CHUNKS ? n : SLOTS * CHUNKS;
        CHECK(ring_found.kept == kept && ring_found.attempted == n && ring_found.overwritten == n - kept);
        for (uint32_t i = n - kept; i < n; i++)
            CHECK(ring_found.seen[i]);
    }
}

/* A stopped ring that may go on first reports what was lost. */
static void reports_a_loss(void)
{
    ring_prepare(&ring_stopping, SLOTS * CHUNKS + 17, 0);
    struct tlog_chunk *last = (struct tlog_chunk *)(uintptr_t)ring_view_of(CHUNKS - 1).chunk;
    last->flags &= ~TLOG_CHUNK_STOP;
    ring_log_one();
    const uint32_t *slot = &ring_view_of(0).chunk->cursor + 4;
    CHECK(slot[TLOG_WORD_HEAD] == (TLOG_RECORD_LOSS | (ring_view_of(0).tag & TLOG_TAG_MASK)));
    CHECK(slot[4 + TLOG_WORD_HEAD] >> 16 == TLOG_LOSS_END && (slot[4 + TLOG_WORD_HEAD] & 0xFFu) == TLOG_RECORD_LOSS
          && slot[4 + TLOG_WORD_PAR2] == 17);
    CHECK((slot[8 + TLOG_WORD_HEAD] & 0xFFu) == FTrace_EVT_user_event_0
          && slot[8 + TLOG_WORD_PAR2] == SLOTS * CHUNKS + 17);
    CHECK(tlog_ring_home(&ring_cpu) == ring_view_of(0).chunk
          && ring_view_of(0).tag == (ring_view_of(0).chunk->cursor & TLOG_TAG_MASK));
}

static uint32_t high_word(uint64_t count)
{
    return (uint32_t)(count >> 32) | ((uint32_t)count & TLOG_COUNT_MIRROR);
}

/* Log until the first chunk begins another lap. */
static void log_a_lap(const struct tlog_chunk *chunk)
{
    const uint32_t lap = chunk->lap;
    for (uint32_t i = 0; i <= SLOTS * CHUNKS && chunk->lap == lap; i++)
        ring_log_one();
}

/* As if the first chunk had begun all laps before lap `next`. */
static void begin_laps(uint64_t next)
{
    struct tlog_chunk *chunk = tlog_ring_first(&ring_cpu);
    ((struct tlog_chunk *)(uintptr_t)ring_view_of(CHUNKS - 1u).chunk)->flags &= ~TLOG_CHUNK_STOP;
    chunk->lap += (uint32_t)(next - 2u) << TLOG_LAP_SHIFT;
    chunk->lap_high = high_word((next - 1u) << TLOG_LAP_SHIFT);
    for (uint64_t lap = next; lap < next + 2u; lap++) {
        log_a_lap(chunk);
        CHECK(chunk->lap >> TLOG_LAP_SHIFT == ((uint32_t)lap & 0xFFFFu));
        CHECK(chunk->lap_high == high_word(lap << TLOG_LAP_SHIFT));
    }
}

/* Counts pass multiples of 2^31: laps begun the usual way, and by the event that reports a loss; dropped events. */
static void high_words(void)
{
    for (uint32_t half = 1; half < 6u; half++) {
        ring_prepare(&ring_cyclic, 1, 0);
        begin_laps((uint64_t)half << 15);
        ring_prepare(&ring_stopping, SLOTS * CHUNKS + 1, 0);
        begin_laps((uint64_t)half << 15);
        ring_prepare(&ring_stopping, SLOTS * CHUNKS, 0);
        struct tlog_chunk *first = tlog_ring_first(&ring_cpu);
        uint64_t dropped = ((uint64_t)half << 31) - 3u;
        first->dropped = first->reported = (uint32_t)dropped;
        first->dropped_high = first->reported_high = high_word(dropped);
        for (uint32_t i = 1; i < 6u; i++) {
            ring_log_one();
            CHECK(first->dropped == (uint32_t)(dropped + i) && first->dropped_high == high_word(dropped + i));
        }
    }
}

/* The first drop tells its time also while another writer has parked the chunk. */
static void drops_in_a_parked_chunk(void)
{
    ring_prepare(&ring_cyclic, 1, 0);
    tlog_ring_home(&ring_cpu)->cursor |= TLOG_TAG_MASK;
    test_clock_set(0x1000000u);
    tlog_ring_drop(&ring_cpu);
    CHECK(tlog_ring_first(&ring_cpu)->dropped == 1);
    CHECK(tlog_ring_first(&ring_cpu)->lost_at >= 0x1000000u);
}

/* After a reset that leaves the chunks in memory, the next run has the next number, in every ring. */
static void next_boot(void)
{
    ring_prepare(&ring_cyclic, 1, 0);
    uint32_t boot = tlog_ring_home(&ring_cpu)->boot;
    CHECK(boot != 0);
    ring_cpu = (struct tlog_cpu)TLOG_CPU_INIT(&ring_cyclic);
    tlog_ring_boot = 0;
    tlog_ring_start(&ring_cpu);
    CHECK(tlog_ring_home(&ring_cpu)->boot == boot + 1u);
    ring_log_many(CHUNKS * SLOTS);
    for (uint32_t i = 0; i < CHUNKS; i++)
        CHECK(ring_view_of(i).chunk->boot == boot + 1u);
    tlog_start();
    CHECK(tlog_ring_home(&tlog_cpu0)->boot == boot + 1u);
}

#ifdef TLOG_PORT_V6M_H
/* A writer that has not begun to watch has its store refused, and then logs the slow way. That way sets
 * tlog_port_watch. */
static void begins_to_watch(void)
{
    uint32_t *sp;
    ring_prepare(&ring_cyclic, 1, 0);
    form_all(&ring_cpu); /* or else the slot is not free yet */
    tlog_port_watch = 0;
    tlog_ring_record(&ring_cpu, FTrace_EVT_user_event_0, 0, 0);
    __asm("mov %0, sp" : "=r"(sp)::"memory");
    CHECK(tlog_port_watch == (uint32_t)sp);
}
#endif

/* Logging keeps the interrupt mask: from the first event on, through laps, drops, and the end of a stop. */
static void keeps_the_mask(void)
{
    for (int masked = 0; masked < 2; masked++) {
        test_irq_mask(masked);
        ring_prepare(&ring_cyclic, 0, 0);
        for (uint32_t n = 0; n < 3 * SLOTS * CHUNKS; n++) {
            ring_log_one();
            CHECK(test_irq_is_masked() == (bool)masked);
        }
        ring_prepare(&ring_stopping, SLOTS * CHUNKS + 3, 0x7FFFFFFFu);
        tlog_ring_tick(&ring_cpu);
        tlog_disable();
        tlog_enable();
        CHECK(test_irq_is_masked() == (bool)masked);
    }
    test_irq_mask(false);
}

static void filter_and_switch(void)
{
    tlog_start();
    const struct tlog_chunk *chunk = tlog_ring_home(&tlog_cpu0);
    uint32_t at = chunk->cursor;
    tlog_filter(FTrace_filter_user, true); /* a mark */
    tlog_filter(FTrace_filter_user, true);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, 1, 2);
    CHECK(chunk->cursor == at + TLOG_CURSOR_STEP);
    TRACER_LOGEVENT(FTrace_EVT_signal, 1, 2);
    CHECK(chunk->cursor == at + 2 * TLOG_CURSOR_STEP);
    tlog_disable(); /* trace_stop */
    tlog_disable();
    tlog_filter(FTrace_filter_user, false);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, 1, 2);
    tlog_record_call(0xF3, 1, 2);
    CHECK(chunk->cursor == at + 4 * TLOG_CURSOR_STEP);
    tlog_enable(); /* a pair and trace_start */
    tlog_enable();
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, 1, 2);
    tlog_record_call(0xF3, 1, 2);
    CHECK(chunk->cursor == at + 9 * TLOG_CURSOR_STEP);
    CHECK(tlog_dropped() == 0);
    tlog_record_call(0, 1, 2);
    tlog_record_call(0xFF, 1, 2);
    tlog_record_call(0x109, 1, 2);
    CHECK(tlog_dropped() == 3);
}

int test_main(void)
{
    test_run("stops when full", stops_when_full);
    test_run("keeps the newest", keeps_the_newest);
    if (!TLOG_MINIMAL)
        test_run("tells of a loss", reports_a_loss);
    test_run("counts pass 32 bits", high_words);
    if (TLOG_RUNS == 1) /* with more, the next run is in another bank: see tests/runtime/reset */
        test_run("next boot", next_boot);
    test_run("filter and switch", filter_and_switch);
    test_run("keeps the interrupt mask", keeps_the_mask);
#ifdef TLOG_PORT_V6M_H
    test_run("begins to watch", begins_to_watch);
#endif
    if (CAN_SET_CLOCK) {
        test_run("drops in a parked chunk", drops_in_a_parked_chunk);
        test_run("three wraps", three_wraps);
    }
    test_run("interrupt everywhere, cyclic", cyclic_depth_1);
    test_run("interrupt everywhere, stop when full", stopping_depth_1);
    test_run("interrupt everywhere, losses while there is room", refuses);
    if (CAN_SET_CLOCK)
        test_run("interrupt everywhere, clock wraps", clock_wraps);
    if (TEST_LONG || TEST_DEPTH > 1) {
        test_run("interrupt in an interrupt everywhere, cyclic", cyclic_depth_2);
        test_run("interrupt in an interrupt everywhere, stop when full", stopping_depth_2);
    }
#ifdef __unix__
    test_run("interrupts on the long way to the next chunk", the_long_way);
    test_run("any interrupts, any jumps of the clock", any_schedules);
#endif
    return test_end();
}
