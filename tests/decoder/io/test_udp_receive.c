/* test_udp_receive.c - the UDP receiver: packets in every order, lost, repeated, and datagrams that are not packets. */
#include "harness.h"

#include "base/bytes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Every order of five packets gives the same file. */
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

/* ---- datagrams that are not packets ------------------------------------------------------------------------------ */

/* Send a datagram between two packets. bad: how often it is counted as damage; only the packets are taken. */
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
    make_packet(packet, 9, 0, 3); /* too short, and too long */
    for (size_t size = 1; size < sizeof packet; size++) {
        if (size != 72)
            reject(packet, size, 1);
    }
    for (size_t size = 72; size < sizeof packet; size++) { /* the right length, but not of whole records */
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
    for (size_t i = 0; i < 6; i++) { /* one of the six bytes that are compared is wrong */
        make_packet(packet, 9, 0, 3);
        packet[i] ^= 0x20;
        reject(packet, 72, 1);
    }
    reject("", 0, 0); /* the original tracer sends these at the end of a chunk */
}

/* The version after "TRACER" may be any. A packet may be as long as UDP carries. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_every_order), cmocka_unit_test(test_loss),
        cmocka_unit_test(test_random),  cmocka_unit_test(test_wrap),        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_garbage), cmocka_unit_test(test_longest),     cmocka_unit_test(test_other_sender),
        cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
