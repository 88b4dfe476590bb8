/* test_packets.c - the packets of --format=ctf: headers, times, losses, and what becomes of errors. That babeltrace2
 * reads them is checked by tests/decoder/ctf/ctf.sh. */
#include "harness.h"

#include "base/bytes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct tlog_type plain = {"own", "plain", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
static struct packet packet[4200];

/* Bytes of an event without fields, of task 1 without a name. */
#define PLAIN_BYTES 19u

static void lose(const struct tlog_type *type, uint64_t time, char count)
{
    char data[8] = {count};
    add(type, time, 1, data, sizeof data);
}

/* A packet has so many events without fields, and its counts and times are these. */
static void check_packet(size_t i, size_t events, uint64_t lost, uint64_t begin, uint64_t end)
{
    assert_int_equal(packet[i].n, PLAIN_BYTES * events);
    assert_int_equal(packet[i].sequence, i);
    assert_int_equal(packet[i].lost, lost);
    assert_int_equal(packet[i].begin, begin);
    assert_int_equal(packet[i].end, end);
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void an_event_has_its_time_task_context_and_flags(void **state)
{
    static const unsigned char expected[] = {
        0,    0,    0xe8, 3, 0,   0,   7,   0,   0, 0,  's', 'e', 'n', 's', 'o', 'r', 0, 0, 0, 0, /* compact */
        0xff, 0xff, 0,    0, 0,   0,   0,   4,   0, 0,  1,   0,   0,   0,                         /* extended */
        0,    0,    0,    0, 'i', 'd', 'l', 'e', 0, 25, 0,   9};
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 7, "sensor");
    add(&plain, 1000, 7, "", 0);
    *add(&plain, 0x100000400, 0, "", 0) = (struct tlog_event){
        .time = 0x100000400, .context = 25, .flags = TLOG_FLAG_IN_INTERRUPT | TLOG_FLAG_EMERGENCY, .data = batch.room};
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    assert_int_equal(packet[0].n, sizeof expected);
    assert_memory_equal(packet[0].events, expected, sizeof expected);
    assert_int_equal(packet[0].begin, 1000);
    assert_int_equal(packet[0].end, 0x100000400);
    check_metadata("enum : uint16_t { \"task\" = 0, \"irq 9\" = 25 } _context;\n");
}

static void packets_end_before_they_are_too_long(void **state)
{
    size_t n, events = 0;
    void *writer;
    (void)state;
    for (unsigned i = 0; i < 1000u; i++)
        add(&plain, 5u * i, 1, "", 0);
    writer = begin_trace(NULL);
    for (unsigned i = 0; i < 1000u; i++)
        batch.event[i].time += 5000;
    for (unsigned i = 0; i < 9u; i++)
        assert_int_equal(writer_ctf.write(writer, 0, &batch), 0);
    assert_int_equal(writer_ctf.close(writer, true), 0);
    n = packets_of("channel0_0", packet, 8);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_true(packet[i].size <= 65536u && (i == n - 1u || packet[i].size > 65536u - 128u));
        assert_int_equal(packet[i].n % PLAIN_BYTES, 0);
        assert_true(packet[i].begin <= packet[i].end && (i == 0 || packet[i].begin >= packet[i - 1u].end));
        events += packet[i].n / PLAIN_BYTES;
    }
    assert_int_equal(events, 10000);
}

static void times_never_go_back(void **state)
{
    (void)state;
    add(&plain, 1000, 1, "", 0);
    add(&plain, 900, 1, "", 0);
    add(&plain, 1001, 1, "", 0);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    assert_int_equal(get_le32(packet[0].events + PLAIN_BYTES + 2), 1000);
    assert_int_equal(get_le32(packet[0].events + 2u * PLAIN_BYTES + 2), 1001);
}

