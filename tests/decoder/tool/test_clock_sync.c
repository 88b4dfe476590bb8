/* test_clock_sync.c - the clocks of several sources tied to each other.
 *
 * The times that are expected were computed by hand; or they come from the formula that the reader of trace-cmd 3.1.6
 * has, in 64 bits and with a check for every overflow. tests/system/merge/merge.sh tests the whole decoder with
 * viewers' readers.
 */
#include "tool/clock_sync.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

/* ---- fits -------------------------------------------------------------------------------------------------------- */

static struct decode_sync_fit fit_of(const struct decode_sync_mark *to, size_t nto, const struct decode_sync_mark *from,
                                     size_t nfrom, enum decode_sync_result expected)
{
    struct decode_sync_mark a[16], b[16];
    struct decode_sync_marks left = {.mark = a, .n = nto}, right = {.mark = b, .n = nfrom};
    struct decode_sync_fit fit;
    memcpy(a, to, nto * sizeof *to);
    memcpy(b, from, nfrom * sizeof *from);
    assert_int_equal(decode_sync_fit(&fit, &left, &right), expected);
    return fit;
}

static void test_fits(void **state)
{
    /* the clock here gains 1 ms in 1 s: 10, 20, 30 s there are 5, 15.010, 25.020 s here */
    static const struct decode_sync_mark here[] = {{7, 5 * S}, {8, 15 * S + 10 * MS}, {9, 25 * S + 20 * MS}, {1, 99}};
    static const struct decode_sync_mark there[] = {{9, 30 * S}, {3, 1}, {7, 10 * S}, {8, 20 * S}};
    static const struct decode_sync_mark doubled[] = {{9, 30 * S}, {7, 10 * S}, {7, 10 * S}, {8, 20 * S}};
    struct decode_sync_fit fit = fit_of(here, 4, there, 4, DECODE_SYNC_FITS);
    (void)state;
    assert_int_equal(fit.pairs, 3);
    assert_int_equal(fit.worst, 0);
    assert_int_equal(fit.apart, 10 * S);
    assert_int_equal(decode_clock_time(&fit.line, 10 * S), 5 * S);
    assert_int_equal(decode_clock_time(&fit.line, 30 * S), 25 * S + 20 * MS);
    assert_int_equal(decode_clock_time(&fit.line, 25 * S), 20 * S + 15 * MS);
    assert_int_equal(decode_clock_time(&fit.line, 1010 * S), 1006 * S);
    assert_int_equal(decode_clock_time(&fit.line, 0), 0); /* would be before 0 */
    fit = fit_of(here, 1, there, 4, DECODE_SYNC_FITS);
    assert_int_equal(fit.pairs, 1);
    assert_int_equal(decode_clock_time(&fit.line, 1010 * S), 1005 * S);
    fit = fit_of(here, 4, doubled, 4, DECODE_SYNC_FITS);
    assert_int_equal(fit.pairs, 2);
    assert_int_equal(fit.repeated, 1);
    fit = fit_of(here, 4, there, 0, DECODE_SYNC_NO_PAIRS);
    fit = fit_of(here + 3, 1, there, 4, DECODE_SYNC_NO_PAIRS);
}

/* Times near the highest possible are still exact to the ns. */
static void test_large_times(void **state)
{
    static const uint64_t late = UINT64_C(1) << 62;
    const struct decode_sync_mark here[] = {{1, late + 3}, {2, late + S + 4}, {3, late + 2 * S + 5}};
    const struct decode_sync_mark there[] = {{1, 17}, {2, 17 + S}, {3, 17 + 2 * S}};
    struct decode_sync_fit fit = fit_of(here, 3, there, 3, DECODE_SYNC_FITS);
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(decode_clock_time(&fit.line, there[i].time), here[i].time);
    fit = fit_of(there, 3, here, 3, DECODE_SYNC_FITS);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(decode_clock_time(&fit.line, here[i].time), there[i].time);
}

/* At times of 0, 1 and 2 s the offsets are 0, x and 0: the line is the offset x/3, and the middle pair is 2x/3 from it.
 * Half a second is allowed: half the time from a pair to the next. */
