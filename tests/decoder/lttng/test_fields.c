/* test_fields.c - every field of LTTng traces of every version, in both byte orders and word sizes, with every value
 * that is likely to be wrong; every bit; every length.
 *
 * The traces are made by tests/gen/lttng.py, which also writes a map: where each field is, which event it belongs to,
 * and what a wrong value may change. The rules for that are explained there. Every change must be reported, with the
 * file and an offset in the block that was broken; what does not depend on the field must be as it was, to the ns.
 */
#include "harness.h"
#include "lib/tier.h"

#include "formats/lttng/block_header.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKS_MAX     1200u
#define MESSAGE_BYTES 8192u
#define CUT           'k' /* rule for a file that ends in the block */

/* A field of the trace. */
struct mark {
    char path[40], name[24];           /* of the file, of the field */
    unsigned block, size;              /* number of the block in the file; bytes of the field */
    uint64_t block_at, block_size, at; /* offsets in the file, and bytes of the block */
    char rule;
    int owner; /* event that the field belongs to: index in whole.seen, or -1 */
};

/* Where an event is. */
struct home {
    char path[40];
    unsigned block;
};

static struct mark marks[MARKS_MAX];
static struct home homes[SEEN_MAX]; /* of the events in whole.seen */
static size_t nmarks, nhomes;
static struct result broken; /* of the trace that was broken, with its messages */
static char messages[MESSAGE_BYTES], version[100];

/* ---- a trace and its map ----------------------------------------------------------------------------------------- */

static void read_map(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    assert_non_null(file);
    for (nmarks = nhomes = 0; fgets(line, sizeof line, file) != NULL;) {
        struct mark *mark = &marks[nmarks];
        struct home *home = &homes[nhomes];
        assert_true(nmarks < MARKS_MAX);
        if (sscanf(line, "event %39s %u", home->path, &home->block) == 2)
            nhomes++;
        else if (sscanf(line, "field %39s %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %u %c %d %23s", mark->path,
                        &mark->block, &mark->block_at, &mark->block_size, &mark->at, &mark->size, &mark->rule,
                        &mark->owner, mark->name)
                 == 9)
            nmarks++;
        else
            fail_msg("map: %s", line);
    }
    fclose(file);
}

static void make_small_trace(const char *options)
{
    char command[400];
    remove_tree(trace_path);
    snprintf(version, sizeof version, "%s", options);
    snprintf(command, sizeof command, "python3 tests/gen/lttng.py %s %s small map=%s >/dev/null", trace_path, options,
             text_path);
    assert_int_equal(system(command), 0);
    read_map(text_path);
    read_into(&whole, trace_path, NULL, 0);
    assert_int_equal(whole.gaps, 0);
    assert_int_equal(whole.n, 30);
    assert_int_equal(nhomes, whole.n);
}

static int open_file(const char *path)
{
    char name[160];
    int fd;
    snprintf(name, sizeof name, "%s/%s", trace_path, path);
    fd = open(name, O_RDWR);
    assert_true(fd >= 0);
    return fd;
}

static bool is_description(const struct mark *mark)
{
    return strstr(mark->path, "facilities") != NULL || strstr(mark->path, "metadata") != NULL;
}

/* ---- what was reported ------------------------------------------------------------------------------------------- */

/* Was damage reported in the field's file and block? */
static bool is_reported(const struct mark *mark)
{
    const char *line = messages;
    uint64_t offset;
    char path[64];
    while ((line = strstr(line, ": offset 0x")) != NULL) {
        line += strlen(": offset 0x");
        if (sscanf(line, "%" SCNx64 ": %63[^:]", &offset, path) == 2 && strcmp(path, mark->path) == 0
            && offset >= mark->block_at && offset <= mark->block_at + mark->block_size)
            return true;
    }
    return false;
}

static bool is_reported_anywhere(void)
{
    return broken.failed || broken.gaps > 0;
}

/* ---- what may differ --------------------------------------------------------------------------------------------- */

static bool in_block(const struct mark *mark, size_t event)
{
    return homes[event].block == mark->block && strcmp(homes[event].path, mark->path) == 0;
}

