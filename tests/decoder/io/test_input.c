/* test_input.c - files, pipes and standard input, read at any offset. */
#include "decoder/model/harness.h"

#include "io/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_BYTES 200001u

static unsigned char sample_byte(uint64_t at)
{
    return (unsigned char)(at * 31u + (at >> 8) * 7u + (at >> 16));
}

static int sample_file(char *path)
{
    static unsigned char sample[SAMPLE_BYTES];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof sample; i++)
        sample[i] = sample_byte(i);
    put_all(fd, sample, sizeof sample);
    return fd;
}

/* Read size bytes at offset: as many come as expected, and nothing is written behind them. */
static void check_read(struct input *in, uint64_t offset, size_t size, size_t expected)
{
    static unsigned char buffer[SAMPLE_BYTES + 100u];
    memset(buffer, 0xEE, sizeof buffer);
    assert_int_equal(input_read(in, offset, buffer, size), expected);
    for (size_t i = 0; i < expected; i++)
        assert_true(buffer[i] == sample_byte(offset + i));
    assert_int_equal(buffer[expected], 0xEE);
}

static void check_sample(struct input *in)
{
    static const size_t sizes[] = {1, 16, 112, 4096, 65535, 65536, 65537, 150000, SAMPLE_BYTES};
    assert_int_equal(input_size(in), SAMPLE_BYTES);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint64_t offset = 0; offset < SAMPLE_BYTES; offset += 16381) {
            uint64_t rest = SAMPLE_BYTES - offset;
            check_read(in, offset, sizes[i], sizes[i] < rest ? sizes[i] : (size_t)rest);
        }
    }
    check_read(in, SAMPLE_BYTES - 1u, 10, 1);
    check_read(in, SAMPLE_BYTES, 10, 0);
    check_read(in, UINT64_MAX, 10, 0);
    check_read(in, 0, 0, 0);
}

static void a_file_is_read_at_any_offset(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = sample_file(path);
    struct input *in = input_open(&trace, path, NULL);
    (void)state;
    unlink(path);
    assert_non_null(in);
    check_sample(in);
    input_close(in);
    close(fd);
    assert_false(trace.failed);
}

/* Let standard input be fd while open() is called. */
static struct input *open_as_stdin(int fd)
{
    int saved = dup(STDIN_FILENO);
    struct input *in;
    dup2(fd, STDIN_FILENO);
    in = input_open(&trace, "-", NULL);
    if (saved >= 0)
        dup2(saved, STDIN_FILENO);
    if (saved >= 0)
        close(saved);
    return in;
}

