/* decode.h - one call of the decoder: input, reader, mapping, writer, output. */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "decode/request.h"

/* Exit codes of the program. */
enum decode_exit {
    DECODE_WHOLE = 0,   /* written, and the input was whole */
    DECODE_NOTHING = 1, /* nothing written */
    DECODE_DAMAGED = 2, /* written, but the input was damaged, or --elf is another firmware's */
};

/* Do what is requested. Errors, warnings and the summary go to standard error. The request stays the caller's. */
enum decode_exit decode(const struct decode_request *request);

#endif
