/* option_values.c - see option_values.h. */
#include "cli/option_values.h"

#include "decode/filter.h"
#include "formats/tracedat/write/blocks.h"

#include <ctype.h>
#include <stdlib.h>
#include <errno.h>
#include <time.h>

/* ---- several boards ---------------------------------------------------------------------------------------------- */

/* Without it a second argument that is no option is an error: cli_take_arguments(). */
enum cli_action cli_take_merge(const struct given *given)
{
    given->command->merge = true;
    return CLI_DECODE;
}

/* NAME:DUMP. The name becomes a part of a file's name, so it may have only characters that are safe there. The text is
 * split in place: its colon becomes the NUL that ends the name. */
enum cli_action cli_take_guest(const struct given *given)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    char *name = given->text;
    size_t length = strspn(name, letters);
    if (length == 0 || length > 31 || name[length] != ':' || name[length + 1u] == '\0')
        return refuse(given);
    name[length] = '\0';
    for (unsigned i = 1; i < given->request->ninputs; i++) {
        if (strcmp(given->request->inputs[i].guest, name) == 0)
            return cli_usage_error("--guest=%s: two guests of that name", name);
    }
    return cli_add_input(given->command, name + length + 1, name);
}

/* With one input it is an error: cli_take_arguments(). */
enum cli_action cli_take_sync(const struct given *given)
{
    given->request->sync = &given->command->rule;
    return decode_sync_parse(&given->command->rule, given->text) ? CLI_DECODE : refuse(given);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* An expression of filter.h. It is only checked: it is parsed once more for each input. */
static enum cli_action take_expression(const struct given *given, const char **expression)
{
    struct decode_filter_error error;
    struct decode_filter *filter = decode_filter_new(given->text, NULL, &error);
    if (filter == NULL && error.why != NULL)
        return cli_usage_error("--%s=%s: column %zu: %s", given->option->name, given->text, error.column, error.why);
    decode_filter_free(filter);
    *expression = given->text;
    return CLI_DECODE;
}

enum cli_action cli_take_filter(const struct given *given)
{
    return take_expression(given, &given->request->filter);
}

/* ---- receiving --------------------------------------------------------------------------------------------------- */

/* Seconds, perhaps with decimals: from 1 ms to `most`, rounded to ms. */
static enum cli_action take_limit(const struct given *given, uint32_t most, uint32_t *ms)
{
    const char *text = given->text;
    char *end;
    double seconds = strtod(text, &end);
    if (strspn(text, "0123456789.") != strlen(text) || end == text || *end != '\0'
        || !(seconds >= 0.001 && seconds <= most))
        return refuse(given);
    *ms = (uint32_t)(seconds * 1000 + 0.5);
    return CLI_DECODE;
}

static enum cli_action take_limit_ms(const struct given *given, uint32_t *ms)
{
    return take_limit(given, 86400, ms);
}

enum cli_action cli_take_idle(const struct given *given)
{
    return take_limit_ms(given, &given->request->until.idle_ms);
}

enum cli_action cli_take_wait(const struct given *given)
{
    return take_limit_ms(given, &given->request->until.wait_ms);
}

/* A whole number, from 1 to `most`. */
static enum cli_action take_number(const struct given *given, uint64_t most, uint64_t *number)
{
    errno = 0;
    *number = strtoull(given->text, NULL, 10);
    if (strspn(given->text, "0123456789") != strlen(given->text) || *number == 0 || *number > most || errno != 0)
        return refuse(given);
    return CLI_DECODE;
}

enum cli_action cli_take_count(const struct given *given)
{
    return take_number(given, UINT64_MAX, &given->request->until.count);
}

enum cli_action cli_take_follow(const struct given *given)
{
    given->request->follow.on = true;
    return CLI_DECODE;
}

enum cli_action cli_take_poll(const struct given *given)
{
    uint64_t ms;
    enum cli_action action = take_number(given, 60000, &ms);
    given->request->follow.poll_ms = (uint32_t)ms;
    return action;
}

enum cli_action cli_take_duration(const struct given *given)
{
    return take_limit(given, 4000000, &given->request->follow.duration_ms);
}

enum cli_action cli_take_until(const struct given *given)
{
    return take_expression(given, &given->request->follow.until);
}

enum cli_action cli_take_after(const struct given *given)
{
    return take_limit(given, 4000000, &given->request->follow.after_ms);
}

enum cli_action cli_take_every(const struct given *given)
{
    return take_limit(given, 4000000, &given->request->follow.every_ms);
}

/* A whole number with a letter behind it: a size, from 1 KiB to 1 TiB. */
static bool take_size(const char *text, uint64_t *bytes)
{
    static const char letters[] = "KMG";
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    const char *letter = *end != '\0' ? strchr(letters, *end) : NULL;
    if (strspn(text, "0123456789") == 0 || letter == NULL || end[1] != '\0' || number == 0 || number > 1024)
        return false;
    *bytes = (uint64_t)number << 10u * (unsigned)(letter - letters + 1);
    return true;
}

enum cli_action cli_take_rotate(const struct given *given)
{
    struct decode_follow *follow = &given->request->follow;
    follow->rotate_ms = 0;
    follow->rotate_bytes = 0;
    return take_size(given->text, &follow->rotate_bytes) ? CLI_DECODE : take_limit(given, 4000000, &follow->rotate_ms);
}

enum cli_action cli_take_keep(const struct given *given)
{
    uint64_t n;
    enum cli_action action = take_number(given, 1000000, &n);
    given->request->follow.keep = (uint32_t)n;
    return action;
}

/* ---- selecting events -------------------------------------------------------------------------------------------- */

/* Each option adds its patterns to those given before; but of several --time the last one counts. */
static enum cli_action take_selection(const struct given *given, enum select_kind kind)
{
    struct decode_selection *selection = &given->command->selection;
    const char *why = decode_select_parse(selection, kind, given->text);
    if (why != NULL)
        return cli_usage_error("--%s=%s: %s", given->option->name, given->text, why);
    given->request->selection = selection;
    return CLI_DECODE;
}

enum cli_action cli_take_time(const struct given *given)
{
    return take_selection(given, SELECT_TIME);
}

enum cli_action cli_take_around(const struct given *given)
{
    return take_selection(given, SELECT_AROUND);
}

enum cli_action cli_take_task(const struct given *given)
{
    return take_selection(given, SELECT_TASK);
}

enum cli_action cli_take_cpu(const struct given *given)
{
    return take_selection(given, SELECT_CPU);
}

enum cli_action cli_take_event(const struct given *given)
{
    return take_selection(given, SELECT_EVENT);
}

enum cli_action cli_take_irq(const struct given *given)
{
    return take_selection(given, SELECT_IRQ);
}

/* ---- --start-time ------------------------------------------------------------------------------------------------ */

/* The functions take_...() take a part off the beginning of the text: they move *text past it, or return false if the
 * text does not begin with such a part. */

enum { SECONDS_PER_DAY = 86400, YEAR_MAX = 2200 };

#define SECONDS_MAX INT64_C(7258118400) /* the beginning of YEAR_MAX, since 1970 */

/* Take a number of exactly so many digits. */
static bool take_digits(const char **text, unsigned digits, unsigned *value)
{
    for (*value = 0; digits > 0; digits--, ++*text) {
        if (!isdigit((unsigned char)**text))
            return false;
        *value = *value * 10 + (unsigned)(**text - '0');
    }
    return true;
}

/* Take one character, which may be any of those. */
static bool take(const char **text, const char *any_of)
{
    if (**text == '\0' || strchr(any_of, **text) == NULL)
        return false;
    ++*text;
    return true;
}

/* Take a point and digits, or nothing. *ns becomes their value; digits after the ninth have no effect. */
static bool take_fraction(const char **text, unsigned *ns)
{
    unsigned unit = 100000000;
    *ns = 0;
    if (!take(text, "."))
        return true;
    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); ++*text, unit /= 10)
        *ns += (unsigned)(**text - '0') * unit;
    return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that the leap day comes
 * last; 719468 are the days from 0000-03-01 to 1970-01-01. */
