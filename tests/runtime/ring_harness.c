/* ring_harness.c - implements ring_harness.h. It reads the memory as FORMAT.md describes it. */
#include "ring_harness.h"

#include "lib/claims.h"
#include "lib/passed.h"
#include "lib/test.h"
#include "lib/irq.h"

static uint32_t memory[TLOG_RUNS * CHUNKS * TLOG_CHUNK_BYTES(SLOTS, 0u) / 4u] __attribute__((aligned(16)));
const struct tlog_ring ring_cyclic = TLOG_RING(memory, 0u, SLOTS, 0u, CHUNKS, TLOG_ROLE_EVENTS, false);
const struct tlog_ring ring_stopping = TLOG_RING(memory, 0u, SLOTS, 0u, CHUNKS, TLOG_ROLE_EVENTS, true);
struct tlog_cpu ring_cpu;

/* What was logged: event i carries par2 = i and par1 = i ^ SALT. */
static struct event {
    volatile uint32_t before, after; /* the clock around the call */
    volatile bool returned;          /* `after` is valid; an interrupt must not see this true earlier */
} events[EVENTS];
static volatile uint32_t logged; /* number of calls begun */
bool ring_has_jumped;

static uint32_t now(void)
{
    test_clock_step();
    return tlog_port_now_at(tlog_port_clock_start());
}

static uint32_t take_number(void)
{
    uint32_t n;
    do
        n = tlog_port_load_exclusive((uint32_t *)(uintptr_t)&logged);
    while (tlog_port_store_exclusive(n + 1u, (uint32_t *)(uintptr_t)&logged));
    return n;
}

void ring_log_one(void)
{
    uint32_t n = take_number();
    if (n >= EVENTS)
        return;
    events[n].before = now();
    tlog_ring_record(&ring_cpu, FTrace_EVT_user_event_0, (n ^ SALT) & 0xFFFFu, n);
    events[n].after = now();
    events[n].returned = true;
}

void ring_refuse_one(void)
{
    take_number();
    tlog_ring_drop(&ring_cpu);
}

