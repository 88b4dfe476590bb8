/* answer.c - see answer.h. */
#include "answer/answer.h"

#include "base/printable.h"
#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
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

/* Write an amount of a unit with four digits, or with more if it has more before its point. */
static void put_digits(char *text, double amount, const char *unit)
{
    int decimals = amount < 9.9995 ? 3 : amount < 99.995 ? 2 : amount < 999.95 ? 1 : 0;
    snprintf(text, ANSWER_TIME_BYTES - 1u, "%.*f %s", decimals, amount, unit);
}

const char *answer_amount(uint64_t n, bool is_negative, unsigned digits, char text[ANSWER_TIME_BYTES])
{
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    double amount = (double)n / 1e3;
    unsigned unit = 0;
    snprintf(text, ANSWER_TIME_BYTES, "%s%" PRIu64, is_negative ? "-" : "", n);
    if (strlen(text) <= digits)
        return text;
    for (; amount >= 999.95; unit++)
        amount /= 1e3;
    put_digits(text + is_negative, amount, units[unit]);
    return text;
}

const char *answer_length(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES])
{
    static const struct {
        const char *name;
        double ns, most;
    } units[] = {{"us", 1e3, 999.95}, {"ms", 1e6, 999.95}, {"s", 1e9, 999999.5}, {"d", 86400e9, 1e9}};
    unsigned unit = 0;
    if (trace->clock_hz == 0)
        return answer_amount(time, false, 8, text);
    if (time < 1000u) {
        snprintf(text, ANSWER_TIME_BYTES, "%" PRIu64 " ns", time);
        return text;
    }
    while ((double)time / units[unit].ns >= units[unit].most)
        unit++;
    put_digits(text, (double)time / units[unit].ns, units[unit].name);
    return text;
}

