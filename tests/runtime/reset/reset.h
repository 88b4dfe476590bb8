/* reset.h - what the parts of the reset test share: see main.c. */
#ifndef RUNTIME_RESET_RESET_H
#define RUNTIME_RESET_RESET_H

#include <stdbool.h>
#include <stdint.h>

/* Where the test's memory is: beyond all that the firmware has, below its stack. Its first words are the mode and the
 * number of kinds of reset, given by QEMU's loader. */
#define RESET_STATE_ADDRESS 0x20200000u

/* The sweep; the same without any reset but those between runs; every second reset besides; no reset, but noise. */
#define RESET_MODE_SWEEP 0u
#define RESET_MODE_DRY   1u
#define RESET_MODE_PAIRS 2u
#define RESET_MODE_NOISE 3u

/* The system control block's, the watchdog's, the one from outside. */
#define RESET_KIND_REQUEST  0u
#define RESET_KIND_WATCHDOG 1u
#define RESET_KIND_BUTTON   2u
#define RESET_KINDS         3u

/* With pairs: older runs that there are when the first run is cut off, and the numbers after that. */
#ifndef RESET_PAIR_FIRST
#define RESET_PAIR_FIRST 0u
#endif

/* ... and after every how manieth first reset the next run is cut off, too. */
#ifndef RESET_PAIR_EACH
#define RESET_PAIR_EACH 1u
#endif

/* What is known of a run: calls begun, calls that had returned, and whether its task was named. */
struct reset_run {
    uint32_t begun, returned, named;
};

/* Where the banks of a ring are: bytes from the begin of the chunks' section, sizes of a bank and of a chunk. */
struct reset_layout {
    uint32_t begin, bank_bytes, chunk_bytes, chunks, slots, role;
};

static inline uint32_t reset_hash(uint32_t what)
{
    return what * 40503u >> 4 & 0xFFFFu;
}

/* Print what failed, with a number and the state of the test, save memory as failed.bin, and end. */
void reset_fail(const char *what, uint32_t number);

/* Compare a ring's memory with what it was before the run in work began. */
void reset_check(const struct reset_layout *at, const uint32_t *before, const struct reset_run *run, uint32_t seq);

/* Give all chunks another number of their run. */
void reset_renumber(uint32_t *memory, uint32_t words, uint32_t boot);

/* Fill with the numbers of a generator. */
void reset_fill(uint32_t *memory, uint32_t words, uint32_t seed);

/* Memory full of noise, or with one wrong bit. Ends the program. */
_Noreturn void reset_noise(void);

#endif
