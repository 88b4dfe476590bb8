/* check.c - what the stress test checks of rings, which it reads as target/FORMAT.md says. */
#include "smp.h"

#include "lib/claims.h"
#include "lib/marks.h"

#include <stddef.h>

static struct tlog_chunk *chunk_at(uint32_t ring, uint32_t number)
{
    const struct tlog_cpu *cpu = &tlog_cpus[ring];
    return (struct tlog_chunk *)((uintptr_t)tlog_ring_first(cpu) + number * cpu->ring->pattern[TLOG_PATTERN_SIZE]);
}

static const volatile uint32_t *slot_at(const struct tlog_chunk *chunk, uint32_t index)
{
    return (const volatile uint32_t *)&chunk->cursor + 4u * index;
}

static uint32_t tag_of(uint32_t lap)
{
    return lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
}

/* ---- one slot ---------------------------------------------------------------------------------------------------- */

struct event {
    enum stream stream;
    uint32_t origin, number;
    uint32_t slots; /* 0: not one of the test's events */
};

static enum stream stream_of(uint32_t code)
{
    return code == FTrace_EVT_user_event_0   ? THREAD
           : code == FTrace_EVT_user_event_1 ? LOW
           : code == FTrace_EVT_user_event_2 ? HIGH
           : code == FTrace_EVT_user_event_3 ? FAST
           : code == FTrace_EVT_user_event_4 ? BATON
           : code == FTrace_EVT_signal       ? OPTIONAL
                                             : STREAMS;
}

