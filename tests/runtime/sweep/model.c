/* model.c - implements model.h.
 *
 * Memory and model begin with the same noise, also around the chunk. So a wrong word, or a write to a word that must
 * not change, is found. */
#include "model.h"

#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

extern const uint32_t tlog_build_id[2] __attribute__((weak));

enum { BOOT = 9, CRC = 15, FLAGS = 17, LOST_AT = 19, CURSOR = 24, LAP, DROPPED, REPORTED, HEADER };
enum { GUARD = 12, END = 4, SEAL = 8, STOP = 8 };
enum { WORDS = GUARD + HEADER + 4 * MODEL_MOST + END + SEAL + 4 + GUARD };
enum { CONTROL = 1, TIME = 0x001, BUFFER = 0x002, PAD = 0x102 };

static uint32_t usual[WORDS] __attribute__((aligned(16))), meant[WORDS];
static uint32_t *const chunk = meant + GUARD;
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
    return HEADER + 4u * slots + END + SEAL + (groups + 3u) / 4u * 4u;
}

static uint32_t crc(const uint32_t *words, uint32_t count)
{
    uint32_t crc = ~0u;
    for (uint32_t bit = 0; bit < count * 32u; bit++)
        crc = ((crc ^ words[bit / 32u] >> bit % 32u) & 1u) != 0 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    return ~crc;
}

static void put_slot(uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3)
{
    uint32_t *slot = chunk + HEADER + 4u * (model.index++ - 1u);
    slot[0] = word0 | tag();
    slot[1] = word1;
    slot[2] = word2;
    slot[3] = word3;
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
    put_slot(event_word(CONTROL, BUFFER), now, model.lap & 0x3FFFFFu, model.slots);
    put_slot(event_word(CONTROL, TIME), now, model.lap == 1u ? 0 : wraps(), now);
}

void expect_start(void)
{
    const uint32_t boot = chunk[BOOT], constant[] = {0x00D6B7EDu,
                                                     0x474F4C54u,
                                                     1u | 112u << 16 | 4u << 24,
                                                     1u << 24,
                                                     (uint32_t)(uintptr_t)(memory + GUARD),
                                                     model.slots,
                                                     0,
                                                     size_of(model.slots) * 4u,
                                                     TLOG_CLOCK_HZ,
                                                     boot == ~0u ? 1u : boot + 1u};
    if (model.lap > 0)
        return;
    for (uint32_t i = 0; i < size_of(model.slots); i++)
        chunk[i] = i < 10u                    ? constant[i]
                   : i < 12u && tlog_build_id ? tlog_build_id[i - 10u]
                   : i > HEADER               ? chunk[i]
                                              : 0;
    chunk[CRC] = crc(chunk, CRC);
    chunk[FLAGS] = ring.last_flags;
    for (uint32_t i = 0; i < model.slots; i++)
        chunk[HEADER + 4u * i] = 0x200u;
    for (uint32_t i = HEADER + 4u * model.slots; i < size_of(model.slots); i++)
        chunk[i] = i == HEADER + 4u * model.slots ? 0x300u : 0;
    model.lap = model.index = 1;
    if (model.slots > 2u)
        put_reference();
}

/* Whether the runtime knows which half of a wrap the clock is in. */
bool model_knows_time(void)
{
    return model.clock >> 31 == model.halves;
}

/* Whether the writer that took the slot in the previous lap has not finished: the slot has the tag of this lap already.
 */
static bool is_owned(uint32_t index)
{
    return (chunk[HEADER + 4u * (index - 1u)] & tag()) != 0;
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

static bool expect_ready(bool is_reporting);

void expect_tick(void)
{
    if (model_knows_time())
        return;
    model.halves++;
    if (model.halves % 2u == 0)
        expect_words(CONTROL, TIME, (const uint32_t[]){wraps(), low()}, 2);
}

void expect_loss(void)
{
    expect_start();
    expect_tick();
    if (chunk[DROPPED]++ == chunk[REPORTED])
        chunk[LOST_AT] = low();
    model.is_parked = true;
}

static void put_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    put_slot(par1 << 16 | code, wraps() | (low() & 0x80000000u), low(), par2);
}

