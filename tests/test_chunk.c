/* test_chunk.c - chunks made at run time: every answer of every primitive, and each of them interrupted everywhere by each.
 *
 * Runs on the host and on the target. The memory is read as FORMAT.md says: every event is found whole, at most once, in
 * order of time in its chunk, with a stamp between its call and its return; and while nothing was overwritten or deleted,
 * what was logged = what is found + what was dropped. */
#ifdef __unix__
#define _XOPEN_SOURCE 700
#include <ucontext.h>
#endif

#include "chunk_ops.h"
#include "chunk_read.h"
#include "logged.h"
#include "test.h"
#include "test_irq.h"
#include "tlog.h"

#include <stddef.h>

enum { SLOTS = CHUNK_SLOTS };

static void log_code(uint32_t code)
{
    uint32_t n = logged_begin(1);
    if (n >= LOGGED_MAX)
        return;
    tlog_record_call(code, (n ^ LOGGED_SALT) & 0xFFFFu, n);
    logged_end(n);
}

static void log_many(uint32_t count)
{
    while (count-- > 0)
        log_code(FTrace_EVT_user_event_0);
}

/* ---- a fresh start ----------------------------------------------------------------------------------------------- */

static void reset(void)
{
    logged_count = 0;
    chunk_reset();
}

static void prepare(void)
{
    logged_count = 0;
    chunk_prepare();
}

static uint32_t flags_of(int number)
{
    FTrace_flags flags = 0xFF;
    return FTrace_get_chunk_flags(number, &flags) == 0 ? flags : 0x100u;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void bad_numbers(void)
{
    static const int bad[] = {-1, CHUNKS, 255, 256, 1000000, -2147483647 - 1};
    FTrace_flags flags;
    prepare();
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(FTrace_chunk_delete(bad[i]) == -1);
        CHECK(FTrace_set_chunk_flags(bad[i], 0) == -1);
        CHECK(FTrace_get_chunk_flags(bad[i], &flags) == -1);
        CHECK(FTrace_actual_chunk_select(bad[i]) == -1);
        CHECK(FTrace_chunk_link(bad[i], chunk_numbers[D]) == -1);
        CHECK(FTrace_chunk_link(chunk_numbers[D], bad[i]) == -1);
        CHECK(FTrace_compress_chunk(bad[i], 0) == -1);
        CHECK(FTrace_send_chunk(bad[i], 0, 0) == -1);
    }
    CHECK(FTrace_get_chunk_flags(chunk_numbers[A], NULL) == -1);
    CHECK(flags_of(chunk_numbers[D]) == (FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN));
}

static void sizes(void)
{
    reset();
    CHECK(FTrace_chunk_create(0, 0, 0) == -1 && FTrace_chunk_create(15, 0, 0) == -1);
    CHECK(FTrace_chunk_create(-16, 0, 0) == -1 && FTrace_chunk_create(16, -16, 0) == -1);
    CHECK(FTrace_chunk_create(65535 * 16, 0, 0) == -1 && FTrace_chunk_create(16, 65535 * 16, 0) == -1);
    CHECK(FTrace_chunk_create(0x7FFFFFFF, 0, 0) == -1);
    int number = FTrace_chunk_create(31, 31, 0);
    CHECK(number == 0);
    CHECK(FTrace_get_chunk_table()[0]->slots == 1 && FTrace_get_chunk_table()[0]->emergency == 1);
}

static void states(void)
{
    prepare();
    CHECK(FTrace_actual_chunk_select(chunk_numbers[B]) == -1);          /* linked to: not FREE */
    CHECK(FTrace_actual_chunk_select(chunk_numbers[A]) == -1);          /* current */
    CHECK(FTrace_chunk_link(chunk_numbers[D], chunk_numbers[B]) == -1); /* linked twice */
    CHECK(FTrace_chunk_delete(chunk_numbers[A]) == -1);                 /* current */
    CHECK(FTrace_set_chunk_flags(chunk_numbers[D], FTRACE_CHUNK_FLAG_NODEL) == 0);
    CHECK(FTrace_chunk_delete(chunk_numbers[D]) == 0 && FTrace_get_chunk_table()[chunk_numbers[D]] != NULL);
    CHECK(FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_STOP) == chunk_numbers[C]);
    CHECK(FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_JTN | FTRACE_CHUNK_FLAG_STOP) == chunk_numbers[B]);
    CHECK(FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_CYC) == -1); /* it is no bit */
    CHECK(FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_FREE) == -1);
    CHECK(FTrace_enable() == 0 && FTrace_disable() == 0 && FTrace_enable() == 0);
    /* states are told, not set */
    CHECK(FTrace_set_chunk_flags(chunk_numbers[C], 0xFF) == 0);
    CHECK(flags_of(chunk_numbers[C]) == 0x2D);
}

