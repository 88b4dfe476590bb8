/* message.h - what the decoder tells the user: lines on standard error. Every message goes through here. For messages
 * about an input there are trace_note() and trace_damage() (trace.h), which also know whether the user wants them. */
#ifndef MODEL_MESSAGE_H
#define MODEL_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Write a line: "tlog-decode: " and the text. Control characters in the text are escaped (base/printable.h), because
 * names in an input may have them. printf() format. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a warning, and for an error, after which no output is written. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* message_error() with a list of arguments, as vprintf() is to printf(). */
void message_error_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Choose whether "tlog-decode:" is red before errors and yellow before warnings, from now on. */
void message_colour(bool has_colour);

/* The ending of a noun after the number n: "s", or "" if n is 1. Example: 1 event, 2 events. */
static inline const char *message_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Write a line as it is, without "tlog-decode: ". */
void message_line(const char *text);

#endif