const char *answer_time(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES])
{
    answer_length(trace, time, text);
    if (trace->clock_hz == 0)
        strcat(text, " ticks");
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

void answer_name(FILE *to, const char *name)
{
    char text[PRINTABLE_MOST * 256u];
    char *end = printable_put(text, name, text_length(name, 256u), false);
    (void)fwrite(text, 1, (size_t)(end - text), to);
}

/* ---- columns of names -------------------------------------------------------------------------------------------- */

enum { BETWEEN_NAMES = 2, NAME_BYTES = 256, LEAST = 4, SPREAD = 2 };

/* How many bytes at the beginning of a text take at most so many columns, and how many columns these are. East Asian
 * characters take two; all of three or more bytes of UTF-8 are taken for such, except punctuation, arrows, drawings. */
static size_t bytes_within(const char *text, size_t bytes, unsigned most, unsigned *columns)
{
    enum { FIRST_WIDE = 0xE18480, FIRST_DRAWING = 0xE28080, BEHIND_DRAWINGS = 0xE2BA80 }; /* in UTF-8 */
    size_t at = 0, n;
    for (*columns = 0; at < bytes; at += n) {
        const unsigned char *c = (const unsigned char *)text + at;
        unsigned long begin = 0;
        n = *c < 0x80 ? 1 : utf8_bytes(c, bytes - at);
        if (n >= 3)
            begin = (unsigned long)c[0] << 16 | (unsigned long)c[1] << 8 | c[2];
        *columns += 1u + (begin >= FIRST_WIDE && (begin < FIRST_DRAWING || begin >= BEHIND_DRAWINGS));
        if (*columns > most)
            break;
        n = n > 0 ? n : 1;
    }
    return at;
}

/* Make a name safe for a terminal. Returns its bytes. */
static size_t make_printable(char text[PRINTABLE_MOST * NAME_BYTES], const char *name)
{
    return (size_t)(printable_put(text, name, text_length(name, NAME_BYTES), false) - text);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

void columns_begin(struct columns *columns, FILE *to, const struct column *spec, unsigned n, unsigned moment)
{
    *columns = (struct columns){.to = to, .spec = spec, .n = n};
    for (unsigned i = 0; i < n; i++) {
        columns->width[i] = spec[i].width == COLUMN_MOMENT ? moment : spec[i].width;
        if (spec[i].width == COLUMN_NAME)
            columns_make_room(columns, i, spec[i].heading);
    }
}

void columns_make_room(struct columns *columns, unsigned column, const char *name)
{
    char text[PRINTABLE_MOST * NAME_BYTES];
    unsigned wanted;
    (void)bytes_within(text, make_printable(text, name), UINT_MAX, &wanted);
    if (wanted > columns->width[column])
        columns->width[column] = wanted;
}

static bool is_name(const struct columns *columns, unsigned column)
{
    return columns->spec[column].width == COLUMN_NAME;
}

/* Put the columns side by side. Returns how long the line is. */
static unsigned place(struct columns *columns)
{
    unsigned at = 0;
    for (unsigned i = 0; i < columns->n; i++) {
        at += is_name(columns, i) && i > 0 ? BETWEEN_NAMES : 0;
        columns->start[i] = at;
        at += columns->width[i];
    }
    return at;
}

/* The widest column of names, or n: each is as narrow as it may be. */
static unsigned widest_name(const struct columns *columns)
{
    unsigned widest = columns->n, width = LEAST;
    for (unsigned i = 0; i < columns->n; i++) {
        if (is_name(columns, i) && columns->width[i] > width) {
            widest = i;
            width = columns->width[i];
        }
    }
    return widest;
}

/* Make names narrower until all columns fit in a line; or figures wider, if there is room for that. */
static void fit(struct columns *columns)
{
    unsigned widest, spare, figures = 0;
    while (place(columns) > ANSWER_COLUMNS && (widest = widest_name(columns)) < columns->n)
        columns->width[widest]--;
    for (unsigned i = 0; i < columns->n; i++)
        figures += !is_name(columns, i);
    spare = figures > 0 ? (ANSWER_COLUMNS - place(columns)) / figures : 0;
    for (unsigned i = 0; i < columns->n; i++)
        columns->width[i] += is_name(columns, i) ? 0 : spare < SPREAD ? spare : SPREAD;
    (void)place(columns);
}

void columns_head(struct columns *columns, bool has_colour)
{
    fit(columns);
    fprintf(columns->to, "\n%s", has_colour ? "\033[1m" : "");
    for (unsigned i = 0; i < columns->n; i++)
        columns_put(columns, columns->spec[i].heading);
    fputs(has_colour ? "\033[0m" : "", columns->to);
    columns_end(columns);
}

/* Go to a column, in the next line if that column is behind what is written. */
static void go_to(struct columns *columns, unsigned column)
{
    if (columns->written > 0 && columns->written + 1u > column) {
        putc('\n', columns->to);
        columns->written = 0;
    }
    fprintf(columns->to, "%*s", (int)(column - columns->written), "");
    columns->written = column;
}

void columns_put(struct columns *columns, const char *name)
{
    char text[PRINTABLE_MOST * NAME_BYTES];
    size_t bytes = make_printable(text, name);
    unsigned i = columns->next++, start = columns->start[i], end = start + columns->width[i], width;
    (void)bytes_within(text, bytes, UINT_MAX, &width);
    if (!is_name(columns, i))
        start = end > width ? end - width : 0;
    if (start + width > ANSWER_COLUMNS)
        start = width < ANSWER_COLUMNS ? ANSWER_COLUMNS - width : 0;
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes_within(text + done, bytes - done, ANSWER_COLUMNS, &width);
        go_to(columns, start);
        (void)fwrite(text + done, 1, n, columns->to);
        columns->written += width;
    }
}

void columns_end(struct columns *columns)
{
    putc('\n', columns->to);
    columns->next = columns->written = 0;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

void sentence_add(struct sentence *sentence, const char *format, ...)
{
    size_t room = sizeof sentence->text - sentence->n;
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(sentence->text + sentence->n, room, format, arguments);
    va_end(arguments);
    if (n > 0)
        sentence->n += (size_t)n < room ? (size_t)n : room - 1u;
}

void sentence_add_name(struct sentence *sentence, const char *name)
{
    char text[PRINTABLE_MOST * NAME_BYTES];
    sentence_add(sentence, "%.*s", (int)make_printable(text, name), text);
}

/* How many bytes of a text the next line takes: up to a blank, if one is within that many columns. */
static size_t line_of(const char *text, size_t bytes, unsigned columns)
{
    unsigned taken;
    size_t most = bytes_within(text, bytes, columns, &taken), n = most;
    if (most == bytes)
        return bytes;
    while (n > 0 && text[n] != ' ')
        n--;
    return strspn(text, " ") < n ? n : most;
}

void sentence_write(const struct sentence *sentence, FILE *to)
{
    unsigned indent = 0;
    size_t at = 0, n;
    do {
        n = line_of(sentence->text + at, sentence->n - at, ANSWER_COLUMNS - indent);
        fprintf(to, "%*s%.*s\n", (int)indent, "", (int)n, sentence->text + at);
        indent = (unsigned)strspn(sentence->text, " ") + 2u;
        at += n;
        at += strspn(sentence->text + at, " ");
    } while (at < sentence->n);
}

/* ---- what is known of a trace ------------------------------------------------------------------------------------ */

void answer_pauses_text(const struct answer *answer, uint64_t clock_hz, const struct trace_counts *counts)
{
    const struct trace clock = {.clock_hz = clock_hz};
    char text[ANSWER_TIME_BYTES];
    if (counts->pauses > 0)
        fprintf(answer->to, "paused %" PRIu64 " time%s, %s%s\n", counts->pauses, text_plural(counts->pauses),
                answer_time(&clock, counts->paused, text),
                counts->is_uncounted ? "; events in them were not counted" : "");
}

void answer_pauses_json(struct json *json, const struct trace_counts *counts)
{
    json_number(json, "pauses", counts->pauses);
    json_number(json, "paused", counts->paused);
    json_number(json, "pauses_uncounted", counts->is_uncounted);
}

void answer_dead_slots(const struct answer *answer, const struct trace_counts *counts)
{
    if (counts->passed > 0)
        fprintf(answer->to, ", %" PRIu64 " of %" PRIu64 " slots dead", counts->passed, counts->slots);
}

void answer_dead_slots_json(struct json *json, const struct trace_counts *counts)
{
    if (counts->passed == 0)
        return;
    json_number(json, "dead_slots", counts->passed);
    json_number(json, "slots", counts->slots);
}

void answer_trace_text(const struct answer *answer, const struct trace *trace)
{
    const struct trace_counts *counts = &trace->counts;
    uint64_t events = counts->events - counts->left_out;
    char span[ANSWER_TIME_BYTES];
    answer_name(answer->to, trace->input_name);
    fprintf(answer->to, ": %u CPU%s, %s, %" PRIu64 " event%s", trace->ncpus, text_plural(trace->ncpus),
            answer_time(trace, counts->last - counts->first, span), events, text_plural(events));
    if (counts->left_out > 0)
        fprintf(answer->to, " of %" PRIu64, counts->events);
    fprintf(answer->to, ", lost %" PRIu64 ", damaged %" PRIu64, counts->dropped + counts->overwritten, counts->damaged);
    answer_dead_slots(answer, counts);
    fputc('\n', answer->to);
    if (counts->pauses > 0)
        fputs("  ", answer->to);
    answer_pauses_text(answer, trace->clock_hz, counts);
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
    answer_dead_slots_json(json, counts);
    json_number(json, "damaged", counts->damaged);
    json_number(json, "damaged_parts", counts->gaps);
    answer_pauses_json(json, counts);
}
