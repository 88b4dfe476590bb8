/* pack.c - the harness of pack.sh: compresses each chunk of a dump, part of a chunk, and noise; prints time and size.
 *
 * It prints for each: name, slots, bytes of the image, bytes of the region, instructions. The clock ticks every 40 ns
 * and an instruction takes 64 ns (-icount shift=6), so a count is off by two at most; "calibrate" is a loop of known
 * length. "stack" is the greatest depth below its caller's stack pointer that tlog_pack() reached in all runs. */
#include "emit.h"
#include "out_semihost.h"
#include "tlog.h"
#include "tlog_pack.h"

enum { SLOTS_MAX = 8192, PAINTED_WORDS = 1024, LOOPS = 1000 };

__asm(".section .rodata.dump, \"a\"\n\t.balign 16\n\t"
      "dump_start: .incbin \"" PACK_DUMP "\"\n\tdump_end: .byte 0\n\t.previous");
extern const uint32_t dump_start[];
extern const unsigned char dump_end[];

static const uint32_t paint = 0x5AFEC0DEu;
static uint32_t chunk[TLOG_CHUNK_BYTES(SLOTS_MAX, 0u) / 4u] __attribute__((aligned(16)));
static uint32_t region[TLOG_PACK_BYTES(SLOTS_MAX, 0u) / 4u];
static struct tlog_pack work;
static uint32_t deepest;

static uint32_t instructions(uint32_t ticks)
{
    return ticks * 5u / 8u;
}

static uint32_t now(void)
{
    return ~BOARD_TIMER0->value;
}

/* This function makes no call except the measured one, so that nothing else writes below the stack pointer. */
static __attribute__((noipa)) int32_t pack(const struct tlog_chunk *from, uint32_t *ticks)
{
    volatile uint32_t *top;
    __asm volatile("mov %0, sp" : "=r"(top));
    for (int i = 1; i <= PAINTED_WORDS; i++)
        top[-i] = paint;
    uint32_t start = BOARD_TIMER0->value;
    int32_t bytes = tlog_pack(from, region, sizeof(region), &work);
    *ticks = start - BOARD_TIMER0->value;
    uint32_t depth = PAINTED_WORDS;
    while (depth > 0 && top[-(int)depth] == paint)
        depth--;
    if (depth * 4u > deepest)
        deepest = depth * 4u;
    return bytes;
}

static void run(const char *name, const struct tlog_chunk *from)
{
    uint32_t ticks;
    int32_t bytes = pack(from, &ticks);
    semihost_print(name);
    print_number("_slots", from->slots);
    semihost_print(name);
    print_number("_image", from->buf_size);
    semihost_print(name);
    print_number("_region", bytes < 0 ? 0u : (uint32_t)bytes);
    semihost_print(name);
    print_number("_instructions", instructions(ticks));
}

/* A chunk in RAM with `slots` slots and otherwise the header of `from`. */
static struct tlog_chunk *head_of(const struct tlog_chunk *from, uint32_t slots)
{
    struct tlog_chunk *to = (struct tlog_chunk *)chunk;
    for (uint32_t i = 0; i < TLOG_HEADER_BYTES / 4u; i++)
        chunk[i] = ((const volatile uint32_t *)from)[i];
    to->slots = slots;
    to->buf_size = TLOG_CHUNK_BYTES(slots, 0u);
    to->check = tlog_ring_check(to);
    return to;
}

static void run_events(const struct tlog_chunk *from)
{
    uint32_t used = (from->cursor >> TLOG_CURSOR_SHIFT) - 1u;
    struct tlog_chunk *to = head_of(from, used);
    for (uint32_t i = 0; i < used * 4u; i++)
        chunk[TLOG_HEADER_BYTES / 4u + i] = ((const volatile uint32_t *)(from + 1))[i];
    run("events", to);
}

static void run_noise(const struct tlog_chunk *from)
{
    uint32_t state = 0x2545F491u;
    struct tlog_chunk *to = head_of(from, 1024u);
    for (uint32_t i = 0; i < 1024u * 4u; i++)
        chunk[TLOG_HEADER_BYTES / 4u + i] = next_argument(&state);
    run("noise", to);
}

static void run_empty(const struct tlog_chunk *from)
{
    struct tlog_chunk *to = head_of(from, 1024u);
    for (uint32_t i = 0; i < 1024u * 4u; i++)
        chunk[TLOG_HEADER_BYTES / 4u + i] = i % 4u == TLOG_WORD_HEAD ? TLOG_SLOT_EMPTY : 0u;
    run("empty", to);
}

static void calibrate(void)
{
    uint32_t loops = LOOPS, start = now();
    __asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(loops)::"cc");
    print_number("calibrate", instructions(now() - start));
}

int main(void)
{
    const uint32_t *at = dump_start;
    calibrate();
    for (uint32_t n = 0; (uintptr_t)at < (uintptr_t)dump_end; n++) {
        const struct tlog_chunk *from = (const struct tlog_chunk *)at;
        if (from->magic != TLOG_WIRE_MAGIC || from->slots > SLOTS_MAX)
            return 1;
        run(n ? "names" : "chunk", from);
        if (n == 0)
            run_events(from);
        at += from->buf_size / 4u;
    }
    run_noise((const struct tlog_chunk *)dump_start);
    run_empty((const struct tlog_chunk *)dump_start);
    print_number("stack", deepest);
    return 0;
}