/* May the event be changed or missing, if the field has a wrong value? */
static bool may_change(const struct mark *mark, size_t event)
{
    if (is_description(mark))
        return true;
    if (mark->rule == CUT)
        return strcmp(homes[event].path, mark->path) == 0 && homes[event].block >= mark->block;
    switch (mark->rule) {
    case 't':
        return (int)event == mark->owner || (int)event == mark->owner + 1;
    case 's':
    case 'i':
    case 'p':
        return (int)event == mark->owner;
    case 'x':
        return in_block(mark, event) && (int)event >= mark->owner;
    default:
        return in_block(mark, event);
    }
}

static bool is_same(const struct mark *mark, const struct seen *a, const struct seen *b)
{
    return a->cpu == b->cpu && a->hash == b->hash && (mark->rule == 'c' || a->time == b->time);
}

/* Numbers of events. */
struct change {
    unsigned lost;     /* missing, as they may be */
    unsigned spoilt;   /* missing though they do not depend on the field */
    unsigned invented; /* that are not in the unbroken trace */
};

/* Compare the events of the broken trace with those of the unbroken one. A changed event counts as missing and
 * invented. */
static struct change compare(const struct mark *mark)
{
    struct change change = {0};
    size_t at = 0;
    for (size_t i = 0; i < broken.n; i++) {
        size_t k = at;
        while (k < whole.n && !is_same(mark, &whole.seen[k], &broken.seen[i]))
            k++;
        if (k == whole.n) {
            change.invented++;
            continue;
        }
        for (; at < k; at++) {
            change.lost += may_change(mark, at);
            change.spoilt += !may_change(mark, at);
        }
        at = k + 1u;
    }
    for (; at < whole.n; at++) {
        change.lost += may_change(mark, at);
        change.spoilt += !may_change(mark, at);
    }
    return change;
}

/* ---- the rules --------------------------------------------------------------------------------------------------- */

/* A field that belongs to an event was broken: what is wrong with the result, or NULL. */
static const char *judge_event(const struct mark *mark, const struct change *change, bool reported)
{
    if (mark->rule == 's' && change->invented > 0)
        return "an event was invented";
    if (change->invented > change->lost && mark->rule != 'x')
        return "events were invented";
    if ((change->lost > change->invented || change->lost > 1u) && mark->rule != 'x' && !reported)
        return "an event went in silence";
    return NULL;
}

/* How many invented events are acceptable. Without their descriptions events look different, and so they do with other
 * times. A heartbeat may look like an event. */
static unsigned may_look_new(const struct mark *mark, const struct change *change)
{
    if (is_description(mark) || strchr("wv.c", mark->rule) != NULL)
        return change->lost;
    return mark->rule == 'h' ? change->lost + 1u : 0;
}

/* Are more events missing than the field's rule allows without a report? */
static bool is_silent(const struct mark *mark, const struct change *change, bool reported)
{
    unsigned allowed = mark->rule == 'v' ? change->invented : 0;
    if (mark->rule == 'n' || change->lost <= allowed)
        return false;
    return is_description(mark) ? !is_reported_anywhere() : !reported;
}

/* Must a wrong value of the field be reported, whatever it changed? */
static bool needs_report(const struct mark *mark, bool truth_changed)
{
    return mark->rule == '!' || (mark->rule == 'b' && truth_changed);
}