/* While a chunk is sent it is BUSY, and nothing else may be done to it. */
static int answers_while_busy;

static int sender(const struct tlog_chunk *sent)
{
    (void)sent;
    answers_while_busy = FTrace_send_chunk(chunk_numbers[D], 0, 0) + FTrace_chunk_delete(chunk_numbers[D])
                         + FTrace_set_chunk_flags(chunk_numbers[D], 0) + FTrace_compress_chunk(chunk_numbers[D], 0)
                         + FTrace_actual_chunk_select(chunk_numbers[D])
                         + FTrace_chunk_link(chunk_numbers[A], chunk_numbers[D]);
    return (flags_of(chunk_numbers[D]) & FTRACE_CHUNK_FLAG_BUSY) != 0 ? 0 : 1;
}

static int failing_sender(const struct tlog_chunk *sent)
{
    (void)sent;
    return 7;
}

static void busy(void)
{
    prepare();
    CHECK(FTrace_send_chunk(chunk_numbers[D], 0, FTRACE_CHUNK_FLAG_FREE) == 0); /* without a sender: the flags alone */
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_FREE);
    tlog_chunk_set_sender(sender);
    CHECK(FTrace_send_chunk(chunk_numbers[D], 99, FTRACE_CHUNK_FLAG_JTN) == 0 && answers_while_busy == -6);
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_JTN);
    tlog_chunk_set_sender(failing_sender);
    CHECK(FTrace_send_chunk(chunk_numbers[D], 0, FTRACE_CHUNK_FLAG_FREE) == -1);
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_JTN);
    tlog_chunk_set_sender(NULL);
}

/* The arena is filled, emptied in any order, and filled again, a thousand times: as much fits as at first. */
static void no_leak(void)
{
    reset();
    int most = 0, number;
    while ((number = chunk_make(0)) >= 0)
        most = number;
    CHECK(most > 3 && most < 255);
    for (int round = 0; round < 1000 && !test_has_failed(); round++) {
        for (int i = 0; i <= most; i++)
            CHECK(FTrace_chunk_delete((i * 7 + round) % (most + 1)) == 0);
        for (int i = 0; i <= most; i++)
            CHECK(chunk_make(0) == i);
        CHECK(chunk_make(0) == -1);
    }
}

static void all_numbers(void)
{
    reset();
    for (int i = 0; i < TLOG_CHUNK_NUMBERS; i++)
        CHECK(FTrace_chunk_create(16, 0, 0) == i);
    CHECK(FTrace_chunk_create(16, 0, 0) == -1);
    CHECK(FTrace_chunk_delete(77) == 0 && FTrace_chunk_create(16, 0, 0) == 77);
}

/* ---- chunks in turn ---------------------------------------------------------------------------------------------- */

static uint32_t events_in(int number)
{
    chunk_read_start();
    chunk_read(FTrace_get_chunk_table()[number], NULL);
    return chunk_found.events;
}

/* Every slot is used, the event that fills a chunk is not lost, and the one after it is in the next. */
static void jumps(void)
{
    prepare();
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
    log_many(3 * SLOTS);
    CHECK(events_in(chunk_numbers[A]) == SLOTS && events_in(chunk_numbers[B]) == SLOTS
          && events_in(chunk_numbers[C]) == SLOTS);
    CHECK(tlog_dropped() == 0);
    CHECK(flags_of(chunk_numbers[A]) == (FTRACE_CHUNK_FLAG_JTN | FTRACE_CHUNK_FLAG_FULL));
    CHECK(flags_of(chunk_numbers[C]) == (FTRACE_CHUNK_FLAG_STOP | FTRACE_CHUNK_FLAG_FULL));
    log_many(5);
    CHECK(tlog_dropped() == 5 && events_in(chunk_numbers[C]) == SLOTS);
    /* without FULL the chunk begins its next lap */
    FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_STOP | FTRACE_CHUNK_FLAG_FULL);
    log_many(1);
    CHECK(tlog_dropped() == 6);
    FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_STOP);
    log_many(1);
    CHECK(tlog_dropped() == 6 && flags_of(chunk_numbers[C]) == FTRACE_CHUNK_FLAG_STOP);
}

