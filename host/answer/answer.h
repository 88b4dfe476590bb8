/* answer.h - what --stat, --info and --check print, and where.
 *
 * Each is a writer whose output is not a file of events but an answer about them. It writes to the stream of a struct
 * answer, which it gets by struct trace_options. One answer may be about several inputs, one after the other.
 */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "model/module.h"

struct answer {
    FILE *to;
    bool is_json;
    bool has_blocks; /* the locale has UTF-8: load is drawn with blocks, not ASCII */
    bool has_colour; /* headings are bold */
    struct json json;
    unsigned parts;             /* inputs that were answered */
    bool is_open;               /* the answer about an input has begun, and has not ended */
    uint64_t runs;              /* of the firmware, as the last input tells; 0 = it does not tell */
    bool is_dense;              /* no empty lines between inputs */
    const struct trace *trace;  /* the input that --check reads */
    struct trace_counts counts; /* of --check: what it found there, */
    uint64_t clock_hz;          /* and the clock of its times */
};

/* Begin and end the whole answer. answer_end() returns whether all of it was written. */
void answer_begin(struct answer *answer);
bool answer_end(struct answer *answer);

/* Begin the part about an input, unless it has begun. In JSON it is an object, which has the input's name. */
void answer_begin_input(struct answer *answer, const char *input);

/* End it, if one has begun. */
void answer_end_input(struct answer *answer);

/* For --check: tell of a damaged part of an input, as soon as it is found. */
void answer_damage(struct answer *answer, const char *input, uint64_t offset, uint64_t length, uint64_t count,
                   const char *text);

/* For --check: the last line about an input. code: 0 = it is whole; 1 = nothing was decodable; 2 = it is damaged, or
 * was decoded with the ELF file of another firmware. */
void answer_verdict(struct answer *answer, const char *input, int code);

/* --check of a firmware's ELF file: what will go wrong with its trace, before it is flashed. 0 = nothing is wrong; 1 =
 * the file cannot be read, and the trace has the error; 2 = something is wrong. */
int answer_firmware(struct answer *answer, struct trace *trace, const char *path);

/* ---- how figures are shown --------------------------------------------------------------------------------------- */

#define ANSWER_TIME_BYTES 32u

/* A length of time with four digits, such as "14.71 ms" or "36000 s", in 8 columns: at most 213504 days. In ticks, if
 * the clock's frequency is not known: then answer_time() adds the word. Returns the text. */
const char *answer_length(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES]);
const char *answer_time(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES]);

/* A number; if it has more than these digits (7 at least), four of them and k, M, G, T, P or E. Returns the text. */
const char *answer_amount(uint64_t n, bool is_negative, unsigned digits, char text[ANSWER_TIME_BYTES]);

/* A moment in seconds, such as "0.085083"; or in ticks. Returns the text. */
const char *answer_moment(const struct trace *trace, uint64_t time, char text[ANSWER_TIME_BYTES]);

/* Write a name so that it is safe for a terminal. */
void answer_name(FILE *to, const char *name);

/* "lowest_first" or "highest_first": which priorities are the more important ones. NULL if that is unknown. */
const char *answer_priority_order(enum trace_priority_order order);

/* Write how many slots of how many are dead, if there are any: their events were never finished. As the end of a line,
 * or as numbers. */
void answer_dead_slots(const struct answer *answer, const struct trace_counts *counts);
void answer_dead_slots_json(struct json *json, const struct trace_counts *counts);

/* Write what --stat and --info both begin with: CPUs, time, counts. */
void answer_trace_text(const struct answer *answer, const struct trace *trace);
void answer_trace_json(struct json *json, const struct trace *trace);

/* How often and how long logging was off, if it was: the end of a line of text. */
void answer_pauses_text(const struct answer *answer, uint64_t clock_hz, const struct trace_counts *counts);
void answer_pauses_json(struct json *json, const struct trace_counts *counts);

/* ---- tables of --stat -------------------------------------------------------------------------------------------- */

/* No line of a table or sentence has more than ANSWER_COLUMNS columns. Figures have columns of a given width, in which
 * they stand to the right; what is left is for names. A name that is too long for its column stays whole, and the cells
 * behind it go to the next line, each to its column. */
#define ANSWER_COLUMNS 80u /* of a line, in files and on terminals of any width */

enum { COLUMNS_MOST = 10 }; /* of a table */

struct column {
    const char *heading;
    unsigned width; /* of a figure, with a blank before it; or: */
};
enum { COLUMN_NAME = 0, COLUMN_MOMENT = 255 }; /* it has names; as wide as moments of the trace are */

struct columns {
    FILE *to;
    unsigned n;
    const struct column *spec;
    unsigned width[COLUMNS_MOST], start[COLUMNS_MOST];
    unsigned next;    /* the column of the next cell */
    unsigned written; /* columns of the line so far */
};

/* Begin a table of n columns. moment: how wide moments are. Then tell the names that are in it, and write its
 * heading. */
void columns_begin(struct columns *columns, FILE *to, const struct column *spec, unsigned n, unsigned moment);

/* A column of names should have room for this one. */
void columns_make_room(struct columns *columns, unsigned column, const char *name);

/* Divide the line, and write the headings, which are bold if there are colours. */
void columns_head(struct columns *columns, bool has_colour);

/* Write a row: the next cell of it; its end. */
void columns_put(struct columns *columns, const char *text);
void columns_end(struct columns *columns);

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* A sentence about tasks, which is broken at blanks. All 0 at the beginning. */
struct sentence {
    char text[1024];
    size_t n;
};

/* Add to it; what exceeds its room is left out. */
__attribute__((format(printf, 2, 3))) void sentence_add(struct sentence *sentence, const char *format, ...);
void sentence_add_name(struct sentence *sentence, const char *name);

/* Write it with its newline; lines behind the first one are indented by two columns more than that. */
void sentence_write(const struct sentence *sentence, FILE *to);

#endif
