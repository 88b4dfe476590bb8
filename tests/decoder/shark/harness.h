/* harness.h - what the tests of raw S.Ha.R.K. trace files share: records made here, decoded from a file to a file. */
#ifndef DECODER_SHARK_HARNESS_H
#define DECODER_SHARK_HARNESS_H

#include "decode/decode.h"
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
extern uint64_t clock_hz;              /* of --clock-hz */
extern struct bytes in, out, other;

/* Whole files. */
void save(const char *path, const void *data, size_t n);
void load(const char *path, struct bytes *bytes);

/* One record, little-endian. */
void add(struct bytes *bytes, uint32_t code, uint32_t par1, uint64_t ticks, uint32_t par2);

/* n user events from that time on, one tick apart; par1 counts. */
void add_run(struct bytes *bytes, uint64_t from, uint32_t n);

/* A shell command with one %s, which must succeed. */
void command(const char *format, const char *argument);

/* Where the programs are: BUILD of the environment. */
const char *build(void);

/* What is at in_path, by a writer, to out_path. */
enum decode_exit decode_file(const struct trace_reader *reader, const struct trace_writer *writer,
                             enum decode_map_mode map);

/* What is in `in`, written by a writer, to `out`. */
enum decode_exit convert(const struct trace_writer *writer);

size_t count_lines(const struct bytes *text, const char *with);

/* Whether the n user events in `out` have the times first, first + 1 ... in ticks. */
void assert_counts_up(uint64_t first, uint64_t n);

void assert_is_input(void);
uint32_t random32(void);

/* Set in_path and out_path; take the files away again. For a group. */
int make_files(void **state);
int remove_files(void **state);

#endif