static void rings(void)
{
    prepare();
    for (int i = A; i <= C; i++)
        FTrace_set_chunk_flags(chunk_numbers[i], FTRACE_CHUNK_FLAG_JTN | FTRACE_CHUNK_FLAG_FREE);
    CHECK(FTrace_chunk_link(chunk_numbers[C], chunk_numbers[A]) == 0);
    log_many(7 * SLOTS + 3);
    chunk_read_all();
    CHECK(chunk_found.kept == 3 * SLOTS && tlog_dropped() == 0 && chunk_found.overwritten == 4 * SLOTS + 3);
    for (uint32_t n = 4 * SLOTS + 3; n < 7 * SLOTS + 3; n++)
        CHECK(chunk_found.seen[n]);
}

static void cyclic(void)
{
    prepare();
    log_many(5 * SLOTS + 1);
    CHECK(events_in(chunk_numbers[A]) == SLOTS && tlog_dropped() == 0 && flags_of(chunk_numbers[A]) == 0);
}

/* A command, in every mode; what is left of the chunk is used when it is selected again. */
static void next_chunk(void)
{
    prepare();
    log_many(3);
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
    log_many(2);
    CHECK(events_in(chunk_numbers[A]) == 3 && events_in(chunk_numbers[B]) == 2);
    FTrace_disable();
    tlog_record_call(FTrace_EVT_next_chunk, 0, 0);
    FTrace_enable();
    log_many(1);
    CHECK(events_in(chunk_numbers[B]) == 3);
    tlog_record_call(FTrace_EVT_next_chunk, 0, 0);
    log_many(1);
    CHECK(events_in(chunk_numbers[C]) == 1);
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0); /* no link */
    log_many(4);
    CHECK(events_in(chunk_numbers[C]) == 1 && tlog_dropped() == 4);
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_FREE);
    CHECK(FTrace_actual_chunk_select(chunk_numbers[A]) == 0);
    log_many(1);
    CHECK(events_in(chunk_numbers[A]) == 4 && chunk_found.own == 2 && tlog_dropped() == 4);
}

static void emergency(void)
{
    prepare();
    CHECK(FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_STOP) == 0);
    CHECK(FTrace_actual_chunk_select(chunk_numbers[C]) == 0);
    log_many(SLOTS);
    log_code(FTrace_EVT_user_event_1);
    CHECK(tlog_dropped() == 1);
    log_code(FTrace_EVT_trace_stop);
    log_code(FTrace_EVT_task_deadline_miss);
    log_code(FTrace_EVT_task_wcet_violation);
    CHECK(tlog_dropped() == 1 && events_in(chunk_numbers[C]) == SLOTS + 3);
    uint32_t n = logged_begin(1);
    tlog_record_emergency(FTrace_EVT_user_event_2, (n ^ LOGGED_SALT) & 0xFFFFu, n);
    CHECK(tlog_dropped() == 1 && events_in(chunk_numbers[C]) == SLOTS + 4);
    log_code(FTrace_EVT_trace_stop);
    CHECK(tlog_dropped() == 2);
    const struct tlog_slot *slot = tlog_chunk_emergency_slots(FTrace_get_chunk_table()[chunk_numbers[C]]);
    CHECK((slot[3].word[0] & 0xFFFFu) == (FTrace_EVT_user_event_2 | TLOG_TAG_ODD));
}

static void fast(void)
{
    prepare();
    FTrace_disable();
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, 7, 8);
    FTrace_enable();
    const uint32_t *word = tlog_chunk_slots(FTrace_get_chunk_table()[chunk_numbers[A]])->word;
    CHECK(word[0] == (7u << 16 | TLOG_RECORD_FAST | TLOG_TAG_ODD | FTrace_EVT_user_event_0) && word[3] == 8);
}

static void filters(void)
{
    prepare();
    const struct tlog_slot *slot = tlog_chunk_slots(FTrace_get_chunk_table()[chunk_numbers[A]]);
    FTrace_set_filter(FTrace_filter_timer, 1);
    CHECK(slot->word[0] == (1u << 16 | TLOG_TAG_ODD | FTrace_filter_timer));
    TRACER_LOGEVENT(FTrace_EVT_timer_post, 1, 2);
    FTrace_set_filter(FTrace_filter_timer, 0);
    TRACER_LOGEVENT(FTrace_EVT_timer_post, 1, 2);
    CHECK(slot[1].word[0] == (TLOG_TAG_ODD | FTrace_filter_timer));
    CHECK(slot[2].word[0] == (1u << 16 | TLOG_TAG_ODD | FTrace_EVT_timer_post));
    FTrace_set_filter(0x0B, 1); /* no filter ids */
    FTrace_set_filter(0xFF, 1);
    FTrace_set_filter(0xFC, 1);
    CHECK((FTrace_get_chunk_table()[chunk_numbers[A]]->cursor >> TLOG_CURSOR_SHIFT) == 4);
}

