/* test_events_file.c - a saved file of a firmware's descriptions: whole, cut at every byte, with its end changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/crc32.h"
#include "io/firmware/events_file.h"
#include "model/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char lines[] = "tlog-events 1\n"
                            "order little\n"
                            "segment 0x0 0x1000\n"
                            "symbol 0x10 0x8 T main\n"
                            "format 0x200 0x10 one\\n\n";

/* Put the lines and what is behind them to text. Returns its bytes. */
static size_t make(char *text, size_t room, const char *behind)
{
    unsigned crc = crc32_of((const unsigned char *)lines, sizeof lines - 1u);
    return (size_t)snprintf(text, room, "%send 0x%08x%s", lines, crc, behind);
}

/* How many symbols a file of these bytes has; -1: it is refused. */
static int symbols_of(const char *bytes, size_t n)
{
    struct trace_firmware firmware = {0};
    struct events_file *file;
    struct trace trace;
    FILE *to = tmpfile();
    int symbols;
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, n, to), n);
    assert_int_equal(fflush(to), 0);
    assert_int_equal(lseek(fileno(to), 0, SEEK_SET), 0);
    trace_init(&trace, "test");
    file = events_file_open(&trace, "saved", fileno(to), &firmware);
    symbols = file != NULL ? (int)firmware.nsymbols : -1;
    events_file_close(file);
    trace.printk = NULL;
    trace.nprintk = 0;
    trace_free(&trace);
    fclose(to);
    return symbols;
}

static void a_cut_file_is_refused(void **state)
{
    char text[256];
    size_t n = make(text, sizeof text, "\n");
    (void)state;
    assert_int_equal(symbols_of(text, n), 1);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(symbols_of(text, cut), -1);
}

/* The last line ends in a newline, and nothing else in its place. */
static void the_last_line_must_end(void **state)
{
    static const char *const ends[] = {"", "0", " ", "\r", "f", "\n\n", "\nend\n", "\nsymbol 0x20 0x8 T more\n"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        assert_int_equal(symbols_of(text, make(text, sizeof text, ends[i])), -1);
}

/* A NUL anywhere would end the text. */
static void a_nul_is_refused(void **state)
{
    char text[256];
    size_t n = make(text, sizeof text, "\n");
    (void)state;
    for (size_t at = 0; at < n; at++) {
        char was = text[at];
        text[at] = '\0';
        assert_int_equal(symbols_of(text, n), -1);
        text[at] = was;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_file_is_refused),
        cmocka_unit_test(the_last_line_must_end),
        cmocka_unit_test(a_nul_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
