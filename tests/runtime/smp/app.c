/* app.c - the stress test of several CPUs on the target: rounds in which all log at once, set filters and look at each
 * other's slots, each followed by checks at rest. See smp.h.
 *
 * It runs until SMP_EVENTS events are logged and the CPUs have been seen to overlap, at most 40 times as long: a host
 * with other work may let them take turns for a while. If they have not overlapped then, it fails: a run in which the
 * CPUs took turns proves nothing. */
#include "board_cpus.h"
#include "irq.h"
#include "out_semihost.h"
#include "smp.h"

#ifndef SMP_EVENTS
#define SMP_EVENTS 1000000u
#endif
#ifndef SMP_MOVED
/* 1: every other event of a thread goes to another CPU's ring, as if the thread had been moved there. */
#define SMP_MOVED 0
#endif
#define MAX_LOOKS 100000000u                           /* at a filter, while another CPU stands still: seconds */
#define PER_ROUND (TLOG_SLOTS * TLOG_CHUNKS * 3u / 2u) /* events of each thread in a round */

struct smp_counts smp_counts[TLOG_CPUS];
volatile uint32_t smp_issued[TLOG_CPUS][TLOG_CPUS][STREAMS];
volatile bool smp_off;

static volatile uint32_t baton, arrived, busy, gate;
static volatile bool has_ended;
static uint32_t rounds;
static struct tlog_cpu fresh[TLOG_CPUS];

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static struct smp_counts *own_counts(void)
{
    return &smp_counts[tlog_cpu_number()];
}

static void print_number(uint64_t number)
{
    char text[24], *at = text + sizeof(text) - 1;
    uint32_t high = (uint32_t)(number / 1000000000u), low = (uint32_t)(number % 1000000000u);
    *at = 0;
    for (uint32_t digit = 0; digit == 0 || low > 0 || (high > 0 && digit < 9u); digit++, low /= 10u)
        *--at = (char)('0' + low % 10u);
    for (; high > 0; high /= 10u)
        *--at = (char)('0' + high % 10u);
    semihost_print(at);
}

static void print_count(const char *name, uint64_t number)
{
    semihost_print(" ");
    print_number(number);
    semihost_print(name);
}

void smp_violation(const char *what, uint32_t a, uint32_t b)
{
    if (own_counts()->violations++ > 0)
        return;
    semihost_print("violation: ");
    semihost_print(what);
    print_count(",", tlog_cpu_number());
    print_count(",", a);
    print_count("\n", b);
}

void smp_stored(uint32_t failed, const uint32_t *word)
{
    bool is_shared = word == &tlog_cpus[0].muted;
    for (uint32_t i = 0; i < TLOG_CPUS; i++)
        is_shared |= word == &tlog_cpus[i].filter;
    if (failed && is_shared)
        own_counts()->retries++;
}

uint32_t smp_random(void)
{
    static struct {
        uint32_t state;
    } __attribute__((aligned(64))) of[TLOG_CPUS];
    uint32_t *state = &of[tlog_cpu_number()].state;
    *state = *state * 1664525u + 1013904223u + tlog_cpu_number();
    return *state >> 8;
}

static uint32_t add(volatile uint32_t *word, uint32_t n)
{
    return tlog_ring_add((uint32_t *)(uintptr_t)word, n);
}

/* All CPUs wait here for each other. */
static void wait_for_all(void)
{
    uint32_t ticket = add(&arrived, 1u), all = (ticket / TLOG_CPUS + 1u) * TLOG_CPUS;
    while ((int32_t)(arrived - all) < 0)
        __asm volatile("yield");
}

/* On a host with other work, the simulated CPUs may run one after the other. So now and then each waits here until
 * another one comes, and the two continue together. Not in rounds in which logging is disabled at times: a dump must
 * not find all CPUs waiting. */
