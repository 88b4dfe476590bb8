/* decode.h - the face of this folder: one call of the decoder does all that a request asks for. */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "decode/request.h"

/* Results of calls, and exit codes of the program. */
enum decode_exit {
    DECODE_WHOLE = 0,   /* written, and the input was whole */
    DECODE_NOTHING = 1, /* nothing written */
    DECODE_DAMAGED = 2, /* written, but parts of the input were damaged, or --elf is another firmware's */
};

/* Read the inputs, map their events, and write the outputs. Errors, warnings and the summary go to standard error. The
 * request stays the caller's. */
enum decode_exit decode(const struct decode_request *request);

/* Follow the one input of the request, by request->follow, until the user interrupts it or the time is over: what a
 * board logs is read again and again while it runs. Text is written as events come, any other output at the end.
 * Errors, warnings and the summary go to standard error. In follow.c. */
enum decode_exit decode_follow(const struct decode_request *request);

/* Write what a firmware's ELF file tells to a small file (io/firmware/events_file.h), without decoding anything.
 * output: its path; "-" or NULL = standard output. Errors go to standard error. */
enum decode_exit decode_save_events(const char *elf, const char *output, bool quiet);

#endif
