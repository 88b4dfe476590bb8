/* check.c - reads memory after a reset: which runs are there, and whether they hold what they should. It follows
 * FORMAT.md and computes the check sum by its own code. */
#include "reset.h"
#include "tlog.h"

enum { BANKS = TLOG_RUNS, EVENTS_MAX = 64, SHORT_RUN = 64 };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

/* Words of a header, and of a slot. */
enum {
    PLACE = 3,
    SLOTS,
    EMERGENCY,
    SIZE,
    SELF = 10,
    BOOT = 12,
    CHECK_SUM = 15,
    LAP_HIGH = 24,
    CURSOR = 28,
    LAP,
    EXTRA = 31,
    HEADER = 32
};
enum { HEAD = 3 };

/* The folded words as the coefficients of a polynomial, from the first power on. */
static uint32_t check_sum(const uint32_t *words)
{
    uint32_t sum = 0;
    for (uint32_t i = CHECK_SUM; i-- > 0;)
        sum = (sum + (words[i] ^ words[i] >> 16)) * 0x9E3779B1u;
    return sum;
}

/* Whether these words are the header of a chunk that lies at that offset of the section. */
static bool is_header(const uint32_t *words, uint32_t offset)
{
    return words[0] == 0x00D6B7EDu && words[1] == 0x474F4C54u
           && words[SELF] == (uint32_t)(uintptr_t)__start_tlog_chunks + offset && words[CHECK_SUM] == check_sum(words);
}

/* Whether the bank holds a run. `memory` is an image of the section. */
static bool is_valid(const struct reset_layout *at, const uint32_t *memory, uint32_t bank)
{
    uint32_t offset = at->begin + bank * at->bank_bytes;
    const uint32_t *words = memory + offset / 4u;
    return is_header(words, offset) && words[PLACE] == (at->role << 16 | at->chunks << 24) && words[SLOTS] == at->slots
           && words[SIZE] == at->chunk_bytes;
}

static uint32_t boot_of(const struct reset_layout *at, const uint32_t *memory, uint32_t bank)
{
    return memory[(at->begin + bank * at->bank_bytes) / 4u + BOOT];
}

static uint32_t later(uint32_t boot, uint32_t other)
{
    return boot == 0 || (int32_t)(other - boot) > 0 ? other : boot;
}

/* The number of the newest run of which any chunk is there, or a bank of events that lost its magic; 0: none. */
static uint32_t newest(const uint32_t *memory)
{
    uint32_t boot = 0, bytes = (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    for (uint32_t offset = 0; offset + 4u * HEADER <= bytes; offset += 16u) {
        const uint32_t *words = memory + offset / 4u;
        if (is_header(words, offset))
            boot = later(boot, words[BOOT]);
    }
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        const uint32_t *words = memory + bank * TLOG_CHUNKS * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) / 4u;
        if (words[0] == 0 && words[1] == 0x474F4C54u)
            boot = later(boot, words[BOOT]);
    }
    return boot;
}

static bool is_changed(const struct reset_layout *at, const uint32_t *before, uint32_t bank)
{
    const uint32_t from = (at->begin + bank * at->bank_bytes) / 4u;
    for (uint32_t i = 0; i < at->bank_bytes / 4u; i++)
        if (before[from + i] != __start_tlog_chunks[from + i])
            return true;
    return false;
}

/* Whether the run in a bank of events was short: no chunk of it in a second lap, and few events. */
static bool is_short(const uint32_t *memory, uint32_t bank)
{
    const uint32_t chunk_words = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) / 4u;
    uint32_t events = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
        const uint32_t *words = memory + (bank * TLOG_CHUNKS + i) * chunk_words;
        uint32_t lap = words[LAP] >> 16, tag = words[CURSOR] & 0x300u;
        if (tag == (~words[LAP] & 0x300u))
            lap++;
        if (lap > 1u || words[LAP_HIGH] != 0)
            return false;
        if (lap == 1u)
            events += (words[CURSOR] >> 16) - 1u - words[EXTRA];
    }
    return events <= SHORT_RUN;
}