static void the_same_events_get_the_same_uuid_and_others_another_one(void **state)
{
    char uuid[3][16];
    size_t size;
    (void)state;
    for (unsigned i = 0; i < 3u; i++) {
        batch.n = batch.used = 0;
        add(&plain, i == 2u ? 1001 : 1000, 1, "", 0);
        write_trace();
        memcpy(uuid[i], file("channel0_0", &size) + 4, 16);
        assert_int_equal(unlinkat(directory, "channel0_0", 0), 0);
        assert_int_equal(unlinkat(directory, "metadata", 0), 0);
    }
    assert_memory_equal(uuid[0], uuid[1], 16);
    assert_memory_not_equal(uuid[0], uuid[2], 16);
    assert_int_equal(uuid[0][6] & 0xF0, 0x80);
}

static void thousands_of_cpus_take_little(void **state)
{
    size_t size, sum = 0;
    void *writer;
    char name[32];
    (void)state;
    add(&plain, 1000, 1, "", 0);
    writer = begin_trace(NULL);
    for (unsigned cpu = 1; cpu < 4096u; cpu++)
        assert_int_equal(writer_ctf.write(writer, cpu, &batch), 0);
    assert_int_equal(writer_ctf.close(writer, true), 0);
    for (unsigned cpu = 0; cpu < 4096u; cpu++) {
        snprintf(name, sizeof name, "channel0_%u", cpu);
        assert_non_null(file(name, &size));
        sum += size;
    }
    assert_int_equal(sum, 4096u * (PACKET_HEADERS + PLAIN_BYTES));
}

static void a_trace_without_events_has_a_packet(void **state)
{
    (void)state;
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 2), 1);
    check_packet(0, 0, 0, 0, 0);
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static void a_loss_is_between_the_events_where_it_was(void **state)
{
    (void)state;
    add(&plain, 1000, 1, "", 0);
    add(&plain, 1001, 1, "", 0);
    lose(&trace_loss_type, 2000, 17);
    add(&plain, 3000, 1, "", 0);
    lose(&trace_loss_type, 4000, 3);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 8), 4);
    check_packet(0, 2, 0, 1000, 1001);
    check_packet(1, 0, 17, 2000, 2000);
    check_packet(2, 1, 17, 3000, 3000);
    check_packet(3, 0, 20, 4000, 4000); /* at the end of the trace, too */
}

/* Readers count the difference to the packet before. */
static void a_loss_before_the_first_event_has_a_packet_before_it(void **state)
{
    (void)state;
    lose(&trace_loss_type, 1000, 5);
    lose(&trace_loss_type, 1000, 6);
    add(&plain, 1500, 1, "", 0);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 8), 4);
    check_packet(0, 0, 0, 1000, 1000);
    check_packet(1, 0, 5, 1000, 1000);
    check_packet(2, 0, 11, 1000, 1000);
    check_packet(3, 1, 11, 1500, 1500);
}

static void unknown_losses_and_damage_are_events_too(void **state)
{
    (void)state;
    add(&plain, 1000, 1, "", 0);
    lose(&trace_loss_type, 2000, 0);
    lose(&trace_damage_type, 3000, 4);
    lose(&trace_damage_type, 4000, 0);
    write_trace();
    assert_int_equal(packets_of("channel0_0", packet, 8), 4);
    assert_int_equal(packet[1].n, PLAIN_BYTES + 8u);
    assert_int_equal(packet[1].lost, 1);
    assert_int_equal(packet[1].begin, 2000);
    assert_int_equal(get_le16(packet[1].events), 1);
    assert_int_equal(packet[2].n, PLAIN_BYTES + 8u);
    assert_int_equal(packet[2].lost, 5);
    assert_int_equal(packet[2].end, 3000);
    assert_int_equal(get_le64(packet[2].events + PLAIN_BYTES), 4);
    assert_int_equal(packet[3].lost, 5); /* damage of which it is not known what it cost */
    assert_int_equal(packet[3].n, PLAIN_BYTES + 8u);
    check_metadata("name = \"tlog:loss\";\n");
    check_metadata("name = \"tlog:damage\";\n");
}

