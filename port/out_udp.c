/* SPDX-License-Identifier: MIT */
/* out_udp.c - collects the records of slots in datagrams, and sends these: see out_udp.h. */
#include "out_udp.h"
#include "net_lan9118.h"
#include "net_udp.h"

#if TLOG_ENABLE

#ifndef TLOG_UDP_DEVICE
#define TLOG_UDP_DEVICE net_lan9118
#endif

enum { TLOG_UDP_HEADER_WORDS = 6, TLOG_UDP_RECORD_WORDS = 4, TLOG_UDP_LIMIT_BYTES = 1000 };
enum {
    TLOG_UDP_HEADER_BYTES = TLOG_UDP_HEADER_WORDS * 4,
    TLOG_UDP_RECORDS_MAX = (TLOG_UDP_LIMIT_BYTES - 1 - TLOG_UDP_HEADER_BYTES) / 16
};
enum { TLOG_UDP_CODE_MASK = 0xFFFF };

_Static_assert(TLOG_UDP_RECORDS_MAX == 60, "a datagram has less than 1000 bytes");
_Static_assert(TLOG_UDP_HEADER_BYTES + TLOG_UDP_RECORDS_MAX * 16 <= NET_PAYLOAD_MAX, "NET_PAYLOAD_MAX: 984 at least");
_Static_assert(TLOG_UDP_PORT > 0 && TLOG_UDP_PORT < 65536, "TLOG_UDP_PORT: 1..65535");

static struct tlog_udp_counts counts;
static uint32_t pending; /* records in the datagram that is being filled */

static uint32_t little(uint32_t word)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) : word;
}

int tlog_udp_open(const char *local_ip, const char *target_ip)
{
    struct net_udp_config config = {&TLOG_UDP_DEVICE, local_ip,      target_ip,     TLOG_UDP_MASK,
                                    TLOG_UDP_GATEWAY, TLOG_UDP_PORT, {TLOG_UDP_MAC}};
    pending = 0;
    return net_udp_open(&config);
}

int tlog_udp_flush(void)
{
    uint32_t *word = net_udp_payload();
    uint32_t records = pending, bytes = TLOG_UDP_HEADER_BYTES + records * 16u;
    if (records == 0)
        return 0;
    word[0] = little(0x43415254u); /* "TRAC" */
    word[1] = little(0x562D5245u); /* "ER-V" */
    word[2] = little(0x00302E31u); /* "1.0" */
    word[3] = little(++counts.packets);
    word[4] = little(records);
    word[5] = little(bytes);
    pending = 0;
    int result = net_udp_send(bytes);
    if (result == 0)
        counts.records += records;
    else
        counts.failed++;
    net_wait(TLOG_UDP_PAUSE_MS);
    return result;
}

/* Add the slot's record to the datagram; false if the slot holds no record. */
static bool put_slot(const struct tlog_slot *slot)
{
    uint32_t *word = (uint32_t *)net_udp_payload() + TLOG_UDP_HEADER_WORDS + pending * TLOG_UDP_RECORD_WORDS;
    uint32_t first = tlog_shark_head(slot);
    if ((first & TLOG_UDP_CODE_MASK) == 0)
        return false;
    if (first & TLOG_CLASS_MASK) {
        counts.foreign++;
        return false;
    }
    word[0] = little(first);
    word[1] = little(tlog_ring_wraps(slot->word[TLOG_WORD_HIGH]));
    word[2] = little(slot->word[TLOG_WORD_LOW]);
    word[3] = little(slot->word[TLOG_WORD_PAR2]);
    return true;
}

int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count)
{
    for (const struct tlog_slot *end = slots + count; slots < end; slots++) {
        if (put_slot(slots) && ++pending == TLOG_UDP_RECORDS_MAX) {
            int result = tlog_udp_flush();
            if (result != 0)
                return result;
        }
    }
    return 0;
}

int tlog_udp_send_slots(const struct tlog_slot *slots, uint32_t count)
{
    int result = tlog_udp_put_slots(slots, count);
    return result != 0 ? result : tlog_udp_flush();
}

struct tlog_udp_counts tlog_udp_counts(void)
{
    return counts;
}

#endif
