/* printk_harness.h - what the tests of printk formats share: formats made up with their arguments, packed as printk.h says. */
#ifndef DECODER_MODEL_PRINTK_HARNESS_H
#define DECODER_MODEL_PRINTK_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT = 4096, BLOCK = 1024 };

/* A format, its arguments, and what it must print. */
struct job {
    char format[512];
    char expected[TEXT];
    unsigned char args[BLOCK];   /* as the target packs them */
    unsigned char kernel[BLOCK]; /* as libtraceevent wants them */
    size_t nargs, nkernel;
    bool big_endian;
};

/* The same numbers in every run; below n. */
uint64_t any(void);
unsigned below(unsigned n);

void pack_word(struct job *job, uint32_t word);

/* Of the first so many kinds: plain text, integers, strings, floating point, characters, pointers. */
void make_job(struct job *job, bool big_endian, unsigned kinds);

#endif