static void pair_up(void)
{
    uint32_t ticket = add(&gate, 1u), both = (ticket / 2u + 1u) * 2u;
    while ((int32_t)(gate - both) < 0 && busy > 0)
        __asm volatile("yield");
}

/* ---- what is logged ---------------------------------------------------------------------------------------------- */

static uint32_t take_number(uint32_t ring, uint32_t me, enum stream stream)
{
    uint32_t number = smp_issued[ring][me][stream];
    smp_issued[ring][me][stream] = number + 1u;
    own_counts()->events++;
    return number;
}

/* An event of a thread that was moved to another CPU after it had read its CPU's number. */
static void log_moved(uint32_t ring, uint32_t me)
{
    uint32_t number = take_number(ring, me, THREAD);
    tlog_ring_record(&tlog_cpus[ring], FTrace_EVT_user_event_0, smp_mark(me, THREAD, number), number);
}

static void log_thread(uint32_t me)
{
    uint32_t number = take_number(me, me, THREAD);
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, smp_mark(me, THREAD, number), number);
}

static void log_fast(uint32_t me)
{
    uint32_t number = take_number(me, me, FAST);
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_3, smp_mark(me, FAST, number), number);
}

static void log_optional(uint32_t me)
{
    uint32_t number = take_number(me, me, OPTIONAL);
    TRACER_LOGEVENT(FTrace_EVT_signal, smp_mark(me, OPTIONAL, number), number);
}

/* The CPU whose turn it is logs the baton's number and increments it: so each such event is later than the previous
 * one, which another CPU logged. */
static void log_baton(uint32_t me)
{
    uint32_t number = baton;
    if (number % TLOG_CPUS != me)
        return;
    tlog_port_publish();
    take_number(me, me, BATON);
    TRACER_LOGEVENT(FTrace_EVT_user_event_4, smp_mark(me, BATON, number), number);
    tlog_port_publish();
    baton = number + 1u;
}

#if TLOG_TRACEEVENTS
static void log_traceevents(uint32_t me)
{
    uint32_t number = take_number(me, me, SHORT), words[SMP_WORDS];
    tlog_event(TLOG_TRACE_USER, 1, number, smp_mark(me, SHORT, number));
    number = take_number(me, me, LONG);
    for (uint32_t i = 0; i < SMP_WORDS; i++)
        words[i] = number + i;
    words[1] = smp_mark(me, LONG, number);
    tlog_event_words(TLOG_TRACE_USER, 2, words, SMP_WORDS);
}
#else
static void log_traceevents(uint32_t me)
{
    (void)me;
}
#endif

void smp_low_interrupt(void)
{
    uint32_t me = tlog_cpu_number();
    own_counts()->interrupts++;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t number = take_number(me, me, LOW);
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, smp_mark(me, LOW, number), number);
    }
}

void smp_high_interrupt(void)
{
    uint32_t me = tlog_cpu_number(), number = take_number(me, me, HIGH);
    own_counts()->nested++;
    tlog_record_call(FTrace_EVT_user_event_2, smp_mark(me, HIGH, number), number);
}

/* ---- the shared operations --------------------------------------------------------------------------------------- */

/* Look at slots of another CPU, mostly near where that CPU writes. */
static void look_at_others(uint32_t me)
{
    uint32_t ring = (me + 1u + smp_random() % (TLOG_CPUS - 1u)) % TLOG_CPUS, number = smp_random() % TLOG_CHUNKS;
    if (!tlog_ring_is_open(&tlog_cpus[ring]))
        return;
    const volatile struct tlog_chunk *chunk =
        (const volatile struct tlog_chunk *)((uintptr_t)tlog_ring_first(&tlog_cpus[ring])
                                             + number * tlog_cpus[ring].ring->pattern[TLOG_PATTERN_SIZE]);
    uint32_t near = (chunk->cursor >> TLOG_CURSOR_SHIFT) + smp_random() % 8u - 4u;
    for (uint32_t i = 0; i < 4; i++)
        smp_look(ring, number, (near + i + (smp_random() % 4u == 0 ? smp_random() : 0u)) % TLOG_SLOTS + 1u);
}

