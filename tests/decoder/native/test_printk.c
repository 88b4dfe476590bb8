/* test_printk.c - format strings: the C library gets the same ones with the same values and must print the same text.
 *
 * Thousands of formats are made up with their arguments (printk_harness.c). libtraceevent prints those that
 * printk_kernel_can() lets through.
 */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/native/events/printk.h"
#include "lib/tier.h"
#include "printk_harness.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = 20000 };

/* ---- against the library ----------------------------------------------------------------------------------------- */

/* Render the first nargs bytes of the arguments. They are copied, so that the sanitizer notices a read beyond them. */
static bool render(char *out, size_t size, size_t *length, const struct job *job, size_t nargs)
{
    unsigned char *args = malloc(nargs ? nargs : 1);
    bool agree;
    memcpy(args, job->args, nargs);
    memset(out, 'X', TEXT);
    agree = printk_render(out, size, length, job->format, args, nargs, job->big_endian);
    free(args);
    return agree;
}

static void check(const struct job *job, const char *expected)
{
    char out[TEXT];
    size_t length, again;
    if (!render(out, sizeof out, &length, job, job->nargs) || strcmp(out, expected) != 0)
        printf("format \"%s\"\n", job->format);
    assert_true(render(out, sizeof out, &length, job, job->nargs));
    assert_string_equal(out, expected);
    assert_int_equal(length, strlen(expected));
    for (size_t size = 0; size <= length + 2; size += 1 + size / 4) {
        assert_true(render(out, size, &again, job, job->nargs));
        assert_int_equal(again, length);
        assert_int_equal(out[size], 'X');
        if (size > 0) {
            assert_int_equal(strlen(out), length < size ? length : size - 1);
            assert_memory_equal(out, expected, strlen(out));
        }
    }
}

/* The arguments without their last word, with the word that fills a slot, with another one, with two. */
static void check_others(struct job *job, const char *expected)
{
    char out[TEXT];
    size_t length, nargs = job->nargs;
    if (nargs > 0)
        assert_false(render(out, sizeof out, &length, job, nargs - 4));
    pack_word(job, 0);
    assert_true(render(out, sizeof out, &length, job, nargs + 4));
    assert_string_equal(out, expected);
    for (size_t i = 0; i < 4; i++) {
        job->args[nargs + i] = 1;
        assert_false(render(out, sizeof out, &length, job, nargs + 4));
        job->args[nargs + i] = 0;
    }
    pack_word(job, 0);
    assert_false(render(out, sizeof out, &length, job, nargs + 8));
    job->nargs = nargs;
}

