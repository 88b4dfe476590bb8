/* test_udp_hostile.c - the UDP receiver and a sender that forges packets: nothing is made up, all is told, and the
 * reception ends. */
#include "harness.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLOODS = 400 }; /* of 50 datagrams: longer than the reception lasts */

/* Forged numbers, and where the packets then stand. */
struct forged {
    uint32_t sent[6], kept[6];
    uint64_t missing[4]; /* up to 0 */
};

static void check_forged(const struct forged *forged)
{
    struct link link;
    size_t n = 0;
    link_open(&link);
    for (size_t i = 0; i < 6; i++)
        put_packet(&link, forged->sent[i]);
    link_receive(&link, (struct input_until){.wait_ms = 10000, .idle_ms = 10000, .count = 6});
    assert_packets(&link, forged->kept, 6);
    while (n < 4 && forged->missing[n] != 0)
        n++;
    assert_int_equal(link.got.ngaps, n);
    assert_int_equal(link.trace.counts.gaps, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(link.got.gaps[i].packets, forged->missing[i]);
    link_close(&link);
}

/* Numbers far ahead, twice; far behind; descending; and one that is half of all numbers away, which is both. */
static void forged_numbers(void **state)
{
    static const struct forged all[] = {
        {{1, 2, 0x7FFFFFFF, 3, 4, 5}, {1, 2, 3, 4, 5, 0x7FFFFFFF}, {0x7FFFFFF9}},
        {{1, 2, 0x7FFFFFFF, 0xFFFFFFFD, 3, 4}, {1, 2, 0x7FFFFFFF, 0xFFFFFFFD, 3, 4}, {0x7FFFFFFC, 0x7FFFFFFD, 5}},
        {{1, 0xFFFFFFFF, 0xFFFFFFF0, 2, 3, 0x80000003},
         {0x80000003, 0xFFFFFFF0, 0xFFFFFFFF, 1, 2, 3},
         {0x7FFFFFEC, 14, 1}},
        {{0x90000000, 1, 2, 3, 4, 5}, {0x90000000, 1, 2, 3, 4, 5}, {0x8FFFFFFF, 0x70000000}},
        {{1000006, 1000005, 1000004, 1000003, 1000002, 1000001},
         {1000001, 1000002, 1000003, 1000004, 1000005, 1000006},
         {1000000}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_forged(&all[i]);
}

/* The same number with other records, of any length: told, and the first one stays. */
static void forged_contents(void **state)
{
    static const uint32_t good[] = {1, 2, 3};
    unsigned char packet[24 + 16 * 4];
    (void)state;
    for (uint32_t number = 1; number <= 3; number++) {
        for (uint32_t byte = 24; byte < 24 + 16 * number; byte += 5) {
            struct link link;
            size_t size = make_packet(packet, number, 0, number);
            link_open(&link);
            for (uint32_t i = 1; i <= 3; i++)
                put_packet(&link, i);
            packet[byte] ^= 1;
            put_bytes(&link, link.sender, packet, size);
            link_receive(&link, (struct input_until){.wait_ms = 10000, .idle_ms = 10000});
            assert_packets(&link, good, 3);
            assert_int_equal(link.trace.counts.gaps, 1);
            link_close(&link);
        }
    }
}

/* Packets without records, and as long as UDP carries, whose header tells more or less than there is. */
static void forged_lengths(void **state)
{
    static const uint32_t good[] = {1, 2, 4};
    static unsigned char packet[24 + 16 * 4094];
    const uint32_t most = (65507 - 24) / 16;
    struct link link;
    (void)state;
    link_open(&link);
    put_packet(&link, 1);
    for (uint32_t lie = 0; lie <= 0xFFFF; lie += 0x1111) {
        size_t size = make_packet(packet, 9, 0, most);
        put_le32(packet + 16, lie);
        put_bytes(&link, link.sender, packet, size);
        put_bytes(&link, link.sender, packet, lie % 24);
    }
    put_packet(&link, 2);
    put_packet(&link, 4); /* has no records */
    link_receive(&link, (struct input_until){.wait_ms = 10000, .idle_ms = 10000, .count = 3});
    assert_packets(&link, good, 3);
    assert_true(link.got.ngaps == 1 && link.got.gaps[0].packets == 1);
    assert_true(link.trace.counts.gaps > 1);
    link_close(&link);
}

/* Send so many datagrams as one flood; the last flood ends the process that sends. */
static void flood(const struct link *link, const void *bytes, size_t size)
{
    static unsigned floods;
    for (unsigned i = 0; i < 50; i++)
        put_bytes(link, link->sender, bytes, size);
    if (++floods == FLOODS)
        _exit(0);
}

static void flood_packet(const struct link *link)
{
    unsigned char packet[24 + 16];
    flood(link, packet, make_packet(packet, 1, 0, 1));
}

static void flood_empty(const struct link *link)
{
    flood(link, "", 0);
}

static void flood_rubbish(const struct link *link)
{
    flood(link, "TRACER, but not more", 20);
}

/* A flood of what is nothing new does not keep the reception going: it ends first. */
static void floods_end(void **state)
{
    static void (*const floods[])(const struct link *) = {flood_packet, flood_empty, flood_rubbish};
    static const uint32_t good[] = {1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof floods / sizeof floods[0]; i++) {
        struct link link;
        pid_t pid;
        link_open(&link);
        put_packet(&link, 1);
        put_packet(&link, 2);
        pid = meanwhile(&link, floods[i]);
        link_receive(&link, (struct input_until){.wait_ms = 10000, .idle_ms = 200});
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        end(pid);
        assert_packets(&link, good, 2);
        assert_int_equal(link.got.ngaps, 0);
        link_close(&link);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_numbers),
        cmocka_unit_test(forged_contents),
        cmocka_unit_test(forged_lengths),
        cmocka_unit_test(floods_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