static int64_t days_to(unsigned year, unsigned month, unsigned day)
{
    unsigned y = month > 2 ? year : year - 1;
    unsigned m = month > 2 ? month - 3 : month + 9;
    return (int64_t)(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1) - 719468;
}

/* Take YYYY-MM-DD. */
static bool take_date(const char **text, struct tm *tm)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    bool leap;
    if (!take_digits(text, 4, &year) || !take(text, "-") || !take_digits(text, 2, &month) || !take(text, "-")
        || !take_digits(text, 2, &day))
        return false;
    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || year >= YEAR_MAX || month < 1 || month > 12 || day < 1
        || day > days[month - 1] + (leap && month == 2 ? 1u : 0u))
        return false;
    tm->tm_year = (int)year - 1900;
    tm->tm_mon = (int)month - 1;
    tm->tm_mday = (int)day;
    return true;
}

/* Take hh:mm, perhaps with :ss and a fraction. Second 60 is allowed: a leap second. */
static bool take_time(const char **text, struct tm *tm, unsigned *ns)
{
    unsigned hour, minute, second = 0;
    *ns = 0;
    if (!take_digits(text, 2, &hour) || !take(text, ":") || !take_digits(text, 2, &minute))
        return false;
    if (take(text, ":") && (!take_digits(text, 2, &second) || !take_fraction(text, ns)))
        return false;
    tm->tm_hour = (int)hour;
    tm->tm_min = (int)minute;
    tm->tm_sec = (int)second;
    return hour < 24 && minute < 60 && second < 61;
}

