/* floor.c - flips of one bit that nothing in a dump shows: see floor.h. Written from target/FORMAT.md alone. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

enum { CONTROL = 1, CONTROL_TIME = 1, LOSS = 0xFF, LAST_JUMP = 40 };

/* The words of a slot. */
struct words {
    uint32_t data, high, clock, head;
};

static struct words words_at(const unsigned char *at)
{
    return (struct words){get32(at), get32(at + 4), get32(at + 8), get32(at + 12)};
}

static uint32_t kind_of(const struct words *slot)
{
    return slot->head >> 10 & 31u;
}

static uint32_t event_of(const struct words *slot)
{
    return (slot->head >> 8 & 0x300u) | (slot->head & 0xFFu);
}

/* ---- slots in the order of time ---------------------------------------------------------------------------------- */

static void add_slot(struct floor *floor, const struct floor_slot *slot)
{
    if (floor->n == floor->room) {
        floor->room = floor->room ? floor->room * 2 : 64;
        floor->slot = realloc(floor->slot, floor->room * sizeof *floor->slot);
    }
    floor->slot[floor->n++] = *slot;
}

/* Add the slots of a chunk of events that hold something. */
static void add_image(struct floor *floor, size_t at)
{
    const unsigned char *image = floor->dump.data + at;
    uint32_t slots = get32(image + CHUNK_SLOTS), place = get32(image + CHUNK_PLACE), index, lap;
    struct floor_slot slot = {.cpu = place & 0xFFu, .chunk = place >> 8 & 0xFFu};
    index = get32(image + CHUNK_CURSOR) >> 16;
    lap = get32(image + CHUNK_LAP) >> 16;
    for (slot.number = 1; slot.number <= slots; slot.number++) {
        slot.at = at + HEADER + SLOT * (size_t)(slot.number - 1u);
        slot.lap = slot.number < index ? lap : lap - 1u;
        if (slot.lap > 0)
            add_slot(floor, &slot);
    }
    slot.emergency = true;
    for (; slot.number <= slots + get32(image + CHUNK_EMERGENCY_USED); slot.number++) {
        slot.at = at + HEADER + SLOT * (size_t)slot.number; /* behind the end mark */
        add_slot(floor, &slot);
    }
}

/* By CPU, and in the order of time: lap by lap, chunk by chunk. Of two copies of a slot the newer one is the first. */
static int by_order(const void *left, const void *right)
{
    const struct floor_slot *a = left, *b = right;
    int found = compare_numbers(a->cpu, b->cpu);
    found = found ? found : compare_numbers(a->emergency, b->emergency);
    found = found ? found : compare_numbers(a->lap, b->lap);
    found = found ? found : compare_numbers(a->chunk, b->chunk);
    found = found ? found : compare_numbers(a->number, b->number);
    return found ? found : compare_numbers(b->at, a->at);
}