static void compresses(void)
{
    prepare();
    log_many(SLOTS);
    CHECK(FTrace_compress_chunk(chunk_numbers[A], FTRACE_CHUNK_FLAG_NODEL) == 0);
    CHECK(flags_of(chunk_numbers[A]) == (FTRACE_CHUNK_FLAG_NODEL | FTRACE_CHUNK_FLAG_COMPR));
    int regions = 1;
    while (FTrace_compress_chunk(chunk_numbers[A], 0) == 0)
        regions++;
    CHECK(regions > 3 && flags_of(chunk_numbers[A]) == FTRACE_CHUNK_FLAG_COMPR);
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
    CHECK(FTrace_compress_chunk(chunk_numbers[B], 0) == -1);
    CHECK(FTrace_chunk_delete(chunk_numbers[A]) == 0);
    CHECK(FTrace_compress_chunk(chunk_numbers[B], 0) == 0);
}

/* What follows a deleted chunk's place in memory is not what was linked. */
static void deleted_link(void)
{
    prepare();
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
    CHECK(FTrace_chunk_delete(chunk_numbers[B]) == 0);
    chunk_numbers[B] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
    log_many(SLOTS + 3);
    CHECK(events_in(chunk_numbers[A]) == SLOTS && events_in(chunk_numbers[B]) == 0 && tlog_dropped() == 3);
}

/* ---- all interrupted by all -------------------------------------------------------------------------------------- */

static void op_log(void)
{
    log_many(1);
}

static void op_log_lap(void)
{
    log_many(SLOTS + 1);
}

static void op_log_laps(void)
{
    log_many(2 * SLOTS + 1);
}

static void op_urgent(void)
{
    log_code(FTrace_EVT_task_deadline_miss);
}

static int log_while_sending(const struct tlog_chunk *sent)
{
    /* in this order: an interrupt between the two may leave the chunk */
    bool is_current = ((volatile struct tlog_cpu *)&tlog_cpu0)->cursor == &sent->cursor;
    uint32_t cursor = ((const volatile struct tlog_chunk *)sent)->cursor;
    log_many(SLOTS + 2);
    if (!is_current && ((const volatile struct tlog_chunk *)sent)->cursor != cursor)
        test_fail(__FILE__, __LINE__, "nobody opens what is being sent");
    return 0;
}

/* Counted as lost, though there is room. */
static void op_refuse(void)
{
    log_code(0x109);
}

/* The last ones take events with them, or log some of their own. */
static void (*const ops[])(void) = {
    op_log,       op_log_lap,          op_log_laps,       op_urgent,     op_refuse,          chunk_next,
    chunk_select, chunk_select_back,   chunk_link,        chunk_send,    chunk_send_current, chunk_flags,
    chunk_reopen, chunk_create_delete, chunk_compress,    chunk_tick,    chunk_senders,      chunk_select_stop,
    chunk_filter, chunk_delete,        chunk_delete_next, chunk_replace,
};
enum { OPS = sizeof(ops) / sizeof(ops[0]), FIRST_UNCOUNTED = OPS - 4 };

static void (*interrupting)(void);

static void interrupt(void)
{
    interrupting();
}

static bool is_current(int number)
{
    return tlog_ring_home(&tlog_cpu0) == tlog_chunk_table()[number];
}

/* What is deleted is not current. */
static void check_current(void)
{
    bool is_known = tlog_ring_home(&tlog_cpu0) == tlog_cpu0.ring->first;
    for (int i = 0; i < CHUNKS; i++)
        is_known = is_known || is_current(chunk_numbers[i]);
    CHECK(is_known);
}

static void check_counts(bool counted)
{
    check_current();
    chunk_read_all();
    CHECK(chunk_found.unfinished == 0);
    CHECK(tlog_dropped() - tlog_cpu0.ring->first->reported < 0x80000000u);
    if (chunk_found.overwritten == 0 && counted)
        CHECK(chunk_found.events + tlog_dropped() == logged_count);
    if (chunk_found.overwritten == 0 && counted)
        CHECK(chunk_found.told == tlog_cpu0.ring->first->reported);
}