/* A field was broken: what is wrong with the result, or NULL. truth_changed: the field was 0 or is 0 now, not both. */
static const char *judge(const struct mark *mark, bool truth_changed)
{
    struct change change = compare(mark);
    bool reported = broken.failed || is_reported(mark);
    if (change.spoilt > 0)
        return broken.failed ? NULL : "events went or changed that do not depend on it";
    if (mark->owner >= 0)
        return judge_event(mark, &change, reported);
    if (mark->rule == 'x' && (reported || is_reported_anywhere() || change.lost <= change.invented))
        return NULL;
    if (change.invented > may_look_new(mark, &change))
        return "events were invented";
    if (is_silent(mark, &change, reported))
        return "events went or changed in silence";
    return needs_report(mark, truth_changed) && !reported ? "it was not reported" : NULL;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Check the events that were read with a wrong value in a field. */
static void check(const struct mark *mark, uint64_t before, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64u - 8u * mark->size);
    const char *wrong = judge(mark, (before != 0) != ((value & mask) != 0));
    struct change change;
    if (wrong == NULL)
        return;
    change = compare(mark);
    print_error("%s: %s, block %u, offset 0x%" PRIx64 ": %s (rule %c, owner %d) %" PRIu64 " -> %" PRIu64
                ": %s; %u lost, %u spoilt, %u invented; messages:\n%s\n",
                version, mark->path, mark->block, mark->at, mark->name, mark->rule, mark->owner, before, value, wrong,
                change.lost, change.spoilt, change.invented, messages);
    if (getenv("KEEP_GOING") == NULL)
        fail();
}

/* Read the trace with another value in a field. Returns how many cases that was: 0 if the field has the value
 * already. */
static unsigned try_value(const struct mark *mark, int fd, const unsigned char *old, bool big, uint64_t value)
{
    unsigned char bytes[8];
    uint64_t before = number_at(old, mark->size, big);
    lttng_put(bytes, mark->size, big, value);
    if (memcmp(bytes, old, mark->size) == 0)
        return 0;
    assert_int_equal(pwrite(fd, bytes, mark->size, (off_t)mark->at), mark->size);
    read_into(&broken, trace_path, messages, sizeof messages);
    assert_int_equal(pwrite(fd, old, mark->size, (off_t)mark->at), mark->size);
    check(mark, before, value);
    return 1;
}

/* Give a field the values 0, 1, the most, one less and one more than its own. Returns the number of cases. */
static unsigned try_field(const struct mark *mark, bool big)
{
    unsigned char old[8];
    unsigned cases = 0;
    int fd = open_file(mark->path);
    uint64_t value;
    assert_int_equal(pread(fd, old, mark->size, (off_t)mark->at), mark->size);
    value = number_at(old, mark->size, big);
    cases += try_value(mark, fd, old, big, 0);
    cases += try_value(mark, fd, old, big, 1);
    cases += try_value(mark, fd, old, big, UINT64_MAX);
    cases += try_value(mark, fd, old, big, value - 1u);
    cases += try_value(mark, fd, old, big, value + 1u);
    close(fd);
    return cases;
}

/* To try all fields takes minutes, and is done with LTTNG_ALL=1. Else only these are tried: the first block of
 * descriptions and, of CPU 0, the events of the first block and the headers of the second. */
static bool is_left_out(const struct mark *mark)
{
    unsigned block = is_description(mark) || mark->owner >= 0 ? 0 : 1;
    return getenv("LTTNG_ALL") == NULL && (mark->block != block || mark->path[strlen(mark->path) - 1u] != '0');
}

static const char *const versions[] = {"0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "seed", "1.0",
                                       "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6"};

static void test_every_field(void **state)
{
    static const char *const forms[] = {"word=4 order=little heartbeat", "word=4 order=big packed",
                                        "word=8 order=little", "word=8 order=big packed heartbeat"};
    char options[100];
    (void)state;
    for (size_t i = 0; i < COUNT(versions); i += tier_step(5)) {
        unsigned cases = 0;
        for (size_t form = 0; form < COUNT(forms); form++) {
            if (getenv("LTTNG_ALL") == NULL && (form == 1u || form == 2u) != (i % 2u == 1u))
                continue;
            snprintf(options, sizeof options, "%s %s", versions[i], forms[form]);
            make_small_trace(options);
            for (size_t k = 0; k < nmarks; k++)
                cases += is_left_out(&marks[k]) ? 0 : try_field(&marks[k], form % 2u == 1u);
        }
        print_message("%s: %u cases\n", versions[i], cases);
    }
}

/* ---- bits and lengths -------------------------------------------------------------------------------------------- */