/* The rest of the text is a time zone: Z for UTC; or hh, hhmm or hh:mm east (+) or west (-) of UTC; or nothing, which
 * means this machine's zone, whose summer times mktime() knows. *seconds becomes the seconds from 1970, UTC, to the
 * time tm in that zone. */
static bool take_zone(const char *text, struct tm *tm, int64_t *seconds)
{
    unsigned hours = 0, minutes = 0;
    bool east = *text == '+';
    *seconds = days_to((unsigned)tm->tm_year + 1900, (unsigned)tm->tm_mon + 1, (unsigned)tm->tm_mday) * SECONDS_PER_DAY;
    *seconds += tm->tm_hour * 3600 + tm->tm_min * 60 + tm->tm_sec;
    if (*text == '\0') {
        tm->tm_isdst = -1;
        *seconds = (int64_t)mktime(tm);
        return true;
    }
    if (take(&text, "Z"))
        return *text == '\0';
    if (!take(&text, "+-") || !take_digits(&text, 2, &hours))
        return false;
    (void)take(&text, ":");
    if (*text != '\0' && !take_digits(&text, 2, &minutes))
        return false;
    *seconds += (east ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
    return *text == '\0' && hours < 24 && minutes < 60;
}

/* The rest of the text is a number of seconds, with at most ten digits before the point. */
static bool take_seconds(const char *text, int64_t *seconds, unsigned *ns)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10)
        return false;
    for (*seconds = 0; digits > 0; digits--, text++)
        *seconds = *seconds * 10 + (*text - '0');
    return take_fraction(&text, ns) && *text == '\0';
}

/* The zone's offset can move a time of 1970 or of 2199 out of these years, so seconds are checked once more. */
bool cli_start_time(const char *text, int64_t *ns)
{
    struct tm tm = {0};
    int64_t seconds = 0;
    unsigned fraction = 0;
    bool good;
    if (take(&text, "@"))
        good = take_seconds(text, &seconds, &fraction);
    else
        good = take_date(&text, &tm) && take(&text, "T ") && take_time(&text, &tm, &fraction)
               && take_zone(text, &tm, &seconds);
    if (!good || seconds < 0 || seconds >= SECONDS_MAX)
        return false;
    *ns = seconds * 1000000000 + fraction;
    return true;
}

