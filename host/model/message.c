/* message.c - lines on standard error: see message.h. */
#include "model/message.h"

#include <stdio.h>

void message_list(const char *format, va_list arguments)
{
    fputs("tlog-decode: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_list(format, arguments);
    va_end(arguments);
}

void message_line(const char *text)
{
    fprintf(stderr, "%s\n", text);
}