static void prints_as_the_library(void **state)
{
    static struct job job;
    (void)state;
    for (unsigned i = 0; i < FORMATS; i++) {
        make_job(&job, i % 2 != 0, 6);
        check(&job, job.expected);
        check_others(&job, job.expected);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *format;
    size_t nargs;
    const char *args, *expected; /* NULL: format string and arguments contradict each other */
} cases[] = {
    {"", 0, "", ""},
    {"plain", 4, "\0\0\0\0", "plain"},
    {"plain", 4, "\1\0\0\0", NULL},
    {"plain", 8, "\0\0\0\0\0\0\0\0", NULL},
    {"%d", 4, "\xFF\xFF\xFF\xFF", "-1"},
    {"%d", 3, "\1\0\0", NULL},
    {"%d %d", 4, "\1\0\0\0", NULL},
    {"%lld %d", 6, "\1\0\0\0\2\0", NULL}, /* a part of a number is no argument */
    {"%lld", 4, "\1\0\0\0", NULL},
    {"%f", 4, "\0\0\0\0", NULL},
    {"%lld", 8, "\1\0\0\0\2\0\0\0", "8589934593"}, /* 2 * 2^32 + 1 */
    {"%f", 8, "\0\0\0\0\0\0\xF8\x3F", "1.500000"}, /* 0x3FF8000000000000 */
    {"%Lf", 8, "\0\0\0\0\0\0\xF8\x3F", "1.500000"},
    {"%s|%d", 8, "ab\0?\7\0\0\0", "ab|7"},
    {"%s|%d", 12, "abcd\0???\7\0\0\0", "abcd|7"},
    {"%s|%d", 3, "abc", NULL}, /* no NUL */
    {"%.2s|", 4, "abcd", NULL},
    {"%s", 0, "", NULL},
    {"%s", 12, "ab\0\0\1\0\0\0\0\0\0\0", NULL},
    {"%c", 0, "", NULL},
    {"%p", 0, "", NULL},
    {"%n", 0, "", NULL},
    {"%.1s%.0s|", 8, "ab\0\0cd\0\0", "a|"},
    {"%-4s|%4s|", 8, "a\0\0\0b\0\0\0", "a   |   b|"},
    {"%p %p", 8, "\0\0\0\0\x34\x12\0\x20", "0x0 0x20001234"},
    {"%12p|%-12p|", 8, "\1\0\0\0\1\0\0\0", "         0x1|0x1         |"},
    {"[%c%c]", 8, "A\0\0\0\0\0\0\0", "[A]"},
    {"a%nb%d", 8, "\1\0\0\0\2\0\0\0", "ab2"},
    {"%q %d", 4, "\1\0\0\0", "<%q?> 1"},
    {"%d %q", 12, "\1\0\0\0\2\0\0\0\3\0\0\0", "1 <%q?>"}, /* which may take any number */
    {"%q %d", 0, "", NULL},
    {"%5%", 0, "", "<%5%?>"},
    {"%", 0, "", "<%?>"},
    {"x%-", 0, "", "x<%-?>"},
    {"%lld%", 8, "\1\0\0\0\0\0\0\0", "1<%?>"},
    {"%ls%hs", 4, "a\0\0\0", "<%ls?><%hs?>"},
    {"%Ld%hf", 0, "", "<%Ld?><%hf?>"},
    {"%*d", 8, "\5\0\0\0\7\0\0\0", "    7"},
    {"%*d|", 8, "\xFB\xFF\xFF\xFF\7\0\0\0", "7    |"},
    {"%.*d", 8, "\xFF\xFF\xFF\xFF\7\0\0\0", "7"},
    {"%.*d", 8, "\3\0\0\0\7\0\0\0", "007"},
    {"%*d", 4, "\5\0\0\0", NULL},
    {"%*d", 0, "", NULL},
    {"%.*d", 4, "\5\0\0\0", NULL},
    {"%hhd %hhu %hd %hu", 16, "\xFF\1\0\0\xFF\1\0\0\xFF\xFF\1\0\xFF\xFF\1\0", "-1 255 -1 65535"},
    {"%ju %zu %td", 16, "\1\0\0\0\1\0\0\0\2\0\0\0\xFF\xFF\xFF\xFF", "4294967297 2 -1"},
    {"%----+++   ###000d", 4, "\7\0\0\0", "+7"},
};

static void prints_what_it_must(void **state)
{
    static struct job job;
    char out[TEXT];
    size_t length;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&job, 0, sizeof job);
        strcpy(job.format, cases[i].format);
        memcpy(job.args, cases[i].args, cases[i].nargs);
        job.nargs = cases[i].nargs;
        if (cases[i].expected != NULL)
            check(&job, cases[i].expected);
        else
            assert_false(render(out, sizeof out, &length, &job, job.nargs));
    }
}

static void widths_have_a_limit(void **state)
{
    static const char *const formats[] = {"%2147483647d", "%.2147483647d", "%99999999999999999999s",
                                          "%*d",          "%.*d",          "%*s"};
    static const uint32_t widths[] = {INT32_MAX, 0x80000000, 0x80000001, 5000};
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        for (size_t k = 0; k < 4; k++) {
            struct job job = {.nargs = 0};
            size_t length;
            pack_word(&job, widths[k]);
            pack_word(&job, 1);
            printk_render(out, sizeof out, &length, formats[i], job.args, job.nargs, false);
            assert_true(length <= PRINTK_WIDTH_MAX + 1); /* and a sign */
            assert_true(length >= PRINTK_WIDTH_MAX || (i == 4 && k % 3 != 0));
            assert_true(strlen(out) < sizeof out);
        }
    }
}

