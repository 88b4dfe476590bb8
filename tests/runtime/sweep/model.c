/* model.c - implements model.h.
 *
 * Memory and model begin with the same noise, also around the chunk. So a wrong word, or a write to a word that must
 * not change, is found. */
#include "model.h"

#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"
#include "src/tlog_form.h"

#include <stddef.h>

extern const uint32_t tlog_build_id[2] __attribute__((weak));

/* Words of a header, and of a slot. */
enum { BOOT = 12, CHECK_SUM = 15, FLAGS = 17, LOST_AT = 19, LOST_HIGH, LAP_HIGH = 24, EXTRA_HIGH, REPORTED };
enum { CURSOR = 28, LAP, DROPPED, EXTRA, HEADER };
enum { HEAD = 3, BOTH = 0x300 };
enum { GUARD = 12, END = 4, CLAIMS = 8, SEAL = 12, STOP = 8 };
enum { WORDS = GUARD + HEADER + 4 * MODEL_MOST + END + CLAIMS + SEAL + 4 + GUARD };
enum { LATE = 0x7FF0, LOSS = 0xFF, LOSS_COUNT = 1 };
enum { UNNOTED = 0x400, PASSES = 8 };
enum { CONTROL = 1, TIME = 0x001, BUFFER = 0x002, PAD = 0x102 };

static uint32_t usual[WORDS] __attribute__((aligned(16))), meant[WORDS];
static uint32_t *const chunk = meant + GUARD;
static uint32_t owners[MODEL_MOST]; /* of slots that are owned: the head that the owner is going to write; else 0 */
static uint32_t *memory = usual, in_use; /* in_use: words of it, guards and chunk */
static struct tlog_ring ring = TLOG_RING(usual, 0, 8u, 0u, 1u, TLOG_ROLE_EVENTS, false);

struct model model;

/* ---- what the memory must hold ----------------------------------------------------------------------------------- */

static uint32_t low(void)
{
    return (uint32_t)model.clock;
}

static uint32_t tag(void)
{
    return model.lap % 2u ? 0x100u : 0x200u;
}

/* Words of a chunk of that many slots, the seal included. */
static uint32_t size_of(uint32_t slots)
{
    uint32_t groups = (slots + 31u) / 32u;
    return HEADER + 4u * slots + END + CLAIMS + SEAL + (groups + 3u) / 4u * 4u;
}

/* The folded words as the coefficients of a polynomial, from the first power on. */
static uint32_t check_sum(const uint32_t *words, uint32_t count)
{
    uint32_t sum = 0;
    while (count-- > 0)
        sum = (sum + (words[count] ^ words[count] >> 16)) * 0x9E3779B1u;
    return sum;
}

static void put_slot(uint32_t head, uint32_t word0, uint32_t word1, uint32_t word2)
{
    uint32_t *slot = chunk + HEADER + 4u * (model.index++ - 1u);
    slot[0] = word0;
    slot[1] = word1;
    slot[2] = word2;
    slot[HEAD] = head | tag();
}

static uint32_t event_word(uint32_t class, uint32_t event)
{
    return (event >> 8) << 16 | class << 10 | (event & 0xFFu);
}

static uint32_t wraps(void)
{
    return (uint32_t)(model.halves / 2u);
}

/* The first lap states time 0, later laps the present time. */
static void put_reference(void)
{
    const uint32_t now = model.lap == 1u ? 0 : low();
    put_slot(event_word(CONTROL, BUFFER), model.lap & 0xFFFFu, model.slots, now);
    put_slot(event_word(CONTROL, TIME), model.lap == 1u ? 0 : wraps(), now, now);
}

