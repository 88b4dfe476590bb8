/* tlog_name.c - names of tasks, interrupts and the like, in a chunk of each CPU that is never overwritten. */
#include "tlog.h"

#if TLOG_ENABLE

static uint32_t chunks[TLOG_CPUS][TLOG_RUNS * TLOG_CHUNK_BYTES(TLOG_NAME_SLOTS, 0u) / 4u]
    __attribute__((section("tlog_chunks.names"), aligned(16)));

#define RING(cpu)  TLOG_RING(chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define STATE(cpu) TLOG_CPU_INIT(&rings[cpu]),

static const struct tlog_ring rings[TLOG_CPUS] = {TLOG_EACH_CPU(RING)};

static struct tlog_cpu names[TLOG_CPUS] = {TLOG_EACH_CPU(STATE)};

/* Fill the slots of a name. Each has two words of data: first kind and id, then the text. Word 0 of each slot is
 * written last. So if a dump is made in the middle, the name lacks a slot, and the decoder sees that it is not
 * whole. */
static void fill(uint32_t *slot, uint32_t low, const uint32_t *words, uint32_t slots)
{
    const uint32_t event = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_NAME) | TLOG_TAG_ODD;
    for (uint32_t i = 0; i < slots; i++, slot += 4, words += 2) {
        uint32_t part = slots == 1        ? TLOG_STRUCT_S
                        : i == 0          ? TLOG_STRUCT_CB
                        : i + 1u == slots ? TLOG_STRUCT_CE
                                          : TLOG_STRUCT_CC;
        slot[1] = low;
        slot[2] = words[0];
        slot[3] = words[1];
        tlog_port_publish();
        *(volatile uint32_t *)slot = part << TLOG_STRUCT_SHIFT | event;
    }
}

/* Log a name. A chunk of names is filled only once, so a slot is free if it is before the end mark. A name that found
 * no room has parked the chunk (tlog_ring_drop()), but a shorter name may still fit. So the tag of the cursor is not
 * tested. */
static void put(struct tlog_cpu *cpu, const uint32_t *words, uint32_t slots)
{
    uint32_t *cursor = &tlog_ring_first(cpu)->cursor;
    uint32_t now, low;
    do {
        now = tlog_port_load_exclusive(cursor);
        if ((now >> TLOG_CURSOR_SHIFT) + slots > TLOG_NAME_SLOTS + 1u) {
            tlog_port_clear_exclusive();
            tlog_ring_drop(cpu);
            return;
        }
        low = tlog_port_now_at(cpu->clock);
    } while (tlog_port_store_exclusive(now + slots * TLOG_CURSOR_STEP, cursor));
    fill(cursor + (now >> TLOG_CURSOR_SHIFT) * 4u, low, words, slots);
}

void tlog_name(uint32_t kind, uint32_t id, const char *name)
{
    struct tlog_cpu *cpu = &names[tlog_cpu_number()];
    union {
        uint32_t word[2u + TLOG_NAME_BYTES / 4u];
        char text[1];
    } payload;
    uint32_t length = 0;
    for (uint32_t i = 0; i < sizeof(payload.word) / 4u; i++)
        *(volatile uint32_t *)&payload.word[i] = 0;
    payload.word[0] = kind << 16 | (id & 0xFFFFu);
    char *text = (char *)&payload.word[1];
    for (; length < TLOG_NAME_BYTES - 1u && name[length]; length++)
        text[length] = name[length];
    tlog_ring_start(tlog_cpu_here()); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start(cpu);
    put(cpu, payload.word, (1u + length / 4u + 1u + 1u) / 2u);
}

#endif