static void test_contradictions(void **state)
{
    static const struct decode_sync_mark line[] = {{1, 9 * S}, {2, 10 * S}, {3, 11 * S}};
    (void)state;
    for (unsigned ms = 0; ms < 1000; ms += 10) {
        struct decode_sync_mark bent[] = {{1, 0}, {2, S + ms * MS}, {3, 2 * S}};
        struct decode_sync_fit fit =
            fit_of(bent, 3, line, 3, ms * 2 <= 1500 ? DECODE_SYNC_FITS : DECODE_SYNC_CONTRADICTION);
        if (ms > 0)
            assert_int_equal(fit.worst_number, 2);
        assert_in_range(fit.worst, ms * MS * 2 / 3, ms * MS * 2 / 3 + 1);
    }
    for (unsigned percent = 0; percent < 100; percent++) { /* two pairs always lie on a line */
        const struct decode_sync_mark fast[] = {{1, 0}, {2, S + percent * MS * 10}};

        fit_of(fast, 2, line, 2, percent <= 4 ? DECODE_SYNC_FITS : DECODE_SYNC_CONTRADICTION);
        if (percent == 4)
            percent = 6; /* 5 is just on the limit */
    }
}

/* ---- sources: a file of 16 bytes per event, time and number ---------------------------------------------------- */

static const struct tlog_field fields[] = {{"number", TLOG_KIND_UNSIGNED, 0, 8}};
static const struct tlog_type type = {"test", "mark", TLOG_MEANS_PLAIN, 8, 1, fields, NULL};

struct reader {
    struct trace *trace;
    struct input *input;
    uint64_t at;
};

static enum trace_probe probe(struct input *input)
{
    (void)input;
    return TRACE_MINE;
}

static void *open_reader(struct trace *trace, struct input *input)
{
    struct reader *reader = calloc(1, sizeof *reader);
    reader->trace = trace;
    reader->input = input;
    trace->ncpus = 1;
    trace->clock_hz = S;
    trace_type(trace, &type);
    return reader;
}

static int read_events(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct reader *reader = state;
    unsigned char bytes[16];
    (void)cpu;
    while (batch->n < 100 && input_read(reader->input, reader->at, bytes, 16) == 16) {
        unsigned char *data = trace_batch_room(batch, 8);
        memcpy(data, bytes + 8, 8);
        batch->event[batch->n++] = (struct tlog_event){.time = get_le64(bytes), .data = data, .size = 8};
        reader->at += 16;
    }
    return batch->n > 0;
}

static const struct trace_reader reader_marks = {
    .name = "marks", .probe = probe, .open = open_reader, .read = read_events, .close = free};
static const struct trace_reader *const readers[] = {&reader_marks, NULL};
static const struct trace_writer writer_none = {.earliest = 1000}; /* nothing is written */

static void save(const char *path, const uint64_t *times, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < n; i++) {
        unsigned char bytes[16];
        put_le64(bytes, times[i]);
        put_le64(bytes + 8, i);
        fwrite(bytes, sizeof bytes, 1, file);
    }
    fclose(file);
}

struct two {
    char path[2][64];
    struct decode_sync_rule rule;
    struct decode_request request;
    struct tlog_decoder decoders[2];
    struct decode_clock_sync *clocks;
};

/* Tie two sources of such events. */
static struct two *tie_two(const uint64_t *here, const uint64_t *there, size_t n, const char *how, bool guest)
{
    struct two *two = calloc(1, sizeof *two);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(two->path[i], sizeof two->path[i], "/tmp/test_merge_%d_%u", (int)getpid(), i);
        save(two->path[i], i == 0 ? here : there, n);
    }
    assert_true(decode_sync_parse(&two->rule, how));
    two->request =
        (struct decode_request){.open = input_open,
                                .inputs = {{.path = two->path[0]}, {.path = two->path[1], .guest = guest ? "g" : NULL}},
                                .ninputs = 2,
                                .readers = readers,
                                .writer = &writer_none,
                                .quiet = true};
    two->request.sync = &two->rule;
    for (unsigned i = 0; i < 2; i++) {
        decode_source_init(&two->decoders[i].source, &two->request, two->path[i], NULL);
        assert_int_equal(decode_source_prepare(&two->decoders[i].source), 0);
    }
    two->clocks = decode_sync_clocks(two->decoders, 2, &two->request);
    return two;
}

static void untie(struct two *two)
{
    decode_clock_sync_free(two->clocks);
    for (unsigned i = 0; i < 2; i++) {
        decode_source_release(&two->decoders[i].source);
        unlink(two->path[i]);
    }
    free(two);
}

/* What trace-cmd adds to a time: the offset interpolated between two points, rounded. Every step must fit into 64
 * bits. */
static int64_t shown_offset(const struct trace_time_shift *shift, uint64_t time)
{
    size_t k = 0;
    int64_t distance, product;
    if (shift->n == 1)
        return shift->offsets[0];
    while (k + 2 < shift->n && time >= shift->times[k + 1])
        k++;
    distance = (int64_t)(shift->times[k + 1] - shift->times[k]);
    assert_false(
        __builtin_mul_overflow((int64_t)(time - shift->times[k]), shift->offsets[k + 1] - shift->offsets[k], &product));
    assert_false(__builtin_add_overflow(product, distance / 2, &product));
    return shift->offsets[k] + product / distance;
}

