/* harness.h - what the tests of the trace.dat writers share: a trace made here, the lines that trace-cmd report
 * must print for it, and the judges.
 *
 * The judges are trace-cmd (dump, report, convert, split), check_tracedat and check_kshark, the last two in the directory
 * that BUILD names. pwrite() is replaced so that any single write can fail, be short or be interrupted.
 *
 * Vocabulary
 *   line     what trace-cmd report must print for an event or for a loss
 *   judge    an independent program that reads the file
 *   variant  a writer and its options
 */
#ifndef DECODER_TRACEDAT_HARNESS_H
#define DECODER_TRACEDAT_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <sys/types.h>

#include "model/module.h"

enum { MAX_LINES = 20000, SECOND = 1000000000 };

extern const struct trace_writer writer_tracedat, writer_tracedat6, writer_tracedat_text;

enum fault { NO_FAULT, FAIL, CUT, INTERRUPT };

struct disk {
    enum fault fault;
    unsigned at;                 /* the number of the write it hits */
    unsigned count;              /* writes so far */
    uint64_t drop_from, drop_to; /* writes inside succeed and are not made: the file has a hole */
};

struct line {
    uint64_t time;
    unsigned cpu, number; /* number: order of lines of one time on one CPU */
    char text[320];
};

struct variant {
    const char *name;
    const struct trace_writer *writer;
    struct trace_options options;
    bool no_convert, no_split; /* what trace-cmd 3.1.6 cannot do with such files */
};

extern struct disk disk;
extern struct variant variant;
extern struct trace trace;
extern struct trace_options options; /* of the file that begin() starts; set_up() takes them from the variant */
extern struct trace_batch batch;
extern unsigned batch_cpu;
extern void *writer;
extern int file;
extern char directory[];
extern char path[64];
extern const char *judges; /* directory of the checkers: BUILD, or build/ */
extern struct line lines[MAX_LINES];
extern unsigned nlines;
extern uint64_t nevents, nlost, nmarks;

/* Two numbers, 8 bytes of payload: events are as small as they come in real life. */
extern const struct trace_type pair, lost, damage;
extern const struct trace_field pair_fields[2];

/* A new file; of the variant, or of the default one. */
int set_up(void **state);
int use_default(void **state);
int tear_down(void **state);

/* Open the writer; hand over what is in the batch; close the file. */
void begin(unsigned ncpus);
void flush(void);
void finish(void);

/* Only hand the event over; what it must become is said separately. */
void give(unsigned cpu, const struct trace_event *event);

/* A line there must be. */
void expect(unsigned cpu, uint64_t time, uint32_t task, const char *name, const char *info);

/* The line of a loss stands before that of the next event, whose time it goes by. */
void expect_loss(unsigned cpu, uint64_t time, uint64_t count);

/* Little-endian. */
void put_number(unsigned char *to, uint64_t value, unsigned size);

/* Events with the lines they must become. */
void add_pair_as(unsigned cpu, uint64_t time, uint64_t shown, uint32_t par1);
void add_pair(unsigned cpu, uint64_t time, uint32_t par1);

/* A loss; its line is expected separately. */
void add_loss(unsigned cpu, const struct trace_type *type, uint64_t time, uint64_t count);

/* Ten events, 1 ns apart, with every kind and size of field. */
void add_kinds(unsigned cpu, uint64_t time);

/* An event with two texts of a length each. */
extern const struct trace_type text_type;
void add_texts(unsigned cpu, uint64_t time, unsigned id, unsigned first, unsigned second);

/* What a shell command prints; its exit code must be 0. The caller frees it. */
char *run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* It prints this, exactly. */
void run_prints(const char *expected, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All judges, as far as they can read this variant; split is one that packs the pages anew. */
void judge_lines(const char *name);
void judge_all_but_split(void);
void judge(void);

/* A piece of the file, and a little-endian number in it. */
void read_file(void *to, size_t size, off_t offset);
uint64_t number_at(off_t offset, unsigned size);

/* Pages of events in a file that is not compressed. */
uint64_t pages_in_file(void);

/* A test with a new file, of the default variant. */
struct CMUnitTest test(const char *name, CMUnitTestFunction function);

/* Tests with new files of a variant, VARIANT_TESTS at most; what cmocka_run_group_tests() returns. */
enum { VARIANT_TESTS = 4 };

struct named {
    const char *name;
    CMUnitTestFunction function;
};

int run_variant(const struct variant *with, const struct named *list, unsigned n);

/* What main() does before all tests, and after: a directory, which stays if a test failed. Return what main() returns. */
void begin_tests(void);
int end_tests(int failed);

#endif