/* Leave out the older copy of a slot that stands in two images: of it the newer one tells. */
static void leave_out_copies(struct floor *floor)
{
    size_t n = 0;
    for (size_t i = 0; i < floor->n; i++) {
        const struct floor_slot *slot = &floor->slot[i], *last = n > 0 ? &floor->slot[n - 1] : NULL;
        if (last != NULL && last->cpu == slot->cpu && last->emergency == slot->emergency && last->lap == slot->lap
            && last->chunk == slot->chunk && last->number == slot->number)
            continue;
        floor->slot[n++] = *slot;
    }
    floor->n = n;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Whether slots i and i + 1 are neighbours in time. */
static bool are_neighbours(const struct floor *floor, size_t i)
{
    return i + 1 < floor->n && floor->slot[i].cpu == floor->slot[i + 1].cpu
           && floor->slot[i].emergency == floor->slot[i + 1].emergency;
}

/* Whether a slot tells its whole time; the time. */
static bool tells_time(const struct words *slot, uint64_t *time)
{
    bool record = kind_of(slot) == 0;
    *time = (uint64_t)(record ? slot->high & 0x7FFFFFFFu : slot->data) << 32 | slot->clock;
    return record || (kind_of(slot) == CONTROL && event_of(slot) == CONTROL_TIME);
}

static uint64_t earliest(uint64_t from, uint32_t clock)
{
    return from + (uint32_t)(clock - (uint32_t)from);
}

static uint64_t latest(uint64_t to, uint32_t clock)
{
    uint32_t back = (uint32_t)to - clock;
    return to >= back ? to - back : clock;
}

/* The time of a slot that does not tell it is the earliest one behind the slot ahead; ahead of the first slot that does
 * it is the latest one ahead of the slot behind. */
static void set_times(struct floor *floor)
{
    for (size_t i = 0, first; i < floor->n; i++) {
        struct words slot = words_at(floor->dump.data + floor->slot[i].at);
        bool starts = i == 0 || !are_neighbours(floor, i - 1), told = tells_time(&slot, &floor->slot[i].time);
        first = starts ? i : first;
        if (told && first < i && first != SIZE_MAX) {
            for (size_t k = i; k-- > first;)
                floor->slot[k].time = latest(floor->slot[k + 1].time, get32(floor->dump.data + floor->slot[k].at + 8));
        }
        first = told ? SIZE_MAX : first;
        if (!told)
            floor->slot[i].time = earliest(starts ? 0 : floor->slot[i - 1].time, slot.clock);
    }
}

/* ---- flips ------------------------------------------------------------------------------------------------------- */

/* Whether a slot is an event, also a record of a loss, and valid. Its tag must be that of the slot as it was. */
static bool is_valid(const struct words *slot, const struct words *was)
{
    static const uint32_t none[] = {0x001, 0x002, 0x102, 0x103, 0x104}; /* CONTROL, and no event */
    if (((slot->head ^ was->head) & 0x300u) != 0)
        return false;
    if (kind_of(slot) == 0)
        return (slot->head & 0xFFu) != 0 && (slot->high ^ slot->clock) >> 31 == 0;
    for (size_t i = 0; i < sizeof none / sizeof *none && kind_of(slot) == CONTROL; i++) {
        if (event_of(slot) == none[i])
            return false;
    }
    return (slot->head & 0x00FC8000u) == 0;
}

/* Slots of one event have one head, but for the two bits that tell their order, and one clock. */
static bool fits_others(const struct words *slot, const struct words *was)
{
    bool one_of_several = kind_of(was) != 0 && was->head >> 30 != 0;
    if (one_of_several)
        return slot->head == was->head && slot->clock == was->clock;
    return kind_of(slot) == 0 || slot->head >> 30 == 0;
}

/* Whether the time of slot i, as changed, lies between those of its neighbours. The last one of a ring has none behind
 * it, but it must not be too far away. */
static bool is_between(const struct floor *floor, size_t i, const struct words *slot)
{
    bool has_ahead = i > 0 && are_neighbours(floor, i - 1), has_behind = are_neighbours(floor, i);
    uint64_t ahead = has_ahead ? floor->slot[i - 1].time : 0, behind = UINT64_MAX, time;
    if (has_behind)
        behind = floor->slot[i + 1].time;
    else if (has_ahead && !floor->slot[i].emergency)
        behind = ahead + (1ull << LAST_JUMP) - 1u;
    if (!tells_time(slot, &time))
        time = has_ahead ? earliest(ahead, slot->clock) : latest(behind, slot->clock);
    return time >= ahead && time <= behind;
}

/* Whether it is another event now. Bit 15 of a record is no part of what the tests compare, and the CPU in a traceevent
 * says nothing. */
static bool is_another(const struct words *slot, const struct words *was)
{
    uint32_t idle = kind_of(slot) == 0 ? 0x8000u : 0x3F000000u;
    return slot->data != was->data || slot->high != was->high || slot->clock != was->clock
           || ((slot->head ^ was->head) & ~idle) != 0;
}

bool floor_has(const struct floor *floor, size_t bit)
{
    size_t i = floor->of_byte[bit / 8];
    unsigned char changed[SLOT];
    struct words slot, was;
    if (i == SIZE_MAX)
        return false;
    memcpy(changed, floor->dump.data + floor->slot[i].at, SLOT);
    was = words_at(changed);
    changed[bit / 8 - floor->slot[i].at] ^= (unsigned char)(1u << bit % 8);
    slot = words_at(changed);
    return is_valid(&slot, &was) && fits_others(&slot, &was) && is_another(&slot, &was) && is_between(floor, i, &slot);
}

/* ---- making and freeing it --------------------------------------------------------------------------------------- */

/* The newest run of the dump: its boot id. */
static uint32_t newest_run(struct bytes dump)
{
    uint32_t newest = 0;
    size_t size;
    for (size_t at = find_image(dump, 0, &size); at != SIZE_MAX; at = find_image(dump, at + size, &size)) {
        uint32_t boot = get32(dump.data + at + CHUNK_BOOT);
        newest = boot > newest ? boot : newest;
    }
    return newest;
}

void floor_of(struct floor *floor, struct bytes dump)
{
    uint32_t boot = newest_run(dump);
    size_t size;
    *floor = (struct floor){.dump = dump};
    for (size_t at = find_image(dump, 0, &size); at != SIZE_MAX; at = find_image(dump, at + size, &size)) {
        bool facts = (get32(dump.data + at + CHUNK_PLACE) >> 16 & 63u) == 1u;
        if (get32(dump.data + at + CHUNK_BOOT) == boot && !facts)
            add_image(floor, at);
    }
    qsort(floor->slot, floor->n, sizeof *floor->slot, by_order);
    leave_out_copies(floor);
    set_times(floor);
    floor->of_byte = malloc((dump.n + 1) * sizeof *floor->of_byte);
    for (size_t at = 0; at < dump.n; at++)
        floor->of_byte[at] = SIZE_MAX;
    for (size_t i = 0; i < floor->n; i++) {
        for (size_t k = 0; k < SLOT; k++)
            floor->of_byte[floor->slot[i].at + k] = i;
    }
}

void floor_free(struct floor *floor)
{
    free(floor->slot);
    free(floor->of_byte);
}
