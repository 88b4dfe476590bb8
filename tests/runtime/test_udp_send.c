/* test_udp_send.c - the UDP sender of port/ on a fake Ethernet device, whose sent frames are checked field by field. */
#include "base/bytes.h"
#include "net_udp.h"
#include "out_udp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* ---- a fake Ethernet device -------------------------------------------------------------------------------------- */

#define FRAMES 64

struct frame {
    uint8_t byte[1600];
    uint32_t size;
    uint32_t clock; /* the clock when it was sent */
};

static struct {
    uint8_t mac[6];
    int open_result, link_after, link_error;
    int fail_from, fail_with; /* sending fails from frame fail_from on, with error fail_with */
    struct frame sent[FRAMES];
    int nsent;
    struct frame queue[FRAMES]; /* frames that receive returns, one per call */
    int nqueue, at;
} fake;

static int fake_open(const uint8_t mac[6])
{
    memcpy(fake.mac, mac, 6);
    return fake.open_result;
}

static int fake_link(void)
{
    if (fake.link_error)
        return fake.link_error;
    return fake.link_after-- <= 0;
}

static int fake_send(const void *frame, uint32_t length)
{
    struct frame *to = &fake.sent[fake.nsent];
    assert_in_range(length, 60, 1514);
    assert_true(fake.nsent < FRAMES);
    if (fake.fail_with && fake.nsent >= fake.fail_from)
        return fake.fail_with;
    memcpy(to->byte, frame, length);
    to->size = length;
    to->clock = tlog_posix_clock;
    fake.nsent++;
    return 0;
}

static int fake_receive(void *frame, uint32_t room)
{
    uint32_t size;
    if (fake.at == fake.nqueue)
        return 0;
    size = fake.queue[fake.at].size;
    if (size > room)
        size = room;
    memcpy(frame, fake.queue[fake.at++].byte, size);
    return (int)size;
}

const struct net_device net_lan9118 = {fake_open, fake_link, fake_send, fake_receive};

static const char local[] = "10.0.2.15", target[] = "10.0.2.2";
static const uint8_t our_mac[6] = {2, 0, 10, 0, 2, 15}, peer_mac[6] = {0x52, 0x55, 10, 0, 2, 2};

static uint32_t be16(const uint8_t *at)
{
    return (uint32_t)(at[0] << 8 | at[1]);
}

static uint32_t be32(const uint8_t *at)
{
    return be16(at) << 16 | be16(at + 2);
}

/* Queues an ARP reply from peer_mac. Returns its bytes, so that a test can damage it. */
static uint8_t *queue_reply(const char *from)
{
    static const uint8_t head[] = {0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 2};
    struct frame *frame = &fake.queue[fake.nqueue++];
    memset(frame, 0, sizeof *frame);
    frame->size = 60;
    memcpy(frame->byte, our_mac, 6);
    memcpy(frame->byte + 6, peer_mac, 6);
    memcpy(frame->byte + 12, head, sizeof head);
    memcpy(frame->byte + 22, peer_mac, 6);
    inet_pton(AF_INET, from, frame->byte + 28);
    memcpy(frame->byte + 32, our_mac, 6);
    inet_pton(AF_INET, local, frame->byte + 38);
    return frame->byte;
}

static int start(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    return 0;
}

/* Opens the sender, and discards the ARP request it sent. */
static void open_sender(void)
{
    start(NULL);
    queue_reply(target);
    assert_int_equal(tlog_udp_open(local, target), 0);
    assert_int_equal(fake.nsent, 1);
    fake.nsent = 0;
}

/* ---- frames, taken apart ----------------------------------------------------------------------------------------- */

/* Internet checksum, the textbook way: 0 over a region that contains its own right checksum. */
static uint32_t check(const uint8_t *at, size_t size, uint32_t sum)
{
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return ~sum & 0xFFFF;
}

