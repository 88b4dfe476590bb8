/* message.c - lines on standard error: see message.h. */
#include "tool/message.h"

#include "base/heap.h"
#include "base/printable.h"
#include "base/text.h"
#include "tool/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PIECE_BYTES  256u /* of a message that are escaped at a time */
#define DAMAGE_SHOWN 20u  /* damaged parts of an input that are shown; further ones are only counted */

/* Write n bytes with control characters escaped: names in a message are an input's. */
static void write_printable(const char *text, size_t n)
{
    char piece[PIECE_BYTES * PRINTABLE_MOST], *end;
    while (n > 0) {
        size_t most = n < PIECE_BYTES ? n : PIECE_BYTES;
        while (most < n && most > PIECE_BYTES - 4u && ((unsigned char)text[most] & 0xC0u) == 0x80u)
            most--; /* not within a character of UTF-8 */
        end = printable_put(piece, text, most, false);
        fwrite(piece, 1, (size_t)(end - piece), stderr);
        text += most;
        n -= most;
    }
}

/* What "tlog-decode:" begins with, where there are colours. */
static const char plain[] = "", yellow[] = "\033[33m", red[] = "\033[31m";
static bool has_colours;

void message_colour(bool has_colour)
{
    has_colours = has_colour;
}

static void begin_line(const char *colour)
{
    bool is_coloured = has_colours && colour != plain;
    progress_erase();
    fprintf(stderr, "%stlog-decode:%s ", is_coloured ? colour : "", is_coloured ? "\033[0m" : "");
}

/* A text that is longer than usual, as one with a long path is, takes memory; if there is none, it is cut. */
__attribute__((format(printf, 2, 0))) static void put(const char *colour, const char *format, va_list arguments)
{
    char usual[1024], *longer = NULL;
    va_list again;
    int n;
    va_copy(again, arguments);
    n = vsnprintf(usual, sizeof usual, format, arguments);
    if (n >= (int)sizeof usual && (longer = heap_alloc((size_t)n + 1u)) != NULL)
        vsnprintf(longer, (size_t)n + 1u, format, again);
    va_end(again);
    begin_line(colour);
    write_printable(longer != NULL ? longer : usual, strlen(longer != NULL ? longer : usual));
    fputc('\n', stderr);
    fflush(stderr);
    heap_free(longer);
}

void message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(plain, format, arguments);
    va_end(arguments);
}

void message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(yellow, format, arguments);
    va_end(arguments);
}

void message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(red, format, arguments);
    va_end(arguments);
}

void message_error_list(const char *format, va_list arguments)
{
    put(red, format, arguments);
}

void message_line(const char *text)
{
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

/* ---- what decoders tell ------------------------------------------------------------------------------------------ */

static void show_damage(const struct tlog_message *damage)
{
    if (damage->number == DAMAGE_SHOWN + 1u)
        message_warning("%s: further damage is counted, not shown", damage->input);
    else if (damage->number <= DAMAGE_SHOWN && damage->length == 0)
        message_warning("%s: offset 0x%" PRIx64 ": %s", damage->input, damage->offset, damage->text);
    else if (damage->number <= DAMAGE_SHOWN)
        message_warning("%s: offset 0x%" PRIx64 ": %s: skipped %" PRIu64 " byte%s", damage->input, damage->offset,
                        damage->text, damage->length, text_plural(damage->length));
}

static void show(void *ctx, const struct tlog_message *told)
{
    (void)ctx;
    if (told->told == TLOG_TOLD_DAMAGE)
        show_damage(told);
    else if (told->told == TLOG_TOLD_WARNING)
        message_warning("%s: %s", told->input, told->text);
    else
        message("%s", told->text);
}

static void show_progress(void *ctx, uint64_t bytes, uint64_t events)
{
    (void)ctx;
    progress_add(bytes, events);
}

const struct tlog_sink message_sink = {show, show_progress, NULL};
