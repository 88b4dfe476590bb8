/* chunk_irq.c - chunk operations under interruption: every primitive interrupted at every step by every other one,
 * random schedules, and threads that preempt each other. */
#ifdef __unix__
#define _XOPEN_SOURCE 700
#include <ucontext.h>
#endif

#include "chunk.h"

/* ---- every primitive interrupted by every primitive -------------------------------------------------------------- */

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
    /* the current chunk is read before the cursor: an interrupt between the two reads may leave the chunk */
    bool is_current = ((volatile struct tlog_cpu *)&tlog_cpu0)->cursor == &sent->cursor;
    uint32_t cursor = ((const volatile struct tlog_chunk *)sent)->cursor;
    log_many(SLOTS + 2);
    if (!is_current && ((const volatile struct tlog_chunk *)sent)->cursor != cursor)
        test_fail(__FILE__, __LINE__, "a chunk that is being sent is not opened");
    return 0;
}

/* Code 0x109 is refused: the event counts as lost, though there is room. */
static void op_refuse(void)
{
    log_code(0x109);
}

/* From FIRST_UNCOUNTED on, primitives delete events or log events of their own, so logged and found events cannot be
 * counted. */
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

/* The current chunk is one that exists: the first one, or one of the test's. */
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

/* Whatever the schedule did, a chunk can still be selected and logged to. */
static void check_alive(void)
{
    FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
    CHECK(FTrace_actual_chunk_select(chunk_numbers[C]) == 0);
    uint32_t n = logged_count, dropped = tlog_dropped();
    log_many(1);
    chunk_read_all();
    CHECK(chunk_found.seen[n] && tlog_dropped() == dropped);
}

/* States that a schedule begins with. A number up to FULL: chunk A is selected and holds that many events. TO_PARKED,
 * TO_FRESH: A is full and jumps to B, which holds some events and was left, or is empty. STOPPED: C is full and stops.
 * ALONE: D is selected and holds some events. */
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

/* If D is selected and only a harmless primitive interferes, D stays current: D has no link to jump to. */
static void check_selected(int op, int other)
{
    static void (*const harmless[])(void) = {op_log,     op_log_lap, op_urgent,   op_refuse,
                                             chunk_next, chunk_tick, chunk_filter};
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
            for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]) && !test_has_failed(); i += TEST_PART)
                sweep(op, other, states[i]);
    tlog_chunk_set_sender(NULL);
}

#ifdef __unix__
/* ---- any state, any interrupts ----------------------------------------------------------------------------------- */

/* Some primitives run, then one more that is interrupted several times, perhaps inside an interrupt. This reaches
 * states that need two interrupts or several steps. The sequence is pseudo-random, and the same in each run. */
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
    for (uint32_t i = 0; i < RANDOM_SCHEDULES && !test_has_failed(); i += TEST_PART * TEST_PART) {
        test_note("random", i);
        any_schedule();
    }
    tlog_chunk_set_sender(NULL);
}

/* ---- threads that preempt each other ----------------------------------------------------------------------------- */

/* The first thread is preempted after some steps by the second, and the second, after some steps, by the first. An
 * interrupt would have to return before the first thread continues. */
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

/* Runs both threads; each is preempted once after the given number of steps. reached[i] is false if thread i ended
 * before. */
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
        for (uint32_t second = 1; reached[0] && reached[1] && !test_has_failed(); second += TEST_PART) {
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
    static void (*const primitives[])(void) = {op_log,       op_urgent,         op_refuse,
                                               chunk_select, chunk_delete_next, chunk_replace};
    static const uint32_t states[] = {FULL, TO_PARKED, TO_FRESH, STOPPED};
    enum { PRIMITIVES = sizeof(primitives) / sizeof(primitives[0]) };
    for (uint32_t i = 0; i < PRIMITIVES * PRIMITIVES * 4u && !test_has_failed(); i++) {
        int op = number_of(primitives[i / 4u / PRIMITIVES]), other = number_of(primitives[i / 4u % PRIMITIVES]);
        test_note("op", (uint32_t)op);
        test_note("other", (uint32_t)other);
        test_note("state", states[i % 4u]);
        preempted_everywhere(op, other, states[i % 4u]);
    }
}
#endif

void test_chunk_irq(void)
{
    test_run("every primitive interrupted everywhere by every primitive", everywhere);
#ifdef __unix__
    test_run("any state, any interrupts", any_schedules);
    test_run("threads that preempt each other everywhere", threads);
#endif
}