static void check_shift(uint64_t span, double drift)
{
    const uint64_t there[] = {3 * S, 3 * S + span / 3, 3 * S + span};
    uint64_t here[3];
    struct two *two;
    const struct trace_time_shift *shift;
    for (unsigned i = 0; i < 3; i++)
        here[i] = there[i] + 7 * S + (uint64_t)(int64_t)((double)(there[i] - there[0]) * drift);
    two = tie_two(here, there, 3, "mark", true);
    if (two->clocks == NULL)
        fail_msg("%s", two->decoders[1].source.trace.error);

    shift = two->decoders[1].source.options.time_shift;
    assert_non_null(shift);
    assert_int_equal(shift->peer, two->decoders[0].source.options.id);
    assert_int_equal(two->decoders[0].source.options.guests[0].id, two->decoders[1].source.options.id);
    assert_int_not_equal(shift->peer, two->decoders[1].source.options.id);
    assert_false(two->decoders[1].source.moves);
    for (uint64_t i = 0; i <= 1000; i++) {
        uint64_t time = there[0] + span / 1000 * i;
        int64_t off = shown_offset(shift, time) - decode_clock_offset(&two->decoders[1].source.line, time);
        assert_true(off >= -2 && off <= 2);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_in_range(there[i] + (uint64_t)shown_offset(shift, there[i]) - here[i] + 3, 0, 6);
    untie(two);
}

static void test_shifts(void **state)
{
    static const double drifts[] = {0, 1e-9, 50e-6, -50e-6, 0.01, -0.01, 0.0499, -0.0499};
    static const uint64_t spans[] = {1000, MS, S, 3600 * S, 86400 * S, 30 * 86400 * S};
    (void)state;
    for (unsigned i = 0; i < sizeof spans / sizeof spans[0]; i++)
        for (unsigned k = 0; k < sizeof drifts / sizeof drifts[0]; k++)
            if (spans[i] < 86400 * S * 2 || (drifts[k] < 1e-4 && drifts[k] > -1e-4)) /* else too many points */
                check_shift(spans[i], drifts[k]);
}

/* Offsets that bring the first event of the second source, at 1 s, before or behind time 0, which moves all times, and
 * 1000 ns, the earliest time of the writer, which moves those in the files. A guest's file has its own clock. */
static void test_lead(void **state)
{
    static const struct {
        const char *how;
        int64_t lead;
        unsigned later;
    } cases[] = {{"+0", 0, 0},           {"-0.999999", 0, 0}, {"-0.999999001", 0, 1}, {"-1", 0, 1},
                 {"-1.000000001", 1, 0}, {"-1.999999", 1, 0}, {"-1.999999001", 1, 1}, {"-2", 1, 1},
                 {"-2.000000001", 2, 0}, {"-100", 99, 1}};
    static const uint64_t times[] = {S, 2 * S};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct two *two = tie_two(times, times, 2, cases[i].how, false);
        int64_t lead = cases[i].lead * (int64_t)S;
        assert_non_null(two->clocks);
        assert_int_equal(two->decoders[0].source.line.offset, lead);
        assert_int_equal(two->decoders[0].source.moves, lead > 0);
        assert_int_equal(two->decoders[1].source.line.offset, two->rule.line.offset + lead);
        assert_int_equal(two->decoders[0].source.options.later, cases[i].later * S);
        assert_int_equal(two->decoders[1].source.options.later, cases[i].later * S);
        assert_true(decode_clock_time(&two->decoders[1].source.line, S) + cases[i].later * S >= 1000);
        untie(two);
    }
}

/* A guest that begins early by its own clock: the times of its file and of the host's are a second later, and what is
 * added to the one's stays what makes the other's. */
static void test_later_guest(void **state)
{
    static const uint64_t here[] = {S, 2 * S}, there[] = {999, S};
    struct two *two = tie_two(here, there, 2, "+1,100", true);
    const struct trace_time_shift *shift = two->decoders[1].source.options.time_shift;
    (void)state;
    assert_non_null(two->clocks);
    assert_int_equal(two->decoders[0].source.options.later, S);
    assert_int_equal(two->decoders[1].source.options.later, S);
    for (size_t i = 0; i < shift->n; i++)
        assert_int_equal(shift->offsets[i], decode_clock_offset(&two->decoders[1].source.line, shift->times[i] - S));
    assert_int_equal(shift->times[0], S + 999);
    untie(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),   cmocka_unit_test(test_large_times), cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_shifts), cmocka_unit_test(test_lead),        cmocka_unit_test(test_later_guest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
