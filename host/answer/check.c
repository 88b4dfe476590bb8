/* check.c - the writer of --check: it reads all events and keeps none. What is damaged is told as it is found. */
#include "answer/answer.h"

#include <inttypes.h>
#include <string.h>

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
    answer->runs = trace_fact(answer->trace, "runs");
    return 0;
}

void answer_damage(struct answer *answer, const char *input, uint64_t offset, uint64_t length, uint64_t count,
                   const char *text)
{
    bool is_first = !answer->is_open;
    answer_open(answer, input);
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
        fprintf(answer->to, ": %" PRIu64 " byte%s", length, length == 1 ? "" : "s");
    if (count > 0)
        fprintf(answer->to, ", %" PRIu64 " event%s", count, count == 1 ? "" : "s");
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
        answer_open(answer, input);
        json_open(&answer->json, "damage", '[');
    }
    answer_open(answer, input);
    if (answer->is_json) {
        verdict_json(answer, word);
    } else {
        answer_name(answer->to, input, 0);
        fprintf(answer->to, ": %s: %" PRIu64 " event%s, lost %" PRIu64 ", damaged %" PRIu64 "\n", word, counts->events,
                counts->events == 1 ? "" : "s", counts->dropped + counts->overwritten, counts->damaged);
    }
    answer_close(answer);
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
