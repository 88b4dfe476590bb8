/* harness.h - what the tests of the event model and of the text writer share: a trace, and files without a name. */
#ifndef DECODER_MODEL_HARNESS_H
#define DECODER_MODEL_HARNESS_H

#include "model/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

extern const struct trace_writer writer_text;

extern struct trace trace;
extern struct trace_batch batch;

/* An empty file without a name. */
int new_file(void);

/* All of a file, NUL-terminated; the caller frees it. */
char *contents(int fd);

void put_all(int fd, const void *data, size_t size);

/* What the damage messages of n damaged regions look like. */
char *damage_messages(unsigned n);

/* A test with a trace of its own: `trace`, of one CPU, 1 MHz, and an empty `batch`. */
struct CMUnitTest test(const char *name, CMUnitTestFunction function);

#endif
