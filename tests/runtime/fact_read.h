/* fact_read.h - reads the facts in memory as target/FORMAT.md says: a part of fact.c, which alone includes it. */
#ifndef RUNTIME_FACT_READ_H
#define RUNTIME_FACT_READ_H

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct read {
    uint32_t kind;
    uint64_t id;
    int32_t value;
    uint32_t low, high; /* when a name that was released ended */
    char text[64];
    bool is_valid, is_released;
};

static struct read facts[MOST];
static uint32_t count, free_slots, broken;

static uint32_t check_of(const uint32_t *slot, uint32_t slots, uint32_t kind)
{
    uint32_t sum = kind + 256u * slots + (slots > 1 ? slot[7] & 0x7FFF0000u : 0);
    for (uint32_t i = 0; i < slots * 3u; i++) {
        sum = (sum ^ (kind == 128u && i == ID_BYTES / 4u ? 0 : slot[i + i / 3u])) * 0x9E3779B1u;
        sum = sum << 15 | sum >> 17;
    }
    return sum & 0x7FFFu;
}

/* The value of a priority. False: it is being changed. */
static bool read_value(struct read *fact, uint32_t word)
{
    fact->value = (int16_t)(word & 0xFFFFu);
    if (word >> 16 & 1u)
        return false;
    broken += ((word & 0xFFFFFFu) * 0x9E3779B1u ^ word) >> 24 != 0;
    return true;
}

static void read_one(const uint32_t *slot, uint32_t slots)
{
    struct read *fact = &facts[count++];
    const uint32_t head = slot[3], check = check_of(slot, slots, head & 0xFFu);
    char data[64] = "";
    *fact = (struct read){.kind = head & 0xFFu, .is_released = (head & 0x8000u) != 0};
    for (uint32_t i = 0; i < slots; i++)
        memcpy(data + 12u * i, slot + 4u * i, 12);
    memcpy(&fact->id, data, ID_BYTES);
    memcpy(fact->text, data + TEXT, 12u * slots - TEXT);
    fact->is_valid = (head & 0x300u) == 0x100u;
    broken += fact->is_valid && (head >> 16 & 0x7FFFu) != check;
    if (fact->kind == 128u && fact->is_valid)
        fact->is_valid = read_value(fact, slot[ID_BYTES / 4]);
    for (uint32_t i = 1; i < slots; i++)
        broken += (slot[4u * i + 3u] & 0xFFFFu) != 0x500u;
    if (fact->kind < 128u && fact->is_released && fact->is_valid) {
        memcpy(&fact->low, data + ID_BYTES, 4);
        fact->high = slot[7] >> 16 & 0x7FFFu;
    }
}

static void read_all(void)
{
    const struct tlog_chunk *chunk = tlog_ring_first(&names[0]);
    const uint32_t *slot = &chunk->cursor + 4, used = (chunk->cursor >> 16) - 1u;
    count = free_slots = broken = 0;
    for (uint32_t i = 0, n; i < used; i += n) {
        for (n = 1; slot[4u * (i + n) - 1u] >> 31 != 0 && i + n < used; n++)
            ;
        broken += slot[4u * (i + n) - 1u] >> 31 != 0 || (slot[4u * i + 3u] & 0x7C00u) != 0x400u;
        if ((slot[4u * i + 3u] & 0xFFu) == 0)
            free_slots += n;
        else
            read_one(slot + 4u * i, n);
    }
}

/* The fact that is current; without one, that of the past which ended last. */
static const struct read *find_fact(uint32_t kind, uintptr_t id)
{
    const struct read *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_past = facts[i].kind < 128u && facts[i].is_released;
        if (facts[i].kind != kind || facts[i].id != id || (is_past && !facts[i].is_valid))
            continue;
        if (is_past && found != NULL && (!found->is_released || found->low > facts[i].low))
            continue;
        broken += found != NULL && !is_past && !found->is_released;
        found = &facts[i];
    }
    return found;
}

static bool is_named(uintptr_t id, const char *text)
{
    const struct read *fact;
    read_all();
    fact = find_fact(TLOG_NAME_TASK, id);
    return broken == 0 && fact != NULL && fact->is_valid && strcmp(fact->text, text) == 0;
}

static uint32_t used_slots(void)
{
    return (tlog_ring_first(&names[0])->cursor >> TLOG_CURSOR_SHIFT) - 1u;
}

static uint32_t lost(void)
{
    return tlog_ring_first(&names[0])->dropped;
}

#endif
