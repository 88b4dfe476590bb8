/* engine.c - what libFuzzer calls: see fuzz.h. FUZZ=READER chooses the reader, by its name for --from. */
#include "fuzz.h"

#include "cli/formats.h"
#include "model/module.h"

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
    if (module == NULL)
        module = reader_chosen();
    fuzz_decode(module, data, size);
    return 0;
}
