/* harness.h - what the tests of QNX's traceevents share: files are made slot by slot, and what is decoded is compared.
 *
 * The slots are those of formats/qnx/file.h. Events that are decoded are compared as lines "cpu ticks name payload",
 * with the payload in hexadecimal and without its field "context". The clock has 1 GHz, so ticks are ns.
 */
#ifndef DECODER_QNX_HARNESS_H
#define DECODER_QNX_HARNESS_H

#include "tool/decode.h"
#include "model/module.h"
#include "decoder/native/harness.h"
#include "formats/qnx/join.h"
#include "events/qnx_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SIMPLE, BEGIN, MIDDLE, END };                                          /* parts */
enum { CONTROL = 1, KER_CALL, INT, PR_TH, SYSTEM, USER, COMM, NAMELESS = 9 }; /* classes; QNX has no class 9 */

#define FILE_MAX (1u << 20)

struct file {
    size_t n;    /* bytes of data */
    size_t head; /* of these, bytes before the slots */
    bool big;    /* words are big-endian */
    unsigned char data[FILE_MAX];
};

struct lines {
    size_t n;
    char text[FILE_MAX];
};

/* What became of a decoding. */
struct result {
    bool opened; /* else error says why not */
    struct trace_counts counts;
    char error[512], target[256];
    struct lines lines;
};

extern struct trace last; /* of the last decoding; its names stay until the next one */
extern struct file file;
extern struct result result, wanted;
extern uint32_t seed; /* of random_below() */

/* Begin with a header that has more text before its end; then append slots, with eight bytes or two words of data. */
void start_file(struct file *to, bool big, const char *more);
void add_slot(struct file *to, uint32_t part, uint32_t cpu, uint32_t means, uint32_t event, uint32_t stamp,
              const unsigned char *bytes);
void add_words(struct file *to, uint32_t part, uint32_t cpu, uint32_t means, uint32_t event, uint32_t stamp,
               uint32_t first, uint32_t second);

/* Append the line of an event, without the time if ticks is NULL. */
void add_line(struct lines *lines, unsigned cpu, const uint64_t *ticks, const char *name, const unsigned char *payload,
              size_t size);

/* Let a reader decode n bytes of data, or the .kev reader a file. timed: with ticks in the lines. */
void decode_data(struct result *got, const struct trace_reader *reader, const void *data, size_t n, bool timed);
void decode_file(struct result *got, const struct file *from);

/* Append the line of a user event to `wanted`, with the payload that host/events/qnx_types.h describes. */
void expect_words(unsigned cpu, uint64_t ticks, uint32_t event, const uint32_t *words, size_t n);
void expect_text(unsigned cpu, uint64_t ticks, uint32_t event, const char *text);

/* `result` has the lines of `wanted`, which then is empty. */
void assert_wanted(void);

/* A random number below n. */
uint32_t random_below(uint32_t n);

#endif