static void a_pipe_is_read_at_any_offset(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    char command[64];
    int fd = sample_file(path);
    FILE *pipe;
    struct input *in;
    (void)state;
    snprintf(command, sizeof command, "cat %s", path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    in = open_as_stdin(fileno(pipe));
    assert_non_null(in);
    pclose(pipe);
    unlink(path);
    check_sample(in);
    input_close(in);
    close(fd);
}

/* A pipe of n bytes, the i-th of which is i. */
static FILE *open_counting(uint64_t n)
{
    char command[200];
    snprintf(command, sizeof command,
             "python3 -c \"import sys; sys.stdout.buffer.write((bytes(range(251)) * %llu)[:%llu])\"",
             (unsigned long long)(n / 251u + 1u), (unsigned long long)n);
    return popen(command, "r");
}

/* The first bytes of a pipe come before it ends; the rest comes when it is wanted, up to the limit. */
static void the_rest_of_a_pipe_comes_when_it_is_wanted(void **state)
{
    static const struct {
        uint64_t bytes, most; /* most: the limit, 0 for the usual one */
        bool whole, allowed;  /* whole: at once */
    } rows[] = {
        {INPUT_FIRST - 1u, 0, true, true},
        {INPUT_FIRST + 1u, 0, false, true},
        {2u * INPUT_FIRST + 9u, 0, false, true},
        {INPUT_FIRST + 9u, INPUT_FIRST + 9u, false, true},
        {INPUT_FIRST + 10u, INPUT_FIRST + 9u, false, false},
        {9000, 8999, false, false},
        {9000, 9000, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *pipe = open_counting(rows[i].bytes);
        struct input *in;
        unsigned char last = 0;
        char path[40];
        assert_non_null(pipe);
        trace_init(&trace, "dump.bin");
        trace.spool_most = rows[i].most;
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(pipe));
        in = input_open(&trace, path, NULL);
        assert_non_null(in);
        assert_int_equal(input_is_complete(in), rows[i].whole);
        assert_true(input_size(in) <= INPUT_FIRST);
        assert_int_equal(input_read(in, input_size(in) - 1u, &last, 1), 1);
        assert_int_equal(last, (input_size(in) - 1u) % 251u);
        assert_int_equal(input_complete(in), rows[i].allowed ? 0 : -1);
        if (rows[i].allowed) {
            assert_int_equal(input_size(in), rows[i].bytes);
            assert_int_equal(input_read(in, rows[i].bytes - 1u, &last, 1), 1);
            assert_int_equal(last, (rows[i].bytes - 1u) % 251u);
        } else {
            assert_non_null(strstr(trace.error, "which --spool=MIB raises"));
        }
        input_close(in);
        pclose(pipe);
    }
    trace_init(&trace, "dump.bin");
}

/* Another program may have read the head of the file, as in a shell's { head -c4 >/dev/null; tlog-decode -; } <file. */
static void standard_input_begins_where_it_stands(void **state)
{
    char byte = 0;
    int file = new_file();
    int saved = dup(STDIN_FILENO);
    struct input *in;
    (void)state;
    put_all(file, "headtail", 8);
    lseek(file, 4, SEEK_SET);
    dup2(file, STDIN_FILENO);
    in = input_open(&trace, "-", NULL);
    assert_non_null(in);
    assert_int_equal(input_size(in), 4);
    assert_int_equal(input_read(in, 0, &byte, 1), 1);
    assert_int_equal(byte, 't');
    input_close(in);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(file);
}

static void an_empty_file_is_an_input(void **state)
{
    struct input *in = input_open(&trace, "/dev/null", NULL);
    (void)state;
    assert_non_null(in);
    assert_int_equal(input_size(in), 0);
    check_read(in, 0, 1, 0);
    input_close(in);
}

static void a_file_that_claims_no_size_is_read(void **state)
{
    struct input *in = input_open(&trace, "/proc/self/stat", NULL);
    (void)state;
    assert_non_null(in);
    assert_true(input_size(in) > 10);
    input_close(in);
}

static void what_is_no_input_is_an_error(void **state)
{
    struct input *in;
    (void)state;
    in = input_open(&trace, "/tmp", NULL); /* a directory has files; devices and directories are none */
    assert_non_null(in);
    assert_int_equal(input_size(in), 0);
    assert_true(input_directory(in) >= 0);
    assert_null(input_open_at(in, "../dev/null"));
    assert_string_equal(trace.error, "/tmp/../dev/null: not a regular file");
    input_close(in);
    trace_init(&trace, "dump.bin");
    assert_null(input_open(&trace, "/nonexistent/dump.bin", NULL));
    assert_string_equal(trace.error, "/nonexistent/dump.bin: No such file or directory");
}

static void spooling_needs_a_place(void **state)
{
    const char *before = getenv("TMPDIR");
    char *saved = before ? strdup(before) : NULL;
    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    assert_null(input_open(&trace, "/dev/null", NULL));
    assert_string_equal(trace.error,
                        "/dev/null: cannot make a temporary file in /nonexistent: No such file or directory");
    if (saved != NULL)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
}

static void a_file_that_shrinks_ends_there(void **state)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    int fd = sample_file(path);
    struct input *in = input_open(&trace, path, NULL);
    (void)state;
    assert_non_null(in);
    assert_int_equal(ftruncate(fd, 70000), 0);
    check_read(in, 69990, 100, 10);
    assert_int_equal(input_size(in), 70000);
    check_read(in, 70000, 1, 0);
    check_read(in, 0, SAMPLE_BYTES, 70000);
    assert_true(trace.failed);
    assert_non_null(strstr(trace.error, ": offset 0x11170: the file became shorter while it was read"));
    input_close(in);
    unlink(path);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test("a file is read at any offset", a_file_is_read_at_any_offset),
        test("the rest of a pipe comes when it is wanted", the_rest_of_a_pipe_comes_when_it_is_wanted),
        test("a pipe is read at any offset", a_pipe_is_read_at_any_offset),
        test("standard input begins where it stands", standard_input_begins_where_it_stands),
        test("an empty file is an input", an_empty_file_is_an_input),
        test("a file that claims no size is read", a_file_that_claims_no_size_is_read),
        test("what is no input is an error", what_is_no_input_is_an_error),
        test("spooling needs a place", spooling_needs_a_place),
        test("a file that shrinks ends there", a_file_that_shrinks_ends_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