/* Whatever has happened, a fresh chunk can be had and is logged to. */
static void check_alive(void)
{
    FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
    CHECK(FTrace_actual_chunk_select(chunk_numbers[C]) == 0);
    uint32_t n = logged_count, dropped = tlog_dropped();
    log_many(1);
    chunk_read_all();
    CHECK(chunk_found.seen[n] && tlog_dropped() == dropped);
}

/* States that a schedule begins with: a is selected, with so many events; or b has some events and was left, and a is full
 * and jumps there; or b has none; or c is full and stops; or d has some. */
enum { SOME = 3, FULL = SLOTS, TO_PARKED, TO_FRESH, STOPPED, ALONE };

static void begin(uint32_t state)
{
    prepare();
    if (state == TO_PARKED || state == TO_FRESH)
        chunk_flags();
    if (state == TO_PARKED) {
        chunk_next();
        log_many(SOME);
        chunk_select_back();
    }
    if (state == STOPPED)
        chunk_select_stop();
    if (state == ALONE)
        chunk_select();
    log_many(state < FULL ? state : state == ALONE ? SOME : FULL);
}

/* Nothing but another command keeps a chunk from being selected. */
static void check_selected(int op, int other)
{
    static void (*const harmless[])(void) = {op_log, op_log_lap, op_urgent, op_refuse, chunk_tick, chunk_filter};
    for (uint32_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if ((ops[op] == chunk_select && ops[other] == harmless[i])
            || (ops[other] == chunk_select && ops[op] == harmless[i]))
            CHECK(is_current(chunk_numbers[D]));
}

static bool schedule(int op, int other, uint32_t state, uint32_t delay)
{
    begin(state);
    interrupting = ops[other];
    test_irq_arm(1, delay, interrupt);
    ops[op]();
    bool taken = test_irq_disarm(1);
    if (taken)
        check_selected(op, other);
    log_many(1);
    check_counts(op < FIRST_UNCOUNTED && other < FIRST_UNCOUNTED);
    if (!test_has_failed())
        check_alive();
    return taken;
}

static void sweep(int op, int other, uint32_t state)
{
    static uint32_t schedules;
    bool taken = true;
    test_note("op", (uint32_t)op);
    test_note("other", (uint32_t)other);
    test_note("state", state);
    for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay += TEST_STRIDE) {
        test_note("delay", delay);
        taken = schedule(op, other, state, delay);
        test_note("schedules", ++schedules);
    }
}

static void everywhere(void)
{
    static const uint32_t states[] = {0, SOME, FULL - 1, FULL, TO_PARKED, TO_FRESH, STOPPED, ALONE};
    chunk_sender = log_while_sending;
    tlog_chunk_set_sender(chunk_sender);
    for (int op = 0; op < OPS; op++)
        for (int other = 0; other < OPS; other++)
            for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]) && !test_has_failed(); i++)
                sweep(op, other, states[i]);
    tlog_chunk_set_sender(NULL);
}

#ifdef __unix__
/* ---- any state, any interrupts ----------------------------------------------------------------------------------- */

/* Some primitives, and one more that is interrupted some times, perhaps in an interrupt: what two interrupts, or a state
 * that takes several steps to reach, bring about. The same ones in each run. */
enum { RANDOM_SCHEDULES = 60000, STEPS = 150 };

static uint32_t noise = 1;
static int interrupts_left;
static bool is_counted;

static uint32_t any(uint32_t below)
{
    noise ^= noise << 13;
    noise ^= noise >> 17;
    noise ^= noise << 5;
    return noise % below;
}

static void any_op(void)
{
    uint32_t op = any(OPS);
    is_counted = is_counted && op < FIRST_UNCOUNTED;
    ops[op]();
}

static void any_inner(void)
{
    any_op();
}

static void any_outer(void)
{
    if (any(2))
        test_irq_arm(2, 1u + any(STEPS), any_inner);
    any_op();
    if (--interrupts_left > 0)
        test_irq_arm(1, 1u + any(STEPS / 4), any_outer);
}

static void any_schedule(void)
{
    prepare();
    is_counted = true;
    for (uint32_t n = any(5); n > 0; n--)
        any_op();
    interrupts_left = 1 + (int)any(3);
    test_irq_arm(1, 1u + any(STEPS), any_outer);
    any_op();
    test_irq_disarm(1);
    test_irq_disarm(2);
    log_many(1);
    check_counts(is_counted);
    if (!test_has_failed())
        check_alive();
}