static bool is_control(uint32_t head)
{
    return (head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT == TLOG_CLASS_CONTROL;
}

/* False if the slot's words do not belong together. */
static bool read_record(const uint32_t *word, uint32_t ring, struct event *event)
{
    const uint32_t head = word[TLOG_WORD_HEAD], number = word[TLOG_WORD_PAR2];
    enum stream stream = stream_of(head & TLOG_RECORD_CODE);
    uint32_t mark = head >> 16, origin = mark >> 13;
    event->slots = 0;
    if (stream == STREAMS) /* tlog's own records are only those that report losses */
        return (head & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS || marks_is_one(word);
    *event = (struct event){stream, origin, number, 1};
    return origin < TLOG_CPUS && mark == smp_mark(origin, stream, number)
           && (stream == BATON || number < smp_issued[ring][origin][stream])
           && ((word[TLOG_WORD_HIGH] ^ word[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0;
}

static bool read_event(const uint32_t *word, uint32_t ring, struct event *event)
{
    uint32_t mark = word[1] & 0xFFFFu, origin = mark >> 13, part = word[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT;
    enum stream stream = part == TLOG_STRUCT_S ? SHORT : LONG;
    event->slots = 0;
    if (is_control(word[TLOG_WORD_HEAD]) || part == TLOG_STRUCT_CC || part == TLOG_STRUCT_CE)
        return true;
    *event = (struct event){stream, origin, word[0], stream == LONG ? SMP_WORDS / 2u : 1u};
    return origin < TLOG_CPUS && word[1] == smp_mark(origin, stream, word[0])
           && word[0] < smp_issued[ring][origin][stream];
}

static bool read_slot(const uint32_t *word, uint32_t ring, struct event *event)
{
    return word[TLOG_WORD_HEAD] & TLOG_CLASS_MASK ? read_event(word, ring, event) : read_record(word, ring, event);
}

/* ---- while other CPUs log ---------------------------------------------------------------------------------------- */

struct position {
    uint32_t lap, index;
};

/* The lap and index of the next slot to be reserved. */
static struct position position_of(const struct tlog_chunk *chunk)
{
    const volatile struct tlog_chunk *now = chunk;
    uint32_t lap, cursor;
    do {
        lap = now->lap;
        smp_fence();
        cursor = now->cursor;
        smp_fence();
    } while (now->lap != lap);
    uint32_t n = lap >> TLOG_LAP_SHIFT;
    bool is_parked = (cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK;
    if (!is_parked && (cursor & TLOG_TAG_MASK) != tag_of(n))
        n++;
    return (struct position){n, cursor >> TLOG_CURSOR_SHIFT};
}

/* The lap in which the slot was last reserved. */
static uint32_t lap_at(struct position at, uint32_t slot)
{
    return slot < at.index ? at.lap : at.lap - (at.lap > 0);
}

/* In a ring's first lap writers empty slots a few at a time, ahead of the cursor, and close them off with a head of
 * both tags. Behind that is what memory held before. So of these slots only the next one to be reserved is checked. */
static bool is_untouched(uint32_t head)
{
    return head == TLOG_SLOT_EMPTY || head == TLOG_TAG_MASK;
}

void smp_look(uint32_t ring, uint32_t number, uint32_t slot)
{
    const struct tlog_chunk *chunk = chunk_at(ring, number);
    struct smp_counts *counts = &smp_counts[tlog_cpu_number()];
    struct event event;
    if (!tlog_ring_is_open(&tlog_cpus[ring]) || !tlog_ring_is_chunk(chunk))
        return; /* a chunk behind the first one has a header only when the one ahead of it is in use */
    struct position before = position_of(chunk);
    if (before.lap == 0)
        return; /* nobody has opened the chunk */
    if (before.lap == 1u && slot > before.index)
        slot = before.index;
    const volatile uint32_t *at = slot_at(chunk, slot);
    smp_fence();
    uint32_t head = at[TLOG_WORD_HEAD];
    smp_fence();
    const uint32_t word[4] = {at[0], at[1], at[2], head};
    smp_fence();
    struct position after = position_of(chunk);
    uint32_t lap = lap_at(before, slot);
    if (lap != lap_at(after, slot))
        return; /* the slot was reserved again meanwhile */
    counts->looks++;
    if (lap == 0 ? !is_untouched(head) : (head & TLOG_TAG_MASK) == tag_of(lap) && !read_slot(word, ring, &event))
        smp_violation("torn slot", head, word[0]);
    else if (lap > 0 && (head & tag_of(lap - 1u)) != 0) /* or claimed: both tags */
        counts->unfinished++;
    else if (lap > 0 && (head & TLOG_TAG_MASK) != tag_of(lap))
        smp_violation("tag of no lap", head, lap);
}

/* ---- at rest: a ring's slots in the order of time ---------------------------------------------------------------- */

struct walk {
    uint32_t claimed; /* slots that were passed */
    uint32_t ring, home, step,
        index; /* step 0: the rest of home's previous lap; then the chunks that follow home; at last home */
};

static const volatile uint32_t *next_slot(struct walk *walk, uint32_t *tag)
{
    for (; walk->step <= TLOG_CHUNKS; walk->step++, walk->index = 0) {
        const struct tlog_chunk *chunk = chunk_at(walk->ring, (walk->home + walk->step) % TLOG_CHUNKS);
        struct position at = position_of(chunk);
        uint32_t first = walk->step == 0 ? at.index : 1u, end = walk->step == 0 ? chunk->slots + 1u : at.index;
        uint32_t lap = walk->step == 0 ? at.lap - 1u : at.lap;
        if (walk->index == 0)
            walk->index = first;
        if (at.lap == 0 || lap == 0 || walk->index >= end)
            continue;
        *tag = tag_of(lap);
        while (walk->index < end && is_claimed(chunk, at.lap, at.index, walk->index)) {
            walk->claimed++;
            walk->index++;
        }
        if (walk->index < end)
            return slot_at(chunk, walk->index++);
    }
    return NULL;
}

static struct walk walk_from(uint32_t ring)
{
    uint32_t home = (tlog_ring_home(&tlog_cpus[ring])->place >> 8) & 0xFFu;
    return (struct walk){0, ring, home, 0, 0};
}

static uint32_t stamp_of(const volatile uint32_t *slot)
{
    return slot[TLOG_WORD_LOW];
}

static uint64_t time_of(const volatile uint32_t *record)
{
    return (uint64_t)tlog_ring_wraps(record[TLOG_WORD_HIGH]) << 32 | stamp_of(record);
}

static bool is_record(const volatile uint32_t *slot)
{
    return (slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) == 0;
}

/* Whether the time of a slot is before that of the slot ahead of it, or of the last record ahead of it (NULL: none).
 * Records tell all of the time. Of others a step back of more than a quarter of a wrap counts as a rest: while CPUs
 * check what they have logged a ring may rest for longer than half a wrap of the clock. */
static bool goes_back(const volatile uint32_t *slot, const volatile uint32_t *before, const volatile uint32_t *record)
{
    if (is_record(slot) && record != NULL && time_of(slot) < time_of(record))
        return true;
    if (is_record(slot) && (record == NULL || time_of(slot) - time_of(record) >= 0x80000000u))
        return false;
    return stamp_of(before) - stamp_of(slot) - 1u < 0x40000000u;
}

/* Checks the further slots of a long event: next to the first, with its stamp, and with words that follow from its
 * number. */
static void check_rest(struct walk *walk, const volatile uint32_t *first, const struct event *event)
{
    for (uint32_t i = 1; i < event->slots; i++) {
        uint32_t tag, part = i + 1u == event->slots ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
        const volatile uint32_t *slot = next_slot(walk, &tag);
        if (slot != first + 4u * i || slot[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT != part
            || slot[TLOG_WORD_LOW] != first[TLOG_WORD_LOW] || slot[0] != event->number + 2u * i
            || slot[1] != event->number + 2u * i + 1u)
            smp_violation("long event in pieces", event->number, i);
    }
}

struct found {
    uint32_t first, last, kept;
};

static void enter(struct found *found, const struct event *event)
{
    if (found->kept++ == 0)
        found->first = event->number;
    else if ((int32_t)(event->number - found->last) <= 0)
        smp_violation("out of order, or twice", event->number, found->last);
    found->last = event->number;
}

static void check_slots(uint32_t ring, struct found found[TLOG_CPUS][STREAMS], uint32_t *kept)
{
    struct walk walk = walk_from(ring);
    const volatile uint32_t *slot, *before = NULL, *record = NULL;
    uint32_t tag;
    while ((slot = next_slot(&walk, &tag)) != NULL) {
        const uint32_t word[4] = {slot[0], slot[1], slot[2], slot[3]};
        struct event event;
        const uint32_t head = word[TLOG_WORD_HEAD];
        if ((head & TLOG_TAG_MASK) != tag) {
            smp_violation("unfinished at rest", head, tag);
            continue;
        }
        if (before != NULL && goes_back(slot, before, record))
            smp_violation("time goes back", stamp_of(slot), stamp_of(before));
        record = is_record(slot) ? slot : record;
        if (!is_control(head)) /* the first two CONTROL slots of a ring have time 0 */
            before = slot;
        *kept += 1u;
        if (!read_slot(word, ring, &event))
            smp_violation("slot not whole", head, word[0]);
        else if (event.slots > 0) {
            enter(&found[event.origin][event.stream], &event);
            check_rest(&walk, slot, &event);
            *kept += event.slots - 1u;
        }
    }
    *kept += walk.claimed;
}

/* No event is missing between the first and the last one found. None is missing before the first if the ring stops, or
 * after the last if it does not. */
static void check_stream(uint32_t ring, uint32_t origin, enum stream stream, const struct found *found)
{
    uint32_t issued = smp_issued[ring][origin][stream];
    bool may_miss = stream == OPTIONAL || stream == BATON || (smp_off && stream != FAST);
    if (found->kept == 0 || may_miss)
        return;
    if (found->last - found->first + 1u != found->kept)
        smp_violation("missing in between", found->first, found->last);
    if (TLOG_STOP_WHEN_FULL ? found->first != 0 : found->last != issued - 1u)
        smp_violation("missing at an end", found->last, issued);
}

static void check_sum(uint32_t ring, uint32_t kept, uint32_t dropped)
{
    uint32_t filled = 0, attempted = dropped, overwritten = 0, issued = 0, extra = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
        struct position at = position_of(chunk_at(ring, i));
        if (at.lap == 0)
            continue;
        filled = (at.lap - 1u) * TLOG_SLOTS + at.index - 1u;
        attempted += filled;
        extra += chunk_at(ring, i)->extra;
        overwritten += at.lap >= 2 ? (at.lap - 2u) * TLOG_SLOTS + at.index - 1u : 0;
    }
    for (uint32_t origin = 0; origin < TLOG_CPUS; origin++)
        for (uint32_t stream = 0; stream < STREAMS; stream++)
            issued += smp_issued[ring][origin][stream];
    if (kept + dropped + overwritten != attempted)
        smp_violation("kept + dropped + overwritten is not what the header says", kept, attempted);
    if (!smp_off && attempted - extra != issued)
        smp_violation("attempted is not what was issued", attempted - extra, issued);
}

void smp_check_ring(uint32_t ring)
{
    struct found found[TLOG_CPUS][STREAMS] = {0};
    uint32_t dropped = chunk_at(ring, 0)->dropped, kept = 0;
    if (chunk_at(ring, 0)->reported > dropped)
        smp_violation("more told than lost", chunk_at(ring, 0)->reported, dropped);
    check_slots(ring, found, &kept);
    check_sum(ring, kept, dropped);
    for (uint32_t origin = 0; origin < TLOG_CPUS; origin++)
        for (uint32_t stream = 0; stream < STREAMS; stream++)
            if (TLOG_STOP_WHEN_FULL || dropped == 0)
                check_stream(ring, origin, (enum stream)stream, &found[origin][stream]);
    smp_counts[tlog_cpu_number()].kept += kept;
}

/* ---- at rest: across CPUs ---------------------------------------------------------------------------------------- */

void smp_interleave(uint32_t ring, uint32_t other)
{
    struct smp_counts *counts = &smp_counts[tlog_cpu_number()];
    struct walk walk[2] = {walk_from(ring), walk_from(other)};
    uint32_t tag, last = 2;
    const volatile uint32_t *slot[2] = {next_slot(&walk[0], &tag), next_slot(&walk[1], &tag)};
    while (slot[0] != NULL && slot[1] != NULL) {
        uint32_t which = (int32_t)(stamp_of(slot[0]) - stamp_of(slot[1])) > 0;
        counts->pairs++;
        counts->switches += last != which && last != 2;
        last = which;
        slot[which] = next_slot(&walk[which], &tag);
    }
}

void smp_check_batons(void)
{
    enum { REMEMBERED = 4096 };
    static uint64_t time[REMEMBERED];
    static uint32_t number[REMEMBERED];
    for (uint32_t i = 0; i < REMEMBERED; i++)
        number[i] = ~0u;
    for (uint32_t ring = 0; ring < TLOG_CPUS; ring++) {
        struct walk walk = walk_from(ring);
        const volatile uint32_t *slot;
        uint32_t tag;
        while ((slot = next_slot(&walk, &tag)) != NULL) {
            const uint32_t head = slot[TLOG_WORD_HEAD], baton = slot[TLOG_WORD_PAR2];
            if (head & TLOG_CLASS_MASK || stream_of(head & TLOG_RECORD_CODE) != BATON)
                continue;
            uint32_t at = baton % REMEMBERED;
            if (number[at] == ~0u || (int32_t)(baton - number[at]) > 0) {
                number[at] = baton;
                time[at] = time_of(slot);
            }
        }
    }
    for (uint32_t i = 0; i < REMEMBERED; i++) {
        uint32_t next = (i + 1u) % REMEMBERED;
        if (number[i] == ~0u || number[next] != number[i] + 1u)
            continue;
        smp_counts[0].batons++;
        if (time[next] < time[i])
            smp_violation("effect before its cause", (uint32_t)time[i], (uint32_t)time[next]);
    }
}

void smp_check_state(void)
{
    uint32_t muted = tlog_cpus[0].muted;
    for (uint32_t ring = 0; ring < TLOG_CPUS; ring++) {
        if (tlog_cpus[ring].filter != (muted & TLOG_MUTED_OFF ? TLOG_FILTER_ALL : muted))
            smp_violation("a filter that does not follow", tlog_cpus[ring].filter, muted);
        for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
            const struct tlog_chunk *chunk = chunk_at(ring, i);
            if (chunk->boot != tlog_ring_boot || (chunk->place & 0xFFFFu) != (ring | i << 8)
                || tlog_ring_check(chunk) != chunk->check)
                smp_violation("header", chunk->boot, chunk->place);
        }
    }
}

#if TLOG_RUNS > 1
/* A chunk's hash, never 0. Without the seal, which every dump writes. */
static uint32_t hash_of(const struct tlog_chunk *chunk)
{
    const volatile uint32_t *word = &chunk->magic;
    uint32_t hash = 0;
    for (uint32_t i = 0; i < (TLOG_HEADER_BYTES + TLOG_SLOTS * TLOG_SLOT_BYTES) / 4u; i++)
        hash = (hash ^ word[i]) * 0x01000193u;
    return hash + (hash == 0);
}

void smp_check_banks(uint32_t ring)
{
    static uint32_t was[TLOG_CPUS][TLOG_RUNS * TLOG_CHUNKS];
    const struct tlog_ring *at = tlog_cpus[ring].ring;
    for (uint32_t i = 0; i < TLOG_RUNS * TLOG_CHUNKS; i++) {
        const struct tlog_chunk *chunk =
            (const struct tlog_chunk *)((uintptr_t)at->first + i * at->pattern[TLOG_PATTERN_SIZE]);
        uint32_t now = hash_of(chunk), *before = &was[ring][i];
        if (*before != 0 && *before != now && (chunk < chunk_at(ring, 0) || chunk > chunk_at(ring, TLOG_CHUNKS - 1u)))
            smp_violation("an older run has changed", i, chunk->boot);
        if (*before != 0 && !tlog_ring_is_chunk(chunk))
            smp_violation("a run is lost", i, chunk->boot);
        *before = tlog_ring_is_chunk(chunk) ? now : 0;
    }
}
#else
void smp_check_banks(uint32_t ring)
{
    (void)ring;
}
#endif

static bool seal_holds(const struct tlog_chunk *chunk, const struct tlog_seal *seal)
{
    const volatile struct tlog_chunk *now = chunk;
    return seal->magic == TLOG_WIRE_SEAL && seal->cursor == now->cursor && seal->lap == now->lap
           && seal->dropped == now->dropped && seal->reported == now->reported && seal->extra == now->extra
           && seal->dropped_high == now->dropped_high && seal->lap_high == now->lap_high
           && seal->extra_high == now->extra_high && seal->trigger == now->trigger;
}

int smp_sink(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    smp_counts[0].dumps++;
    for (uint32_t at = 0; at < TLOG_CPUS * TLOG_CHUNKS; at++) {
        const struct tlog_chunk *chunk = chunk_at(at / TLOG_CHUNKS, at % TLOG_CHUNKS);
        const uint32_t *slots = (const uint32_t *)(chunk + 1);
        const struct tlog_seal *seal =
            (const struct tlog_seal *)(const void *)(slots + (chunk->slots + 1u) * 4u + TLOG_CLAIMS);
        const uint32_t *groups = (const uint32_t *)(seal + 1);
        bool holds = seal_holds(chunk, seal), is_right = true;
        for (uint32_t group = 0; holds && group * TLOG_GROUP_SLOTS < chunk->slots; group++) {
            uint32_t left = chunk->slots - group * TLOG_GROUP_SLOTS;
            uint32_t count = left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
            is_right &= ~tlog_ring_crc(~0u, slots + group * TLOG_GROUP_SLOTS * 4u, count * 4u) == groups[group];
        }
        if (holds && seal_holds(chunk, seal))
            smp_counts[0].sealed++;
        if (holds && !is_right && seal_holds(chunk, seal))
            smp_violation("seal", chunk->cursor, at);
    }
    return 0;
}