void expect_start(void)
{
    const uint32_t boot = chunk[BOOT], constant[] = {0x00D6B7EDu,
                                                     0x474F4C54u,
                                                     2u | 128u << 16 | 4u << 24,
                                                     1u << 24,
                                                     model.slots,
                                                     0,
                                                     size_of(model.slots) * 4u,
                                                     TLOG_CLOCK_HZ,
                                                     0,
                                                     0,
                                                     (uint32_t)(uintptr_t)(memory + GUARD),
                                                     0,
                                                     boot == ~0u ? 1u : boot + 1u};
    if (model.lap > 0)
        return;
    for (uint32_t i = 0; i < size_of(model.slots); i++)
        chunk[i] = i <= BOOT                        ? constant[i]
                   : i < CHECK_SUM && tlog_build_id ? tlog_build_id[i - BOOT - 1u]
                   : i >= HEADER                    ? chunk[i]
                                                    : 0;
    chunk[CHECK_SUM] = check_sum(chunk, CHECK_SUM);
    chunk[FLAGS] = ring.last_flags;
    for (uint32_t i = 0; i < model.slots; i++)
        chunk[HEADER + 4u * i + HEAD] = 0x200u;
    for (uint32_t i = HEADER + 4u * model.slots; i < size_of(model.slots); i++)
        chunk[i] = i == HEADER + 4u * model.slots + HEAD ? 0x300u : 0;
    model.lap = model.index = 1;
    if (model.slots > 2u) {
        put_reference();
        chunk[EXTRA] = 2;
    }
}

/* Whether the runtime knows which half of a wrap the clock is in. */
bool model_knows_time(void)
{
    return model.clock >> 31 == model.halves;
}

static uint32_t *head_of(uint32_t index)
{
    return chunk + HEADER + 4u * (index - 1u) + HEAD;
}

/* Whether the slot is not free: the writer that took it in the lap before has not finished, so it has the tag of this
 * lap, or it is claimed and has both. */
static bool is_owned(uint32_t index)
{
    return (*head_of(index) & tag()) != 0;
}

static bool are_owned(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_owned(model.index + i))
            return true;
    return false;
}

static bool is_closed(void)
{
    return model.is_parked || model.index > model.slots;
}

/* Whether the next slot can be taken now. */
static bool is_ready(void)
{
    return !is_closed() && model_knows_time() && !is_owned(model.index);
}

static bool is_losing(void)
{
    return chunk[DROPPED] != chunk[REPORTED];
}

static void put_extra(uint32_t class, uint32_t event, uint32_t word0, uint32_t word1)
{
    put_slot(event_word(class, event), word0, word1, low());
    chunk[EXTRA]++;
}

static bool expect_place(bool is_reporting);

/* A slot that tells the time, unless there is no room. */
static void expect_time(void)
{
    while (!is_ready())
        if (!expect_place(true))
            return;
    put_extra(CONTROL, TIME, wraps(), low());
}

void expect_tick(void)
{
    if (model_knows_time())
        return;
    model.halves++;
    if (model.halves % 2u == 0)
        expect_time();
}

void expect_loss(void)
{
    expect_start();
    expect_tick();
    if (chunk[DROPPED]++ == chunk[REPORTED]) {
        chunk[LOST_AT] = low();
        chunk[LOST_HIGH] = wraps();
    }
    model.is_parked = true;
}

static void put_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    put_slot(par1 << 16 | code, par2, wraps() | (low() & 0x80000000u), low());
}

/* One of the two records of a loss. False: it finds no room. */
static bool expect_record_of_loss(uint32_t which, uint64_t value)
{
    while (!is_ready())
        if (!expect_place(false)) {
            model.is_parked = true;
            return false;
        }
    put_record(LOSS, (uint32_t)(value >> 32) << 1 | which, (uint32_t)value);
    chunk[EXTRA]++;
    return true;
}

/* If the second record finds no room, the loss is reported later, and this is false. */
static bool expect_report(void)
{
    uint32_t count = chunk[DROPPED] - chunk[REPORTED];
    chunk[REPORTED] = chunk[DROPPED];
    expect_record_of_loss(0, model.clock - ((uint64_t)chunk[LOST_HIGH] << 32 | chunk[LOST_AT]));
    const bool has_room = expect_record_of_loss(LOSS_COUNT, count);
    if (!has_room)
        chunk[REPORTED] -= count;
    model.is_parked |= is_losing();
    return has_room;
}

/* ---- claimed slots ----------------------------------------------------------------------------------------------- */

static uint32_t *notes(void)
{
    return chunk + HEADER + 4u * model.slots + END;
}

/* Laps since the one that a note tells. */
static uint32_t age_of(uint32_t note)
{
    return (model.lap - (note >> 16)) & 0xFFFFu;
}

