/* every_call.c - calls every public function and macro at least once. configs.sh and headers.sh compile and link it, as
 * C and as C++, in every configuration; it is not run.
 *
 * Calls that log are in the functions named use_*(): with TLOG_ENABLE = 0 each of them must compile to a return. */
#include "net_lan9118.h"
#include "net_udp.h"
#include "out_semihost.h"
#include "out_udp.h"
#include "tlog.h"
#include "tlog_chunk.h"
#include "tlog_event.h"
#include "tlog_fault.h"
#include "tlog_irq.h"
#include "tlog_pack.h"
#include "tlog_printk.h"
#include "tlog_shark.h"

static const uint32_t words[TLOG_FAULT_WORDS] = {1};
static char text[] = "text";

static int sink_write(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes;
    return length > 0 ? 0 : -1;
}
static const struct tlog_sink sink = {sink_write, 0};

TLOG_BEGIN_C
void use_records(uint32_t a, uint32_t b);
void use_control(uint32_t a, bool b);
void use_dump(void);
void use_fault(void);
void use_interrupts(void);
void use_chunks(int a, int b);
void use_chunks_by_number(int a);
void use_shark(int a, FTrace_flags b);
void use_shark_senders(int a, char *b);
void use_events(uint32_t a, uint32_t b);
void use_printk(int a, const char *b);
void use_define(uint32_t a, const char *b);
void use_udp(const struct tlog_chunk *a);
void use_pack(const struct tlog_chunk *a);
void reboot(void);
void many(uint32_t a, uint32_t b);
void other(int a);
void entry(void);
void __cyg_profile_func_enter(void *function, void *site); /* in tlog_func.c, where the compiler has them called */
void __cyg_profile_func_exit(void *function, void *site);
TLOG_END_C

void use_records(uint32_t a, uint32_t b)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
    TRACER_LOGEVENT(a, a, b);
    FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_1, a, b);
    tlog_record_call(FTrace_EVT_user_event_2, a, b);
    tlog_record_any(a, b, FTrace_EVT_user_event_2);
    tlog_record(FTrace_EVT_user_event_2, a, b);
    tlog_record(a, a, b);
    tlog_record_fast(FTrace_EVT_user_event_2, a, b);
    tlog_record_emergency(FTrace_EVT_user_event_2, a, b);
}

void use_control(uint32_t a, bool b)
{
    tlog_disable();
    tlog_enable();
    tlog_filter(FTrace_filter_user, b);
    tlog_filter_bit(a, b);
    tlog_stop_when_full(b);
    tlog_tick();
    tlog_start();
    (void)tlog_clock_slept(a);
    tlog_sleep_begin();
    tlog_sleep_end();
#if TLOG_ENABLE /* it waits without tlog, too */
    tlog_wfi();
#endif
#if TLOG_CLOCK_CHANGES || !TLOG_ENABLE
    tlog_clock_rate(a);
#endif
    (void)tlog_dropped();
    tlog_name(TLOG_NAME_TASK, a, "a");
}

void use_dump(void)
{
    (void)tlog_dump(&sink);
    (void)tlog_last_run(&sink);
    (void)tlog_old_runs();
    (void)tlog_chunk_behind(tlog_chunk_behind(0));
}

void use_fault(void)
{
    (void)tlog_fault_log(words);
#ifdef __arm__
    (void)tlog_fault(words, TLOG_FAULT_SLOTS);
#endif
}

void reboot(void)
{
#ifdef __arm__
    board_exit(1);
#endif
}

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
TLOG_FAULT_HANDLER(fault_handler, reboot)
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'A'
TLOG_FAULT_VECTOR(fault_handler, TLOG_FAULT_DATA_ABORT, reboot)
#endif

#ifdef __arm__
TLOG_ISR(use_handler, 33)
{
}
#endif
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
TLOG_ISR(use_another)
{
}
#endif

void use_interrupts(void)
{
#if !TLOG_ENABLE || defined(TLOG_PORT_V7M_H)
    tlog_irq_keep(15);
    (void)tlog_irq_trace();
    (void)tlog_irq_set(16, use_interrupts);
#endif
}

