/* emit.h - the wrapper that the benches measure, and the functions all benches use. */
#ifndef BENCH_EMIT_H
#define BENCH_EMIT_H

#include <stdint.h>

void emit(uint32_t a, uint32_t b);

/* What emit() needs before, in some variants. Its argument is the second one of the emit() that follows. */
void prepare(uint32_t b);

/* Words to log, defined in another file than the wrapper so that the compiler does not know their values. */
extern const uint32_t emit_words[64];

/* A text to log, of 999 characters once stack.c has filled it. */
extern char emit_text[1000];

/* Print "text number\n" to the host's console. */
void print_number(const char *text, uint32_t number);

/* The next of a sequence of pseudo-random 32-bit arguments (xorshift). */
static inline uint32_t next_argument(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
