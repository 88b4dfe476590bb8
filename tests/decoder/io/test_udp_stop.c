/* test_udp_stop.c - when the UDP receiver stops, the names it has, and the input it becomes. Upper bounds of times are
 * loose: the machine may be busy.
 */
#include "harness.h"

#include "io/input.h"
#include "net_udp.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    assert_in_range(clock_ms() - begin, 149, 60000);
    assert_int_equal(link.result, -1);
    assert_string_equal(link.trace.error, "udp:0: no packets were received");
    link_close(&link);
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
    alarm(120);
    link_receive(&link, (struct input_until){.idle_ms = 150});
    alarm(0);
    assert_in_range(clock_ms() - begin, 149, 60000);
    end(pid);
    assert_packets(&link, good, 1);
    assert_true(link.trace.counts.gaps > 2);
    link_close(&link);
}

/* Duplicates keep the reception going, too. */
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

/* SIGINT ends the reception; after that it has its old handler again. An ignored SIGINT does nothing. */
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

/* The first SIGINT stops the reception. The second one, even if it follows at once, calls the old handler. */
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

/* From the name udp:PORT to an input, as the decoder uses it. The port was free a moment ago. */
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
    in = input_open(&trace, name, &(struct input_until){.wait_ms = 5000, .count = 4});
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
    in = input_open(&trace, "/dev/null", NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
