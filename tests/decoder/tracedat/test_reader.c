/* test_reader.c - the reader of trace.dat files. Small files of tests/gen/tracedat.py are cut at every byte; they have
 * every byte changed; and wherever a number may stand they get 0, 1, the highest value, one more and one less.
 *
 * For each of these files it is checked that types, payloads and batches keep the rules of the event model. Where it
 * can be known which events must come out, for files that were cut and for pages, it is checked that none is missing
 * without a message. Run from the top of the repository.
 */
#define _GNU_SOURCE

#include "io/input.h"
#include "lib/tier.h"
#include "model/module.h"
#include "cli/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_MAX  (4u << 20)
#define TIMES_MAX 8192u

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/test-tracedat-XXXXXX";
static char in_path[64], expected_path[64], memory_path[64];
static int memory;
static unsigned char whole[FILE_MAX];
static size_t whole_size;

static void generate(const char *wanted)
{
    char line[512];
    FILE *file;
    snprintf(line, sizeof line, "python3 tests/gen/tracedat.py %s %s %s", in_path, expected_path, wanted);
    assert_int_equal(system(line), 0);
    file = fopen(in_path, "rb");
    assert_non_null(file);
    whole_size = fread(whole, 1, FILE_MAX, file);
    fclose(file);
    assert_true(whole_size > 100 && whole_size < FILE_MAX);
}