/* The note of a slot, or NULL. */
static uint32_t *note_of(uint32_t index)
{
    for (uint32_t i = 0; i < CLAIMS; i++)
        if ((notes()[i] & 0xFFFFu) == index && age_of(notes()[i]) < 2u)
            return notes() + i;
    return NULL;
}

/* Laps since the slot was claimed, as its head tells. */
static uint32_t claimed_for(uint32_t index)
{
    return (*head_of(index) & BOTH) == BOTH ? (model.lap - (*head_of(index) >> 16)) & 0xFFFFu : 0;
}

static bool is_used(uint32_t note)
{
    return note != 0 && (age_of(note) == 0 || (age_of(note) == 1u && (note & 0xFFFFu) >= model.index));
}

/* Whether a slot is claimed and marked as one that has no note, and gets none. */
static bool is_unnoted(uint32_t index)
{
    return index <= model.slots && (*head_of(index) & (BOTH | UNNOTED)) == (BOTH | UNNOTED);
}

/* Write the note that the slot at the cursor is passed in this lap: over its own note, or the first one that is not
 * used, or that of the slot that was claimed longest ago, before this one. If there is none, mark the slot. */
static void put_note(void)
{
    if (is_unnoted(model.index))
        return;
    uint32_t *note = note_of(model.index), *oldest = NULL, laps = claimed_for(model.index);
    for (uint32_t i = 0; note == NULL && i < CLAIMS; i++) {
        uint32_t slot = notes()[i] & 0xFFFFu;
        if (!is_used(notes()[i])) {
            note = notes() + i;
        } else if (claimed_for(slot) > laps) {
            oldest = notes() + i;
            laps = claimed_for(slot);
        }
    }
    note = note != NULL ? note : oldest;
    if (note != NULL)
        *note = model.lap << 16 | model.index;
    else
        *head_of(model.index) |= UNNOTED;
}

/* Pass the slots without notes that stand side by side at the cursor. */
static void pass_unnoted(void)
{
    for (; is_unnoted(model.index); model.index++)
        chunk[EXTRA]++;
}

/* The cursor stands on a slot that is not free, or was not when it was noted. If its owner has finished since, the slot
 * is taken back: it becomes free. Otherwise it is claimed and passed. */
static void expect_pass(void)
{
    uint32_t *head = head_of(model.index), *note = note_of(model.index);
    model.is_parked = true;
    if ((*head & BOTH) != BOTH && note != NULL) {
        *head = BOTH ^ tag();
        *note = age_of(*note) == 0 ? 0 : *note; /* readers take no event from a slot with such a note */
    } else if (is_owned(model.index)) {
        if ((*head & BOTH) != BOTH)
            *head = model.lap << 16 | BOTH;
        put_note();
        model.is_parked = false;
        if (is_unnoted(model.index)) {
            pass_unnoted();
        } else {
            model.index++;
            chunk[EXTRA]++;
        }
    }
}

static bool is_stuck(void)
{
    if (model.index > model.slots)
        return false;
    const uint32_t *note = note_of(model.index);
    return is_owned(model.index) || (model.is_parked && note != NULL && age_of(*note) == 0);
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* Where bit 15 of the number of laps changes, high words are brought up to date, and notes that are too old go. */
static void expect_lap_counted(void)
{
    if (model.lap % 0x8000u != 0)
        return;
    if ((chunk[EXTRA] ^ chunk[EXTRA_HIGH]) >> 31)
        chunk[EXTRA_HIGH] += 0x80000000u + (chunk[EXTRA_HIGH] >> 31);
    for (uint32_t i = 0; i < CLAIMS; i++)
        if (age_of(notes()[i]) >= 2u)
            notes()[i] = 0;
}

/* Opens a closed chunk: where it was parked, or in the next lap. False if it has stopped. */
static bool expect_opening(void)
{
    bool begins_lap = model.index > model.slots;
    if (begins_lap && (chunk[FLAGS] & STOP) != 0)
        return false;
    model.is_parked = false;
    if (begins_lap) {
        model.lap++;
        model.index = 1;
    }
    if (model.index == 1u && model.slots > 2u && !are_owned(2)) {
        put_reference();
        chunk[EXTRA] += 2u;
    }
    if (begins_lap)
        expect_lap_counted();
    return true;
}

/* Makes room for one slot: passes some slots that are not free, and opens the chunk. If it passes a slot that tells
 * the time, another slot tells it, unless the event would then have to wait for the next lap. */
static bool expect_place(bool is_reporting)
{
    bool was_parked = false, passed_time = false;
    uint32_t left = PASSES;
    expect_start();
    expect_tick();
    do {
        was_parked |= model.is_parked;
        if (is_stuck()) {
            if (left-- == 0)
                return false;
            passed_time |= model.index <= 2u;
            expect_pass();
        } else if (is_closed() && !expect_opening()) {
            return false;
        }
        expect_tick();
    } while (is_closed() || is_stuck());
    if (passed_time && model.index < model.slots && !is_owned(model.index + 1u))
        expect_time();
    return !was_parked || !is_reporting || !is_losing() || expect_report();
}

void expect_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    expect_start();
    while (!is_ready()) {
        if (!model.is_parked && model.index > 2u) /* a record passes these before it asks for room */
            pass_unnoted();
        if (!is_ready() && !expect_place(true)) {
            expect_loss();
            return;
        }
    }
    put_record(code, par1, par2);
}