void ring_log_many(uint32_t count)
{
    while (count-- > 0)
        ring_log_one();
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct ring_found ring_found;

static void read_record(const uint32_t *slot)
{
    uint64_t stamp = (uint64_t)(slot[TLOG_WORD_HIGH] & ~TLOG_HIGH_MIRROR) << 32 | slot[TLOG_WORD_LOW];
    uint32_t n = slot[TLOG_WORD_PAR2], par1 = slot[TLOG_WORD_HEAD] >> 16;
    CHECK(stamp >= ring_found.last);
    ring_found.first = ring_found.last ? ring_found.first : stamp;
    ring_found.last = stamp;
    CHECK(((slot[TLOG_WORD_HIGH] ^ slot[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
    if ((slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS) {
        CHECK(ring_has_jumped || par1 <= TLOG_LOSS_END);
        ring_found.told += par1 & TLOG_LOSS_END ? n : 0;
        ring_found.own++;
        return;
    }
    ring_found.kept++;
    CHECK((slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE) == FTrace_EVT_user_event_0);
    CHECK(n < EVENTS && n < logged && !ring_found.seen[n]);
    ring_found.seen[n] = true;
    CHECK(par1 == ((n ^ SALT) & 0xFFFFu));
    CHECK(ring_has_jumped || slot[TLOG_WORD_LOW] - events[n].before < 0x80000000u);
    CHECK(ring_has_jumped || !events[n].returned || events[n].after - slot[TLOG_WORD_LOW] < 0x80000000u);
}

/* Read slot s, 1 being the first one, which belongs to a lap with that tag. */
static void read_slot(const struct ring_view *view, uint32_t s, uint32_t tag)
{
    const uint32_t *slot = &view->chunk->cursor + s * 4u;
    uint32_t found = slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK;
    CHECK(found != 0);
    if (is_claimed(view->chunk, view->lap, view->used + 1u, s))
        ring_found.claimed++;
    else if (found != tag)
        ring_found.unfinished++;
    else
        read_record(slot);
}

struct ring_view ring_view_of(uint32_t number)
{
    const struct tlog_chunk *chunk = (const void *)((const char *)memory + number * TLOG_CHUNK_BYTES(SLOTS, 0u));
    struct ring_view view = {chunk, chunk->lap >> TLOG_LAP_SHIFT, chunk->cursor & TLOG_TAG_MASK,
                             (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u};
    if (!tlog_ring_is_chunk(chunk)) /* not reached yet: it still is noise */
        return (struct ring_view){chunk, 0, TLOG_TAG_EVEN, SLOTS};
    if (view.tag == TLOG_TAG_MASK)
        view.tag = chunk->lap & TLOG_TAG_MASK; /* parked: the cursor has no lap tag */
    if (view.tag != (chunk->lap & TLOG_TAG_MASK))
        view.lap++; /* the lap is opened, but not counted yet */
    return view;
}

static void read_range(const struct ring_view *view, uint32_t from, uint32_t to, uint32_t tag)
{
    for (uint32_t i = from; i < to && !test_has_failed(); i++)
        read_slot(view, i + 1u, tag);
}

/* The chunk whose lap is being written is read last; the chunks that follow it in the ring hold older events. */
static uint32_t youngest(void)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < CHUNKS; i++)
        if (ring_view_of(i).lap >= ring_view_of(at).lap && ring_view_of(i).lap > 0)
            at = i;
    return at;
}

void ring_read_all(void)
{
    ring_found = (struct ring_found){0};
    const struct tlog_chunk *first = ring_view_of(0).chunk;
    ring_found.dropped = first->dropped;
    uint32_t last = youngest();
    for (uint32_t i = 0; i <= CHUNKS && !test_has_failed(); i++) {
        struct ring_view view = ring_view_of((last + i) % CHUNKS);
        if (i == 0 && view.lap > 1) /* the rest of the lap before is the oldest of all */
            read_range(&view, view.used, SLOTS, view.tag ^ TLOG_TAG_MASK);
        if (i == 0 || view.lap == 0)
            continue;
        ring_found.attempted += (view.lap - 1u) * SLOTS + view.used - view.chunk->extra;
        ring_found.has_wrapped |= view.lap > 1 && (view.lap > 2u || view.used > 0);
        read_range(&view, 0, view.used, view.tag);
    }
    ring_found.attempted += ring_found.dropped;
}

void ring_check_instant(void)
{
    if (!tlog_ring_is_open(&ring_cpu))
        return;
    ring_read_all();
    CHECK(ring_found.dropped - ring_view_of(0).chunk->reported < 0x80000000u);
}

/* No call is in progress: so the counts are exact, whatever was overwritten. */
void ring_check_end(void)
{
    const struct tlog_chunk *first = ring_view_of(0).chunk;
    ring_read_all();
    CHECK(ring_found.attempted == logged);
    ring_found.overwritten = ring_found.attempted - ring_found.dropped - ring_found.kept;
    if (!ring_found.has_wrapped) {
        CHECK(ring_found.overwritten == 0);
        CHECK(ring_found.told == (TLOG_MINIMAL ? 0 : first->reported));
    }
    CHECK(ring_found.overwritten < 0x80000000u && ring_found.dropped >= first->reported);
    if (TLOG_MINIMAL)
        CHECK(first->reported == 0);
    else if (ring_cpu.ring == &ring_cyclic) /* the last event found room, and reported every loss */
        CHECK(ring_found.dropped == first->reported);
    /* only the oldest events are overwritten */
    for (uint32_t n = 0; n < logged && ring_found.dropped == 0 && !ring_has_jumped; n++)
        CHECK(ring_found.seen[n] || (uint32_t)ring_found.first - events[n].before < 0x80000000u);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

void ring_prepare(const struct tlog_ring *ring, uint32_t filled, uint32_t clock)
{
    for (uint32_t i = 0; i < sizeof(memory) / 4u; i++)
        memory[i] = 0xDEADBEEFu ^ i * 0x9E3779B9u; /* RAM full of noise */
    for (uint32_t i = 0; i < logged && i < EVENTS; i++)
        events[i].returned = false;
    ring_cpu = (struct tlog_cpu)TLOG_CPU_INIT(ring);
    passed_clear();
    logged = 0;
    test_clock_set(clock);
    ring_log_many(filled);
}
