/* readers.c - see readers.h. */
#include "library/readers.h"

#include <stddef.h>
#include <string.h>

const struct trace_reader *const library_readers[] = {&reader_native, &reader_tracedat, &reader_shark,
                                                      &reader_kev,    &reader_lttng,    NULL};

const struct trace_reader *library_reader_named(const char *name)
{
    for (size_t i = 0; library_readers[i] != NULL; i++) {
        if (strcmp(library_readers[i]->name, name) == 0)
            return library_readers[i];
    }
    return NULL;
}
