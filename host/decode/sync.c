/* sync.c - see sync.h. */
#include "decode/sync.h"

#include <stdlib.h>
#include <string.h>

/* ---- the rule ---------------------------------------------------------------------------------------------------- */

/* A decimal number with a sign or none, to units of 10^-digits. Where it ends, or NULL. */
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

/* +SECONDS[,PPM] */
static bool parse_line(struct sync_rule *rule, const char *text)
{
    int64_t ppm = 0; /* times 1000 */

    rule->fixed = true;
    text = decimal(text, 9, &rule->line.offset);
    if (text != NULL && *text == ',')
        text = decimal(text + 1, 3, &ppm);
    rule->line.drift = (double)ppm * 1e-9;
    return text != NULL && *text == '\0' && rule->line.drift <= SYNC_DRIFT_MAX && rule->line.drift >= -SYNC_DRIFT_MAX;
}

/* Copy the part of text up to a colon or its end, which is returned; NULL if it does not fit or is empty. */
static const char *take_part(char *to, size_t room, const char *text)
{
    size_t n = strcspn(text, ":");

    if (n == 0 || n >= room)
        return NULL;
    memcpy(to, text, n);
    to[n] = '\0';
    return text + n;
}

bool sync_parse(struct sync_rule *rule, const char *text)
{
    size_t colons = 0;

    memset(rule, 0, sizeof *rule);
    if (text[0] == '+' || text[0] == '-')
        return parse_line(rule, text);
    for (const char *at = text; *at != '\0'; at++)
        colons += *at == ':';
    if (colons == 2) {
        text = take_part(rule->system, sizeof rule->system, text);
        text = text ? text + 1 : NULL;
    }
    text = text ? take_part(rule->name, sizeof rule->name, text) : NULL;
    if (text != NULL && *text == ':')
        text = take_part(rule->field, sizeof rule->field, text + 1);
    return text != NULL && *text == '\0';
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static bool is_number(const struct trace_field *field)
{
    return field->kind <= TRACE_OPTIONAL
           && (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* The field with the number, if the type is that of marks; else NULL. */
static const struct trace_field *number_field(const struct sync_rule *rule, const struct trace_type *type)
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

static uint64_t number_of(const struct trace_event *event, const struct trace_field *field)
{
    uint64_t number = 0;

    for (unsigned i = field->size; i-- > 0;)
        number = number << 8 | event->data[field->offset + i];
    return number;
}

static int add_mark(struct sync_marks *marks, struct trace *trace, uint64_t number, uint64_t time)
{
    if (marks->n == SYNC_MARKS_MAX)
        return 0;
    if (marks->n == marks->room) {
        size_t room = marks->room ? marks->room * 2 : 64;
        struct sync_mark *mark = realloc(marks->mark, room * sizeof *mark);

        if (mark == NULL)
            return trace_fail(trace, "%s: no memory for marks", trace->input_name);
        marks->mark = mark;
        marks->room = room;
    }
    marks->mark[marks->n++] = (struct sync_mark){number, time};
    return 0;
}

static void count(struct sync_marks *marks, uint64_t time)
{
    if (marks->events == 0 || time < marks->first)
        marks->first = time;
    if (marks->events == 0 || time > marks->last)
        marks->last = time;
    marks->events++;
}

int sync_note(struct sync_marks *marks, const struct sync_rule *rule, struct trace *trace,
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

void sync_marks_free(struct sync_marks *marks)
{
    free(marks->mark);
    memset(marks, 0, sizeof *marks);
}

static int by_number(const void *a, const void *b)
{
    const struct sync_mark *left = a, *right = b;

    return (left->number > right->number) - (left->number < right->number);
}

/* Sort, and leave out every number that comes more than once: nobody knows which is meant. How many those are. */
static size_t keep_unique(struct sync_marks *marks)
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

static int64_t nearest(double value)
{
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

int64_t sync_offset(const struct sync_line *line, uint64_t time)
{
    double distance = time >= line->from ? (double)(time - line->from) : -(double)(line->from - time);

    return line->offset + nearest(line->drift * distance);
}

uint64_t sync_time(const struct sync_line *line, uint64_t time)
{
    int64_t offset = sync_offset(line, time);

    return offset < 0 && time < (uint64_t)-offset ? 0 : time + (uint64_t)offset;
}

/* A pair, relative to the first one so that a double holds it to the ns. */
struct pair {
    double time;   /* on the clock to be changed */
    double offset; /* to be added there */
    uint64_t number;
};

/* Pairs of marks, which are sorted. How many. */
static size_t match(struct pair *pairs, const struct sync_marks *to, const struct sync_marks *from,
                    struct sync_line *origin)
{
    size_t n = 0;

    for (size_t i = 0, k = 0; i < to->n && k < from->n;) {
        const struct sync_mark *a = &to->mark[i], *b = &from->mark[k];

        if (a->number == b->number) {
            int64_t offset = (int64_t)(a->time - b->time);

            if (n == 0)
                *origin = (struct sync_line){.offset = offset, .from = b->time};
            pairs[n++] =
                (struct pair){(double)(int64_t)(b->time - origin->from), (double)(offset - origin->offset), a->number};
        }
        i += a->number <= b->number;
        k += b->number <= a->number;
    }
    return n;
}

static void find_line(struct sync_fit *fit, const struct pair *pairs)
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

static void find_worst(struct sync_fit *fit, const struct pair *pairs, const struct sync_line *origin)
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

/* Pairs that are further off than from one to the next could as well be others. */
static bool contradict(const struct sync_fit *fit)
{
    return fit->line.drift > SYNC_DRIFT_MAX || fit->line.drift < -SYNC_DRIFT_MAX
           || (fit->pairs > 1 && fit->worst > fit->apart / 2);
}

enum sync_result sync_fit(struct sync_fit *fit, struct sync_marks *to, struct sync_marks *from)
{
    struct sync_line origin = {0};
    struct pair *pairs;

    memset(fit, 0, sizeof *fit);
    fit->repeated = keep_unique(to);
    fit->repeated += keep_unique(from);
    pairs = malloc((to->n + 1) * sizeof *pairs);
    if (pairs == NULL)
        return SYNC_NO_MEMORY;
    fit->pairs = match(pairs, to, from, &origin);
    fit->line = origin;
    if (fit->pairs > 0) {
        find_line(fit, pairs);
        find_worst(fit, pairs, &origin);
    }
    free(pairs);
    if (fit->pairs == 0)
        return SYNC_NO_PAIRS;
    return contradict(fit) ? SYNC_CONTRADICTION : SYNC_FITS;
}
