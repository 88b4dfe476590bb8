/* decode.h - one run of the decoder: input, reader, mapping, writer, output. */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "decode/request.h"

enum decode_exit {
    DECODE_WHOLE = 0,   /* written, and the input was whole */
    DECODE_NOTHING = 1, /* nothing written */
    DECODE_DAMAGED = 2, /* written, but parts of the input were damaged and skipped */
};

enum decode_exit decode(const struct decode_request *request);

#endif