/* Checks everything up to the UDP payload; returns the payload's size. */
static uint32_t assert_headers(const struct frame *frame, uint16_t port)
{
    const uint8_t *ip = frame->byte + 14, *udp = ip + 20;
    uint32_t length = be16(udp + 4);
    assert_memory_equal(frame->byte, peer_mac, 6);
    assert_memory_equal(frame->byte + 6, our_mac, 6);
    assert_int_equal(be16(frame->byte + 12), 0x0800);
    assert_int_equal(ip[0], 0x45);
    assert_int_equal(ip[1], 0);
    assert_int_equal(be16(ip + 2), 20 + length);
    assert_int_equal(be16(ip + 6), 0x4000);
    assert_int_equal(ip[8], 64);
    assert_int_equal(ip[9], 17);
    assert_int_equal(check(ip, 20, 0), 0);
    assert_int_equal(be32(ip + 12), 0x0A00020F);
    assert_int_equal(be32(ip + 16), 0x0A000202);
    assert_int_equal(be16(udp), port);
    assert_int_equal(be16(udp + 2), port);
    assert_int_not_equal(be16(udp + 6), 0);
    assert_int_equal(check(ip + 12, 8 + length, 17 + length), 0);
    assert_int_equal(frame->size, 34 + length < 60 ? 60 : 34 + length);
    return length - 8;
}

static void test_arp_request(void **state)
{
    static const uint8_t expected[60] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 10, 0, 2,  15, 8, 6,
                                         0,    1,    8,    0,    6,    4,    0, 1, 2,  0, 10, 0,  2, 15,
                                         10,   0,    2,    15,   0,    0,    0, 0, 0,  0, 10, 0,  2, 2};
    (void)state;
    queue_reply(target);
    assert_int_equal(tlog_udp_open(local, target), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(fake.sent[0].size, sizeof expected);
    assert_memory_equal(fake.sent[0].byte, expected, sizeof expected);
    assert_memory_equal(fake.mac, our_mac, 6);
}

/* A reply that differs in any field which makes it the right answer is ignored. */
static void test_arp_replies(void **state)
{
    static const int fields[] = {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 28, 29, 30, 31, 38, 39, 40, 41};
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        queue_reply(target)[fields[i]] ^= 0x40;
    queue_reply(target)[22] |= 1;
    queue_reply(target)[21] = 1;
    queue_reply(target);
    fake.queue[fake.nqueue - 1].size = 41;
    assert_int_equal(tlog_udp_open(local, target), NET_NO_ANSWER);
    assert_int_equal(fake.nsent, NET_ARP_TRIES);
    assert_int_equal(fake.at, fake.nqueue);
    queue_reply(target);
    assert_int_equal(tlog_udp_open(local, target), 0);
    assert_int_equal(fake.nsent, NET_ARP_TRIES + 1);
}

static void test_arp_time(void **state)
{
    uint32_t begin = tlog_posix_clock;
    (void)state;
    assert_int_equal(tlog_udp_open(local, target), NET_NO_ANSWER);
    for (int i = 1; i < NET_ARP_TRIES; i++)
        assert_in_range(fake.sent[i].clock - fake.sent[i - 1].clock, NET_ARP_MS * 100, NET_ARP_MS * 110);
    assert_in_range(tlog_posix_clock - begin, NET_ARP_TRIES * NET_ARP_MS * 100, NET_ARP_TRIES * NET_ARP_MS * 110);
    assert_int_equal(tlog_udp_send_slots(&(struct tlog_slot){{0, 0, 0, 9}}, 1), NET_NOT_OPEN);
}

static int open_through(const char *to, const char *mask, const char *gateway)
{
    struct net_udp_config config = {&net_lan9118, local, to, mask, gateway, 20000, {0x06, 1, 2, 3, 4, 5}};
    return net_udp_open(&config);
}

