/* answer.c - see answer.h. Has the writer of --check too, which reads all events and keeps none. */
#include "answer/answer.h"

#include "base/printable.h"
#include "model/message.h"

#include <inttypes.h>
#include <string.h>

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void answer_begin(struct answer *answer)
{
    answer->json.to = answer->to;
    if (answer->is_json)
        json_open(&answer->json, NULL, '[');
}

bool answer_end(struct answer *answer)
{
    answer_end_input(answer);
    if (answer->is_json)
        json_close(&answer->json, ']');
    return fflush(answer->to) == 0 && !ferror(answer->to);
}

void answer_begin_input(struct answer *answer, const char *input)
{
    if (answer->is_open)
        return;
    answer->is_open = true;
    if (answer->is_json) {
        json_open(&answer->json, NULL, '{');
        json_text(&answer->json, "input", input);
    } else if (answer->parts > 0 && !answer->is_dense) {
        putc('\n', answer->to);
    }
    answer->parts++;
}

void answer_end_input(struct answer *answer)
{
    if (answer->is_open && answer->is_json)
        json_close(&answer->json, '}');
    answer->is_open = false;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

const char *answer_time(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES])
{
    if (trace->clock_hz == 0)
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 " ticks", time);
    else if (time < 1000u)
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 " ns", time);
    else if (time < 1000000u)
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 ".%03" PRIu64 " us", time / 1000u, time % 1000u);
    else if (time < 1000000000u)
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 ".%03" PRIu64 " ms", time / 1000000u, time / 1000u % 1000u);
    else
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 ".%03" PRIu64 " s", time / 1000000000u, time / 1000000u % 1000u);
    return text;
}

const char *answer_moment(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES])
{
    if (trace->clock_hz == 0)
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64, time);
    else
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 ".%06" PRIu64, time / 1000000000u, time / 1000u % 1000000u);
    return text;
}

/* A name as it is written, safe for a terminal. */
struct printable {
    char text[PRINTABLE_MOST * 256u];
    size_t bytes;
    unsigned columns;
};

/* Bytes that continue a character of UTF-8 take no column. */
static void make_printable(struct printable *printable, const char *name)
{
    printable->bytes = (size_t)(printable_put(printable->text, name, strnlen(name, 256u), false) - printable->text);
    printable->columns = 0;
    for (size_t i = 0; i < printable->bytes; i++)
        printable->columns += ((unsigned char)printable->text[i] & 0xC0u) != 0x80;
}

void answer_name(FILE *to, const char *name, unsigned width)
{
    struct printable printable;
    make_printable(&printable, name);
    (void)fwrite(printable.text, 1, printable.bytes, to);
    for (unsigned columns = printable.columns; columns < width; columns++)
        putc(' ', to);
}

unsigned answer_columns(const char *name)
{
    struct printable printable;
    make_printable(&printable, name);
    return printable.columns;
}

/* ---- what is known of a trace ------------------------------------------------------------------------------------ */

void answer_trace_text(const struct answer *answer, const struct trace *trace)
{
    const struct trace_counts *counts = &trace->counts;
    uint64_t events = counts->events - counts->left_out;
    char span[ANSWER_TIME_BYTES];
    answer_name(answer->to, trace->input_name, 0);
    fprintf(answer->to, ": %u CPU%s, %s, %" PRIu64 " event%s", trace->ncpus, message_plural(trace->ncpus),
            answer_time(trace, counts->last - counts->first, span), events, message_plural(events));
    if (counts->left_out > 0)
        fprintf(answer->to, " of %" PRIu64, counts->events);
    fprintf(answer->to, ", lost %" PRIu64 ", damaged %" PRIu64 "\n", counts->dropped + counts->overwritten,
            counts->damaged);
}

const char *answer_priority_order(enum trace_priority_order order)
{
    static const char *const names[TRACE_PRIORITY_ORDERS] = {NULL, "lowest_first", "highest_first"};
    return names[order];
}

