/* printk_harness.h - what the tests of format strings share: format strings made up with their arguments, packed as
 * formats/native/events/printk.h says. */
#ifndef DECODER_NATIVE_PRINTK_HARNESS_H
#define DECODER_NATIVE_PRINTK_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT = 4096, BLOCK = 1024 };

/* A format string, its arguments, and what it must print. */
struct job {
    char format[512];
    char expected[TEXT];
    unsigned char args[BLOCK];   /* as the target packs them */
    unsigned char kernel[BLOCK]; /* as libtraceevent wants them */
    size_t nargs, nkernel;
    bool big_endian;
};

/* Random numbers, the same in every run: of 64 bits; from 0 to n - 1. */
uint64_t any(void);
unsigned below(unsigned n);

/* Append a word to the arguments. */
void pack_word(struct job *job, uint32_t word);

/* Make up a job of the first so many of these: plain text, integers, strings, floating point, characters, pointers. */
void make_job(struct job *job, bool big_endian, unsigned kinds);

#endif