/* Any bytes as format string and as arguments: no read or write is out of bounds, and the length is right. */
static void nonsense_does_no_harm(void **state)
{
    static const char parts[] = "%%%%%%%%%%%%dsfcpnlhzjtLqxX.*0123456789-+ #\n\xFF a";
    (void)state;
    for (unsigned i = 0; i < 100000; i += tier_step(83)) {
        size_t nformat = below(16), nargs = below(24);
        char *format = malloc(nformat + 1), out[200], whole[30000];
        unsigned char *args = malloc(nargs ? nargs : 1);
        size_t length, again;
        bool agree;
        for (size_t k = 0; k < nformat; k++)
            format[k] = parts[below(sizeof parts - 1)];
        format[nformat] = '\0';
        for (size_t k = 0; k < nargs; k++)
            args[k] = (unsigned char)(below(3) ? any() : 0);
        agree = printk_render(whole, sizeof whole, &length, format, args, nargs, i % 2);
        assert_true(length < sizeof whole);
        assert_int_equal(printk_render(out, sizeof out, &again, format, args, nargs, i % 2), agree);
        assert_int_equal(again, length);
        assert_int_equal(printk_render(NULL, 0, &again, format, args, nargs, i % 2), agree);
        assert_int_equal(again, length);
        assert_memory_equal(out, whole, length < sizeof out ? length : sizeof out - 1);
        printk_kernel_can(format);
        free(format);
        free(args);
    }
}

static void without_a_format_words_are_shown(void **state)
{
    char out[64];
    (void)state;
    assert_int_equal(
        printk_render_raw(out, sizeof out, 0x1234, "", (const unsigned char *)"\1\0\0\0\0\2\0\0\xFF", 9, false), 35);
    assert_string_equal(out, "printk format 0x1234 args 0x1 0x200");
    printk_render_raw(out, sizeof out, 0x1234, "", (const unsigned char *)"\1\0\0\0", 4, true);
    assert_string_equal(out, "printk format 0x1234 args 0x1000000");
    printk_render_raw(out, sizeof out, 0, "", NULL, 0, false);
    assert_string_equal(out, "printk format 0x0 args");
    assert_int_equal(printk_render_raw(NULL, 0, 0, "", NULL, 0, false), 22);
    printk_render_raw(out, sizeof out, 2, PRINTK_CONTRADICTS, (const unsigned char *)"\1\0\0\0", 4, false);
    assert_string_equal(out, "printk format 0x2 args 0x1 <the format takes others>");
}

/* ---- against libtraceevent --------------------------------------------------------------------------------------- */

static const char bprint[] = "name: bprint\nID: 6\nformat:\n"
                             "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                             "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                             "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                             "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                             "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                             "\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
                             "\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
                             "print fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

/* As in the section of formats in a trace.dat file: in quotes, newlines and quotes escaped. */
static void escape(char *to, const char *from)
{
    *to++ = '"';
    for (; *from != '\0'; from++) {
        if (*from == '\n' || *from == '"')
            *to++ = '\\';
        *to++ = *from == '\n' ? 'n' : *from;
    }
    *to++ = '"';
    *to = '\0';
}

static void kernel_must_print(const struct job *job)
{
    struct tep_handle *tep = tep_alloc();
    unsigned char data[24 + BLOCK + 8] = {6};
    struct tep_record record = {.data = data, .size = (int)(24 + ((job->nkernel + 3) & ~3u))};
    char escaped[1100], expected[TEXT + 16];
    struct trace_seq seq;
    size_t length;
    tep_set_long_size(tep, 8);
    assert_int_equal(tep_parse_event(tep, bprint, sizeof bprint - 1, "ftrace"), 0);
    escape(escaped, job->format);
    tep_register_print_string(tep, escaped, 0x1234);
    data[16] = 0x34;
    data[17] = 0x12;
    memcpy(data + 24, job->kernel, job->nkernel);
    snprintf(expected, sizeof expected, "0x0: %s", job->expected);
    length = strlen(expected);
    if (length > 0 && expected[length - 1] == '\n' && job->format[strlen(job->format) - 1] == '\n')
        expected[length - 1] = '\0';
    trace_seq_init(&seq);
    tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
    trace_seq_terminate(&seq);
    if (strcmp(seq.buffer, expected) != 0)
        printf("format \"%s\"\n", job->format);
    assert_string_equal(seq.buffer, expected);
    trace_seq_destroy(&seq);
    tep_free(tep);
}

