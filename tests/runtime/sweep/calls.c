/* calls.c - one function for every public call that logs, or that controls logging; it does nothing else. */
#include "runtime/chunk_ops.h"
#include "lib/logged.h"
#include "calls.h"
#include "tlog.h"

/* Included as source: the ring of names is private to these files, of which one is empty. */
#include "src/tlog_minimal_name.c"
#include "src/tlog_name.c"

void sweep_names_reset(bool opened)
{
    uint32_t *cursor = &name_rings[0].first->cursor;
#if !TLOG_MINIMAL
    for (uint32_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        links[i] = 0;
    for (uint32_t i = 0; i < sizeof(journal) / sizeof(journal[0]); i++)
        journal[i] = TLOG_SLOT_EMPTY; /* as below */
    hands[0] = 0;
#endif
    if (!opened) {
        names[0] = (struct tlog_cpu)TLOG_CPU_INIT(&name_rings[0]);
        return;
    }
    tlog_ring_start_names(&names[0]);
    for (uint32_t i = 4; i < 4u * TLOG_NAME_SLOTS + 4u; i++)
        cursor[i] = TLOG_SLOT_EMPTY; /* words that no fact has, so that each one is written again; and heads */
    *cursor = TLOG_CURSOR_STEP | TLOG_TAG_ODD;
    name_rings[0].first->dropped = name_rings[0].first->reported = 0;
}

#define PAR1(n) ((n) ^ LOGGED_SALT) /* only the lower 16 bits are logged */

static void log_inline(uint32_t n)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, PAR1(n), n);
}

static void log_fast(uint32_t n)
{
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, PAR1(n), n);
}

static void log_call(uint32_t n)
{
    tlog_record_call(FTrace_EVT_user_event_0, PAR1(n), n);
}

static void log_any(uint32_t n)
{
    volatile uint32_t code = FTrace_EVT_user_event_0;
    TRACER_LOGEVENT(code, PAR1(n), n);
}

static void log_emergency(uint32_t n)
{
    tlog_record_emergency(FTrace_EVT_user_event_0, PAR1(n), n);
}

/* 0x100 is not a code: the event is dropped and counted. */
static void log_nothing(uint32_t n)
{
    tlog_record_call(0x100u, PAR1(n), n);
}

static void tick(uint32_t n)
{
    (void)n;
    tlog_tick();
}

static void filter(uint32_t n)
{
    tlog_filter(FTrace_filter_timer, true);
    TRACER_LOGEVENT(FTrace_EVT_timer_post, n, n);
    tlog_filter(FTrace_filter_timer, false);
}

static void disable(uint32_t n)
{
    tlog_disable();
    TRACER_LOGEVENT(FTrace_EVT_timer_post, n, n);
    tlog_enable();
}

static void shark_disable(uint32_t n)
{
    (void)n;
    FTrace_disable();
    FTrace_enable();
}

static void name(uint32_t n)
{
    tlog_name(TLOG_NAME_TASK, n, "abcdefghijk");
}

static void start(uint32_t n)
{
    (void)n;
    tlog_start();
}

static void dropped(uint32_t n)
{
    (void)n;
    (void)tlog_dropped();
}

#if TLOG_TRACEEVENTS
volatile uint32_t sweep_class = TLOG_TRACE_USER, sweep_event = 1;

/* In words with an even index the lowest byte is n's; all words differ. */
static void event(uint32_t n)
{
    tlog_event(TLOG_TRACE_USER, 1, n, ~n);
}

static void event_any(uint32_t n)
{
    tlog_event(sweep_class, sweep_event, n, ~n);
}

static void words_inline(uint32_t n)
{
    const uint32_t words[5] = {n, ~n, n + 0x100u, n - 1u, n + 0x200u};
    tlog_event_words(TLOG_TRACE_USER, 1, words, 5);
}

static void words_any(uint32_t n)
{
    const uint32_t words[8] = {n, ~n, n + 0x100u, n - 1u, n + 0x200u, n - 2u, n + 0x300u, n - 3u};
    volatile uint32_t count = 8;
    tlog_event_words(TLOG_TRACE_USER, 1, words, count);
}

/* The first byte of every word is n + 1. */
static void text(uint32_t n)
{
    const char c = (char)(n + 1u);
    const char bytes[16] = {c, 1, 1, 1, c, 1, 1, 1, c, 1, 1, 1, c, 1, 1, 0};
    tlog_event_text(TLOG_TRACE_USER, 2, bytes);
}

static void qnx(uint32_t n)
{
    trace_logi(1, n, ~n);
}

static void qnx_bytes(uint32_t n)
{
    const uint32_t words[3] = {n, ~n, n + 0x100u};
    trace_logb(1, words, sizeof(words));
}

static void print(uint32_t n)
{
    TLOG_PRINTK("event %u", (unsigned)n);
}

static void print_two(uint32_t n)
{
    TLOG_PRINTK("event %u %u", (unsigned)n, (unsigned)~n);
}

static void print_six(uint32_t n)
{
    TLOG_PRINTK("event %u %u %u %u %u %u", (unsigned)n, (unsigned)~n, (unsigned)n + 1u, (unsigned)n + 2u,
                (unsigned)n + 3u, (unsigned)n + 4u);
}

static void print_many(uint32_t n)
{
    TLOG_PRINTK("event %u %u %s", (unsigned)n, (unsigned)~n, "text");
}

/* Each in a group of its own, because the linker numbers the events of a group in any order. */
TLOG_DEFINE_EVENT(sweep_two, (u32, a), (u32, b))
#undef TLOG_EVENT_GROUP
#define TLOG_EVENT_GROUP 1
TLOG_DEFINE_EVENT(sweep_four, (u32, a), (u8, b), (i16, c), (u32, d), (u32, e))