/* The field at an offset of a file, or the last one before it: padding and the rest of a text are no fields. */
static const struct mark *mark_at(const char *path, uint64_t at)
{
    const struct mark *found = NULL;
    for (size_t i = 0; i < nmarks; i++) {
        if (strcmp(marks[i].path, path) == 0 && marks[i].at <= at && (found == NULL || marks[i].at >= found->at))
            found = &marks[i];
    }
    return found;
}

/* Flip bits in each byte from one offset to another (in `make test` in every third one): one bit, another one in each
 * byte, or all with LTTNG_ALL=1.
 * Returns the number of cases. */
static unsigned flip_bits(const char *path, uint64_t from, uint64_t to)
{
    unsigned cases = 0;
    int fd = open_file(path);
    for (uint64_t at = from; at < to; at += tier_step(151)) {
        for (unsigned bit = 0; bit < 8u; bit++) {
            struct mark mark = *mark_at(path, at);
            unsigned char old, other;
            if (at >= mark.at + mark.size && mark.owner < 0) /* padding, or the rest of a text */
                mark.rule = mark.rule == 'x' || mark.rule == 'h' ? mark.rule : 'n';
            if (getenv("LTTNG_ALL") == NULL && bit != at * 5u % 8u)
                continue;
            assert_int_equal(pread(fd, &old, 1, (off_t)at), 1);
            other = (unsigned char)(old ^ 1u << bit);
            assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
            read_into(&broken, trace_path, messages, sizeof messages);
            assert_int_equal(pwrite(fd, &old, 1, (off_t)at), 1);
            check(&mark, old, other);
            cases++;
        }
    }
    close(fd);
    return cases;
}

/* Let the file end at each byte from one offset to another. Returns the number of cases. */
static unsigned cut_file(const char *path, uint64_t from, uint64_t to)
{
    static unsigned char bytes[FILE_BYTES];
    char name[160];
    size_t n;
    snprintf(name, sizeof name, "%s/%s", trace_path, path);
    n = load(name, bytes, sizeof bytes);
    for (uint64_t at = from; at < to; at += tier_step(151)) {
        struct mark mark = *mark_at(path, at);
        if (at == mark.block_at) /* the whole block is missing, which cannot be noticed */
            continue;
        mark.rule = CUT;
        mark.owner = -1;
        save(name, bytes, at);
        read_into(&broken, trace_path, messages, sizeof messages);
        check(&mark, 0, at);
        assert_true(is_reported_anywhere());
    }
    save(name, bytes, n);
    return (unsigned)(to - from) / tier_step(151);
}

/* Call with the offsets of the beginning of a block and the end of its last event. Returns what the call returns. */
static unsigned in_one_block(const char *path, unsigned block,
                             unsigned (*call)(const char *path, uint64_t from, uint64_t to))
{
    uint64_t from = UINT64_MAX, to = 0;
    for (size_t i = 0; i < nmarks; i++) {
        const struct mark *mark = &marks[i];
        if (strcmp(mark->path, path) != 0 || mark->block != block)
            continue;
        from = mark->block_at;
        to = mark->at + mark->size > to ? mark->at + mark->size : to;
    }
    return to > 0 ? call(path, from, to) : 0;
}

/* Call for a block of descriptions and a block of events of each version. */
static void each_version(unsigned (*call)(const char *path, uint64_t from, uint64_t to))
{
    char options[100];
    for (size_t i = 0; i < COUNT(versions); i += tier_step(5)) {
        bool is_new = versions[i][0] == '2';
        unsigned cases;
        snprintf(options, sizeof options, "%s word=%u order=%s %s", versions[i], i % 2u ? 4 : 8,
                 i % 4u < 2u ? "little" : "big", i % 3u ? "heartbeat" : "");
        make_small_trace(options);
        cases = in_one_block(is_new ? "metadata_0" : "control/facilities_0", 0, call);
        cases += in_one_block(is_new ? "user_0" : "cpu_0", 1, call);
        print_message("%s: %u cases\n", versions[i], cases);
    }
}

static void test_every_bit(void **state)
{
    (void)state;
    each_version(flip_bits);
}

static void test_every_length(void **state)
{
    (void)state;
    each_version(cut_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_every_length),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
