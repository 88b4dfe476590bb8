/* test_udp.c - both ends of the UDP path: the sender of port/ on a fake Ethernet device, whose frames are taken apart
 * here, and the receiver of host/ on this machine's loopback. Upper bounds of times are loose: the machine may be busy.
 */
#include "bytes.h"
#include "input_udp.h"
#include "net_udp.h"
#include "out_udp.h"
#include "trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a fake Ethernet device -------------------------------------------------------------------------------------- */

#define FRAMES 64

struct frame {
    uint8_t byte[1600];
    uint32_t size;
    uint32_t clock; /* when it was sent */
};

static struct {
    uint8_t mac[6];
    int open_result, link_after, link_error;
    int fail_from, fail_with; /* frames from this one on are not sent */
    struct frame sent[FRAMES];
    int nsent;
    struct frame queue[FRAMES]; /* what receive gives, one by one */
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

/* An ARP reply from peer_mac; the test spoils it as it likes. */
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

/* A sender that is open; its ARP request is forgotten. */
static void open_sender(void)
{
    start(NULL);
    queue_reply(target);
    assert_int_equal(tlog_udp_open(local, target), 0);
    assert_int_equal(fake.nsent, 1);
    fake.nsent = 0;
}

/* ---- frames, taken apart ----------------------------------------------------------------------------------------- */

/* Internet checksum, the textbook way: 0 over a region that holds its own right checksum. */
static uint32_t check(const uint8_t *at, size_t size, uint32_t sum)
{
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return ~sum & 0xFFFF;
}

/* Everything up to the UDP payload; its size. */
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

/* Everything but the answer is passed over, in every field that makes it the answer. */
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
    assert_int_equal(tlog_udp_send_slots(&(struct tlog_slot){{9, 0, 0, 0}}, 1), NET_NOT_OPEN);
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

/* Every length, so every number of bytes left over; and the one checksum that has to be written otherwise. */
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
    for (int i = 0; i < 2000; i++) { /* sums that carry once, and those that carry twice */
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

/* Number of the next packet: the sender counts as long as it lives. */
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
    static const struct tlog_slot slots[] = {{{0x12340009u | TLOG_TAG_ODD, 1, 0x23456789, 0xDEADBEEF}},
                                             {{0x01000020u | TLOG_TAG_EVEN, 0x80000005u, 0xa8bf27ae, 367483}}};

    (void)state;
    open_sender();
    assert_int_equal(next_packet(), 1); /* so this test comes first */
    assert_int_equal(tlog_udp_send_slots(slots, 2), 0);
    assert_int_equal(fake.nsent, 1);
    assert_int_equal(assert_headers(&fake.sent[0], 20000), sizeof expected);
    assert_memory_equal(fake.sent[0].byte + 42, expected, sizeof expected);
}

/* Chunks of every size: records in order, each once, never more than 60 in a datagram, numbers without a gap. */
static void test_sizes(void **state)
{
    static struct tlog_slot slots[200];

    (void)state;
    for (uint32_t n = 0; n <= 200; n++) {
        uint32_t first = next_packet();
        uint32_t seen = 0;

        open_sender();
        for (uint32_t i = 0; i < n; i++)
            slots[i] = (struct tlog_slot){{i << 16 | 0x19 | TLOG_TAG_ODD, 0, i, n}};
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
        {{TLOG_SLOT_EMPTY, 1, 2, 3}},
        {{TLOG_TAG_ODD | 0xFFFF0000u, 1, 2, 3}},
        {{0x00010401u, 1, 2, 3}},
        {{0xC0007C00u | TLOG_TAG_ODD, 1, 2, 3}},
        {{0, 1, 2, 3}},
        {{0xABCD83FEu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu}},
        {{TLOG_SLOT_EMPTY, 1, 2, 3}},
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
        slots[i].word[0] = 9;
    assert_int_equal(tlog_udp_send_slots(slots, 300), 0);
    for (int i = 1; i < 5; i++)
        assert_in_range(fake.sent[i].clock - fake.sent[i - 1].clock, 500, 520);
    assert_in_range(tlog_posix_clock - fake.sent[4].clock, 500, 520);
}

/* A datagram that does not go out takes its number and its records with it, and nothing else. */
static void test_send_fails(void **state)
{
    static struct tlog_slot slots[150];
    struct tlog_udp_counts before, after;

    (void)state;
    open_sender();
    before = tlog_udp_counts();
    for (uint32_t i = 0; i < 150; i++)
        slots[i] = (struct tlog_slot){{9, 0, i, 0}};
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

/* ---- a receiver on the loopback ---------------------------------------------------------------------------------- */

struct link {
    struct trace trace;
    int receiver, sender;
    struct sockaddr_in address;
    struct udp_received got;
    int result;
};

static int loopback(const char *from)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, from, &address.sin_addr);
    assert_return_code(fd, 0);
    assert_return_code(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void link_open(struct link *link)
{
    socklen_t length = sizeof link->address;

    memset(link, 0, sizeof *link);
    trace_init(&link->trace, "udp:0");
    link->trace.quiet = true;
    link->receiver = input_udp_listen(&link->trace, "udp:0");
    assert_return_code(link->receiver, 0);
    assert_int_equal(getsockname(link->receiver, (struct sockaddr *)&link->address, &length), 0);
    assert_int_equal(link->address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    link->sender = loopback("127.0.0.1");
}

static void put_bytes(const struct link *link, int from, const void *bytes, size_t size)
{
    assert_int_equal(sendto(from, bytes, size, 0, (const struct sockaddr *)&link->address, sizeof link->address), size);
}

/* Packet number n of a run: its records are made of both numbers and their place. */
static size_t make_packet(unsigned char *to, uint32_t number, uint32_t run, uint32_t records)
{
    memcpy(to, "TRACER-V1.0", 12);
    put_le32(to + 12, number);
    put_le32(to + 16, records);
    put_le32(to + 20, 24 + 16 * records);
    for (uint32_t i = 0; i < records; i++) {
        put_le32(to + 24 + 16 * i, i << 16 | 9);
        put_le32(to + 28 + 16 * i, run);
        put_le32(to + 32 + 16 * i, number);
        put_le32(to + 36 + 16 * i, i);
    }
    return 24 + 16 * (size_t)records;
}

static uint32_t records_of(uint32_t number)
{
    return number % 4;
}

static void put_packet(const struct link *link, uint32_t number)
{
    unsigned char packet[24 + 16 * 4];

    put_bytes(link, link->sender, packet, make_packet(packet, number, 0, records_of(number)));
}

static void link_receive(struct link *link, struct input_until until)
{
    link->result = input_udp_receive(&link->trace, link->receiver, &until, &link->got);
}

static void link_close(struct link *link)
{
    close(link->receiver);
    close(link->sender);
    if (link->result == 0) {
        close(link->got.fd);
        free(link->got.gaps);
    }
    trace_free(&link->trace);
}

/* What came are these packets, in this order and nothing else. */
static void assert_packets(const struct link *link, const uint32_t *number, size_t n)
{
    unsigned char expected[24 + 16 * 4], got[16 * 4];
    off_t at = 0;

    assert_int_equal(link->result, 0);
    for (size_t i = 0; i < n; i++) {
        size_t size = make_packet(expected, number[i], 0, records_of(number[i])) - 24;

        assert_int_equal(pread(link->got.fd, got, size, at), size);
        assert_memory_equal(got, expected + 24, size);
        at += (off_t)size;
    }
    assert_int_equal(link->got.size, at);
    assert_int_equal(lseek(link->got.fd, 0, SEEK_END), at);
}

static const struct input_until soon = {.wait_ms = 60, .idle_ms = 30};

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static void test_whole(void **state)
{
    static const uint32_t all[] = {1, 2, 3, 4, 5, 6};
    struct sigaction before, after;
    struct link link;

    (void)state;
    sigaction(SIGINT, NULL, &before);
    link_open(&link);
    for (uint32_t i = 1; i <= 6; i++)
        put_packet(&link, i);
    put_bytes(&link, link.sender, "", 0);
    link_receive(&link, soon);
    sigaction(SIGINT, NULL, &after);
    assert_true(after.sa_handler == before.sa_handler);
    assert_packets(&link, all, 6);
    assert_int_equal(link.got.ngaps, 0);
    assert_int_equal(link.trace.counts.gaps, 0);
    link_close(&link);
}

/* Every order of five packets gives the same. */
static void test_every_order(void **state)
{
    static const uint32_t all[] = {1, 2, 3, 4, 5};

    (void)state;
    for (unsigned order = 0; order < 120; order++) {
        uint32_t left[] = {1, 2, 3, 4, 5};
        unsigned code = order;
        struct link link;

        link_open(&link);
        for (unsigned n = 5; n > 0; n--) {
            unsigned pick = code % n;

            code /= n;
            put_packet(&link, left[pick]);
            memmove(left + pick, left + pick + 1, (n - pick - 1) * sizeof left[0]);
        }
        link_receive(&link, (struct input_until){.wait_ms = 1000, .idle_ms = 1000, .count = 5});
        assert_packets(&link, all, 5);
        assert_int_equal(link.trace.counts.gaps, 0);
        link_close(&link);
    }
}

static void test_loss(void **state)
{
    static const uint32_t some[] = {3, 4, 7, 8, 10, 1000000};
    static const uint64_t missing[] = {2, 2, 1, 999989};
    static const uint64_t offsets[] = {0, 48, 48 + 48, 48 + 48 + 32};
    struct link link;

    (void)state;
    link_open(&link);
    for (size_t i = 0; i < 6; i++)
        put_packet(&link, some[i]);
    link_receive(&link, soon);
    assert_packets(&link, some, 6);
    assert_int_equal(link.got.ngaps, 4);
    assert_int_equal(link.trace.counts.gaps, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(link.got.gaps[i].packets, missing[i]);
        assert_int_equal(link.got.gaps[i].offset, offsets[i]);
    }
    link_close(&link);
}

/* Loss, duplicates and reordering at random, across the wrap of the numbers or not, against a table of what was sent.
 */
static void shuffle(unsigned seed, uint32_t first)
{
    enum { N = 40 };
    uint32_t sent[3 * N], kept[N];
    bool came[N] = {false};
    size_t n = 0, nkept = 0, gaps = 0;
    struct link link;

    srand(seed);
    link_open(&link);
    for (uint32_t i = 0; i < N; i++)
        for (int copies = rand() % 4; copies > 1 || (copies == 1 && i != 20); copies--)
            sent[n++] = i;
    sent[n++] = 20;
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = i - (size_t)rand() % (i < 8 ? i + 1 : 8);
        uint32_t was = sent[i];

        sent[i] = sent[other];
        sent[other] = was;
    }
    for (size_t i = 0; i < n; i++) {
        put_packet(&link, first + sent[i]);
        came[sent[i]] = true;
    }
    for (uint32_t i = 0; i < N; i++) {
        if (came[i])
            kept[nkept++] = first + i;
        gaps += came[i] && (i == 0 ? first != 1 : !came[i - 1] && (nkept > 1 || first != 0));
    }
    link_receive(&link, soon);
    assert_packets(&link, kept, nkept);
    if (first == 1)
        assert_int_equal(link.got.ngaps, gaps);
    assert_int_equal(link.trace.counts.gaps, link.got.ngaps);
    link_close(&link);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 15; seed++) {
        shuffle(seed, 1);
        shuffle(seed, 1000);
        shuffle(seed, 0xFFFFFFF0u);
    }
}

static void test_wrap(void **state)
{
    static const uint32_t in[] = {0xFFFFFFFE, 0, 0xFFFFFFFF, 1, 4, 2}, out[] = {0xFFFFFFFE, 0xFFFFFFFF, 0, 1, 2, 4};
    struct link link;

    (void)state;
    link_open(&link);
    for (size_t i = 0; i < 6; i++)
        put_packet(&link, in[i]);
    link_receive(&link, soon);
    assert_packets(&link, out, 6);
    assert_int_equal(link.got.ngaps, 2);
    assert_int_equal(link.got.gaps[0].packets, 0xFFFFFFFD);
    assert_int_equal(link.got.gaps[1].packets, 1);
    link_close(&link);
}

/* ---- what must not be believed ----------------------------------------------------------------------------------- */

/* A datagram that lies comes between two that do not: it is counted, and they are what is left. */
static void reject(const void *bytes, size_t size, uint64_t bad)
{
    static const uint32_t good[] = {1, 2};
    struct link link;

    link_open(&link);
    put_packet(&link, 1);
    put_bytes(&link, link.sender, bytes, size);
    put_packet(&link, 2);
    link_receive(&link, (struct input_until){.wait_ms = 1000, .idle_ms = 1000, .count = 2});
    assert_packets(&link, good, 2);
    assert_int_equal(link.trace.counts.gaps, bad);
    assert_int_equal(link.got.ngaps, 0);
    link_close(&link);
}

static void test_lengths(void **state)
{
    static const uint32_t lies[] = {0, 1, 23, 24, 25, 40, 55, 57, 71, 73, 72 + 16, 0x7FFFFFFF, 0x80000048, 0xFFFFFFFF};
    static const uint32_t counts[] = {0, 1, 2, 4, 5, 0x10000003, 0x80000003, 0xF0000003, 0xFFFFFFFF};
    unsigned char packet[24 + 16 * 4 + 1] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        make_packet(packet, 9, 0, 3);
        put_le32(packet + 20, lies[i]);
        reject(packet, 72, 1);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        make_packet(packet, 9, 0, 3);
        put_le32(packet + 16, counts[i]);
        reject(packet, 72, 1);
    }
    make_packet(packet, 9, 0, 3); /* cut, and with a tail */
    for (size_t size = 1; size < sizeof packet; size++) {
        if (size != 72)
            reject(packet, size, 1);
    }
    for (size_t size = 72; size < sizeof packet; size++) { /* a length that is true, but no whole records */
        put_le32(packet + 20, (uint32_t)size);
        if (size != 72)
            reject(packet, size, 1);
    }
}

static void test_garbage(void **state)
{
    unsigned char packet[256];

    (void)state;
    srand(1);
    for (size_t i = 0; i < 40; i++) {
        for (size_t k = 0; k < sizeof packet; k++)
            packet[k] = (unsigned char)rand();
        reject(packet, i * 6 + 1, 1);
    }
    for (size_t i = 0; i < 6; i++) { /* the six bytes that count, one wrong */
        make_packet(packet, 9, 0, 3);
        packet[i] ^= 0x20;
        reject(packet, 72, 1);
    }
    reject("", 0, 0); /* the original's sign for the end of a chunk */
}

/* What a tracer of another version calls itself does not matter; what it sends may be as long as UDP carries. */
static void test_longest(void **state)
{
    static unsigned char packet[65536], got[65536];
    const size_t size = 24 + 16 * 4092;
    struct link link;

    (void)state;
    link_open(&link);
    put_packet(&link, 2); /* so that the long one has to be moved */
    assert_int_equal(make_packet(packet, 1, 5, 4092), size);
    memcpy(packet, "TRACER-V9.9x", 12);
    put_bytes(&link, link.sender, packet, size);
    link_receive(&link, soon);
    assert_int_equal(link.result, 0);
    assert_int_equal(link.got.size, size - 24 + 32);
    assert_int_equal(pread(link.got.fd, got, size - 24, 0), size - 24);
    assert_memory_equal(got, packet + 24, size - 24);
    link_close(&link);
}

static void test_other_sender(void **state)
{
    static const uint32_t good[] = {1, 3};
    unsigned char packet[24 + 16 * 4];
    struct link link;
    int other = loopback("127.0.0.2");

    (void)state;
    link_open(&link);
    put_packet(&link, 1);
    put_bytes(&link, other, packet, make_packet(packet, 2, 7, 2));
    put_packet(&link, 3);
    link_receive(&link, soon);
    assert_packets(&link, good, 2);
    assert_int_equal(link.trace.counts.gaps, 2);
    link_close(&link);
    close(other);
}

/* A sender that counts from 1 again is another trace: the first one stays whole. */
static void test_restart(void **state)
{
    static const uint32_t good[] = {1, 2, 3};
    unsigned char packet[24 + 16 * 4];
    struct link link;

    (void)state;
    for (uint32_t records = 0; records < 4; records++) {
        link_open(&link);
        for (uint32_t i = 1; i <= 3; i++)
            put_packet(&link, i);
        put_bytes(&link, link.sender, packet, make_packet(packet, 1, 1, records == 0 ? 2 : records));
        put_packet(&link, 7);
        link_receive(&link, soon);
        assert_packets(&link, good, 3);
        assert_int_equal(link.trace.counts.gaps, 1);
        link_close(&link);
    }
}

/* ---- when to stop ------------------------------------------------------------------------------------------------ */

static void test_count(void **state)
{
    static const uint32_t good[] = {1, 2, 3};
    struct link link;

    (void)state;
    link_open(&link);
    put_packet(&link, 1);
    put_packet(&link, 1);
    put_packet(&link, 2);
    put_packet(&link, 2);
    put_packet(&link, 3);
    put_packet(&link, 4);
    link_receive(&link, (struct input_until){.idle_ms = 60000, .count = 3});
    assert_packets(&link, good, 3);
    assert_int_equal(link.trace.counts.gaps, 0);
    link_close(&link);
}

static void test_nothing_comes(void **state)
{
    uint64_t begin = clock_ms();
    struct link link;

    (void)state;
    link_open(&link);
    put_bytes(&link, link.sender, "hello", 5);
    link_receive(&link, (struct input_until){.wait_ms = 150, .idle_ms = 1});
    assert_in_range(clock_ms() - begin, 149, 5000);
    assert_int_equal(link.result, -1);
    assert_string_equal(link.trace.error, "udp:0: no packets were received");
    link_close(&link);
}

/* A process that does something to the link, every 20 ms, until it is killed. */
static pid_t meanwhile(const struct link *link, void (*act)(const struct link *))
{
    pid_t pid = fork();

    assert_return_code(pid, 0);
    while (pid == 0) {
        struct timespec pause = {.tv_nsec = 20000000};

        nanosleep(&pause, NULL);
        act(link);
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void send_noise(const struct link *link)
{
    put_bytes(link, link->sender, "noise", 5);
}

static void test_noise_does_not_prolong(void **state)
{
    static const uint32_t good[] = {1};
    uint64_t begin = clock_ms();
    struct link link;
    pid_t pid;

    (void)state;
    link_open(&link);
    put_packet(&link, 1);
    pid = meanwhile(&link, send_noise);
    alarm(10);
    link_receive(&link, (struct input_until){.idle_ms = 150});
    alarm(0);
    assert_in_range(clock_ms() - begin, 149, 5000);
    end(pid);
    assert_packets(&link, good, 1);
    assert_true(link.trace.counts.gaps > 2);
    link_close(&link);
}

/* A sender that is heard from keeps the reception going, though nothing new comes. */
static void test_idle_begins_anew(void **state)
{
    static const uint32_t good[] = {1};
    uint64_t begin = clock_ms();
    struct link link;
    pid_t pid;

    (void)state;
    link_open(&link);
    put_packet(&link, 1);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 10; i++) {
            struct timespec pause = {.tv_nsec = 30000000};

            nanosleep(&pause, NULL);
            put_packet(&link, 1);
        }
        _exit(0);
    }
    link_receive(&link, (struct input_until){.idle_ms = 500});
    assert_in_range(clock_ms() - begin, 799, 5000);
    waitpid(pid, NULL, 0);
    assert_packets(&link, good, 1);
    assert_int_equal(link.trace.counts.gaps, 0);
    link_close(&link);
}

static void interrupt_parent(const struct link *link)
{
    (void)link;
    kill(getppid(), SIGINT);
    _exit(0);
}

/* SIGINT ends the reception; then it does again what it did before. An ignored one does nothing. */
static void test_interrupt(void **state)
{
    static const uint32_t good[] = {1};

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t begin = clock_ms();
        struct sigaction before;
        struct link link;
        pid_t pid;

        signal(SIGINT, i == 2 ? SIG_IGN : SIG_DFL);
        link_open(&link);
        if (i != 1)
            put_packet(&link, 1);
        pid = meanwhile(&link, interrupt_parent);
        link_receive(&link, (struct input_until){.idle_ms = i == 2 ? 200 : 20000});
        assert_in_range(clock_ms() - begin, i == 2 ? 199 : 10, 5000);
        waitpid(pid, NULL, 0);
        sigaction(SIGINT, NULL, &before);
        assert_true(before.sa_handler == (i == 2 ? SIG_IGN : SIG_DFL));
        if (i == 1)
            assert_int_equal(link.result, -1);
        else
            assert_packets(&link, good, 1);
        link_close(&link);
    }
    signal(SIGINT, SIG_DFL);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    handled = handled + 1;
}

