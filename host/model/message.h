/* message.h - what the decoder tells the user: lines on standard error. Every message goes through here. */
#ifndef MODEL_MESSAGE_H
#define MODEL_MESSAGE_H

#include <stdarg.h>

/* Write a line: "tlog-decode: ", then what printf() makes of the arguments. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with arguments that a caller was given. */
void message_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Write a line as it is, without "tlog-decode: ". */
void message_line(const char *text);

#endif
