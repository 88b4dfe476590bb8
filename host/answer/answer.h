/* answer.h - what --stat, --info and --check print, and where.
 *
 * Each is a writer whose output is not a file of events but an answer about them: it writes to the answer's stream, and
 * gets that by struct trace_options. One answer may be about several inputs, one after the other.
 */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "model/module.h"

struct answer {
    FILE *to;
    bool is_json, is_list; /* is_list: of several inputs; in JSON, an array */
    bool has_blocks;       /* blocks can be shown: the locale is one of UTF-8 */
    bool has_colour;       /* headings are bold */
    unsigned columns;      /* of a line */
    struct json json;
    unsigned parts;            /* inputs that were answered */
    bool is_open;              /* the answer about an input has begun, and has not ended */
    uint64_t runs;             /* of the firmware, as the last input tells; 0 = it does not tell */
    bool is_dense;             /* no empty lines between inputs */
    const struct trace *trace; /* the input that --check reads; its counts: */
    struct trace_counts counts;
};

/* Begin and end the whole. end() returns whether all was written. */
void answer_begin(struct answer *answer);
bool answer_end(struct answer *answer);

/* Begin the answer about an input: in JSON, an object with its name. Does nothing if it has begun. */
void answer_open(struct answer *answer, const char *input);

/* End it. Does nothing if none has begun. */
void answer_close(struct answer *answer);

/* For --check: tell of a damaged part of an input, as soon as it is found. */
void answer_damage(struct answer *answer, const char *input, uint64_t offset, uint64_t length, uint64_t count,
                   const char *text);

/* The end of --check for an input. code: 0 the input is whole, 1 nothing was decodable, 2 it is damaged, or was decoded
 * with the ELF file of another firmware. */
void answer_verdict(struct answer *answer, const char *input, int code);

/* ---- how figures are shown --------------------------------------------------------------------------------------- */

#define ANSWER_TIME_BYTES 32u

/* A length of time: 14.705 ms; or ticks where the clock's frequency is not known. Returns the text. */
const char *answer_time(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES]);

/* A moment: 0.085083 s. */
const char *answer_moment(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES]);

/* Write a name fit for a terminal, and blanks up to a width. */
void answer_name(FILE *to, const char *name, unsigned width);

/* How many columns a name takes. */
unsigned answer_columns(const char *name);

/* Write the line that --stat and --info both begin with: CPUs, time, counts. */
void answer_trace_text(const struct answer *answer, const struct trace *trace);
void answer_trace_json(struct json *json, const struct trace *trace);

#endif