/* The bank that a run must take if none is empty. Boot ids are compared as ages: how many runs before `boot`. The runs
 * of names are those of events with the same number; a number without events is a short run. */
static uint32_t must_take(const struct reset_layout *at, const uint32_t *before, uint32_t boot)
{
    const struct reset_layout events = {0,
                                        TLOG_CHUNKS * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS),
                                        TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS),
                                        TLOG_CHUNKS,
                                        TLOG_SLOTS,
                                        TLOG_ROLE_EVENTS};
    bool is_long[BANKS];
    uint32_t age[BANKS], oldest = 0, newest_long = BANKS, newest = 0, followers = 0;
    for (uint32_t i = 0; i < BANKS; i++) {
        age[i] = boot - boot_of(at, before, i);
        is_long[i] = false;
        for (uint32_t other = 0; other < BANKS; other++)
            is_long[i] |= is_valid(&events, before, other) && boot - boot_of(&events, before, other) == age[i]
                          && !is_short(before, other);
        oldest = age[i] > age[oldest] ? i : oldest;
        newest = age[i] < age[newest] ? i : newest;
        if (is_long[i] && (newest_long == BANKS || age[i] < age[newest_long]))
            newest_long = i;
    }
    for (uint32_t i = 0; i < BANKS; i++)
        followers += newest_long == BANKS || age[i] < age[newest_long];
    return followers >= 2u || (followers == 1u && oldest == newest_long) ? newest : oldest;
}

/* Checks that the new run was allowed to take that bank: it was empty, or no bank was empty and it held the run that
 * is to go. */