static void test_gateway(void **state)
{
    static const struct {
        const char *to, *mask, *gateway, *asked;
    } cases[] = {
        {"10.0.2.99", "255.255.255.0", "10.0.2.2", "10.0.2.99"},
        {"10.0.3.99", "255.255.255.0", "10.0.2.2", "10.0.2.2"},
        {"10.0.3.99", "255.255.0.0", "10.0.2.2", "10.0.3.99"},
        {"10.0.2.14", "255.255.255.255", "10.0.2.2", "10.0.2.2"},
        {"10.0.3.99", "255.255.255.0", NULL, "10.0.3.99"},
        {"10.0.3.99", NULL, "10.0.2.2", "10.0.3.99"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(state);
        queue_reply(cases[i].asked);
        assert_int_equal(open_through(cases[i].to, cases[i].mask, cases[i].gateway), 0);
        assert_memory_equal(fake.mac, "\x06\1\2\3\4\5", 6);
        assert_int_equal(net_udp_send(0), 0);
        assert_memory_equal(fake.sent[1].byte, peer_mac, 6);
        assert_int_equal(be32(fake.sent[1].byte + 30), ntohl(inet_addr(cases[i].to)));
    }
    assert_int_equal(open_through("10.0.3.99", "255.255.255", "10.0.2.2"), NET_BAD_ADDRESS);
    assert_int_equal(open_through("10.0.3.99", "255.255.255.0", "10.0.2"), NET_BAD_ADDRESS);
}

static void test_link(void **state)
{
    uint32_t begin = tlog_posix_clock;
    (void)state;
    fake.link_after = 1 << 30;
    assert_int_equal(tlog_udp_open(local, target), NET_NO_LINK);
    assert_in_range(tlog_posix_clock - begin, NET_LINK_MS * 100, NET_LINK_MS * 110);
    assert_int_equal(fake.nsent, 0);
    fake.link_after = 1000;
    queue_reply(target);
    assert_int_equal(tlog_udp_open(local, target), 0);
    fake.link_error = NET_STUCK;
    assert_int_equal(tlog_udp_open(local, target), NET_STUCK);
    assert_int_equal(tlog_udp_flush(), 0);
    fake.open_result = NET_NO_DEVICE;
    assert_int_equal(tlog_udp_open(local, target), NET_NO_DEVICE);
    start(state);
    fake.fail_with = NET_NOT_SENT;
    assert_int_equal(tlog_udp_open(local, target), NET_NOT_SENT);
}

static void test_addresses(void **state)
{
    static const char *const bad[] = {"",          "10.0.2",    "10.0.2.",   "10.0.2.2.", "10.0.2.256",
                                      "10.0.2.2 ", " 10.0.2.2", "10..2.2",   "10.0.2.-2", "10.0.2.0002",
                                      "a.b.c.d",   "0.0.0.0",   "0.1.2.3",   "224.0.0.1", "255.255.255.255",
                                      "10.0.2.2x", "10,0,2,2",  "10.0.2.999"};
    uint32_t address;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tlog_udp_open(bad[i], target), NET_BAD_ADDRESS);
        assert_int_equal(tlog_udp_open(local, bad[i]), NET_BAD_ADDRESS);
    }
    assert_int_equal(tlog_udp_open(local, local), NET_BAD_ADDRESS);
    assert_int_equal(fake.nsent, 0);
    assert_int_equal(net_parse_address("192.168.001.10", &address), 0);
    assert_int_equal(address, 0xC0A8010A);
    for (int error = 0; error >= NET_NOT_SENT; error--)
        assert_string_not_equal(net_error_text(error), "unknown error");
    assert_string_equal(net_error_text(NET_NOT_SENT - 1), "unknown error");
    assert_string_equal(net_error_text(1), "unknown error");
}

