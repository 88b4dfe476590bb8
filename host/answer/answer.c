/* answer.c - see answer.h. */
#include "answer/answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void answer_begin(struct answer *answer)
{
    answer->json.to = answer->to;
    if (answer->is_json && answer->is_list)
        json_open(&answer->json, NULL, '[');
}

bool answer_end(struct answer *answer)
{
    answer_close(answer);
    if (answer->is_json && answer->is_list)
        json_close(&answer->json, ']');
    return fflush(answer->to) == 0 && !ferror(answer->to);
}

void answer_open(struct answer *answer, const char *input)
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

void answer_close(struct answer *answer)
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

/* Characters, not bytes: what continues one of UTF-8 takes no column. */
/* A name as it is shown. */
struct shown {
    char text[PRINTABLE_MOST * 256u];
    size_t bytes;
    unsigned columns;
};

static void show(struct shown *shown, const char *name)
{
    shown->bytes = (size_t)(printable_put(shown->text, name, strnlen(name, 256u), false) - shown->text);
    shown->columns = 0;
    for (size_t i = 0; i < shown->bytes; i++)
        shown->columns += ((unsigned char)shown->text[i] & 0xC0u) != 0x80;
}

void answer_name(FILE *to, const char *name, unsigned width)
{
    struct shown shown;
    show(&shown, name);
    (void)fwrite(shown.text, 1, shown.bytes, to);
    for (unsigned columns = shown.columns; columns < width; columns++)
        putc(' ', to);
}

unsigned answer_columns(const char *name)
{
    struct shown shown;
    show(&shown, name);
    return shown.columns;
}

/* ---- what is known of a trace ------------------------------------------------------------------------------------ */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void answer_trace_text(const struct answer *answer, const struct trace *trace)
{
    const struct trace_counts *counts = &trace->counts;
    uint64_t events = counts->events - counts->left_out;
    char span[ANSWER_TIME_BYTES];
    answer_name(answer->to, trace->input_name, 0);
    fprintf(answer->to, ": %u CPU%s, %s, %" PRIu64 " event%s", trace->ncpus, plural(trace->ncpus),
            answer_time(trace, counts->last - counts->first, span), events, plural(events));
    if (counts->left_out > 0)
        fprintf(answer->to, " of %" PRIu64, counts->events);
    fprintf(answer->to, ", lost %" PRIu64 ", damaged %" PRIu64 "\n", counts->dropped + counts->overwritten,
            counts->damaged);
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
