/* sync.c - see sync.h. */
#include "decode/sync.h"

#include <stdlib.h>
#include <string.h>

/* ---- the rule ---------------------------------------------------------------------------------------------------- */

/* Read a decimal number, with a sign or without, in units of 10^-digits. At most nine digits before the point and
 * `digits` behind it are read. Returns where the number ends, or NULL: there is no digit. If there are more digits, the
 * text goes on there, which callers refuse. */
static const char *decimal(const char *text, unsigned digits, int64_t *value)
{
    bool negative = text[0] == '-';
    const char *begin = text += text[0] == '-' || text[0] == '+';
    int64_t whole = 0;
    bool fraction;
    for (; *text >= '0' && *text <= '9' && text - begin < 9; text++)
        whole = whole * 10 + (*text - '0');
    if (text == begin)
        return NULL;
    fraction = *text == '.';
    text += fraction;
    for (unsigned i = 0; i < digits; i++)
        whole = whole * 10 + (fraction && *text >= '0' && *text <= '9' ? *text++ - '0' : 0);
    *value = negative ? -whole : whole;
    return text;
}

/* Parse +SECONDS or -SECONDS, perhaps with ,PPM behind it. */
static bool parse_line(struct decode_sync_rule *rule, const char *text)
{
    int64_t ppm = 0; /* times 1000: 10^-9 of the time */
    rule->fixed = true;
    text = decimal(text, 9, &rule->line.offset);
    if (text != NULL && *text == ',')
        text = decimal(text + 1, 3, &ppm);
    rule->line.drift = (double)ppm * 1e-9;
    return text != NULL && *text == '\0' && rule->line.drift <= DECODE_SYNC_DRIFT_MAX
           && rule->line.drift >= -DECODE_SYNC_DRIFT_MAX;
}

/* Copy the part of text up to a colon or its end. Returns where that is, or NULL: the part does not fit, or is
 * empty. */
static const char *take_part(char *to, size_t room, const char *text)
{
    size_t n = strcspn(text, ":");
    if (n == 0 || n >= room)
        return NULL;
    memcpy(to, text, n);
    to[n] = '\0';
    return text + n;
}