static void interrupt_twice(int number)
{
    (void)number;
    raise(SIGINT);
    raise(SIGINT);
}

static void signal_parent(const struct link *link)
{
    (void)link;
    kill(getppid(), SIGUSR1);
    _exit(0);
}

/* The first SIGINT stops the reception; the second, even if it follows at once, is for whoever had it before. */
static void test_interrupted_twice(void **state)
{
    struct link link;
    pid_t pid;

    (void)state;
    signal(SIGINT, handle);
    signal(SIGUSR1, interrupt_twice);
    link_open(&link);
    pid = meanwhile(&link, signal_parent);
    link_receive(&link, (struct input_until){.wait_ms = 5000});
    waitpid(pid, NULL, 0);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    assert_int_equal(handled, 1);
    link_close(&link);
}

/* ---- names and the input ----------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    static const char *const bad[] = {"udp:",   "udp:x",     "udp:65536",     "udp:99999999999",
                                      "udp:-1", "udp:1 ",    "udp:127.0.0.1", "udp:localhost:1",
                                      "udp::1", "udp:::1:1", "udp:127.1:2",   "udp:0x1",
                                      "udp:*",  "udp:*:",    "udp:**:1",      "udp:1.2.3.4.5:1"};
    static const char *const good[] = {"udp:0", "udp:127.0.0.1:0", "udp:127.0.0.3:0"};
    struct trace trace;

    (void)state;
    assert_true(input_udp_names("udp:20000"));
    assert_false(input_udp_names("./udp:20000"));
    assert_false(input_udp_names("UDP:20000"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trace_init(&trace, bad[i]);
        assert_int_equal(input_udp_listen(&trace, bad[i]), -1);
        assert_true(trace.failed);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int fd;

        trace_init(&trace, good[i]);
        trace.quiet = true;
        fd = input_udp_listen(&trace, good[i]);
        assert_return_code(fd, 0);
        close(fd);
    }
    trace_init(&trace, "udp:192.0.2.1:0");
    assert_int_equal(input_udp_listen(&trace, "udp:192.0.2.1:0"), -1);
    assert_string_equal(trace.error, "udp:192.0.2.1:0: cannot receive there: Cannot assign requested address");
}

static void send_three(const struct link *link)
{
    put_packet(link, 1);
    put_packet(link, 3);
    put_packet(link, 2);
    put_packet(link, 5);
}

/* The whole of it, as the decoder uses it. The port was free a moment ago. */
static void test_input(void **state)
{
    struct link link;
    struct trace trace;
    struct input *in;
    const struct input_gap *gaps;
    unsigned char expected[24 + 16 * 4], got[16 * 4];
    char name[32];
    pid_t pid;

    (void)state;
    link_open(&link);
    close(link.receiver);
    snprintf(name, sizeof name, "udp:%u", ntohs(link.address.sin_port));
    trace_init(&trace, name);
    trace.quiet = true;
    pid = meanwhile(&link, send_three);
    in = input_open_until(&trace, name, &(struct input_until){.wait_ms = 5000, .count = 4});
    end(pid);
    assert_non_null(in);
    assert_string_equal(input_reader_hint(in), "shark");
    assert_int_equal(input_size(in), 16 * (1 + 2 + 3 + 1));
    make_packet(expected, 3, 0, 3);
    assert_int_equal(input_read(in, 16 * 3, got, 48), 48);
    assert_memory_equal(got, expected + 24, 48);
    assert_int_equal(input_gaps(in, &gaps), 1);
    assert_int_equal(gaps[0].offset, 16 * 6);
    assert_int_equal(gaps[0].packets, 1);
    input_close(in);
    in = input_open(&trace, "/dev/null");
    assert_null(input_reader_hint(in));
    assert_int_equal(input_gaps(in, &gaps), 0);
    input_close(in);
    trace_free(&trace);
    link.result = -1;
    link_close(&link);
}

static void test_no_place_to_spool(void **state)
{
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    struct link link;

    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    link_open(&link);
    link_receive(&link, soon);
    assert_int_equal(link.result, -1);
    assert_string_equal(link.trace.error,
                        "udp:0: cannot make a temporary file in /nonexistent: No such file or directory");
    link_close(&link);
    if (before != NULL)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

#define SENDER(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SENDER(test_golden),
        SENDER(test_arp_request),
        SENDER(test_arp_replies),
        SENDER(test_arp_time),
        SENDER(test_gateway),
        SENDER(test_link),
        SENDER(test_addresses),
        SENDER(test_checksums),
        SENDER(test_sizes),
        SENDER(test_slots_left_out),
        SENDER(test_pause),
        SENDER(test_send_fails),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_every_order),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_other_sender),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_nothing_comes),
        cmocka_unit_test(test_noise_does_not_prolong),
        cmocka_unit_test(test_idle_begins_anew),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_interrupted_twice),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_input),
        cmocka_unit_test(test_no_place_to_spool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