static void own_two(uint32_t n)
{
    trace_sweep_two(n, ~n);
}

static void own_four(uint32_t n)
{
    trace_sweep_four(n, (uint8_t)n, (int16_t)n, n + 0x100u, n - 1u);
}

static void filter_class(uint32_t n)
{
    tlog_filter_class(TLOG_TRACE_COMM, true);
    tlog_event(TLOG_TRACE_COMM, 1, n, n);
    tlog_filter_class(TLOG_TRACE_COMM, false);
}
#endif

#if TLOG_ARENA
#define OP(op)                                                                                                         \
    static void op_##op(uint32_t n)                                                                                    \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        chunk_##op();                                                                                                  \
    }
OP(next)
OP(next_event)
OP(select)
OP(select_back)
OP(select_stop)
OP(link)
OP(send)
OP(send_current)
OP(flags)
OP(reopen)
OP(senders)
OP(filter)
OP(delete)
OP(delete_next)
OP(compress)
OP(create_delete)
OP(replace)
#endif

const struct sweep_call sweep_calls[] = {
    {"TRACER_LOGEVENT", log_inline, 1, SWEEP_LOGS},
    {"FAST_TRACER_LOGEVENT", log_fast, 1, SWEEP_LOGS | SWEEP_FAST},
    {"tlog_record_call", log_call, 1, SWEEP_LOGS},
    {"TRACER_LOGEVENT of any code", log_any, 1, SWEEP_LOGS},
    {"tlog_record_emergency", log_emergency, 1, SWEEP_LOGS | SWEEP_URGENT},
    {"tlog_record_call refused", log_nothing, 0, SWEEP_LOGS},
    {"tlog_tick", tick, 0, 0},
    {"tlog_filter", filter, 0, SWEEP_MUTES | SWEEP_FILTERS},
    {"tlog_disable", disable, 0, SWEEP_MUTES | SWEEP_FILTERS},
    {"FTrace_disable", shark_disable, 0, SWEEP_MUTES | SWEEP_FILTERS},
    {"tlog_name", name, 0, 0},
    {"tlog_start", start, 0, 0},
    {"tlog_dropped", dropped, 0, 0},
#if TLOG_TRACEEVENTS
    {"tlog_event", event, 1, SWEEP_LOGS},
    {"tlog_event of any class", event_any, 1, SWEEP_LOGS},
    {"tlog_event_words", words_inline, 3, SWEEP_LOGS},
    {"tlog_event_words of any count", words_any, 4, SWEEP_LOGS},
    {"tlog_event_text", text, 2, SWEEP_LOGS},
    {"trace_logi", qnx, 1, SWEEP_LOGS},
    {"trace_logb", qnx_bytes, 2, SWEEP_LOGS},
    {"own event", own_two, 1, SWEEP_LOGS},
    {"own event of four words", own_four, 2, SWEEP_LOGS},
    {"TLOG_PRINTK", print, 1, SWEEP_LOGS},
    {"TLOG_PRINTK of two words", print_two, 2, SWEEP_LOGS},
    {"TLOG_PRINTK of six words", print_six, 4, SWEEP_LOGS},
    {"TLOG_PRINTK of a text", print_many, 3, SWEEP_LOGS},
    {"tlog_filter_class", filter_class, 0, SWEEP_FILTERS},
#endif
#if TLOG_ARENA
    {"tlog_next_chunk", op_next, 0, SWEEP_CHUNKS | SWEEP_LEAVES},
    {"FTrace_EVT_next_chunk", op_next_event, 0, SWEEP_CHUNKS | SWEEP_LEAVES},
    {"FTrace_actual_chunk_select", op_select, 0, SWEEP_CHUNKS | SWEEP_LEAVES},
    {"FTrace_actual_chunk_select of the first", op_select_back, 0, SWEEP_CHUNKS},
    {"FTrace_actual_chunk_select of one that stops", op_select_stop, 0, SWEEP_CHUNKS | SWEEP_LEAVES},
    {"FTrace_chunk_link", op_link, 0, SWEEP_CHUNKS},
    {"FTrace_send_chunk", op_send, 0, SWEEP_CHUNKS | SWEEP_SENDS},
    {"FTrace_send_chunk of the current one", op_send_current, 0, SWEEP_CHUNKS | SWEEP_SENDS},
    {"FTrace_set_chunk_flags and those that ask", op_flags, 0, SWEEP_CHUNKS},
    {"FTrace_set_chunk_flags of all", op_reopen, 0, SWEEP_CHUNKS},
    {"FTrace_init_disk_writer and the like", op_senders, 0, SWEEP_CHUNKS | SWEEP_DIVERTS},
    {"FTrace_set_filter", op_filter, 0, SWEEP_CHUNKS | SWEEP_MUTES | SWEEP_FILTERS},
    {"FTrace_chunk_delete", op_delete, 0, SWEEP_CHUNKS | SWEEP_DELETES | SWEEP_LONG_EVEN},
    {"FTrace_chunk_delete of the next", op_delete_next, 0, SWEEP_CHUNKS | SWEEP_DELETES | SWEEP_LONG_ODD},
    {"FTrace_compress_chunk", op_compress, 0, SWEEP_CHUNKS | SWEEP_LONG},
    {"FTrace_chunk_create, delete", op_create_delete, 0, SWEEP_CHUNKS | SWEEP_LONG_ODD},
    {"FTrace_chunk_delete, create", op_replace, 0, SWEEP_CHUNKS | SWEEP_DELETES | SWEEP_LONG_EVEN},
#endif
};

const uint32_t sweep_call_count = sizeof(sweep_calls) / sizeof(sweep_calls[0]);
