/* harness.h - what the tests of raw S.Ha.R.K. trace files share: records are made here, and decoded from file to
 * file. */
#ifndef DECODER_SHARK_HARNESS_H
#define DECODER_SHARK_HARNESS_H

#include "tool/decode.h"
#include "model/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_BYTES   (1u << 20)
#define BILLION      1000000000u
#define FAST         0x8000u

struct bytes {
    size_t n;
    unsigned char data[FILE_BYTES];
};

extern char in_path[64], out_path[64]; /* libkshark wants names that end in .dat */
extern uint64_t clock_hz;              /* as given by --clock-hz; 0: not given */
extern struct bytes in, out, other;

/* Write and read whole files. */
void save(const char *path, const void *data, size_t n);
void load(const char *path, struct bytes *bytes);

/* Append one record, little-endian. */
void add(struct bytes *bytes, uint32_t code, uint32_t par1, uint64_t ticks, uint32_t par2);

/* Append n user events with rising times from that one on, one tick apart; par1 counts them. */
void add_rising(struct bytes *bytes, uint64_t from, uint32_t n);

/* Run a shell command with one %s, which must succeed. */
void command(const char *format, const char *argument);

/* Where the programs are: BUILD of the environment. */
const char *build(void);

/* Decode the file at in_path by a reader, or the one that recognises it if that is NULL, to out_path by a writer. */
enum decode_exit decode_file(const struct trace_reader *reader, const struct trace_writer *writer,
                             enum tlog_map_mode map);

/* Decode the records in `in` by a writer, to `out`. */
enum decode_exit convert(const struct trace_writer *writer);

/* Do the same by several writers at once, NULL behind the last one, with no files but those in memory, and without the
 * code that opens and finishes files: ten times as fast. *events: the events of records that came. False: something
 * failed. */
bool convert_in_memory(const struct trace_writer *const *writers, size_t *events);

/* How often the text is there. */
size_t count_lines(const struct bytes *text, const char *with);

/* The user events in `out`, a text, are n, and have the times first, first + 1 ... in ticks. */
void assert_counts_up(uint64_t first, uint64_t n);

/* `out` has the bytes of `in`. */
void assert_is_input(void);

/* The next of a fixed sequence of random numbers. */
uint32_t random32(void);

/* Set in_path and out_path; remove the files again. For a group of tests. */
int make_files(void **state);
int remove_files(void **state);

#endif