/* A loss is reported by two records. If one of them finds no room, the loss is reported later. */
static void expect_report(void)
{
    uint32_t count = chunk[DROPPED] - chunk[REPORTED], ticks = low() - chunk[LOST_AT];
    chunk[REPORTED] = chunk[DROPPED];
    if (expect_ready(true))
        put_record(0x40, 0, ticks);
    else
        model.is_parked = true;
    if (expect_ready(true)) {
        put_record(0x50, 0, count);
    } else {
        chunk[REPORTED] -= count;
        model.is_parked = true;
    }
    model.is_parked |= chunk[DROPPED] != chunk[REPORTED];
}

/* Opens a closed chunk: where it was parked, or in the next lap. False if it has stopped. */
static bool expect_opening(bool is_reporting)
{
    expect_tick();
    if (!is_closed())
        return true; /* it was only called for the time */
    bool was_parked = model.is_parked;
    if (model.index > model.slots ? (chunk[FLAGS] & STOP) != 0 : is_owned(model.index))
        return false;
    model.is_parked = false;
    if (model.index > model.slots) {
        model.lap++;
        model.index = 1;
    }
    if (model.index == 1u && model.slots > 2u && !are_owned(2))
        put_reference();
    if (was_parked && !is_reporting && chunk[DROPPED] != chunk[REPORTED])
        expect_report();
    return true;
}

/* Makes room for one slot at the present time. */
static bool expect_ready(bool is_reporting)
{
    expect_start();
    while (is_closed() || !model_knows_time() || is_owned(model.index)) {
        if (is_closed()) {
            if (!expect_opening(is_reporting))
                return false;
            continue;
        }
        expect_tick();
        if (!is_closed() && is_owned(model.index))
            return false;
    }
    return true;
}

void expect_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (expect_ready(false))
        put_record(code, par1, par2);
    else
        expect_loss();
}

/* The slots that are left at the end of a lap too short for n of them become pads. */
static void put_pads(uint32_t n)
{
    while (!is_closed() && model.index + n - 1u > model.slots && !is_owned(model.index))
        put_slot(event_word(CONTROL, PAD), low(), 0, 0);
}

/* Makes room for n slots next to each other. */
static bool expect_room(uint32_t n)
{
    const uint32_t most = model.slots > 2u ? model.slots - 2u : model.slots;
    expect_start();
    for (;;) {
        bool fits = !is_closed() && model.index + n - 1u <= model.slots;
        if (fits && model_knows_time() && !are_owned(n))
            return true;
        if (n > most || (fits && are_owned(n) && !is_owned(model.index)))
            return false;
        if (is_closed()) {
            if (!expect_opening(false))
                return false;
            continue;
        }
        expect_tick();
        if (!is_closed() && is_owned(model.index))
            return false;
        if (!fits)
            put_pads(n);
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
        put_slot(part << 30 | event_word(class, event), low(), 2u * i < count ? words[2u * i] : 0,
                 2u * i + 1u < count ? words[2u * i + 1u] : 0);
    }
}

void model_clear(void)
{
    for (uint32_t i = GUARD + HEADER + 4u * (model.index - 1u); i < GUARD + HEADER + 4u * model.slots; i++)
        meant[i] = memory[i] = i % 4u == 0 ? tag() ^ 0x300u : 0;
}

void model_toggle(uint32_t index)
{
    chunk[HEADER + 4u * (index - 1u)] ^= 0x300u;
    memory[GUARD + HEADER + 4u * (index - 1u)] ^= 0x300u;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

void model_check(void)
{
    if (model.lap > 0) {
        chunk[CURSOR] = model.index << 16 | (model.is_parked ? 0x300u : tag());
        chunk[LAP] = model.lap << 10 | tag();
    }
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
    ring.pattern[5] = model.slots = slots;
    ring.pattern[7] = size_of(slots) * 4u;
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

void model_begin_late(uint32_t slots, uint64_t clock)
{
    model_begin(slots, 7, 5);
    tlog_start();
    expect_start();
    memory[GUARD + LAP] += 0x1FFFF0u << 10;
    model.lap += 0x1FFFF0u;
    model_set_clock(clock);
    model.halves = clock >> 31;
    tlog_cpu0.high = wraps() | (uint32_t)(model.halves & 1u) << 31;
}

const uint32_t *model_slot(uint32_t number)
{
    return memory + GUARD + HEADER + 4u * number + 2u;
}