void use_chunks(int a, int b)
{
#if TLOG_ARENA || !TLOG_ENABLE
    tlog_chunk_reset();
    (void)tlog_chunk_create((uint32_t)a, (uint32_t)b, TLOG_CHUNK_FREE);
    (void)tlog_chunk_link(a, b);
    (void)tlog_chunk_first(TLOG_CHUNK_FREE);
    (void)tlog_chunk_table();
    tlog_chunk_set_sender(0);
    tlog_next_chunk();
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
#else
    (void)a, (void)b;
#endif
}

void use_chunks_by_number(int a)
{
#if TLOG_ARENA || !TLOG_ENABLE
    (void)tlog_chunk_delete(a);
    (void)tlog_chunk_set_flags(a, TLOG_CHUNK_FREE);
    (void)tlog_chunk_flags(a);
    (void)tlog_chunk_select(a);
    (void)tlog_chunk_compress(a, TLOG_CHUNK_FREE);
    (void)tlog_chunk_send(a, TLOG_CHUNK_FREE);
#else
    (void)a;
#endif
}

void use_shark(int a, FTrace_flags b)
{
    (void)FTrace_enable();
    (void)FTrace_disable();
    FTrace_set_filter(FTrace_filter_user, a);
#if TLOG_ARENA || !TLOG_ENABLE
    (void)FTrace_chunk_create(a, a, b);
    (void)FTrace_chunk_delete(a);
    (void)FTrace_set_chunk_flags(a, b);
    (void)FTrace_get_chunk_flags(a, &b);
    (void)FTrace_actual_chunk_select(a);
    (void)FTrace_chunk_link(a, a);
    (void)FTrace_get_first_chunk(b);
    (void)FTrace_compress_chunk(a, b);
    (void)FTrace_send_chunk(a, a, b);
#else
    (void)b;
#endif
}

void use_shark_senders(int a, char *b)
{
#if (TLOG_ARENA && defined(__arm__)) || !TLOG_ENABLE
    (void)FTrace_init_disk_writer(b, a, b, b);
    FTrace_disk_writer(FTrace_get_chunk_table()[0]);
    (void)FTrace_OSD_init_udp(a, b, b);
#else
    (void)a, (void)b;
#endif
}

void use_events(uint32_t a, uint32_t b)
{
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    tlog_event(TLOG_TRACE_USER, 7, a, b);
    tlog_event(a, b, a, b);
    tlog_event_words(TLOG_TRACE_USER, 7, words, 6);
    tlog_event_words(TLOG_TRACE_USER, 7, words, 16);
    tlog_event_words(a, b, words, a);
    tlog_event_text(TLOG_TRACE_USER, 7, text);
    tlog_filter_class(a, true);
    (void)trace_logi(7, a, b);
    (void)trace_logb(7, words, sizeof(words));
    (void)trace_logbc(_TRACE_USER_C, 7, words, sizeof(words));
    (void)trace_logs(7, text);
#else
    (void)a, (void)b;
#endif
}

void use_printk(int a, const char *b)
{
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    TLOG_PRINTK("nothing");
    TLOG_PRINTK("%d of %s", a, b);
    TLOG_PRINTK("%s %p %u", text, (const void *)b, (unsigned)a);
    TLOG_PRINTK("%c %ld %lu %lld", 'c', (long)a, (unsigned long)a, (long long)a);
    TLOG_PRINTK("%llu %f %Lf %d %d %d %d %d", (unsigned long long)a, (double)a, (long double)a, a, a, a, a, a);
#else
    (void)a, (void)b;
#endif
}

#if TLOG_TRACEEVENTS || !TLOG_ENABLE || defined(__arm__)
TLOG_DEFINE_EVENT(own_small, (u8, a), (i16, b, "mV"))
TLOG_DEFINE_SPAN(own_span)
#endif
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
enum own_state { OWN_IDLE, OWN_RUN };
TLOG_DEFINE_EVENT(own_all, (u64, a), (i64, b), (f32, c), (f64, d), (enum8, e, OWN_IDLE, OWN_RUN), (flags16, f, OWN_RUN),
                  (ptr, g), (str, h))
