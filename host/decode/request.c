/* request.c - see request.h. Parses the arguments of the options that select events, and that of --sync. */
#include "decode/request.h"

#include "base/text.h"
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define EVENT  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_*?[]!-^"

static const char too_long[] = "too long";

const char *const decode_select_names[SELECT_KINDS] = {"time", "task", "cpu", "event", "irq", "around"};

/* Copy n characters into the selection's room, and end them with a NUL. Returns NULL if they do not fit. */
static char *keep(struct decode_selection *selection, const char *from, size_t n)
{
    char *to = selection->room + selection->used;
    if (n >= SELECT_ROOM - selection->used)
        return NULL;
    memcpy(to, from, n);
    to[n] = '\0';
    selection->used += n + 1u;
    return to;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Parse n characters that must be digits of a number below 2^32. False: they are not. */
static bool take_number(const char *text, size_t n, uint32_t *number)
{
    unsigned long long value;
    if (n == 0 || n > 10 || strspn(text, DIGITS) < n)
        return false;
    value = strtoull(text, NULL, 10);
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* Parse digits, which a full stop and up to nine decimals may follow, and move *at past them. "1.5" gives 1 whole and
 * 500000000 billionths. Returns NULL, or why the text is wrong, as the functions below do. */
static const char *take_decimal(const char **at, uint64_t *whole, uint32_t *billionths)
{
    size_t digits = strspn(*at, DIGITS), decimals;
    if (digits == 0 || digits > 19)
        return digits == 0 ? "a number is missing" : too_long;
    *whole = strtoull(*at, NULL, 10);
    *billionths = 0;
    *at += digits;
    if (**at != '.')
        return NULL;
    decimals = strspn(++*at, DIGITS);
    if (decimals == 0 || decimals > 9)
        return decimals == 0 ? "decimals are missing" : "more than nine decimals";
    for (size_t i = 0; i < 9; i++)
        *billionths = *billionths * 10u + (i < decimals ? (unsigned)((*at)[i] - '0') : 0u);
    *at += decimals;
    return NULL;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* [SYSTEM:]EVENT. The text is split in place: its colon becomes the NUL that ends the system. */
static const char *take_event(struct select_pattern *pattern, char *text)
{
    char *colon = strchr(text, ':');
    size_t system = strspn(text, EVENT), name;
    if (colon != NULL && (system == 0 || text + system != colon))
        return "not EVENT or SYSTEM:EVENT";
    pattern->system = colon != NULL ? text : NULL;
    pattern->name = colon != NULL ? colon + 1 : text;
    name = strspn(pattern->name, EVENT);
    if (name == 0 || pattern->name[name] != '\0')
        return "not EVENT or SYSTEM:EVENT";
    if (colon != NULL)
        *colon = '\0';
    return NULL;
}

/* A number, or a range such as 0-3. */
static const char *take_cpus(struct select_pattern *pattern, const char *text)
{
    size_t n = strcspn(text, "-"), rest = strlen(text) - n;
    pattern->is_number = true;
    if (!take_number(text, n, &pattern->number) || (rest > 0 && !take_number(text + n + 1u, rest - 1u, &pattern->last)))
        return "not a CPU's number, nor a range such as 0-3";
    if (rest == 0)
        pattern->last = pattern->number;
    return pattern->last < pattern->number ? "a range that ends before it begins" : NULL;
}

/* A number or a name. */
static const char *take_name(struct select_pattern *pattern, const char *text)
{
    size_t n = strlen(text);
    pattern->name = text;
    pattern->is_number = strspn(text, DIGITS) == n;
    if (pattern->is_number && !take_number(text, n, &pattern->number))
        return "a number that is too large";
    return NULL;
}

/* A task's number, its name, or both, NAME:NUMBER. A name may look like that, too. */
static const char *take_task(struct decode_selection *selection, struct select_pattern *pattern, const char *text)
{
    const char *colon = strrchr(text, ':'), *why = take_name(pattern, text);
    size_t n = colon != NULL ? strlen(colon + 1) : 0;
    if (why != NULL || n == 0 || colon == text || strspn(colon + 1, DIGITS) != n)
        return why;
    if (!take_number(colon + 1, n, &pattern->number))
        return "a number that is too large";
    pattern->stem = keep(selection, text, (size_t)(colon - text));
    return pattern->stem != NULL ? NULL : too_long;
}

/* The unit that the text names, up to a comma or its end, in ns. 0: it is no unit. */
static uint64_t unit_of(const char *text)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    uint64_t ns = 1;
    size_t n = strcspn(text, ",");
    for (unsigned i = 0; i < 4; i++, ns *= 1000u) {
        if (strlen(units[i]) == n && strncmp(units[i], text, n) == 0)
            return ns;
    }
    return 0;
}

/* A time with its unit, such as 1.5ms. Moves *at past it. */
static const char *take_length(const char **at, uint64_t *ns)
{
    uint64_t whole, unit;
    uint32_t billionths;
    const char *why = take_decimal(at, &whole, &billionths);
    if (why != NULL)
        return why;
    unit = unit_of(*at);
    if (unit == 0)
        return "a time without its unit: s, ms, us or ns";
    *at += strcspn(*at, ",");
    if (whole > UINT64_MAX / unit - 1u)
        return too_long;
    *ns = whole * unit + billionths * unit / 1000000000u;
    return NULL;
}

/* EVENT:TIME or EVENT:BEFORE,AFTER. The text is split in place: its last colon becomes the NUL that ends the event. */
static const char *take_around(struct select_pattern *pattern, char *text)
{
    char *colon = strrchr(text, ':');
    const char *at = colon != NULL ? colon + 1 : NULL, *why;
    if (colon == NULL)
        return "not EVENT:TIME, such as task_deadline_miss:50ms";
    *colon = '\0';
    why = take_length(&at, &pattern->ahead);
    pattern->behind = pattern->ahead;
    if (why == NULL && *at == ',') {
        at++;
        why = take_length(&at, &pattern->behind);
    }
    if (why == NULL && *at != '\0')
        why = "more than two times";
    return why != NULL ? why : take_event(pattern, text);
}

/* Add one element of an option's list, which is n characters. */
static const char *take_pattern(struct decode_selection *selection, enum select_kind kind, const char *from, size_t n)
{
    struct select_pattern *pattern = &selection->list[kind].pattern[selection->list[kind].n];
    char *text;
    if (n == 0)
        return "a name is missing";
    if (selection->list[kind].n == SELECT_PATTERNS)
        return "more than 64 patterns";
    pattern->text = keep(selection, from, n);
    text = keep(selection, from, n);
    if (text == NULL)
        return too_long;
    selection->list[kind].n++;
    switch (kind) {
    case SELECT_EVENT:
        return take_event(pattern, text);
    case SELECT_CPU:
        return take_cpus(pattern, text);
    case SELECT_AROUND:
        return take_around(pattern, text);
    case SELECT_TASK:
        return take_task(selection, pattern, text);
    default:
        return take_name(pattern, text);
    }
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* A time in seconds, or else, if the text does not begin like a number, an event. */
static const char *take_edge(struct decode_selection *selection, struct select_edge *edge, const char *from, size_t n)
{
    char *text = keep(selection, from, n);
    const char *at = text, *why;
    *edge = (struct select_edge){.is_given = n > 0};
    if (text == NULL)
        return too_long;
    if (n == 0)
        return NULL;
    if (text_is(text, "nan") || text_is(text, "inf") || text_is(text, "infinity"))
        return "not a time in seconds";
    edge->is_event = strchr("." DIGITS, text[0]) == NULL;
    if (edge->is_event)
        return take_event(&edge->event, text);
    why = take_decimal(&at, &edge->seconds, &edge->ns);
    return why != NULL ? why : *at != '\0' ? "not a time in seconds" : NULL;
}

static const char *take_time(struct decode_selection *selection, const char *text)
{
    const char *dots = strstr(text, ".."), *why;
    const struct select_edge *from = &selection->from, *to = &selection->to;
    if (dots == NULL)
        return "not A..B, from and to in seconds or by events, such as 1.5..2 or start..stop";
    if (strlen(text) == 2)
        return "neither beginning nor end";
    selection->list[SELECT_TIME].n = 1;
    selection->list[SELECT_TIME].pattern[0].text = keep(selection, text, strlen(text));
    if (selection->list[SELECT_TIME].pattern[0].text == NULL)
        return too_long;
    why = take_edge(selection, &selection->from, text, (size_t)(dots - text));
    if (why == NULL)
        why = take_edge(selection, &selection->to, dots + 2, strlen(dots + 2));
    if (why != NULL || !from->is_given || !to->is_given || from->is_event || to->is_event)
        return why;
    return to->seconds < from->seconds || (to->seconds == from->seconds && to->ns < from->ns) ? "ends before it begins"
                                                                                              : NULL;
}

const char *decode_select_parse(struct decode_selection *selection, enum select_kind kind, const char *text)
{
    const char *why;
    if (kind == SELECT_TIME)
        return take_time(selection, text);
    if (kind == SELECT_AROUND) /* a comma stands between two times */
        return take_pattern(selection, kind, text, strlen(text));
    for (;; text++) {
        size_t n = strcspn(text, ",");
        why = take_pattern(selection, kind, text, n);
        text += n;
        if (why != NULL || *text == '\0')
            return why;
    }
}

/* ---- --sync ------------------------------------------------------------------------------------------------------ */

/* Parse a decimal number, with or without a sign, in units of 10^-digits: with 3 digits, "-1.5" gives -1500. Reads at
 * most nine digits before the point and `digits` after it, so callers must refuse a text that goes on where the number
 * ends. Returns that end, or NULL if there is no digit. */
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

/* Parse +SECONDS or -SECONDS, which ,PPM may follow. */
static bool parse_fixed_line(struct decode_sync_rule *rule, const char *text)
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

/* Copy the text up to a colon or its end. Returns where that is, or NULL if nothing is before it or it does not fit. */
static const char *copy_part(char *to, size_t room, const char *text)
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
        return parse_fixed_line(rule, text);
    for (const char *at = text; *at != '\0'; at++)
        colons += *at == ':';
    if (colons == 2) {
        text = copy_part(rule->system, sizeof rule->system, text);
        text = text != NULL ? text + 1 : NULL;
    }
    text = text != NULL ? copy_part(rule->name, sizeof rule->name, text) : NULL;
    if (text != NULL && *text == ':')
        text = copy_part(rule->field, sizeof rule->field, text + 1);
    return text != NULL && *text == '\0';
}
