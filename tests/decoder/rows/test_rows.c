/* test_rows.c - the rows of --format=csv and --format=jsonl, compared with rows that were written by hand, and the
 * texts and numbers in them. That other programs read the rows is checked by tests/decoder/rows/rows.sh. */
#include "decoder/model/harness.h"
#include "formats/rows/json.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct trace_writer writer_csv, writer_jsonl;

#define HEADER "time_ns,cpu,pid,task,kind,system,event,group,context,fields\r\n"
#define IDLE   "'cpu':0,'pid':0,'task':'idle','kind':'event','system':'own',"

/* The writer makes these rows of the batch; quotation marks are ' here. */
static void check_rows(const struct trace_writer *writer, unsigned cpu, const char *quoted)
{
    char *expected = strdup(quoted);
    assert_non_null(expected);
    for (char *at = expected; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    check_lines(writer, cpu, expected);
    free(expected);
}

/* ---- texts and numbers ------------------------------------------------------------------------------------------- */

static void check_text(const char *text, size_t n, const char *expected, bool doubled)
{
    char *out = malloc(JSON_MOST * n + 1u);
    assert_non_null(out);
    *json_put(out, text, n, doubled) = '\0';
    assert_string_equal(out, expected);
    free(out);
}

static void texts_are_json(void **state)
{
    (void)state;
    check_text("a b/c", 5, "a b/c", false);
    check_text("\"\\\n\r\t\x1b\x7f\0", 8, "\\\"\\\\\\n\\r\\t\\u001b\\u007f\\u0000", false);
    check_text("say \"x\"", 7, "say \\\"\"x\\\"\"", true);
    check_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", false);
    /* C1 controls; bytes that are no UTF-8: a lone byte, cut characters, forms that are too long, a surrogate, a number
     * above U+10FFFF */
    check_text("\xc2\x85\x85", 3, "\\u00c2\\u0085\\u0085", false);
    check_text("\xe2\x82", 2, "\\u00e2\\u0082", false);
    check_text("\xc0\xaf\xe0\x80\xaf", 5, "\\u00c0\\u00af\\u00e0\\u0080\\u00af", false);
    check_text("\xed\xa0\x80", 3, "\\u00ed\\u00a0\\u0080", false);
    check_text("\xf4\x90\x80\x80", 4, "\\u00f4\\u0090\\u0080\\u0080", false);
    check_text("\xf0\x8f\xbf\xbf\xff", 5, "\\u00f0\\u008f\\u00bf\\u00bf\\u00ff", false);
}

static void numbers_are_those_of_json(void **state)
{
    static const char *const good[] = {"0", "-0", "7", "-12.5", "0.25", "1e5", "1E-7", "1.5e+300"};
    static const char *const bad[] = {"",   "-",   "nan", "inf", "-inf", "01", "1.",  ".5",
                                      "1e", "1e+", "+1",  "0x1", "1 ",   " 1", "1,5", "1e5x"};
    (void)state;
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(json_is_number(good[i], strlen(good[i])));
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(json_is_number(bad[i], strlen(bad[i])));
}

static void fields_of_csv_are_quoted_where_they_must_be(void **state)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"plain text", "plain text"},
                                           {"a,b", "\"a,b\""},
                                           {"say \"x\"", "\"say \"\"x\"\"\""},
                                           {"\n", "\"\n\""}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        *csv_put(out, cases[i][0], strlen(cases[i][0])) = '\0';
        assert_string_equal(out, cases[i][1]);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static const struct tlog_field lock_fields[] = {{"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}};
static const struct tlog_type lock_type = {"shark", "lock", TLOG_MEANS_PLAIN, 8, 2, lock_fields, NULL};

static void rows_have_all_columns(void **state)
{
    (void)state;
    trace_set_name(&trace, TRACE_NAME_TASK, 1, "sensor");
    trace_set_name(&trace, TRACE_NAME_MUTEX, 2, "bus, \"fast\"");
    add(&lock_type, 1000, 1, "\0\0\0\0\2\0\0\0", 8);
    add(&lock_type, 2000, 7, "\1\0\0\0\3\0\0\0", 8)->flags = TLOG_FLAG_DERIVED;
    add(&lock_type, 3000, 0, "\7\0\0\0\0\0\0\0", 8)->context = 25;
    add(&trace_loss_type, 3000, 0, "\x11\0\0\0\0\0\0\0", 8);
    add(&trace_damage_type, 18446744073709551615u, 0, "\0\0\0\0\0\0\0\0", 8);
    batch.event[1].group = trace_group(&trace, "boot");
    check_rows(&writer_csv, 3,
               HEADER "1000,3,1,sensor,event,shark,lock,,,"
                      "'{''context'':0,''context_name'':''idle'',''mutex'':2,''mutex_name'':''bus, \\''fast\\''''}'\r\n"
                      "2000,3,7,,derived,shark,lock,boot,,"
                      "'{''context'':1,''context_name'':''sensor'',''mutex'':3}'\r\n"
                      "3000,3,0,idle,event,shark,lock,,irq 9,'{''context'':7,''mutex'':0}'\r\n"
                      "3000,3,0,idle,loss,tlog,loss,,,'{''count'':17}'\r\n"
                      "18446744073709551615,3,0,idle,damage,tlog,damage,,,'{''count'':0}'\r\n");
    check_rows(&writer_jsonl, 3,
               "{'time_ns':1000,'cpu':3,'pid':1,'task':'sensor','kind':'event','system':'shark','event':'lock',"
               "'group':'','context':'',"
               "'fields':{'context':0,'context_name':'idle','mutex':2,'mutex_name':'bus, \\'fast\\''}}\n"
               "{'time_ns':2000,'cpu':3,'pid':7,'task':'','kind':'derived','system':'shark','event':'lock',"
               "'group':'boot','context':'','fields':{'context':1,'context_name':'sensor','mutex':3}}\n"
               "{'time_ns':3000,'cpu':3,'pid':0,'task':'idle','kind':'event','system':'shark','event':'lock',"
               "'group':'','context':'irq 9','fields':{'context':7,'mutex':0}}\n"
               "{'time_ns':3000,'cpu':3,'pid':0,'task':'idle','kind':'loss','system':'tlog','event':'loss',"
               "'group':'','context':'','fields':{'count':17}}\n"
               "{'time_ns':18446744073709551615,'cpu':3,'pid':0,'task':'idle','kind':'damage','system':'tlog',"
               "'event':'damage','group':'','context':'','fields':{'count':0}}\n");
}

static void fields_of_every_kind_have_values(void **state)
{
    static const struct tlog_field fields[] = {
        {"u", TLOG_KIND_UNSIGNED, 0, 8}, {"s", TLOG_KIND_SIGNED, 8, 2},  {"h", TLOG_KIND_HEX, 10, 1},
        {"c", TLOG_KIND_CHARS, 12, 4},   {"t", TLOG_KIND_STRING, 16, 4}, {"b", TLOG_KIND_BYTES, 10, 3},
        {"o", TLOG_KIND_OPTIONAL, 0, 4}, {"a", TLOG_KIND_ADDRESS, 0, 4}, {"w", TLOG_KIND_WORDS, 20, 0}};
    static const struct tlog_type type = {"own", "all", TLOG_MEANS_PLAIN, 20, 9, fields, NULL};
    (void)state;
    add(&type, 1000, 0, "\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xab\1ab\0d\x18\0\4\0\1\0\0\0hi\"\0\0\0\0\x80", 32);
    add(&type, 2000, 0, "\1\0\0\0\0\0\0\0\1\0\0\0", 12);
    check_rows(&writer_jsonl, 0,
               "{'time_ns':1000," IDLE "'event':'all','group':'','context':'',"
               "'fields':{'u':18446744073709551615,'s':-2,'h':171,'c':'ab','t':'hi\\'','b':'ab0161',"
               "'o':4294967295,'a':4294967295,'w':[1,2255208,2147483648]}}\n"
               "{'time_ns':2000," IDLE "'event':'all','group':'','context':'',"
               "'fields':{'u':1,'s':1,'h':0,'c':null,'t':null,'b':null,'o':1,'a':1,'w':null}}\n");
}

static void numbers_with_names_in_the_print_format_have_both(void **state)
{
    static const struct tlog_field fields[] = {
        {"state", TLOG_KIND_UNSIGNED, 0, 1}, {"mode", TLOG_KIND_UNSIGNED, 1, 1}, {"plain", TLOG_KIND_UNSIGNED, 2, 1}};
    static const struct tlog_type type = {
        "own",
        "motor",
        TLOG_MEANS_PLAIN,
        4,
        3,
        fields,
        "\"state=%s mode=%s plain=%u\", __print_symbolic(REC->state, { 0, \"IDLE\" }, { 2, \"STALL\" }), "
        "__print_flags(REC->mode, \"|\", { 1, \"a\" }, { 2, \"b\" }), REC->plain"};
    (void)state;
    add(&type, 1000, 0, "\2\3\4\0", 4);
    add(&type, 1000, 0, "\1\4\4\0", 4);
    check_rows(&writer_csv, 0,
               HEADER "1000,0,0,idle,event,own,motor,,,"
                      "'{''state'':2,''state_name'':''STALL'',''mode'':3,''mode_name'':''a|b'',''plain'':4}'\r\n"
                      "1000,0,0,idle,event,own,motor,,,"
                      "'{''state'':1,''state_name'':''0x1'',''mode'':4,''mode_name'':''0x4'',''plain'':4}'\r\n");
}

/* A firmware's floating point number is a rounded number and its text, of which the print format shows the text. */
static void floating_point_numbers_are_numbers(void **state)
{
    static const struct tlog_field fields[] = {{"rpm", TLOG_KIND_SIGNED, 0, 8}, {"rpm_text", TLOG_KIND_STRING, 8, 4}};
    static const struct tlog_type type = {
        "own", "motor", TLOG_MEANS_PLAIN, 12, 2, fields, "\"rpm=%s\", __get_str(rpm_text)"};
    static const struct tlog_type both = {
        "own", "other", TLOG_MEANS_PLAIN, 12, 2, fields, "\"rpm=%lld rpm_text=%s\", REC->rpm, __get_str(rpm_text)"};
    (void)state;
    add(&type, 1, 0,
        "\x71\2\0\0\0\0\0\0\xc\0\6\0"
        "624.5\0",
        18);
    add(&type, 2, 0, "\0\0\0\0\0\0\0\0\xc\0\4\0nan\0", 16);
    add(&both, 3, 0,
        "\x71\2\0\0\0\0\0\0\xc\0\4\0"
        "0.5\0",
        16);
    check_rows(&writer_csv, 0,
               HEADER "1,0,0,idle,event,own,motor,,,'{''rpm'':624.5}'\r\n"
                      "2,0,0,idle,event,own,motor,,,'{''rpm'':null,''rpm_text'':''nan''}'\r\n"
                      "3,0,0,idle,event,own,other,,,'{''rpm'':625,''rpm_text'':''0.5''}'\r\n");
}

static void times_without_a_clock_are_ticks(void **state)
{
    static const struct tlog_type type = {"own", "none", TLOG_MEANS_PLAIN, 0, 0, NULL, NULL};
    (void)state;
    trace.clock_hz = 0;
    add(&type, 12, 0, "", 0);
    check_rows(&writer_csv, 0,
               "time_ticks,cpu,pid,task,kind,system,event,group,context,fields\r\n"
               "12,0,0,idle,event,own,none,,,'{}'\r\n");
    check_rows(&writer_jsonl, 0, "{'time_ticks':12," IDLE "'event':'none','group':'','context':'','fields':{}}\n");
}

/* A write fails; and where a row does not fit into what is left of the buffer, the buffer is written before. */
static void a_full_disk_is_an_error(void **state)
{
    struct trace_options options = {0};
    int full = open("/dev/full", O_WRONLY);
    void *rows = writer_jsonl.open(&trace, &options, full);
    int written = 0;
    (void)state;
    assert_non_null(rows);
    add(&lock_type, 1000, 1, "\0\0\0\0\2\0\0\0", 8);
    for (unsigned i = 0; i < 20000u && written == 0; i++)
        written = writer_jsonl.write(rows, 0, &batch);
    assert_int_equal(written, -1);
    assert_non_null(strstr(trace.error, "cannot write: No space left on device"));
    writer_jsonl.close(rows, false);
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_json),
        cmocka_unit_test(numbers_are_those_of_json),
        cmocka_unit_test(fields_of_csv_are_quoted_where_they_must_be),
        test("rows have all columns", rows_have_all_columns),
        test("fields of every kind have values", fields_of_every_kind_have_values),
        test("numbers with names in the print format have both", numbers_with_names_in_the_print_format_have_both),
        test("floating point numbers are numbers", floating_point_numbers_are_numbers),
        test("times without a clock are ticks", times_without_a_clock_are_ticks),
        test("a full disk is an error", a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