/* Every length, so every number of bytes left over by the sum; and the checksum 0, which has to be sent as 0xFFFF. */
static void test_checksums(void **state)
{
    uint8_t *payload = net_udp_payload();
    (void)state;
    open_sender();
    for (uint32_t length = 0; length <= NET_PAYLOAD_MAX; length++) {
        fake.nsent = 0;
        for (uint32_t i = 0; i < NET_PAYLOAD_MAX; i++)
            payload[i] = (uint8_t)(i * 7u + length + 200u);
        assert_int_equal(net_udp_send(length), 0);
        assert_int_equal(assert_headers(&fake.sent[0], 20000), length);
        for (uint32_t i = 0; i < length; i++)
            assert_int_equal(fake.sent[0].byte[42 + i], (uint8_t)(i * 7u + length + 200u));
    }
    srand(1);
    for (int i = 0; i < 2000; i++) { /* sums that carry once, and sums that carry twice */
        fake.nsent = 0;
        for (uint32_t k = 0; k < NET_PAYLOAD_MAX; k++)
            payload[k] = (uint8_t)(rand() >> 8);
        assert_int_equal(net_udp_send(NET_PAYLOAD_MAX), 0);
        assert_headers(&fake.sent[0], 20000);
    }
    assert_int_equal(net_udp_send(NET_PAYLOAD_MAX + 1), NET_TOO_LONG);
    memset(payload, 0, 32);
    fake.nsent = 0;
    assert_int_equal(net_udp_send(32), 0);
    memcpy(payload, fake.sent[0].byte + 40, 2);
    assert_int_equal(net_udp_send(32), 0);
    assert_int_equal(be16(fake.sent[1].byte + 40), 0xFFFF);
    assert_headers(&fake.sent[1], 20000);
}

/* ---- datagrams --------------------------------------------------------------------------------------------------- */

/* Number of the next packet: the sender never resets its count. */
static uint32_t next_packet(void)
{
    return tlog_udp_counts().packets + 1;
}

