/* app.c - firmware of tests/system/udp/udp.sh: logs events and sends them by UDP through the Ethernet controller.
 *
 * It also writes two files, against which the test compares what arrived: sent.bin holds the slots given to the sender,
 * as they are in memory; figures.bin holds struct figures, the results and times. The ring gets events of two laps, and
 * the clock is set to half of its range in between, so that lap tags and mirror bits take both of their values. */
#include "board.h"
#include "net_udp.h"
#include "out_semihost.h"
#include "out_udp.h"

extern struct tlog_chunk __start_tlog_chunks[];

enum { EVENTS = TLOG_SLOTS + TLOG_SLOTS / 2 };

/* The first and the last slot must arrive. The three between them must not: two are as slots that were never written,
 * one with either lap tag; one is of class 1, so not a record. */
static const struct tlog_slot mixed[] = {
    {{3, 1, 2, 0x02000000u | TLOG_TAG_ODD | 0x09u}},
    {{6, 4, 5, TLOG_SLOT_EMPTY}},
    {{9, 7, 8, 0x00050000u | TLOG_TAG_ODD}},
    {{3, 1, 2, 0x00000401u}},
    {{0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFEu & ~TLOG_CLASS_MASK}},
};

struct figures {
    int32_t before, bad, opened, sent;
    struct tlog_udp_counts counts;
    uint32_t ticks_open, ticks_send; /* of the 25 MHz clock */
};

static uint32_t now(void)
{
    return tlog_port_now_at(tlog_port_clock_start());
}

static void log_events(void)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (i == TLOG_SLOTS)
            BOARD_TIMER0->value = 0x7FFFFFFFu;
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, ~i);
    }
    tlog_disable();
}

int main(void)
{
    static struct figures figures;
    static struct tlog_slot sent[TLOG_SLOTS + 5];
    const struct tlog_slot *slots = (const struct tlog_slot *)(__start_tlog_chunks + 1);
    log_events();
    figures.before = tlog_udp_send_slots(mixed, 1);
    figures.bad = tlog_udp_open("10.0.2.15", "10.0.2.256");
    uint32_t begin = now();
    figures.opened = tlog_udp_open("10.0.2.15", TARGET);
    figures.ticks_open = now() - begin;
    semihost_print(net_error_text(figures.opened));
    semihost_print("\n");
    begin = now();
    if (figures.opened == 0)
        figures.sent = tlog_udp_send_slots(slots, TLOG_SLOTS) | tlog_udp_send_slots(mixed, 5) | tlog_udp_flush();
    figures.ticks_send = now() - begin;
    figures.counts = tlog_udp_counts();
    for (uint32_t i = 0; i < TLOG_SLOTS; i++)
        sent[i] = slots[i];
    for (uint32_t i = 0; i < 5; i++)
        sent[TLOG_SLOTS + i] = mixed[i];
    semihost_write_file("sent.bin", sent, sizeof sent);
    semihost_write_file("figures.bin", &figures, sizeof figures);
    return figures.opened == 0 && figures.sent == 0 ? 0 : 3;
}
