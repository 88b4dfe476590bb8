/* reset.h - shared by the parts of the reset test: see main.c. */
#ifndef RUNTIME_RESET_RESET_H
#define RUNTIME_RESET_RESET_H

#include <stdbool.h>
#include <stdint.h>

/* Where the test's own memory is: above all of the firmware's, below its stack. QEMU's loader sets its first words, the
 * mode and the number of kinds of reset. */
#define RESET_STATE_ADDRESS 0x20200000u

/* The sweep; the sweep without resets except those between runs; with the next run cut off as well; noise without
 * resets. */
#define RESET_MODE_SWEEP 0u
#define RESET_MODE_DRY   1u
#define RESET_MODE_PAIRS 2u
#define RESET_MODE_NOISE 3u

/* By the system control block, by the watchdog, from outside. */
#define RESET_KIND_REQUEST  0u
#define RESET_KIND_WATCHDOG 1u
#define RESET_KIND_BUTTON   2u
#define RESET_KINDS         3u

/* With pairs: the first scenario, that is, how many older runs there are when the first run is cut off. */
#ifndef RESET_PAIR_FIRST
#define RESET_PAIR_FIRST 0u
#endif

/* With pairs: the next run is cut off, too, after every RESET_PAIR_EACH-th new content of memory. */
#ifndef RESET_PAIR_EACH
#define RESET_PAIR_EACH 1u
#endif

/* What is known of a run: number of calls begun, of calls returned, and whether its task was named. */
struct reset_run {
    uint32_t begun, returned, named;
};

/* Where the banks of a ring are: offset from the beginning of the chunks' section, and sizes of a bank and of a chunk,
 * in bytes. */
struct reset_layout {
    uint32_t begin, bank_bytes, chunk_bytes, chunks, slots, role;
};

static inline uint32_t reset_hash(uint32_t what)
{
    return what * 40503u >> 4 & 0xFFFFu;
}

/* Print what failed, with a number and the state of the test, save memory as failed.bin, and end the program. */
void reset_fail(const char *what, uint32_t number);

/* Check a ring's memory against `before`, its content when the current run began. Fails by reset_fail(). */
void reset_check(const struct reset_layout *at, const uint32_t *before, const struct reset_run *run, uint32_t seq);

/* Give all chunks another number of their run. */
void reset_renumber(uint32_t *memory, uint32_t words, uint32_t boot);

/* Fill with pseudo-random numbers. */
void reset_fill(uint32_t *memory, uint32_t words, uint32_t seed);

/* Runs that start in noise, or with one wrong bit in a header. Ends the program. */
_Noreturn void reset_noise(void);

#endif