static void test_golden(void **state)
{
    /* seed-systems.md, 1.8 and 1.1: first datagram, of two records, 56 bytes */
    static const uint8_t expected[56] = {0x54, 0x52, 0x41, 0x43, 0x45, 0x52, 0x2d, 0x56, 0x31, 0x2e, 0x30, 0x00,
                                         0x01, 0,    0,    0,    0x02, 0,    0,    0,    0x38, 0,    0,    0,
                                         0x09, 0,    0x34, 0x12, 1,    0,    0,    0,    0x89, 0x67, 0x45, 0x23,
                                         0xEF, 0xBE, 0xAD, 0xDE, 0x20, 0,    0,    1,    5,    0,    0,    0,
                                         0xae, 0x27, 0xbf, 0xa8, 0x7b, 0x9b, 0x05, 0};
    static const struct tlog_slot slots[] = {{{0xDEADBEEF, 1, 0x23456789, 0x12340009u | TLOG_TAG_ODD}},
                                             {{367483, 0x80000005u, 0xa8bf27ae, 0x01000020u | TLOG_TAG_EVEN}}};
    (void)state;
    open_sender();
    assert_int_equal(next_packet(), 1); /* so this test must be the first */
    assert_int_equal(tlog_udp_send_slots(slots, 2), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(assert_headers(&fake.sent[0], 20000), sizeof expected);
    assert_memory_equal(fake.sent[0].byte + 42, expected, sizeof expected);
}

/* Chunks of every size: records arrive in order, each once, at most 60 in a datagram, and packet numbers have no gap.
 */
static void test_sizes(void **state)
{
    static struct tlog_slot slots[200];
    (void)state;
    for (uint32_t n = 0; n <= 200; n++) {
        uint32_t first = next_packet();
        uint32_t seen = 0;
        open_sender();
        for (uint32_t i = 0; i < n; i++)
            slots[i] = (struct tlog_slot){{n, 0, i, i << 16 | 0x19 | TLOG_TAG_ODD}};
        assert_int_equal(tlog_udp_send_slots(slots, n), 0);
        assert_int_equal(fake.nsent, (n + 59) / 60);
        for (int f = 0; f < fake.nsent; f++) {
            const uint8_t *at = fake.sent[f].byte + 42;
            uint32_t size = assert_headers(&fake.sent[f], 20000), count = get_le32(at + 16);
            assert_true(size < 1000);
            assert_int_equal(size, 24 + 16 * count);
            assert_int_equal(get_le32(at + 20), size);
            assert_int_equal(get_le32(at + 12), first + (uint32_t)f);
            assert_int_equal(count, n - seen < 60 ? n - seen : 60);
            for (at += 24; count-- > 0; at += 16, seen++) {
                assert_int_equal(get_le32(at), seen << 16 | 0x19);
                assert_int_equal(get_le32(at + 8), seen);
            }
        }
        assert_int_equal(seen, n);
    }
}

static void test_slots_left_out(void **state)
{
    static const struct tlog_slot slots[] = {
        {{3, 1, 2, TLOG_SLOT_EMPTY}},
        {{3, 1, 2, TLOG_TAG_ODD | 0xFFFF0000u}},
        {{3, 1, 2, 0x00010401u}},
        {{3, 1, 2, 0xC0007C00u | TLOG_TAG_ODD}},
        {{3, 1, 2, 0}},
        {{0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xABCD83FEu}},
        {{3, 1, 2, TLOG_SLOT_EMPTY}},
    };
    uint32_t foreign = tlog_udp_counts().foreign;
    (void)state;
    open_sender();
    assert_int_equal(tlog_udp_send_slots(slots, 5), 0);
    assert_int_equal(fake.nsent, 0);
    assert_int_equal(tlog_udp_send_slots(slots, 7), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(get_le32(fake.sent[0].byte + 58), 1);
    assert_int_equal(get_le32(fake.sent[0].byte + 66), 0xABCD80FE);
    assert_int_equal(get_le32(fake.sent[0].byte + 70), 0x7FFFFFFF);
    assert_int_equal(get_le32(fake.sent[0].byte + 74), 0xFFFFFFFF);
    assert_int_equal(get_le32(fake.sent[0].byte + 78), 0xFFFFFFFF);
    assert_int_equal(tlog_udp_counts().foreign, foreign + 4);
    assert_int_equal(tlog_udp_flush(), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(tlog_udp_put_slots(slots + 5, 1), 0);
    assert_int_equal(tlog_udp_put_slots(slots + 5, 1), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(tlog_udp_flush(), 0);
    assert_int_equal(get_le32(fake.sent[1].byte + 58), 2);
}

static void test_pause(void **state)
{
    static struct tlog_slot slots[300];
    (void)state;
    open_sender();
    for (int i = 0; i < 300; i++)
        slots[i].word[TLOG_WORD_HEAD] = 9;
    assert_int_equal(tlog_udp_send_slots(slots, 300), 0);
    for (int i = 1; i < 5; i++)
        assert_in_range(fake.sent[i].clock - fake.sent[i - 1].clock, 500, 520);
    assert_in_range(tlog_posix_clock - fake.sent[4].clock, 500, 520);
}

/* If a datagram cannot be sent, its number and its records are lost, and nothing else. */
static void test_send_fails(void **state)
{
    static struct tlog_slot slots[150];
    struct tlog_udp_counts before, after;
    (void)state;
    open_sender();
    before = tlog_udp_counts();
    for (uint32_t i = 0; i < 150; i++)
        slots[i] = (struct tlog_slot){{0, 0, i, 9}};
    fake.fail_from = 1;
    fake.fail_with = NET_NOT_SENT;
    assert_int_equal(tlog_udp_send_slots(slots, 150), NET_NOT_SENT);
    after = tlog_udp_counts();
    assert_int_equal(after.packets, before.packets + 2);
    assert_int_equal(after.failed, before.failed + 1);
    assert_int_equal(after.records, before.records + 60);
    fake.fail_with = 0;
    assert_int_equal(tlog_udp_send_slots(slots + 149, 1), 0);
    assert_int_equal(fake.nsent, 2);
    assert_int_equal(get_le32(fake.sent[1].byte + 54), before.packets + 3);
    assert_int_equal(get_le32(fake.sent[1].byte + 58), 1);
    assert_int_equal(get_le32(fake.sent[1].byte + 74), 149);
}

#define SENDER(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENDER(test_golden),  SENDER(test_arp_request),    SENDER(test_arp_replies), SENDER(test_arp_time),
        SENDER(test_gateway), SENDER(test_link),           SENDER(test_addresses),   SENDER(test_checksums),
        SENDER(test_sizes),   SENDER(test_slots_left_out), SENDER(test_pause),       SENDER(test_send_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