static void each_cpu_counts_its_own_losses(void **state)
{
    void *writer;
    (void)state;
    lose(&trace_loss_type, 1000, 5);
    writer = begin_trace(NULL);
    batch.n = batch.used = 0;
    lose(&trace_loss_type, 900, 2);
    assert_int_equal(writer_ctf.write(writer, 3, &batch), 0);
    assert_int_equal(writer_ctf.close(writer, true), 0);
    assert_int_equal(packets_of("channel0_3", packet, 8), 2);
    check_packet(1, 0, 2, 900, 900);
    assert_int_equal(packet[1].cpu, 3);
    assert_int_equal(packets_of("channel0_0", packet, 8), 2);
    assert_int_equal(packet[1].lost, 5);
}

/* ---- real time --------------------------------------------------------------------------------------------------- */

static void check_start(int64_t start, const char *expected)
{
    struct trace_options options = {.given = TRACE_OPTION_START_TIME, .start_time = start};
    batch.n = batch.used = 0;
    add(&plain, 5000000000, 1, "", 0);
    add(&plain, 6000000000, 1, "", 0);
    assert_int_equal(writer_ctf.close(begin_trace(&options), true), 0);
    check_metadata(expected);
    unlinkat(directory, "channel0_0", 0);
    unlinkat(directory, "metadata", 0);
}