static void any_schedules(void)
{
    chunk_sender = log_while_sending;
    tlog_chunk_set_sender(chunk_sender);
    for (uint32_t i = 0; i < RANDOM_SCHEDULES && !test_has_failed(); i++) {
        test_note("random", i);
        any_schedule();
    }
    tlog_chunk_set_sender(NULL);
}

/* ---- threads that preempt each other ----------------------------------------------------------------------------- */

/* The first one is preempted after some steps by the second, and that one, after some, by the first. An interrupt would
 * return before the first goes on. */
enum { STACK = 65536 };

static ucontext_t rest, context[2];
static char stacks[2][STACK] __attribute__((aligned(16)));
static int work[2], running;
static uint32_t steps_left[2];
static bool has_ended[2];

static void preempt(void)
{
    int from = running;
    if (steps_left[from] == 0 || --steps_left[from] != 0)
        return;
    running = 1 - from;
    tlog_posix_watching = false;
    swapcontext(&context[from], &context[running]);
    tlog_posix_watching = false;
}

static void thread(int self)
{
    ops[work[self]]();
    has_ended[self] = true;
    running = 1 - self;
    setcontext(has_ended[running] ? &rest : &context[running]);
}

static void fresh_contexts(void)
{
    getcontext(&context[0]);
    getcontext(&context[1]);
}

/* As many steps of each, before it is preempted, as given; false in `reached` when it ended before that. */
static void preempted(uint32_t first, uint32_t second, bool reached[2])
{
    fresh_contexts();
    for (int i = 0; i < 2; i++) {
        context[i].uc_stack.ss_sp = stacks[i];
        context[i].uc_stack.ss_size = STACK;
        makecontext(&context[i], (void (*)(void))thread, 1, i);
        has_ended[i] = false;
    }
    steps_left[0] = first;
    steps_left[1] = second;
    running = 0;
    tlog_posix_interrupt = preempt;
    swapcontext(&rest, &context[0]);
    tlog_posix_interrupt = NULL;
    for (int i = 0; i < 2; i++)
        reached[i] = steps_left[i] == 0;
}

static void preempted_everywhere(int op, int other, uint32_t state)
{
    static uint32_t schedules;
    bool reached[2] = {true, true};
    work[0] = op;
    work[1] = other;
    for (uint32_t first = 1; reached[0] && !test_has_failed(); first++) {
        reached[1] = true;
        for (uint32_t second = 1; reached[0] && reached[1] && !test_has_failed(); second++) {
            test_note("first", first);
            test_note("second", second);
            begin(state);
            preempted(first, second, reached);
            log_many(1);
            check_counts(op < FIRST_UNCOUNTED && other < FIRST_UNCOUNTED);
            if (!test_has_failed())
                check_alive();
            test_note("schedules", ++schedules);
        }
    }
}

static int number_of(void (*op)(void))
{
    int number = 0;
    while (ops[number] != op)
        number++;
    return number;
}

static void threads(void)
{
    static void (*const those[])(void) = {op_log, op_urgent, op_refuse, chunk_select, chunk_delete_next, chunk_replace};
    static const uint32_t states[] = {FULL, TO_PARKED, TO_FRESH, STOPPED};
    enum { THOSE = sizeof(those) / sizeof(those[0]) };
    for (uint32_t i = 0; i < THOSE * THOSE * 4u && !test_has_failed(); i++) {
        int op = number_of(those[i / 4u / THOSE]), other = number_of(those[i / 4u % THOSE]);
        test_note("op", (uint32_t)op);
        test_note("other", (uint32_t)other);
        test_note("state", states[i % 4u]);
        preempted_everywhere(op, other, states[i % 4u]);
    }
}
#endif

int test_main(void)
{
    tlog_start();
    test_run("bad numbers", bad_numbers);
    test_run("sizes", sizes);
    test_run("states", states);
    test_run("busy", busy);
    test_run("no leak", no_leak);
    test_run("all numbers", all_numbers);
    test_run("jumps", jumps);
    test_run("rings", rings);
    test_run("cyclic", cyclic);
    test_run("next chunk", next_chunk);
    test_run("emergency", emergency);
    test_run("fast", fast);
    test_run("filters", filters);
    test_run("compresses", compresses);
    test_run("deleted link", deleted_link);
    test_run("every primitive interrupted everywhere by every primitive", everywhere);
#ifdef __unix__
    test_run("any state, any interrupts", any_schedules);
    test_run("threads that preempt each other everywhere", threads);
#endif
    return test_end();
}