TLOG_DEFINE_EVENT(own_arrays, (u8[3], a), (u16[9], b), (u32[20], c))
#endif

void use_define(uint32_t a, const char *b)
{
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    static const uint8_t bytes[3] = {1};
    static const uint16_t halves[9] = {1};
    static const uint32_t some[20] = {1};
    trace_own_all(a, -1, 1.5f, 2.5, OWN_RUN, OWN_RUN, b, b);
    trace_own_arrays(bytes, halves, some);
    TLOG_ERROR("%u", (unsigned)a);
    TLOG_WARNING("none");
    TLOG_INFO("%s", b);
    TLOG_DEBUG("none");
    tlog_filter_level(TLOG_LEVEL_INFO, true);
#endif
#if TLOG_TRACEEVENTS || !TLOG_ENABLE || defined(__arm__)
    TLOG_SPAN_SCOPE(own_span);
    trace_own_small((uint8_t)a, -120);
    TLOG_SPAN_BEGIN(own_span);
    TLOG_SPAN_END(own_span);
    TLOG_COUNTER(own_counter, (int32_t)a);
#endif
    tlog_filter_group(a, true);
    tlog_group_enable(text, true);
    (void)a, (void)b;
}

void use_udp(const struct tlog_chunk *a)
{
#ifdef __arm__
    (void)tlog_udp_open("192.168.1.10", "192.168.1.1");
    (void)tlog_udp_send_slots(tlog_chunk_slots(a), a->slots);
    (void)tlog_udp_put_slots(tlog_chunk_emergency_slots(a), a->emergency);
    (void)tlog_udp_flush();
    (void)tlog_udp_counts();
#else
    (void)a;
#endif
}

void use_pack(const struct tlog_chunk *a)
{
    static struct tlog_pack work;
    static uint32_t region[64];
    (void)tlog_pack(a, region, sizeof(region), &work);
}

/* Functions that still work with TLOG_ENABLE = 0: network and files. */
void other(int a)
{
#if TLOG_TRACEEVENTS || !TLOG_ENABLE
    __cyg_profile_func_enter(text, text);
    __cyg_profile_func_exit(text, text);
#endif
#ifdef __arm__
    struct net_udp_config config = {&net_lan9118, "192.168.1.10", "192.168.1.1", 0, 0, 20000, {0, 0, 0, 0, 0, 0}};
    uint32_t address;
    if (net_udp_open(&config) == NET_OK && net_udp_payload())
        (void)net_udp_send(4);
    (void)net_parse_address("192.168.1.1", &address);
    net_wait(1);
    semihost_print(net_error_text(a));
    a = semihost_open(text);
    (void)semihost_write(a, text, sizeof(text));
    (void)semihost_close(a);
    (void)semihost_write_file(text, text, sizeof(text));
    (void)tlog_semihost_save(text);
    tlog_disk_write_queued();
    semihost_exit(a);
#else
    (void)a;
#endif
}

/* A long function: the constants of every call must still be within reach of its load instructions. */
#define FOUR(f)    f f f f
#define SIXTEEN(f) FOUR(f) FOUR(f) FOUR(f) FOUR(f)
void many(uint32_t a, uint32_t b)
{
    FOUR(SIXTEEN(TRACER_LOGEVENT(FTrace_EVT_user_event_1, a, b);))
}

void entry(void)
{
    use_records(1, 2);
    use_control(1, true);
    use_dump();
    use_fault();
    use_interrupts();
    use_chunks(1, 2);
    use_chunks_by_number(1);
    use_shark(1, 0);
    use_shark_senders(1, text);
    use_events(1, 2);
    use_printk(1, text);
    use_define(1, text);
    use_udp(0);
    use_pack(0);
    many(1, 2);
    other(1);
}
