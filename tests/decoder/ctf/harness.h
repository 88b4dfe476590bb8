/* harness.h - what the tests of CTF share: a directory for a trace, which is written, and its files. */
#ifndef DECODER_CTF_HARNESS_H
#define DECODER_CTF_HARNESS_H

#include "decoder/model/harness.h"

#define PACKET_HEADERS 84u /* bytes before a packet's events */

extern const struct trace_writer writer_ctf;

/* A packet, as its headers tell. */
struct packet {
    uint64_t begin, end, size, sequence, lost; /* size in bytes */
    uint32_t cpu;
    const unsigned char *events;
    size_t n; /* bytes of them */
};

/* Descriptor of the directory, which is empty when a test begins. */
extern int directory;

/* The writer, which was given the batch of CPU 0; it is open. */
void *begin_trace(const struct trace_options *options);

/* Write the batch as a trace. */
void write_trace(void);

/* The bytes of a file in the directory, with a NUL behind; NULL: there is none. Valid until the next call. */
const char *file(const char *name, size_t *size);

/* Take a file apart. Returns how many packets it has. */
size_t packets_of(const char *name, struct packet *packets, size_t most);

/* The metadata have these lines. */
void check_metadata(const char *lines);

/* Make a file with this text. */
void make_file(const char *name, const char *text);

/* A test with a trace and a batch as those of model/harness.h, and with the directory. */
struct CMUnitTest ctf_test(const char *name, CMUnitTestFunction function);

#endif
