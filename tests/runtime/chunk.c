/* chunk.c - chunks made at run time: every answer of every primitive, and each primitive interrupted by every other
 * one.
 *
 * It runs on the host and on the target. The memory is read as FORMAT.md says: every event is found whole, at most
 * once, in order of time in its chunk, with a stamp between its call and its return. While nothing was overwritten or
 * deleted, the number of logged events = found events + dropped events. */
#include "chunk.h"

/* ---- a fresh start ----------------------------------------------------------------------------------------------- */

static void reset(void)
{
    logged_count = 0;
    chunk_reset();
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
    /* the bits that report states are not set */
    CHECK(FTrace_set_chunk_flags(chunk_numbers[C], 0xFF) == 0);
    CHECK(flags_of(chunk_numbers[C]) == 0x2D);
}

/* While a chunk is being sent it is BUSY, and every other operation on it fails. */
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
    CHECK(FTrace_send_chunk(chunk_numbers[D], 0, FTRACE_CHUNK_FLAG_FREE)
          == 0); /* without a sender only the flags are set */
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_FREE);
    tlog_chunk_set_sender(sender);
    CHECK(FTrace_send_chunk(chunk_numbers[D], 99, FTRACE_CHUNK_FLAG_JTN) == 0 && answers_while_busy == -6);
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_JTN);
    tlog_chunk_set_sender(failing_sender);
    CHECK(FTrace_send_chunk(chunk_numbers[D], 0, FTRACE_CHUNK_FLAG_FREE) == -1);
    CHECK(flags_of(chunk_numbers[D]) == FTRACE_CHUNK_FLAG_JTN);
    tlog_chunk_set_sender(NULL);
}

/* The arena is filled, emptied in varying order, and filled again, a thousand times: it always holds as much as at
 * first. */
static void no_leak(void)
{
    reset();
    int most = 0, number;
    while ((number = chunk_make(0)) >= 0)
        most = number;
    CHECK(most > 3 && most < 255);
    for (int round = 0; round < 1000 && !test_has_failed(); round += (int)TEST_PART) {
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

/* Every slot is used, the event that fills a chunk is not lost, and the event after it is in the next chunk. */
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

/* With flag 0 the network is as the application has set it up. The host's test has no network. */
static void network_of_the_application(void)
{
    CHECK(FTrace_EVT_empty == 0);
#ifndef __unix__
    static char local[] = "10.0.2.15", target[] = "10.0.2.2";
    prepare();
    CHECK(FTrace_OSD_init_udp(0, local, target) == 0 && FTrace_OSD_init_udp(0, NULL, NULL) == 0);
    CHECK(FTrace_OSD_init_udp(1, NULL, target) == -1);
    tlog_chunk_set_sender(NULL);
#endif
}

/* The loop of an application that sends all full chunks ends, and sends each once; what was sent and filled again is
 * sent again. */
static int sent_full(void)
{
    int number, count = 0;
    while (count < 10 && (number = FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_FULL)) >= 0) {
        if (FTrace_send_chunk(number, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN) != 0)
            return -1;
        count++;
    }
    return count;
}

static void full_is_told_once(void)
{
    prepare();
    for (int i = A; i <= C; i++)
        FTrace_set_chunk_flags(chunk_numbers[i], FTRACE_CHUNK_FLAG_JTN | FTRACE_CHUNK_FLAG_FREE);
    CHECK(FTrace_chunk_link(chunk_numbers[C], chunk_numbers[A]) == 0);
    log_many(2 * SLOTS + 1);
    CHECK(sent_full() == 2 && sent_full() == 0 && events_in(chunk_numbers[A]) == SLOTS);
    log_many(3 * SLOTS);
    CHECK(sent_full() == 2 && tlog_dropped() == 0);
    FTrace_set_chunk_flags(chunk_numbers[B], FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
    CHECK(flags_of(chunk_numbers[B]) == FTRACE_CHUNK_FLAG_FREE);
    prepare(); /* the last chunk has no link: once sent it begins its next lap */
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
    FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_JTN);
    log_many(3 * SLOTS + 2);
    CHECK(tlog_dropped() == 2 && sent_full() == 3);
    log_many(1);
    CHECK(tlog_dropped() == 2);
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

/* next_chunk is a command that works in every mode. The free rest of the chunk is used when it is selected again. */
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
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0); /* the chunk has no link */
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
    CHECK((slot[3].word[TLOG_WORD_HEAD] & 0xFFFFu) == (FTrace_EVT_user_event_2 | TLOG_TAG_ODD));
}

static void fast(void)
{
    prepare();
    FTrace_disable();
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, 7, 8);
    FTrace_enable();
    const uint32_t *word = tlog_chunk_slots(FTrace_get_chunk_table()[chunk_numbers[A]])->word;
    CHECK(word[TLOG_WORD_HEAD] == (TLOG_TAG_ODD | FTrace_EVT_trace_stop));
    CHECK(word[4 + TLOG_WORD_HEAD] == (7u << 16 | TLOG_RECORD_FAST | TLOG_TAG_ODD | FTrace_EVT_user_event_0)
          && word[4 + TLOG_WORD_PAR2] == 8);
}

static void filters(void)
{
    prepare();
    const struct tlog_slot *slot = tlog_chunk_slots(FTrace_get_chunk_table()[chunk_numbers[A]]);
    FTrace_set_filter(FTrace_filter_timer, 1);
    CHECK(slot->word[TLOG_WORD_HEAD] == (1u << 16 | TLOG_TAG_ODD | FTrace_filter_timer));
    TRACER_LOGEVENT(FTrace_EVT_timer_post, 1, 2);
    FTrace_set_filter(FTrace_filter_timer, 0);
    TRACER_LOGEVENT(FTrace_EVT_timer_post, 1, 2);
    CHECK(slot[1].word[TLOG_WORD_HEAD] == (TLOG_TAG_ODD | FTrace_filter_timer));
    CHECK(slot[2].word[TLOG_WORD_HEAD] == (1u << 16 | TLOG_TAG_ODD | FTrace_EVT_timer_post));
    FTrace_set_filter(0x0B, 1); /* these are not filter ids */
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

/* A link to a deleted chunk is gone, even if a new chunk takes its place in memory. */
static void deleted_link(void)
{
    prepare();
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
    CHECK(FTrace_chunk_delete(chunk_numbers[B]) == 0);
    chunk_numbers[B] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
    log_many(SLOTS + 3);
    CHECK(events_in(chunk_numbers[A]) == SLOTS && events_in(chunk_numbers[B]) == 0 && tlog_dropped() == 3);
}

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
    test_run("full is told once", full_is_told_once);
    test_run("network of the application", network_of_the_application);
    test_run("rings", rings);
    test_run("cyclic", cyclic);
    test_run("next chunk", next_chunk);
    test_run("emergency", emergency);
    test_run("fast", fast);
    test_run("filters", filters);
    test_run("compresses", compresses);
    test_run("deleted link", deleted_link);
    test_chunk_irq();
    return test_end();
}
