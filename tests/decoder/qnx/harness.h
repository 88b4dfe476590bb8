/* harness.h - what the tests of QNX's traceevents share: files made slot by slot, and what is decoded of them.
 *
 * The slots are those of host/qnx/file.h; what is decoded is compared as lines "cpu ticks name payload", where a context
 * is left out. Clock: 1 GHz, so that ticks are ns.
 */
#ifndef DECODER_QNX_HARNESS_H
#define DECODER_QNX_HARNESS_H

#include "decode/decode.h"
#include "model/module.h"
#include "decoder/native/harness.h"
#include "events/qnx_join.h"
#include "events/qnx_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SIMPLE, BEGIN, MIDDLE, END };
enum { CONTROL = 1, KER_CALL, INT, PR_TH, SYSTEM, USER, COMM, NOBODY = 9 };

#define FILE_MAX (1u << 20)

struct file {
    size_t n, head; /* head: bytes before the slots */
    bool big;
    unsigned char data[FILE_MAX];
};

struct lines {
    size_t n;
    char text[FILE_MAX];
};

struct result {
    bool opened;
    struct trace_counts counts;
    char error[512], target[256];
    struct lines lines;
};

extern struct trace last; /* of the last decoding; its names stay until the next one */
extern struct file file;
extern struct result result, wanted;
extern uint32_t seed;

/* A header, with more text before its end; then slots, and words in place of their bytes. */
void start_file(struct file *to, bool big, const char *more);
void add_slot(struct file *to, uint32_t part, uint32_t cpu, uint32_t class, uint32_t event, uint32_t stamp,
              const unsigned char *bytes);
void add_words(struct file *to, uint32_t part, uint32_t cpu, uint32_t class, uint32_t event, uint32_t stamp,
               uint32_t first, uint32_t second);
void add_line(struct lines *lines, unsigned cpu, const uint64_t *ticks, const char *name, const unsigned char *payload,
              size_t size);

/* What a reader makes of bytes; timed: with ticks in the lines. */
void decode_data(struct result *got, const struct trace_reader *reader, const void *data, size_t n, bool timed);
void decode_file(struct result *got, const struct file *from);

/* Lines of user events, as the description in host/events/qnx_types.h has their payloads. */
void expect_words(unsigned cpu, uint64_t ticks, uint32_t event, const uint32_t *words, size_t n);

void expect_text(unsigned cpu, uint64_t ticks, uint32_t event, const char *text);

/* `result` has the lines of `wanted`. */
void assert_wanted(void);
uint32_t random_below(uint32_t n);

#endif