static void the_clock_begins_so_that_the_first_event_is_at_the_start(void **state)
{
    struct trace_options options = {.given = TRACE_OPTION_START_TIME, .start_time = 1};
    (void)state;
    check_start(1700000000123456789, "\toffset_s = 1699999995;\n\toffset = 123456789;\n");
    check_start(5000000000, "\toffset_s = 0;\n\toffset = 0;\n");
    check_start(1, "\toffset_s = -5;\n\toffset = 1;\n");
    trace.clock_hz = 0;
    assert_null(writer_ctf.open(&trace, &options, directory));
    assert_non_null(strstr(trace.error, "--start-time has no meaning"));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Write 5000 events while no file may get longer. Returns how far it came: 0 to write(), 1 to close(), 2 to the end. */
static int write_until_full(rlim_t most)
{
    struct rlimit was, limit;
    struct trace_options options = {0};
    void *writer = writer_ctf.open(&trace, &options, directory);
    int result = 0, step;
    assert_non_null(writer);
    for (size_t i = batch.n; i < 1000u; i++)
        add(&plain, 1000, 1, "", 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit = (struct rlimit){most, was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (unsigned i = 0; i < 5u && result == 0; i++)
        result = writer_ctf.write(writer, 0, &batch);
    step = result != 0 ? 0 : 1;
    step += writer_ctf.close(writer, result == 0) == 0 && result == 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    return step;
}

static void a_full_disk_is_an_error_of_the_packet(void **state)
{
    (void)state;
    assert_int_equal(write_until_full(1000), 0);
    assert_non_null(strstr(trace.error, "cannot write: File too large"));
}

static void a_full_disk_is_an_error_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(write_until_full(70000), 1);
    assert_non_null(strstr(trace.error, "cannot write: File too large"));
}

static void a_full_disk_is_an_error_of_the_metadata(void **state)
{
    (void)state;
    add(&plain, 1000, 1, "", 0);
    for (unsigned i = 0; i < 1000u; i++) { /* longer than the metadata without them are long */
        char name[32];
        snprintf(name, sizeof name, "task number %u", i);
        trace_set_name(&trace, TRACE_NAME_MUTEX, i + 1u, name);
    }
    {
        static const struct tlog_field fields[] = {{"mutex", TLOG_KIND_MUTEX, 0, 4}};
        static const struct tlog_type type = {"own", "lock", TLOG_MEANS_PLAIN, 4, 1, fields, NULL};
        struct rlimit was, limit;
        void *writer;
        add(&type, 1000, 1, "\1\0\0\0", 4);
        writer = begin_trace(NULL);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
        signal(SIGXFSZ, SIG_IGN);
        limit = (struct rlimit){8192, was.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(writer_ctf.close(writer, true), -1);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    }
    assert_non_null(strstr(trace.error, "metadata: cannot write: File too large"));
}

static void a_file_that_is_there_is_an_error(void **state)
{
    static const char *const names[] = {"channel0_0", "statedump_0", "metadata"};
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 7, "sensor");
    add(&plain, 1000, 1, "", 0);
    for (unsigned i = 0; i < 3u; i++) {
        struct trace_options options = {0};
        void *writer = writer_ctf.open(&trace, &options, directory);
        trace.failed = false;
        make_file(names[i], "");
        assert_int_equal(writer_ctf.write(writer, 0, &batch), i == 0 ? -1 : 0);
        assert_int_equal(writer_ctf.close(writer, i > 0), i == 0 ? 0 : -1);
        assert_true(trace.failed);
        assert_non_null(strstr(trace.error, "File exists"));
        for (unsigned k = 0; k < 3u; k++)
            unlinkat(directory, names[k], 0);
    }
}

/* ---- directories that may be replaced ---------------------------------------------------------------------------- */

static void only_own_traces_may_be_replaced(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 7, "sensor");
    assert_true(writer_ctf.may_replace(directory));
    add(&plain, 1000, 1, "", 0);
    write_trace();
    assert_non_null(file("statedump_0", &(size_t){0}));
    assert_true(writer_ctf.may_replace(directory));
    make_file("notes", "mine");
    assert_false(writer_ctf.may_replace(directory));
    unlinkat(directory, "notes", 0);
    make_file("channel0_7", "mine");
    assert_false(writer_ctf.may_replace(directory));
    unlinkat(directory, "channel0_7", 0);
    assert_int_equal(renameat(directory, "channel0_0", directory, "channel0_0b"), 0);
    assert_false(writer_ctf.may_replace(directory));
    assert_int_equal(renameat(directory, "channel0_0b", directory, "channel0_0"), 0);
    assert_int_equal(symlinkat("channel0_0", directory, "channel0_1"), 0);
    assert_false(writer_ctf.may_replace(directory));
    unlinkat(directory, "channel0_1", 0);
    assert_true(writer_ctf.may_replace(directory));
    make_file("metadata", "/* CTF 1.8 */\ntypealias integer { size = 8; } := uint8_t;\n"); /* of another tracer */
    assert_false(writer_ctf.may_replace(directory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ctf_test("an event has its time, task, context and flags", an_event_has_its_time_task_context_and_flags),
        ctf_test("packets end before they are too long", packets_end_before_they_are_too_long),
        ctf_test("times never go back", times_never_go_back),
        ctf_test("uuid", the_same_events_get_the_same_uuid_and_others_another_one),
        ctf_test("thousands of CPUs take little", thousands_of_cpus_take_little),
        ctf_test("a trace without events has a packet", a_trace_without_events_has_a_packet),
        ctf_test("a loss is between the events where it was", a_loss_is_between_the_events_where_it_was),
        ctf_test("a loss before the first event", a_loss_before_the_first_event_has_a_packet_before_it),
        ctf_test("unknown losses and damage are events, too", unknown_losses_and_damage_are_events_too),
        ctf_test("each CPU counts its own losses", each_cpu_counts_its_own_losses),
        ctf_test("start time", the_clock_begins_so_that_the_first_event_is_at_the_start),
        ctf_test("a full disk is an error of the packet", a_full_disk_is_an_error_of_the_packet),
        ctf_test("a full disk is an error at the end", a_full_disk_is_an_error_at_the_end),
        ctf_test("a full disk is an error of the metadata", a_full_disk_is_an_error_of_the_metadata),
        ctf_test("a file that is there is an error", a_file_that_is_there_is_an_error),
        ctf_test("only own traces may be replaced", only_own_traces_may_be_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
