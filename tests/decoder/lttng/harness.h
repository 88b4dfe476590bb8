/* harness.h - what the tests of LTTng traces share: a reader of made-up events, and the LTTng reader's events of a
 * trace, one by one, with its messages.
 */
#ifndef DECODER_LTTNG_HARNESS_H
#define DECODER_LTTNG_HARNESS_H

#include "tool/decode.h"
#include "model/module.h"
#include "cli/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_BYTES   (1u << 17)
#define PAGE         4096u
#define SEEN_MAX     4096u

/* The directory of all files of the tests, in /dev/shm if there is one, since thousands of files are written. */
extern char directory[40];
extern char trace_path[80], text_path[80], again_path[80], none_path[80];

/* ---- made-up events, and the decoder --- */

/* A reader that makes up events, whatever its input is. */
extern const struct trace_reader reader_maker;

/* Set what reader_maker makes up: so many events per CPU, step ticks apart. */
void set_events(unsigned cpus, unsigned events, uint64_t hz, uint64_t start_ns, uint64_t step);

/* Run the decoder. reader: NULL = the one that knows the input; options: those of --lttng, or NULL. */
enum decode_exit convert(const struct trace_reader *reader, const char *input, const struct trace_writer *writer,
                         const char *output, const char *options);

/* Write the made-up events to trace_path; options: those of --lttng. */
void make_trace(const char *options);

/* ---- files --- */

void save(const char *path, const void *data, size_t n);
size_t load(const char *path, void *data, size_t room);
void remove_tree(const char *path);
void assert_same_text(void); /* text_path and again_path */

/* ---- reading --- */

/* An event that the reader gave out. */
struct seen {
    uint64_t time, hash; /* hash: of its type's name and its payload */
    unsigned cpu;
};

/* What the reader alone makes of a trace, without mapping and output. */
struct result {
    uint64_t events, gaps, first, last; /* first, last: times */
    uint64_t lost, dropped;             /* lost events: by the events of loss, and as the trace counts them */
    uint64_t marks;                     /* events of damage */
    bool failed;
    uint32_t sum; /* of all events' times, types and payloads */
    size_t n;
    struct seen seen[SEEN_MAX]; /* n events, those of loss and damage left out */
};

/* Read a trace. What the reader writes to stderr is put into messages, unless that is NULL. */
void read_into(struct result *result, const char *path, char *messages, size_t room);

/* The same without messages. Valid until the next call. */
const struct result *read_trace(const char *path);

/* ---- faults in a written trace --- */

#define FAULT_FILES 3u /* control/facilities_0, control/modules_0, cpu_0 */

extern unsigned char original[FAULT_FILES][FILE_BYTES];
extern size_t length[FAULT_FILES];
extern struct result whole; /* of the unbroken trace */

/* Write a trace of so many made-up events, and read it: original, length and whole are set. */
void begin_faults(const char *options, unsigned events);

/* Read the trace with other contents in one of its files. */
const struct result *with_bytes(size_t file, const void *bytes, size_t n);
void restore(size_t file);

/* ---- before and after the tests of a program --- */

int set_up(void **state);
int tear_down(void **state);

#endif