void answer_trace_json(struct json *json, const struct trace *trace)
{
    const struct trace_counts *counts = &trace->counts;
    json_text(json, "unit", trace->clock_hz > 0 ? "ns" : "ticks");
    json_number(json, "cpus", trace->ncpus);
    json_number(json, "first", counts->first);
    json_number(json, "last", counts->last);
    json_number(json, "events", counts->events - counts->left_out);
    json_number(json, "left_out", counts->left_out);
    json_number(json, "dropped", counts->dropped);
    json_number(json, "overwritten", counts->overwritten);
    json_number(json, "unfinished", counts->unfinished);
    json_number(json, "damaged", counts->damaged);
    json_number(json, "damaged_parts", counts->gaps);
}

/* ---- --check ----------------------------------------------------------------------------------------------------- */

static void *check_open(struct trace *trace, const struct trace_options *options, int fd)
{
    (void)fd;
    options->answer->trace = trace;
    return options->answer;
}

static int check_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    (void)writer;
    (void)cpu;
    (void)batch;
    return 0;
}

static int check_close(void *writer, bool ok)
{
    struct answer *answer = writer;
    (void)ok;
    answer->counts = answer->trace->counts;
    answer->runs = trace_detail(answer->trace, "runs");
    return 0;
}

void answer_damage(struct answer *answer, const char *input, uint64_t offset, uint64_t length, uint64_t count,
                   const char *text)
{
    bool is_first = !answer->is_open;
    answer_begin_input(answer, input);
    if (answer->is_json) {
        if (is_first)
            json_open(&answer->json, "damage", '[');
        json_open_flat(&answer->json, NULL, '{');
        json_number(&answer->json, "offset", offset);
        json_number(&answer->json, "bytes", length);
        json_number(&answer->json, "events", count);
        json_text(&answer->json, "what", text);
        json_close(&answer->json, '}');
        return;
    }
    answer_name(answer->to, input, 0);
    fprintf(answer->to, ": offset 0x%" PRIx64 ": ", offset);
    answer_name(answer->to, text, 0);
    if (length > 0)
        fprintf(answer->to, ": %" PRIu64 " byte%s", length, message_plural(length));
    if (count > 0)
        fprintf(answer->to, ", %" PRIu64 " event%s", count, message_plural(count));
    putc('\n', answer->to);
}

static const char *word_of(const struct trace_counts *counts, int code)
{
    bool is_damaged = counts->gaps + counts->damaged > 0;
    return code == 0 ? "whole" : code == 1 ? "nothing decodable" : is_damaged ? "damaged" : "of another firmware";
}

static void verdict_json(struct answer *answer, const char *word)
{
    json_close(&answer->json, ']');
    json_text(&answer->json, "verdict", word);
    json_number(&answer->json, "events", answer->counts.events);
    json_number(&answer->json, "lost", answer->counts.dropped + answer->counts.overwritten);
    json_number(&answer->json, "damaged", answer->counts.damaged);
    json_number(&answer->json, "damaged_parts", answer->counts.gaps);
}

void answer_verdict(struct answer *answer, const char *input, int code)
{
    const struct trace_counts *counts = &answer->counts;
    const char *word = word_of(counts, code);
    if (answer->is_json && !answer->is_open) {
        answer_begin_input(answer, input);
        json_open(&answer->json, "damage", '[');
    }
    answer_begin_input(answer, input);
    if (answer->is_json) {
        verdict_json(answer, word);
    } else {
        answer_name(answer->to, input, 0);
        fprintf(answer->to, ": %s: %" PRIu64 " event%s, lost %" PRIu64 ", damaged %" PRIu64 "\n", word, counts->events,
                message_plural(counts->events), counts->dropped + counts->overwritten, counts->damaged);
    }
    answer_end_input(answer);
    memset(&answer->counts, 0, sizeof answer->counts);
}

const struct trace_writer writer_check = {
    .name = "check",
    .description = "what is damaged",
    .native = true,
    .open = check_open,
    .write = check_write,
    .close = check_close,
};