/* Whether the ring has n slots next to each other that can be taken: in the rest of the lap, or before it. */
static bool has_room(uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= model.slots && count < n; i++) {
        bool is_free = (*head_of(i) & BOTH) != BOTH && (i < model.index || !is_owned(i));
        count = !is_free ? 0 : i == model.index ? 1u : count + 1u;
    }
    return count >= n;
}

/* Makes room for n slots next to each other. Slots up to a place for them become pads. */
static bool expect_room(uint32_t n)
{
    const uint32_t most = model.slots > 2u ? model.slots - 2u : model.slots;
    uint32_t pads = 0;
    expect_start();
    for (;;) {
        bool is_free = !is_closed() && !is_owned(model.index), fits = is_free && model.index + n - 1u <= model.slots;
        bool are_free = fits && !are_owned(n);
        if (are_free && model_knows_time())
            return true;
        if (n > most || (fits && !are_free && !has_room(n)))
            return false;
        if (!is_free || are_free) {
            if (!expect_place(true))
                return false;
            continue;
        }
        if (pads++ > 2u * model.slots)
            return false;
        expect_tick();
        if (is_ready())
            put_extra(CONTROL, PAD, 0, 0);
    }
}

void expect_words(uint32_t class, uint32_t event, const uint32_t *words, uint32_t count)
{
    const uint32_t n = count <= 2u ? 1u : (count + 1u) / 2u;
    if (!expect_room(n)) {
        expect_loss();
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = n == 1u ? 0u : i == 0 ? 1u : i + 1u < n ? 2u : 3u;
        put_slot(part << 30 | event_word(class, event), 2u * i < count ? words[2u * i] : 0,
                 2u * i + 1u < count ? words[2u * i + 1u] : 0, low());
    }
    chunk[EXTRA] += n - 1u;
}

void model_clear(void)
{
    for (uint32_t i = GUARD + HEADER + 4u * (model.index - 1u); i < GUARD + HEADER + 4u * model.slots; i++)
        meant[i] = memory[i] = i % 4u == HEAD ? tag() ^ 0x300u : 0;
}