/* Suppress the family of OPTIONAL events, or not. A change is a mark in each ring. */
static void filter_optional(bool suppress)
{
    const uint32_t bit = 1u << (FTrace_filter_signal & FTrace_family_mask);
    const bool was = tlog_cpus->muted & bit;
    for (uint32_t ring = 0; was != suppress && ring < TLOG_CPUS; ring++)
        smp_issued[ring][0][OPTIONAL]++;
    tlog_filter(FTrace_filter_signal, suppress);
}

static void change_filters(uint32_t turn)
{
    static const struct tlog_sink sink = {smp_sink, 0};
    filter_optional(turn & 1u);
    tlog_filter_bit(16u + turn % 3u, turn & 2u);
    tlog_stop_when_full(TLOG_STOP_WHEN_FULL);
    (void)tlog_dropped();
    if (turn % 16u == 0)
        tlog_name(TLOG_NAME_TASK, turn, "name");
    if (smp_off && turn % 4u < 2u)
        (turn % 4u == 0 ? tlog_disable : tlog_enable)();
    if (smp_off && turn % 128u == 99u)
        tlog_dump(&sink);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Whether a CPU's filter has this CPU's bit as this CPU set it. QEMU makes store-exclusives of compare-and-exchange.
 * So a CPU that was stopped between the two halves of one may store an old value of the filter, which it corrects with
 * its next instructions (apply_filter() in tlog.c). The bit may be wrong until that CPU runs again, and not longer. */
static bool filter_becomes(uint32_t ring, uint32_t bit, bool suppress)
{
    const volatile struct tlog_cpu *cpu = &((volatile struct tlog_cpu *)tlog_cpus)[ring];
    for (uint32_t looks = 0; looks < MAX_LOOKS; looks++) {
        if ((cpu->filter >> bit & 1u) == suppress)
            return true;
        __asm volatile("yield");
    }
    return false;
}

/* All CPUs change the filter words at the same time, each its own bit. On every CPU that bit must be as this CPU set
 * it, and stay so. */
static void filter_own(uint32_t me, bool suppress)
{
    static bool said[TLOG_CPUS];
    for (uint32_t call = 0; call < 2; call++) {
        for (uint32_t i = 0; i < TLOG_CPUS && !smp_off; i++)
            if (!filter_becomes(i, 24u + me, said[me]))
                smp_violation("a filter is not what was said", i, call);
        if (call == 0)
            tlog_filter_bit(24u + me, said[me] = suppress);
    }
}

static void log_some(uint32_t me, uint32_t i)
{
    if (SMP_MOVED && i % 2u == 0)
        log_moved((me + 1u) % TLOG_CPUS, me);
    else
        log_thread(me);
    if (i % 8u == 0)
        log_fast(me);
    if (i % 8u == 4u)
        log_traceevents(me);
    if (smp_off && i % 8u == 2u)
        log_optional(me);
    log_baton(me);
    if (i % 512u == 0 && !smp_off)
        pair_up();
    if (i % 32u == 31u)
        filter_own(me, i & 32u);
}

/* CPU 0 sets filters and looks at slots, and logs, until the others are done. */
static void log_round(uint32_t me)
{
    uint32_t i = 0;
    start_interrupts();
    if (rounds % 8u >= 4u) /* all CPUs open all rings at once */
        tlog_start();
    if (me != 0) {
        for (; i < PER_ROUND; i++)
            log_some(me, i);
        add(&busy, 0u - 1u);
    }
    for (; me == 0 && (busy > 0 || i < PER_ROUND / 16u); i++) {
        log_some(me, i);
        if (i % 16u == 0)
            change_filters(i / 16u);
        if (i % 4u == 0)
            look_at_others(me);
    }
    stop_interrupts();
}

static void begin_round(void)
{
    smp_off = rounds % 4u == 3u;
    busy = TLOG_CPUS - 1u;
    gate = 0;
    tlog_enable();
    if (rounds++ % (TLOG_STOP_WHEN_FULL ? 1u : 4u) != 0)
        return;
    tlog_ring_boot = 0; /* as after a reset: the first events of all CPUs, and tlog_stop_when_full(), open the rings */
    uint32_t muted = tlog_cpus[0].muted;
    for (uint32_t i = 0; i < TLOG_CPUS; i++) {
        tlog_cpus[i] = fresh[i];
        tlog_cpus[i].filter = muted;
        for (uint32_t j = 0; j < TLOG_CPUS; j++)
            for (uint32_t stream = 0; stream < STREAMS; stream++)
                smp_issued[i][j][stream] = 0;
    }
    tlog_cpus[0].muted = muted;
}

static uint64_t total(const uint64_t *first)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CPUS; i++)
        sum += *(const uint64_t *)((uintptr_t)first + i * sizeof(struct smp_counts));
    return sum;
}

