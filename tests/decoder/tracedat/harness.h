/* harness.h - what the tests of the trace.dat writers share: a trace that is made here, the lines that trace-cmd report
 * must print for it, and programs that judge the file.
 *
 * The judges are trace-cmd (dump, report, convert, split), check_tracedat and check_kshark. The last two are in the
 * directory that the environment variable BUILD names. pwrite() is replaced, so that any write can fail, be short or be
 * interrupted.
 *
 * A test calls begin(), functions that give events and say which lines they must become, finish(), and then judges.
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

/* What happens to a write: nothing, it fails, it is short, it is interrupted before it began. */
enum fault { NO_FAULT, FAIL, CUT, INTERRUPT };

struct disk {
    enum fault fault;
    unsigned at;                 /* the number of the write that has the fault */
    unsigned count;              /* writes so far */
    uint64_t drop_from, drop_to; /* writes between these offsets succeed and are not made: the file has a hole */
};

struct line {
    uint64_t time;
    unsigned cpu, number; /* number: the order of lines of the same time and CPU */
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
extern const char *judges; /* the directory of check_tracedat and check_kshark: BUILD, or build/ */
extern struct line lines[MAX_LINES];
extern unsigned nlines;
extern uint64_t nevents, nlost, nmarks;

/* A type with two numbers, 8 bytes of payload, as small as users' events are; and types of a loss and of damage. */
extern const struct tlog_type pair, lost, damage;
extern const struct tlog_field pair_fields[2];

/* Begin a test with a new file: of the variant that is set, or of the default one. End it. For cmocka. */
int set_up(void **state);
int use_default(void **state);
int tear_down(void **state);

/* Open the writer; hand over what is in the batch; close the file. */
void begin(unsigned ncpus);
void flush(void);
void finish(void);

/* Give the writer an event. The line that it must become is said separately. */
void give(unsigned cpu, const struct tlog_event *event);

/* Say that there must be a line for an event. info: what follows the event's name. */
void expect(unsigned cpu, uint64_t time, uint32_t task, const char *name, const char *info);

/* Say that there must be a line for a loss; count 0: unknown. It stands before the line of the next event, which has
 * this time. */
void expect_loss(unsigned cpu, uint64_t time, uint64_t count);

/* Store a number, little-endian. */
void put_number(unsigned char *to, uint64_t value, unsigned size);

/* Give an event of the type pair, and say which line it must become; shown: the time in that line. */
void add_pair_as(unsigned cpu, uint64_t time, uint64_t shown, uint32_t par1);
void add_pair(unsigned cpu, uint64_t time, uint32_t par1);

/* Give a loss or damage. Its line is said separately. */
void add_loss(unsigned cpu, const struct tlog_type *type, uint64_t time, uint64_t count);

/* Give ten events, 1 ns apart, with every kind and size of field, and say which lines they must become. */
void add_kinds(unsigned cpu, uint64_t time);

/* Give an event with two texts of these lengths, and say which line it must become. */
extern const struct tlog_type text_type;
void add_texts(unsigned cpu, uint64_t time, unsigned id, unsigned first, unsigned second);

/* Run a shell command, whose exit code must be 0. Returns what it prints, which the caller frees. */
char *run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Run a shell command, which must print exactly this. */
void run_prints(const char *expected, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* trace-cmd report prints the lines for that file of the directory. */
void judge_lines(const char *name);

/* All judges that can read this variant; without trace-cmd split, which makes new pages, and with it. */
void judge_all_but_split(void);
void judge(void);

/* Read a piece of the file; a little-endian number in it. */
void read_file(void *to, size_t size, off_t offset);
uint64_t number_in_file(off_t offset, unsigned size);

/* Bytes of the file's prologue, in version 7. version: of the compression, as the file tells it. */
off_t prologue_size(char *version, size_t room);

/* How many pages with events a file has that is not compressed. */
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

/* What main() calls before all tests, and after: they make and remove a directory, which stays if a test failed.
 * end_tests() returns what main() returns. */
void begin_tests(void);
int end_tests(int failed);

#endif
