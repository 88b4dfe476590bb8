/* fuzz.h - a reader is given any bytes. It must not crash or work without end, the times of a CPU must not go back, and
 * each event must be one of its type. In trace.dat files the input tells the types, payloads are handed on as they are,
 * and clocks of the kernel go back a little.
 *
 * The first byte of an input is no byte of the dump: it chooses the shape (see below). An input of the reader of LTTng
 * directories consists of pieces of files: the number of a file, a number of bytes, 16 bits, and these bytes, which
 * zeros fill up to a page. An input is decoded once, from memory.
 */
#ifndef TESTS_DECODER_FUZZ_H
#define TESTS_DECODER_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct trace_reader;

/* Decode an input. Aborts if the reader does anything that it must not. */
void fuzz_decode(const struct trace_reader *module, const uint8_t *data, size_t size);

/* Let what reads a target's memory be answered by the bytes behind the first one, which chooses: 0 gdb, 1 openocd, 2
 * gdb without an ELF file. Aborts if it does anything that it must not. */
void fuzz_live(const uint8_t *data, size_t size);

#define FUZZ_SHAPES 3u

/* Change the bytes of a dump, in which a fuzzer can hardly guess a CRC. Shape 0: not at all; 1: the headers, seals and
 * regions in it become right; 2: the same, and then some of the headers are wiped. */
void fuzz_shape_native(uint8_t *data, size_t size, unsigned shape);

#endif