static void check_choice(const struct reset_layout *at, const uint32_t *before, uint32_t bank, uint32_t boot)
{
    for (uint32_t other = 0; other < BANKS; other++)
        if (other != bank && is_valid(at, before, bank) && !is_valid(at, before, other))
            reset_fail("a run's bank was taken while there was an empty one", other);
    if (is_valid(at, before, bank) && must_take(at, before, boot) != bank)
        reset_fail("a bank was taken that holds a run to be kept, and not bank", must_take(at, before, boot));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static struct {
    bool seen[EVENTS_MAX];
    uint32_t stamp[EVENTS_MAX];
    uint32_t unfinished, events;
} found;

static void read_event(const uint32_t *slot, const struct reset_run *run, uint32_t seq)
{
    const uint32_t par2 = slot[0], head = slot[HEAD];
    uint32_t n = par2 & 0xFFu;
    if ((head & 0xFCFFu) != FTrace_EVT_user_event_0 || head >> 16 != reset_hash(par2) || par2 >> 8 != seq
        || n >= run->begun || slot[1] != 0)
        reset_fail("a torn event, or one of another run", n);
    if (found.seen[n])
        reset_fail("an event is there twice", n);
    found.seen[n] = true;
    found.stamp[n] = slot[2];
    found.events++;
}

static void read_chunk(const uint32_t *words, uint32_t slots, const struct reset_run *run, uint32_t seq)
{
    uint32_t lap = words[LAP] >> 16, tag = words[CURSOR] & 0x300u, index = words[CURSOR] >> 16;
    if (tag != 0x100u && tag != 0x200u)
        reset_fail("a cursor without a tag", words[CURSOR]);
    if (tag != (words[LAP] & 0x300u))
        lap++;
    if (index < 1 || index > slots + 1u || lap > 255u)
        reset_fail("a cursor or a lap that cannot be", words[CURSOR]);
    for (uint32_t i = 1; i <= slots; i++) {
        const uint32_t *slot = words + CURSOR + i * 4u;
        uint32_t is = slot[HEAD] & 0x300u, due = i < index ? tag : tag ^ 0x300u;
        if (lap <= 1u && i >= index) {
            if (slot[HEAD] != 0x200u)
                reset_fail("a slot that was never used is not empty", i);
        } else if (lap == 0) {
            continue;
        } else if (is == due) {
            read_event(slot, run, seq);
        } else {
            found.unfinished++;
        }
    }
}

/* All events up to the last call that returned must be there, and possibly the one after that. */
static void check_events(const struct reset_layout *at, uint32_t bank, const struct reset_run *run, uint32_t seq)
{
    uint32_t first = EVENTS_MAX, last = 0, capacity = at->chunks * at->slots, before = 0;
    for (uint32_t n = 0; n < EVENTS_MAX; n++)
        found.seen[n] = false;
    found.unfinished = found.events = 0;
    for (uint32_t i = 0; i < at->chunks; i++) {
        uint32_t offset = at->begin + bank * at->bank_bytes + i * at->chunk_bytes;
        if (!is_header(__start_tlog_chunks + offset / 4u, offset))
            reset_fail("a chunk of the new run has no header", i);
        read_chunk(__start_tlog_chunks + offset / 4u, at->slots, run, seq);
    }
    for (uint32_t n = 0; n < EVENTS_MAX; n++) {
        if (!found.seen[n])
            continue;
        first = first < n ? first : n;
        last = n + 1u;
        if (found.stamp[n] < before)
            reset_fail("events are not in the order of time", n);
        before = found.stamp[n];
    }
    if (found.events > 0 && last - first != found.events)
        reset_fail("an event in between is missing", first);
    if (last < run->returned)
        reset_fail("an event is missing whose call had returned", last);
    if (found.unfinished > 1u)
        reset_fail("slots unfinished", found.unfinished);
    if (found.events < (run->returned < capacity - 1u ? run->returned : capacity - 1u))
        reset_fail("fewer events than there was room for", found.events);
}

static void check_name(const struct reset_layout *at, uint32_t bank, const struct reset_run *run, uint32_t seq)
{
    const uint32_t *slot = __start_tlog_chunks + (at->begin + bank * at->bank_bytes) / 4u + HEADER;
    if (run->named
        && ((slot[HEAD] & 0x8000FFFFu) != 0x80000501u || slot[0] != (seq & 0xFFFFu) || slot[1] != 0
            || slot[2] != 0x6B736174u || (slot[4 + HEAD] & 0x8000FFFFu) != 0x500u))
        reset_fail("the name is not there", slot[HEAD]);
}

/* ---- a ring ------------------------------------------------------------------------------------------------------ */

void reset_check(const struct reset_layout *at, const uint32_t *before, const struct reset_run *run, uint32_t seq)
{
    uint32_t changed = BANKS, boot = newest(before) + 1u;
    boot += boot == 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        if (!is_changed(at, before, bank))
            continue;
        if (changed < BANKS)
            reset_fail("two banks changed in one run, the other one is", changed);
        changed = bank;
        check_choice(at, before, bank, boot);
    }
    bool must_be = at->role == TLOG_ROLE_NAMES ? run->named != 0 : run->returned > 0;
    if (changed == BANKS || !is_valid(at, __start_tlog_chunks, changed)) {
        if (must_be)
            reset_fail("the run is not there", seq);
        return;
    }
    if (boot_of(at, __start_tlog_chunks, changed) != boot)
        reset_fail("the number of the run", boot_of(at, __start_tlog_chunks, changed));
    if (at->role == TLOG_ROLE_NAMES)
        check_name(at, changed, run, seq);
    else
        check_events(at, changed, run, seq);
}

void reset_renumber(uint32_t *memory, uint32_t words, uint32_t boot)
{
    for (uint32_t i = 0; i + HEADER <= words; i += 4u)
        if (is_header(memory + i, i * 4u)) {
            memory[i + BOOT] = boot;
            memory[i + CHECK_SUM] = check_sum(memory + i);
        }
}

void reset_fill(uint32_t *memory, uint32_t words, uint32_t seed)
{
    for (uint32_t i = 0; i < words; i++)
        ((volatile uint32_t *)memory)[i] = seed = seed * 1664525u + 1013904223u;
}