/* Save a file in memory: writing to a disk would take most of the time. */
static void save(const unsigned char *bytes, size_t n)
{
    assert_int_equal(ftruncate(memory, (off_t)n), 0);
    assert_int_equal(pwrite(memory, bytes, n, 0), (ssize_t)n);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What came out of a file. */
struct result {
    bool failed;
    uint64_t events, losses, damages, lost;
    uint64_t gaps;
    uint64_t time[TIMES_MAX]; /* of the events, CPU after CPU */
};

static struct result result;
static struct trace_batch batch;

static void check_string(const struct tlog_event *event, const struct tlog_field *field)
{
    uint32_t place = 0, offset, length;
    if (field->offset + 4u > event->size)
        return;
    memcpy(&place, event->data + field->offset, 4);
    offset = place & 0xFFFFu;
    length = place >> 16;
    if (place != UINT32_MAX && length > 0) {
        assert_true(offset + length <= event->size);
        assert_int_equal(event->data[offset + length - 1u], 0);
    }
}

/* All that model/event.h says of an event. Every byte of the payload is read, so that the sanitizer sees it. */
static void check_event(const struct trace *trace, const struct tlog_event *event)
{
    const struct tlog_type *type;
    unsigned sum = 0;
    assert_true(event->type < trace->ntypes);
    type = trace->types[event->type];
    assert_true(event->data >= batch.room && event->data + event->size <= batch.room + sizeof batch.room);
    for (size_t i = 0; i < event->size; i++)
        sum += event->data[i];
    assert_true(sum <= event->size * 255u && type->size % 4u == 0 && type->size <= 4000u && event->size <= 4004u);
    for (unsigned i = 0; i < type->nfields; i++) {
        assert_true(type->fields[i].offset + type->fields[i].size <= type->size);
        if (type->fields[i].kind == TLOG_KIND_STRING)
            check_string(event, &type->fields[i]);
        if (type->fields[i].kind == TLOG_KIND_CHARS && type->size <= event->size)
            assert_int_equal(event->data[type->fields[i].offset + type->fields[i].size - 1u], 0);
    }
}

static void take_event(const struct trace *trace, const struct tlog_event *event)
{
    enum tlog_meaning means;
    check_event(trace, event);
    means = trace->types[event->type]->means;
    if (means == TLOG_MEANS_LOSS) {
        result.losses++;
        result.lost += event->data[0] | (unsigned)event->data[1] << 8;
    } else if (means == TLOG_MEANS_DAMAGE) {
        result.damages++;
    } else if (result.events < TIMES_MAX) {
        result.time[result.events++] = event->time;
    }
}

static void read_events(struct trace *trace, void *state)
{
    for (unsigned cpu = 0; cpu < trace->ncpus && !trace->failed; cpu++) {
        int got;
        while ((got = reader_tracedat.read(state, cpu, &batch)) > 0) {
            assert_true(batch.n > 0 && batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room);
            for (size_t i = 0; i < batch.n; i++)
                take_event(trace, &batch.event[i]);
            assert_true(result.events + result.losses + result.damages < TIMES_MAX);
        }
        assert_true(got == 0 || trace->failed);
    }
}

static void read_saved(void)
{
    static struct trace trace;
    struct input *in;
    void *state = NULL;
    memset(&result, 0, sizeof result);
    trace_init(&trace, "test");
    trace.quiet = true;
    in = input_open(&trace, memory_path, NULL);
    assert_non_null(in);
    if (reader_tracedat.probe(in) == TRACE_MINE)
        state = reader_tracedat.open(&trace, in);
    if (state != NULL)
        read_events(&trace, state);
    assert_true(state != NULL || trace.failed || reader_tracedat.probe(in) == TRACE_NOT_MINE);
    result.failed = state == NULL || trace.failed;
    result.gaps = trace.counts.gaps;
    if (state != NULL)
        reader_tracedat.close(state);
    input_close(in);
    trace_free(&trace);
}

static void read_bytes(const unsigned char *bytes, size_t n)
{
    save(bytes, n);
    read_saved();
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Whether all events of part are events of all, in the same order. */
static bool is_subset(const struct result *part, const struct result *all)
{
    size_t at = 0;
    for (size_t i = 0; i < part->events; i++, at++) {
        while (at < all->events && all->time[at] != part->time[i])
            at++;
        if (at == all->events)
            return false;
    }
    return true;
}

/* A file that was cut has no event that the whole file does not have. If one is missing, the reader says so. */
static void cut_everywhere(void)
{
    static struct result all;
    read_bytes(whole, whole_size);
    all = result;
    assert_true(!all.failed && all.gaps == 0 && all.events >= 12);
    for (size_t n = 0; n < whole_size; n += tier_step(11)) {
        read_bytes(whole, n);
        if (!is_subset(&result, &all))
            fail_msg("cut at %zu: an event that was not there", n);
        if (result.events < all.events && !result.failed && result.gaps == 0)
            fail_msg("cut at %zu: lost in silence", n);
    }
}

static void flip_everywhere(void)
{
    for (size_t i = 0; i < whole_size; i += tier_step(151)) {
        unsigned char was = whole[i];
        whole[i] = (unsigned char)(was ^ 1u << i % 8u);
        read_bytes(whole, whole_size);
        whole[i] = (unsigned char)~was;
        read_bytes(whole, whole_size);
        whole[i] = was;
    }
}

static uint64_t load(const unsigned char *from, unsigned size, bool big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | from[big ? i : size - 1u - i];
    return value;
}

static void store(unsigned char *to, uint64_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        to[big ? size - 1u - i : i] = (unsigned char)(value >> 8u * i);
}

/* Whether there may be a number: texts and padding have none. */
static bool is_number(const unsigned char *at, unsigned size)
{
    unsigned text = 0, zeros = 0;
    for (unsigned i = 0; i < size; i++) {
        text += (at[i] >= ' ' && at[i] <= '~') || at[i] == '\n' || at[i] == '\t';
        zeros += at[i] == 0;
    }
    return text < size / 2u && zeros < size;
}

static void replace_everywhere(unsigned size, bool big)
{
    for (size_t i = 0; i + size <= whole_size; i += tier_step(151)) {
        unsigned char was[8];
        uint64_t value = load(whole + i, size, big), end = whole_size;
        const uint64_t others[] = {0, 1, UINT64_MAX, value + 1u, value - 1u, end, value << 8};
        if (!is_number(whole + i, size))
            continue;
        memcpy(was, whole + i, size);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            store(whole + i, others[k], size, big);
            read_bytes(whole, whole_size);
        }
        memcpy(whole + i, was, size);
    }
}

static void test_cut_v6(void **state)
{
    (void)state;
    generate("events=12 fields=few page=512 version=6 loss=2");
    cut_everywhere();
}

static void test_cut_v7(void **state)
{
    (void)state;
    generate("events=12 page=512 compression=zlib instances=1 loss=2 big=1");
    cut_everywhere();
}

static void test_flip_v6(void **state)
{
    (void)state;
    generate("events=12 page=512 version=6 big=1 options=shift2,tsc loss=2");
    flip_everywhere();
}

static void test_flip_v7(void **state)
{
    (void)state;
    generate("events=12 page=512 fields=few compression=zlib chain=1 loss=2");
    flip_everywhere();
}

static void test_numbers(void **state)
{
    (void)state;
    generate("events=12 page=512 fields=few version=6 loss=2");
    replace_everywhere(4, false);
    generate("events=12 page=512 fields=few big=1 compression=zlib chain=1 options=shift3");
    replace_everywhere(8, true);
    replace_everywhere(4, true);
    replace_everywhere(2, true);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Offset of the n-th page from the end: in version 6 the pages are the end of the file. */
static size_t page_of_end(unsigned n, size_t page_size)
{
    return whole_size - (n + 1u) * page_size;
}

/* A page that cannot be read costs its own events only. Damage is given out in their place. */
static void assert_one_page_lost(const struct result *all)
{
    read_bytes(whole, whole_size);
    assert_true(is_subset(&result, all) && result.events < all->events && result.events > all->events - 40);
    assert_true(result.damages == 1 && result.gaps == 1);
}

static void test_one_page(void **state)
{
    static struct result all;
    (void)state;
    generate("events=400 page=1024 fields=few version=6");
    read_bytes(whole, whole_size);
    all = result;
    for (unsigned n = 1; n < 5; n++) { /* all are of the last CPU, and have pages on both sides */
        static const uint64_t times[] = {0, 1, UINT64_C(1) << 60, UINT64_MAX};
        size_t at = page_of_end(n, 1024);
        unsigned char was[16];

        memcpy(was, whole + at, sizeof was);
        store(whole + at + 8, 0x7000, 8, false); /* commit */
        assert_one_page_lost(&all);
        memcpy(whole + at, was, sizeof was);
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            store(whole + at, times[i], 8, false);
            assert_one_page_lost(&all);
        }
        memcpy(whole + at, was, sizeof was);
    }
}

/* A file that ends early: all pages that are there are read. */
static void test_last_page_cut(void **state)
{
    static struct result all;
    (void)state;
    generate("events=410 page=1024 fields=few version=6");
    read_bytes(whole, whole_size);
    all = result;
    for (size_t n = 0; n < 300; n++) {
        uint64_t before = result.events;
        read_bytes(whole, page_of_end(0, 1024) + n);
        assert_true(is_subset(&result, &all) && result.events < all.events && result.events > all.events - 40);
        assert_true(n == 0 || (result.damages == 1 && result.gaps == 2)); /* the table's size, and the page */
        assert_true(n < 2 || result.events == before || result.events == before + 1);
    }
    assert_true(result.events > 2);
}

/* Where two CPUs have the same pages, the events come only once. */
static void test_pages_twice(void **state)
{
    static struct result all;
    unsigned char *table;
    (void)state;
    generate("events=400 page=1024 fields=few version=6");
    read_bytes(whole, whole_size);
    all = result;
    table = memmem(whole, whole_size, "flyrecord", 10);
    assert_non_null(table);
    memcpy(table + 10 + 16, table + 10, 16);
    read_bytes(whole, whole_size);
    assert_true(is_subset(&result, &all) && result.events < all.events && result.gaps == 1);
}

/* ---- pages made here --------------------------------------------------------------------------------------------- */

static unsigned char *page;
static size_t page_used;

static void put_32(uint32_t value)
{
    store(page + page_used, value, 4, false);
    page_used += 4;
}

/* Begin to make the last page of the file anew. */
static void begin_page(size_t size)
{
    page = whole + page_of_end(0, size);
    memset(page + 8, 0, size - 8u); /* its time stays */
    page_used = 16;
}

static void end_page(size_t bytes)
{
    store(page + 8, bytes, 8, false);
    read_bytes(whole, whole_size);
}

/* Put an event test:empty: id 403, pid 1. */
static void put_empty(uint32_t kind)
{
    put_32(1u << 5 | kind);
    put_32(403);
    put_32(1);
}

/* Each row: a word that makes no sense behind two good events, the word behind it, and bytes of the page from there
 * on. */
static const struct {
    uint32_t word, second;
    size_t bytes;
} bad_words[] = {
    {10, 403, 40},        /* 40 bytes of data, of which 36 are there */
    {28, 403, 8},         /* */
    {1, 403, 4},          /* none is there */
    {0, 3, 8},            /* a length that does not even count itself */
    {0, 0, 8},            /* */
    {0, 8, 8},            /* 4 bytes of data, of which none is there */
    {0, 0xFFFFFFFFu, 16}, /* */
    {0, 0x80000000u, 16}, /* */
    {30, 0, 4},           /* more time, of which half is there */
    {31, 0, 4},           /* */
    {32 | 29, 0, 8},      /* padding of no length, after some time */
    {32 | 29, 400, 8},    /* padding beyond the end */
    {2, 403, 2},          /* half a word */
};

static void test_bad_words(void **state)
{
    uint64_t before;
    (void)state;
    generate("events=60 page=1024 fields=few version=6");
    begin_page(1024);
    end_page(0);
    before = result.events;
    for (size_t i = 0; i < sizeof bad_words / sizeof bad_words[0]; i++) {
        begin_page(1024);
        put_empty(2);
        put_empty(2);
        put_32(bad_words[i].word);
        put_32(bad_words[i].second);
        end_page(24 + bad_words[i].bytes);
        if (result.events != before + 2 || result.damages != 1 || result.gaps != 1)
            fail_msg("row %zu: %" PRIu64 " events, %" PRIu64 " marks", i, result.events - before, result.damages);
    }
}

/* Padding is no damage, nor is an event that ends with the page's last byte. */
static void test_good_words(void **state)
{
    uint64_t before;
    (void)state;
    generate("events=60 page=1024 fields=few version=6");
    begin_page(1024);
    end_page(0);
    before = result.events;
    begin_page(1024);
    for (unsigned i = 0; i < 84; i++)
        put_empty(2); /* 84 * 12 = 1024 - 16 */
    end_page(1008);
    assert_true(result.events == before + 84 && result.gaps == 0);
    begin_page(1024);
    put_empty(2);
    put_32(29); /* padding without a length: the rest of the page */
    put_32(0);
    end_page(600);
    assert_true(result.events == before + 1 && result.gaps == 0);
    begin_page(1024);
    put_empty(0); /* an event that is too short for the common fields */
    store(page + 20, 8, 4, false);
    end_page(12);
    assert_true(result.events == before && result.gaps == 1 && result.damages == 1);
}

/* Texts that are longer than an event may be are cut. No event is lost because of its size. */
static void test_long_texts(void **state)
{
    enum { SIZE = 40000 };
    uint64_t before;
    (void)state;
    generate("events=60 page=65536 fields=few version=6");
    begin_page(65536);
    end_page(0);
    before = result.events;
    begin_page(65536);
    put_32(1u << 5);
    put_32(SIZE + 4);
    put_32(401); /* test:texts: first at 8, fixed at 12, second at 24, n at 28 */
    put_32(1);
    put_32(32u | 30000u << 16);
    page_used += 12;
    put_32(4u | 39968u << 16);
    memset(page + page_used, 'x', SIZE - 28);
    end_page(SIZE + 8);
    assert_true(result.events == before + 1 && result.gaps == 0);
}

static void test_losses(void **state)
{
    (void)state;
    generate("events=100 page=512 fields=few version=6 loss=2");
    read_bytes(whole, whole_size);
    assert_int_equal(result.losses, 4); /* before every 30th event, and one of 5 events behind the last */
    assert_int_equal(result.gaps, 0);
    assert_true(result.lost >= 5);
}

/* A kernel has more formats than a trace has room for types. Only formats whose events occur need a type, and no event
 * is lost if there are too many of them. */
static void test_many_types(void **state)
{
    (void)state;
    generate("events=1500 many=1000");
    read_bytes(whole, whole_size);
    assert_true(!result.failed && result.gaps == 0);
    assert_int_equal(result.events, 1500);
    generate("events=4500 many=4400");
    read_bytes(whole, whole_size);
    assert_true(!result.failed && result.gaps == 1);
    assert_int_equal(result.events, 4500);
}

/* Sections of options that refer to each other in a circle. */
static void test_circles(void **state)
{
    uint64_t first;
    (void)state;
    generate("events=12 page=512 fields=few chain=1");
    first = load(whole + 26, 8, false);
    for (size_t i = first; i + 14 <= whole_size; i++) {
        unsigned char was[8];
        if (load(whole + i, 6, false) != (uint64_t)8 << 16) /* option 0 of 8 bytes */
            continue;
        memcpy(was, whole + i + 6, 8);
        store(whole + i + 6, first, 8, false);
        read_bytes(whole, whole_size);
        assert_true(result.failed || result.gaps > 0);
        memcpy(whole + i + 6, was, 8);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    memory = memfd_create("in.dat", 0);
    if (memory < 0)
        return -1;
    snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", memory);
    snprintf(in_path, sizeof in_path, "%s/in.dat", directory);
    snprintf(expected_path, sizeof expected_path, "%s/expected", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(memory);
    unlink(in_path);
    unlink(expected_path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_v6),        cmocka_unit_test(test_cut_v7),      cmocka_unit_test(test_flip_v6),
        cmocka_unit_test(test_flip_v7),       cmocka_unit_test(test_numbers),     cmocka_unit_test(test_one_page),
        cmocka_unit_test(test_last_page_cut), cmocka_unit_test(test_pages_twice), cmocka_unit_test(test_bad_words),
        cmocka_unit_test(test_good_words),    cmocka_unit_test(test_long_texts),  cmocka_unit_test(test_losses),
        cmocka_unit_test(test_circles),       cmocka_unit_test(test_many_types),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