bool model_toggle(uint32_t index)
{
    uint32_t *owner = &owners[index - 1u], head = *head_of(index);
    if (*owner == 0 && ((head & BOTH) == BOTH || note_of(index) != NULL))
        return false; /* claimed: no writer can take it */
    const uint32_t now = *owner != 0 ? *owner : head ^ BOTH;
    *owner = *owner != 0 ? 0 : head;
    *head_of(index) = memory[GUARD + HEADER + 4u * (index - 1u) + HEAD] = now;
    return *owner != 0;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

void model_check(void)
{
    if (model.lap > 0) {
        chunk[CURSOR] = model.index << 16 | (model.is_parked ? 0x300u : tag());
        chunk[LAP] = model.lap << 16 | tag();
        chunk[LAP_HIGH] = model.lap >> 16 | (model.lap << 16 & 0x80000000u);
    }
    if (TLOG_FORMS && model.lap == 0) /* see model_format() */
        return;
    for (uint32_t at = 0; at < in_use && !test_has_failed(); at++)
        if (memory[at] != meant[at]) {
            test_note("word", at - GUARD);
            test_note("is", memory[at]);
            test_note("expected", meant[at]);
            test_note("index", model.index);
            test_fail(__FILE__, __LINE__, "a word of the ring");
        }
    if (test_has_failed() || model.lap == 0)
        return;
    CHECK(tlog_cpu0.high == (wraps() | (uint32_t)(model.halves & 1u) << 31));
    CHECK(tlog_cpu0.cursor == memory + GUARD + CURSOR && tlog_cpu0.clock == test_clock && tlog_cpu0.ring == &ring);
    CHECK(tlog_cpu0.muted == 0 && tlog_dropped() == chunk[DROPPED]);
}

void model_set_clock(uint64_t clock)
{
    model.clock = clock;
    test_clock_set((uint32_t)clock);
}

void model_set_stop(bool stops)
{
    chunk[FLAGS] = memory[GUARD + FLAGS] = stops ? STOP : 0;
}

bool model_is_last;

/* Where the board allows it, the MPU forbids access to the memory behind the chunk, so that any access there faults. */
#ifdef TEST_MEMORY_END
static void forbid(bool is_forbidden)
{
    volatile uint32_t *const mpu = (volatile uint32_t *)0xE000ED94u; /* control, number, base, attributes */
    mpu[1] = 0;
    mpu[2] = TEST_MEMORY_END;
    mpu[3] = 11u << 1 | 1u;         /* 2^12 bytes without access */
    mpu[0] = is_forbidden ? 5u : 0; /* all other memory is as without the MPU */
}
#else
enum { TEST_MEMORY_END = 0 };
static void forbid(bool is_forbidden)
{
    (void)is_forbidden;
}
#endif

static void place(uint32_t slots)
{
    const bool is_last = model_is_last && TEST_MEMORY_END != 0;
    in_use = GUARD + size_of(slots) + (is_last ? 0 : GUARD);
    memory = is_last ? (uint32_t *)(uintptr_t)TEST_MEMORY_END - in_use : usual;
    ring.first = (struct tlog_chunk *)(void *)(memory + GUARD);
    forbid(is_last);
}

void model_begin(uint32_t slots, uint32_t boot, uint64_t clock)
{
    place(slots);
    for (uint32_t i = 0; i < in_use; i++)
        meant[i] = memory[i] = 0xDEADBEEFu ^ i * 0x9E3779B9u;
    for (uint32_t i = 0; i < MODEL_MOST; i++)
        owners[i] = 0;
    ring.pattern[TLOG_PATTERN_SLOTS] = model.slots = slots;
    ring.pattern[TLOG_PATTERN_SIZE] = size_of(slots) * 4u;
    meant[GUARD + BOOT] = memory[GUARD + BOOT] = boot;
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(&ring);
    tlog_ring_boot = 0;
    model.lap = 0;
    model.is_parked = false;
    model.halves = 0;
    model_set_clock(clock);
    if (slots > MODEL_MOST)
        test_fail(__FILE__, __LINE__, "slots");
}

/* Here a ring of any number of slots is formatted as a whole, before the call that opens it. */
void model_format(void)
{
#if TLOG_FORMS
    if (!tlog_ring_is_open(&tlog_cpu0))
        tlog_ring_start_names(&tlog_cpu0);
    tlog_cpu0.formed = TLOG_FORMED_ALL;
#endif
}

void model_begin_late(uint32_t slots, uint64_t clock)
{
    model_begin(slots, 7, 5);
    model_format();
    tlog_start();
    expect_start();
    memory[GUARD + LAP] += (uint32_t)LATE << 16;
    memory[GUARD + EXTRA] = chunk[EXTRA] = 0x7FFFFFF0u;
    model.lap += LATE;
    model_set_clock(clock);
    model.halves = clock >> 31;
    tlog_cpu0.high = wraps() | (uint32_t)(model.halves & 1u) << 31;
}

const uint32_t *model_slot(uint32_t number)
{
    return memory + GUARD + HEADER + 4u * number;
}
