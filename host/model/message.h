/* message.h - what the decoder tells the user: lines on standard error. Every message goes through here. Those about an
 * input go through trace_note() and trace_damage() (trace.h), which also know whether the user wants them. */
#ifndef MODEL_MESSAGE_H
#define MODEL_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Write a line: "tlog-decode: ", then what printf() makes of the format string and its arguments, and a newline.
 * Control characters in it, which only names of an input can have, are escaped: see base/printable.h. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of what is wrong, and of an error, because of which nothing is written. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An error for a function that has its arguments as a list, as vprintf() is to printf(). */
void message_error_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* From now on "tlog-decode:" is red before errors and yellow before warnings, or not. */
void message_colour(bool has_colour);

/* What a word gets that tells of n things: "s", or "" if n is 1. */
static inline const char *message_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Write a line as it is, without "tlog-decode: ". */
void message_line(const char *text);

#endif
