/* engine.c - what libFuzzer calls: see fuzz.h. FUZZ=READER chooses the reader, by its name for --from; FUZZ=live what
 * reads a target's memory. */
#include "fuzz.h"

#include "cli/formats.h"
#include "model/module.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct trace_reader *reader_chosen(void)
{
    const char *name = getenv("FUZZ");
    for (size_t i = 0; name != NULL && library_readers[i] != NULL; i++) {
        if (strcmp(library_readers[i]->name, name) == 0)
            return library_readers[i];
    }
    fprintf(stderr, "FUZZ names no reader\n");
    exit(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct trace_reader *module;
    static bool is_live;
    if (module == NULL && !is_live) {
        is_live = getenv("FUZZ") != NULL && strcmp(getenv("FUZZ"), "live") == 0;
        module = is_live ? NULL : reader_chosen();
    }
    if (is_live)
        fuzz_live(data, size);
    else
        fuzz_decode(module, data, size);
    return 0;
}