/* ---- trace.dat --------------------------------------------------------------------------------------------------- */

enum cli_action cli_take_compress(const struct given *given)
{
    static const char *const methods[] = {
        [TRACE_COMPRESS_NONE] = "none", [TRACE_COMPRESS_ZSTD] = "zstd", [TRACE_COMPRESS_ZLIB] = "zlib", NULL};
    int method = find_word(methods, given->text);
    if (method > TRACE_COMPRESS_NONE && tracedat_compressor_version((enum trace_compression)method)[0] == '\0')
        return cli_usage_error("--compress=%s: this program was built without %s", given->text, given->text);
    given->request->options.compression = (enum trace_compression)method;
    return method >= 0 ? CLI_DECODE : refuse(given);
}

enum cli_action cli_take_start_time(const struct given *given)
{
    return cli_start_time(given->text, &given->request->options.start_time) ? CLI_DECODE : refuse(given);
}

enum cli_action cli_take_raw_tsc(const struct given *given)
{
    given->request->options.raw_tsc = true;
    return CLI_DECODE;
}

enum cli_action cli_take_instances(const struct given *given)
{
    given->request->options.instances = true;
    return CLI_DECODE;
}

/* Whether there is a file for it is checked when all options are known. */
/* Without a file, or if its format has no viewer, it is an error: cli_take_arguments(). */
enum cli_action cli_take_open(const struct given *given)
{
    given->command->show = true;
    return CLI_DECODE;
}

/* Any input besides is an error: cli_take_arguments(). */
enum cli_action cli_take_where(const struct given *given)
{
    given->command->where = given->text;
    return CLI_DECODE;
}

enum cli_action cli_take_save_events(const struct given *given)
{
    given->command->save_events = given->text;
    return CLI_DECODE;
}

enum cli_action cli_take_session(const struct given *given)
{
    given->request->session = given->text;
    return CLI_DECODE;
}

enum cli_action cli_take_endian(const struct given *given)
{
    static const char *const orders[] = {"little", "big", NULL};
    int order = find_word(orders, given->text);
    given->request->options.big_endian = order == 1;
    return order >= 0 ? CLI_DECODE : refuse(given);
}

/* Bytes of a long on the target: a trace.dat file tells it, and its pages have a word of that size. */
enum cli_action cli_take_long_size(const struct given *given)
{
    static const char *const sizes[] = {"4", "8", NULL};
    int size = find_word(sizes, given->text);
    given->request->options.long_size = size == 0 ? 4 : 8;
    return size >= 0 ? CLI_DECODE : refuse(given);
}

/* Bytes. The i-th word is 4096 << i. */
enum cli_action cli_take_page_size(const struct given *given)
{
    static const char *const sizes[] = {"4096", "8192", "16384", "32768", "65536", NULL};
    int size = find_word(sizes, given->text);
    if (size < 0)
        return refuse(given);
    given->request->options.page_size = 4096u << size;
    return CLI_DECODE;
}

/* ---- a page ------------------------------------------------------------------------------------------------------ */

enum cli_action cli_keep_for_page(const struct given *given)
{
    /* They name files of this machine, or are about reading them. */
    static const char *const others[] = {"elf", "elf-dir", "save-events", "where", "unpack", "spool", "guest", NULL};
    const struct option_row *option = given->option;
    struct trace_page *page = &given->command->page;
    struct growing_text text = {0};
    bool boards = option->heading == BOARDS;
    if ((option->heading != DECODING && option->heading != CHOOSING && !boards) || find_word(others, option->name) >= 0)
        return CLI_DECODE;
    text_add(&text, "--%s%s%s", option->name, given->text != NULL ? "=" : "", given->text != NULL ? given->text : "");
    return text_list_add(boards ? &page->boards : &page->options, text.bytes) ? CLI_DECODE
                                                                              : cli_usage_error("no memory");
}
