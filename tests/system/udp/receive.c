/* receive.c - copies all bytes of an input of the decoder to a file. For tests/system/udp/udp.sh, which compares the
 * file with what the firmware sent.
 * usage: receive INPUT FILE [IDLE_SECONDS [WAIT_SECONDS]]
 *
 * Gaps in the input go to standard output, messages to standard error. */
#include "tool/message.h"
#include "io/input.h"
#include "model/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Argument i, in seconds, as milliseconds; 0 if it is not given. */
static uint32_t ms(int argc, char **argv, int i)
{
    return argc > i ? (uint32_t)(atof(argv[i]) * 1000) : 0;
}

static int save(struct input *in, const char *path)
{
    static unsigned char block[4096];
    FILE *file = fopen(path, "wb");
    uint64_t at = 0;
    size_t n;
    if (file == NULL)
        return -1;
    while ((n = input_read(in, at, block, sizeof block)) > 0) {
        fwrite(block, 1, n, file);
        at += n;
    }
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct input_until until = {.idle_ms = ms(argc, argv, 3), .wait_ms = ms(argc, argv, 4)};
    struct trace trace;
    struct input *in;
    const struct input_gap *gaps;
    size_t n;
    if (argc < 3)
        return 1;
    trace_init(&trace, argv[1]);
    trace.sink = &message_sink;
    in = input_open(&trace, argv[1], &until);
    if (in == NULL || save(in, argv[2]) != 0) {
        fprintf(stderr, "receive: %s\n", trace.error);
        return 1;
    }
    n = input_gaps(in, &gaps);
    for (size_t i = 0; i < n; i++)
        printf("gap %" PRIu64 " %" PRIu64 "\n", gaps[i].offset, gaps[i].packets);
    input_close(in);
    trace_free(&trace);
    return 0;
}
