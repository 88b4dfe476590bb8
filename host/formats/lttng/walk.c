/* walk.c - a walk through one file of a trace: see walk.h. */
#include "formats/lttng/walk.h"

#include <stdarg.h>
#include <stdio.h>

void lttng_walk_damage(struct lttng_walk *walk, uint64_t offset, uint64_t length, uint64_t count, const char *format,
                       ...)
{
    char text[200];
    va_list arguments;
    walk->damaged = true;
    walk->damage += count;
    if (walk->quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trace_damage(walk->trace, offset, length, count, "%s: %s", walk->name, text);
}