static uint32_t total32(const uint32_t *first)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CPUS; i++)
        sum += *(const uint32_t *)((uintptr_t)first + i * sizeof(struct smp_counts));
    return sum;
}

/* If CPUs overlap, at least one in 200 neighbours in time is from another CPU, and some store-exclusives on words that
 * all CPUs change fail. If CPUs take turns, from one pair_up() to the next or longer, at most one in 400 is, and none
 * fails. */
static bool has_overlapped(void)
{
    return total(&smp_counts->switches) * 200u >= total(&smp_counts->pairs) && total32(&smp_counts->retries) > 0
           && total(&smp_counts->unfinished) > 0 && total32(&smp_counts->interrupts) >= 100u;
}

static void end_round(void)
{
    uint64_t events = total(&smp_counts->events);
    smp_check_batons();
    tlog_enable();
    smp_check_state();
    has_ended = total32(&smp_counts->violations) > 0 || events >= 40u * (uint64_t)SMP_EVENTS
                || (events >= SMP_EVENTS && has_overlapped());
}

static void work(void)
{
    uint32_t me = tlog_cpu_number();
    do {
        if (me == 0)
            begin_round();
        wait_for_all();
        log_round(me);
        wait_for_all();
        smp_check_ring(me);
        smp_check_banks(me);
        smp_interleave(me, (me + 1u) % TLOG_CPUS);
        wait_for_all();
        if (me == 0)
            end_round();
        wait_for_all();
    } while (!has_ended);
}

static int report(void)
{
    print_count(" events,", total(&smp_counts->events));
    print_count(" kept and checked,", total(&smp_counts->kept));
    print_count(" neighbours in time,", total(&smp_counts->pairs));
    print_count(" of different CPUs,", total(&smp_counts->switches));
    print_count(" batons,", smp_counts[0].batons);
    print_count(" retries of shared words,", total32(&smp_counts->retries));
    print_count(" interrupts,", total32(&smp_counts->interrupts) + total32(&smp_counts->nested));
    print_count(" looks,", total(&smp_counts->looks));
    print_count(" of them at unfinished slots,", total(&smp_counts->unfinished));
    print_count(" dumps,", total32(&smp_counts->dumps));
    print_count(" seals,", total32(&smp_counts->sealed));
    print_count(" violations\n", total32(&smp_counts->violations));
    if (total32(&smp_counts->violations) > 0)
        return 1;
    if (!has_overlapped())
        semihost_print("FAIL: the CPUs did not overlap, so this run proves nothing\n");
    return has_overlapped() ? 0 : 2;
}

int main(void)
{
    for (uint32_t i = 0; i < TLOG_CPUS; i++)
        fresh[i] = tlog_cpus[i];
    for (uint32_t i = 1; i < TLOG_CPUS; i++)
        if (board_start_cpu(i, work) != 0)
            semihost_exit(3);
    work();
    semihost_exit(report());
}