/* Words of either byte order are packed, never beyond the room, and not if a byte of the arguments is missing. */
static void packs_as_the_kernel(const struct job *job)
{
    unsigned char out[BLOCK];
    size_t nkernel = (job->nkernel + 3) & ~(size_t)3, used;
    for (size_t size = 0; size <= nkernel; size += 4) {
        memset(out, 0x55, sizeof out);
        assert_int_equal(printk_pack(out, size, &used, job->format, job->args, job->nargs, job->big_endian),
                         size == nkernel);
        assert_memory_equal(out, job->kernel, size < job->nkernel ? size : job->nkernel);
        for (size_t i = size; i < sizeof out; i++)
            assert_int_equal(out[i], 0x55);
    }
    assert_int_equal(used, nkernel);
    for (size_t nargs = job->nargs < 4 ? 0 : job->nargs - 4; nargs + 4 <= job->nargs; nargs++)
        assert_false(printk_pack(out, sizeof out, &used, job->format, job->args, nargs, job->big_endian)
                     && memcmp(out, job->kernel, job->nkernel) != 0);
    for (size_t more = 4; more <= 8; more += 4) { /* words of 0 follow */
        assert_int_equal(
            printk_pack(out, sizeof out, &used, job->format, job->args, job->nargs + more, job->big_endian), more == 4);
    }
}

static void the_kernels_arguments_are_packed_anew(void **state)
{
    static struct job job;
    (void)state;
    for (unsigned n = 0; n < 3000;) {
        make_job(&job, n % 2 != 0, 4);
        if (!printk_kernel_can(job.format))
            continue;
        packs_as_the_kernel(&job);
        n++;
    }
}

static void missing_arguments_are_not_packed(void **state)
{
    static const unsigned char args[8] = "abcdefgh";
    unsigned char out[64];
    size_t used;
    (void)state;
    assert_true(printk_pack(out, sizeof out, &used, "%d %d", args, 8, false));
    for (size_t n = 0; n < 8; n++)
        assert_false(printk_pack(out, sizeof out, &used, "%d %d", args, n, false));
    assert_false(printk_pack(out, sizeof out, &used, "%lld %d", args, 8, false));
    assert_false(printk_pack(out, sizeof out, &used, "%s", args, 8, false)); /* no NUL */
    assert_false(printk_pack(out, sizeof out, &used, "%s", args, 0, false));
    assert_false(printk_pack(out, sizeof out, &used, "%d", args, 8, false)); /* one is left */
    assert_false(printk_pack(out, sizeof out, &used, "", args, 4, false));
}

static void libtraceevent_prints_the_same(void **state)
{
    static struct job job;
    unsigned n = 0, tried;
    (void)state;
    for (tried = 0; n < 3000; tried++) {
        make_job(&job, false, tried % 8 ? 3 : 6);
        if (!printk_kernel_can(job.format) || strlen(job.format) < 3)
            continue;
        kernel_must_print(&job);
        n++;
    }
    assert_in_range(tried, n, 20 * n);
}

static void the_kernel_cannot_all(void **state)
{
    static const char *const can[] = {
        "", "a", "%%", "%d %u %i %x %X %o", "%08x", "%5d", "%.3d", "%ld %lu", "%lld %llx", "%s", "%10s", "%.3s"};
    static const char *const cannot[] = {"%f",   "%g",
                                         "%e",   "%a",
                                         "%c",   "%p",
                                         "%n",   "%+d",
                                         "% d",  "%#x",
                                         "%-d",  "%-5s",
                                         "%hd",  "%hhd",
                                         "%zu",  "%td",
                                         "%jd",  "%*d",
                                         "%.*s", "%Lf",
                                         "%q",   "%",
                                         "a\\b", "%d %f",
                                         "%5%",  "%0000000000000000000000000d"};
    (void)state;
    for (size_t i = 0; i < sizeof can / sizeof can[0]; i++)
        assert_true(printk_kernel_can(can[i]));
    for (size_t i = 0; i < sizeof cannot / sizeof cannot[0]; i++)
        assert_false(printk_kernel_can(cannot[i]));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_as_the_library),
        cmocka_unit_test(prints_what_it_must),
        cmocka_unit_test(widths_have_a_limit),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(without_a_format_words_are_shown),
        cmocka_unit_test(the_kernels_arguments_are_packed_anew),
        cmocka_unit_test(missing_arguments_are_not_packed),
        cmocka_unit_test(libtraceevent_prints_the_same),
        cmocka_unit_test(the_kernel_cannot_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