bool decode_sync_parse(struct decode_sync_rule *rule, const char *text)
{
    size_t colons = 0;
    memset(rule, 0, sizeof *rule);
    if (text[0] == '+' || text[0] == '-')
        return parse_line(rule, text);
    for (const char *at = text; *at != '\0'; at++)
        colons += *at == ':';
    if (colons == 2) {
        text = take_part(rule->system, sizeof rule->system, text);
        text = text != NULL ? text + 1 : NULL;
    }
    text = text != NULL ? take_part(rule->name, sizeof rule->name, text) : NULL;
    if (text != NULL && *text == ':')
        text = take_part(rule->field, sizeof rule->field, text + 1);
    return text != NULL && *text == '\0';
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* Whether the field is a number of a size that number_of() reads. */
static bool is_number(const struct trace_field *field)
{
    return field->kind <= TRACE_OPTIONAL
           && (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* The field with the number, if the rule calls events of this type marks; else NULL. */
static const struct trace_field *number_field(const struct decode_sync_rule *rule, const struct trace_type *type)
{
    if (strcmp(type->name, rule->name) != 0 || (rule->system[0] != '\0' && strcmp(type->system, rule->system) != 0))
        return NULL;
    for (unsigned i = type->nfields; i-- > 0;) {
        const struct trace_field *field = &type->fields[i];
        if (is_number(field) && (rule->field[0] == '\0' || strcmp(field->name, rule->field) == 0))
            return field;
    }
    return NULL;
}

/* The field's value; payloads are little-endian. */
static uint64_t number_of(const struct trace_event *event, const struct trace_field *field)
{
    uint64_t number = 0;
    for (unsigned i = field->size; i-- > 0;)
        number = number << 8 | event->data[field->offset + i];
    return number;
}

/* Add a mark, unless there are enough. 0, or -1 after trace_fail(). */
static int add_mark(struct decode_sync_marks *marks, struct trace *trace, uint64_t number, uint64_t time)
{
    if (marks->n == DECODE_SYNC_MARKS_MAX)
        return 0;
    if (marks->n == marks->room) {
        size_t room = marks->room > 0 ? marks->room * 2 : 64;
        struct decode_sync_mark *mark = realloc(marks->mark, room * sizeof *mark);
        if (mark == NULL)
            return trace_fail(trace, "%s: no memory for marks", trace->input_name);
        marks->mark = mark;
        marks->room = room;
    }
    marks->mark[marks->n++] = (struct decode_sync_mark){number, time};
    return 0;
}

/* Count an event, and widen the span to its time. */
static void count(struct decode_sync_marks *marks, uint64_t time)
{
    if (marks->events == 0 || time < marks->first)
        marks->first = time;
    if (marks->events == 0 || time > marks->last)
        marks->last = time;
    marks->events++;
}

int decode_sync_note(struct decode_sync_marks *marks, const struct decode_sync_rule *rule, struct trace *trace,
                     const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        const struct trace_type *type = trace->types[event->type];
        const struct trace_field *field = number_field(rule, type);
        if (type->class != TRACE_LOSS && type->class != TRACE_DAMAGE)
            count(marks, event->time);
        if (field != NULL && field->offset + (size_t)field->size <= event->size
            && add_mark(marks, trace, number_of(event, field), event->time) != 0)
            return -1;
    }
    return 0;
}

void decode_sync_marks_free(struct decode_sync_marks *marks)
{
    free(marks->mark);
    memset(marks, 0, sizeof *marks);
}

/* Order for qsort(). */
static int by_number(const void *a, const void *b)
{
    const struct decode_sync_mark *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

/* Sort the marks by number, and leave out all marks of a number that comes more than once: it is not known which of
 * them is the pair's. Returns how many numbers that were. */
static size_t keep_unique(struct decode_sync_marks *marks)
{
    size_t kept = 0, repeated = 0, next;
    if (marks->n > 0)
        qsort(marks->mark, marks->n, sizeof *marks->mark, by_number);
    for (size_t i = 0; i < marks->n; i = next) {
        for (next = i + 1; next < marks->n && marks->mark[next].number == marks->mark[i].number; next++)
            ;
        if (next == i + 1)
            marks->mark[kept++] = marks->mark[i];
        else
            repeated++;
    }
    marks->n = kept;
    return repeated;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Rounded to the nearest integer, halves away from 0. */
static int64_t nearest(double value)
{
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

int64_t decode_sync_offset(const struct decode_sync_line *line, uint64_t time)
{
    double distance = time >= line->from ? (double)(time - line->from) : -(double)(line->from - time);
    return line->offset + nearest(line->drift * distance);
}

uint64_t decode_sync_time(const struct decode_sync_line *line, uint64_t time)
{
    int64_t offset = decode_sync_offset(line, time);
    return offset < 0 && time < (uint64_t)-offset ? 0 : time + (uint64_t)offset;
}

/* A pair. Times of long traces need more than the 53 bits of a double to be exact to the ns, so they are told relative
 * to the first pair's. */
struct pair {
    double time;   /* ns, on the clock to be changed */
    double offset; /* ns, what is to be added to time to get that of the other clock */
    uint64_t number;
};

/* Find the pairs of marks, which are sorted by number; there is room for all. *origin becomes the line through the
 * first pair, without drift: what all pairs are relative to. Returns the number of pairs. */
static size_t match(struct pair *pairs, const struct decode_sync_marks *to, const struct decode_sync_marks *from,
                    struct decode_sync_line *origin)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < to->n && k < from->n;) {
        const struct decode_sync_mark *a = &to->mark[i], *b = &from->mark[k];
        if (a->number == b->number) {
            int64_t offset = (int64_t)(a->time - b->time);
            if (n == 0)
                *origin = (struct decode_sync_line){.offset = offset, .from = b->time};
            pairs[n++] =
                (struct pair){(double)(int64_t)(b->time - origin->from), (double)(offset - origin->offset), a->number};
        }
        i += a->number <= b->number;
        k += b->number <= a->number;
    }
    return n;
}

/* Fit the line: least squares around the mean of all pairs. fit->line is the origin on entry, and fit->pairs is not
 * 0. */
static void find_line(struct decode_sync_fit *fit, const struct pair *pairs)
{
    double n = (double)fit->pairs, time = 0, offset = 0, square = 0, product = 0;
    double first = pairs[0].time, last = first;
    for (size_t i = 0; i < fit->pairs; i++) {
        time += pairs[i].time / n;
        offset += pairs[i].offset / n;
        first = pairs[i].time < first ? pairs[i].time : first;
        last = pairs[i].time > last ? pairs[i].time : last;
    }
    for (size_t i = 0; i < fit->pairs; i++) {
        square += (pairs[i].time - time) * (pairs[i].time - time);
        product += (pairs[i].time - time) * (pairs[i].offset - offset);
    }
    fit->line.drift = square > 0 ? product / square : 0;
    fit->line.offset += nearest(offset - fit->line.drift * time);
    fit->apart = fit->pairs > 1 ? (uint64_t)(last - first) / (fit->pairs - 1) : 0;
}

/* Find the pair that is furthest from the line. */
static void find_worst(struct decode_sync_fit *fit, const struct pair *pairs, const struct decode_sync_line *origin)
{
    for (size_t i = 0; i < fit->pairs; i++) {
        double line = (double)(fit->line.offset - origin->offset) + fit->line.drift * pairs[i].time;
        double distance = pairs[i].offset > line ? pairs[i].offset - line : line - pairs[i].offset;
        if (i > 0 && (uint64_t)(distance + 0.5) <= fit->worst)
            continue;
        fit->worst = (uint64_t)(distance + 0.5);
        fit->worst_number = pairs[i].number;
    }
}

/* Whether the line cannot be right. Where a pair is further off than half the mean time from a pair to the next, it may
 * as well be one mark of one pair and one of its neighbour. */
static bool contradict(const struct decode_sync_fit *fit)
{
    return fit->line.drift > DECODE_SYNC_DRIFT_MAX || fit->line.drift < -DECODE_SYNC_DRIFT_MAX
           || (fit->pairs > 1 && fit->worst > fit->apart / 2);
}

enum decode_sync_result decode_sync_fit(struct decode_sync_fit *fit, struct decode_sync_marks *to,
                                        struct decode_sync_marks *from)
{
    struct decode_sync_line origin = {0};
    struct pair *pairs;
    memset(fit, 0, sizeof *fit);
    fit->repeated = keep_unique(to);
    fit->repeated += keep_unique(from);
    pairs = malloc((to->n + 1) * sizeof *pairs);
    if (pairs == NULL)
        return DECODE_SYNC_NO_MEMORY;
    fit->pairs = match(pairs, to, from, &origin);
    fit->line = origin;
    if (fit->pairs > 0) {
        find_line(fit, pairs);
        find_worst(fit, pairs, &origin);
    }
    free(pairs);
    if (fit->pairs == 0)
        return DECODE_SYNC_NO_PAIRS;
    return contradict(fit) ? DECODE_SYNC_CONTRADICTION : DECODE_SYNC_FITS;
}
