/* harness.h - what the tests of the event model and of the text writer share: a trace, and files without a name. */
#ifndef DECODER_MODEL_HARNESS_H
#define DECODER_MODEL_HARNESS_H

#include "model/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

extern const struct trace_writer writer_text, writer_text_full;

extern struct trace trace;
extern struct trace_batch batch;

/* The descriptor of an empty file without a name. */
int new_file(void);

/* All bytes of a file and a NUL; the caller frees them. */
char *contents(int fd);

/* Write all of the data, which must succeed. */
void put_all(int fd, const void *data, size_t size);

/* Report n damaged regions. Returns what is written to standard error; the caller frees it. */
char *damage_messages(unsigned n);

/* Append an event to the batch; its data is copied. */
struct tlog_event *add(const struct tlog_type *type, uint64_t time, uint32_t task, const char *data, size_t size);

/* What the writer makes of the batch; the caller frees it. */
char *write_batch(const struct trace_writer *writer, unsigned cpu);

/* The same must be this. */
void check_lines(const struct trace_writer *writer, unsigned cpu, const char *expected);

/* A test that begins with an empty trace of one CPU and a clock of 1 MHz in `trace`, and an empty `batch`. */
struct CMUnitTest test(const char *name, CMUnitTestFunction function);

#endif
