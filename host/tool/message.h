/* message.h - what the decoder tells the user: lines on standard error. Every message goes through here, and
 * progress (progress.h). What decodes an input has no other way to the user than the trace's sink (model/trace.h). */
#ifndef TOOL_MESSAGE_H
#define TOOL_MESSAGE_H

#include "tlog_decode.h"

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

/* Write a line as it is, without "tlog-decode: ". */
void message_line(const char *text);

/* The sink that shows on standard error what it is told; of damage the first 20 parts of an input. */
extern const struct tlog_sink message_sink;

#endif
