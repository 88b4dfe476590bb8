/* read.c - implements read.h. It reads the memory as FORMAT.md describes it. */
#include "read.h"

#include "lib/claims.h"
#include "lib/logged.h"
#include "lib/marks.h"
#include "run.h"
#include "lib/test.h"

enum { SLOTS = TLOG_SLOTS, CHUNKS = TLOG_CHUNKS, CAPACITY = SLOTS * CHUNKS };

static struct found {
    uint32_t kept, unfinished, claimed, attempted, overwritten, extra; /* numbers of slots */
    uint32_t dropped;
    uint32_t events, urgent, own, told;
    uint32_t last;  /* stamp of the previous slot */
    uint32_t first; /* stamp of the oldest slot */
    bool any;
    bool seen[LOGGED_MAX];
} found;

/* Wraps of the clock at a time with that low word: the clock starts in the middle of a wrap. */
static uint32_t wraps_at(uint32_t low)
{
    return low < 0x40000000u;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static void check_stamp(uint32_t low)
{
    CHECK(!found.any || low - found.last < 0x80000000u);
    found.first = found.any ? found.first : low;
    found.last = low;
    found.any = true;
}

static void check_event(uint32_t n, uint32_t stamp, uint32_t slots)
{
    CHECK(n < LOGGED_MAX && n < logged_count && !found.seen[n]);
    found.seen[n] = true;
    found.events++;
    CHECK(logged_events[n].slots == slots);
    CHECK(logged_fits(n, stamp));
}

static void read_record(const uint32_t *slot)
{
    uint32_t code = slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE;
    CHECK(((slot[TLOG_WORD_HIGH] ^ slot[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
    CHECK(tlog_ring_wraps(slot[TLOG_WORD_HIGH]) == wraps_at(slot[TLOG_WORD_LOW]));
    if (code == TLOG_RECORD_LOSS) {
        bool is_count = slot[TLOG_WORD_HEAD] >> 16 == TLOG_LOSS_END;
        found.own++;
        if (marks_is_pause(slot))
            return;
        CHECK(is_count || slot[TLOG_WORD_HEAD] >> 16 == 0);
        CHECK(!is_count || slot[TLOG_WORD_PAR2] > 0);
        found.told += is_count ? slot[TLOG_WORD_PAR2] : 0;
    } else if (code == FTrace_EVT_timer_post || marks_is_one(slot)) {
        found.own++; /* a call that sets a filter was interrupted by a call that ended it */
    } else {
        CHECK(code == FTrace_EVT_user_event_0);
        CHECK(slot[TLOG_WORD_HEAD] >> 16 == ((slot[TLOG_WORD_PAR2] ^ LOGGED_SALT) & 0xFFFFu));
        check_event(slot[TLOG_WORD_PAR2], slot[TLOG_WORD_LOW], 1);
    }
}

#if TLOG_TRACEEVENTS
static bool is_tagged(const uint32_t *slot, uint32_t tag)
{
    return (slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == tag;
}

static bool is_rest(const uint32_t *slot)
{
    return slot[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT >= TLOG_STRUCT_CC;
}

/* The event's number, from its first slot: a word carries it, in texts a byte, plus one. */
static uint32_t number_of(const uint32_t *slot)
{
    uint32_t event = (slot[TLOG_WORD_HEAD] & 0xFFu) | (slot[TLOG_WORD_HEAD] >> 8 & 0x300u);
    if ((slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT == TLOG_CLASS_CONTROL)
        return slot[1];
    return event == 2u ? (slot[0] & 0xFFu) - 1u : slot[0];
}

static void check_rest(const uint32_t *first, const uint32_t *slot, bool last)
{
    uint32_t part = last ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
    CHECK(slot[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT == part
          && ((slot[TLOG_WORD_HEAD] ^ first[TLOG_WORD_HEAD]) & 0x3FFFFFFFu & ~TLOG_TAG_MASK) == 0);
    CHECK(slot[TLOG_WORD_LOW] == first[TLOG_WORD_LOW]);
    if ((first[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT != TLOG_CLASS_CONTROL)
        CHECK(((slot[0] ^ first[0]) & 0xFFu) == 0);
}

static void check_control(const uint32_t *slot, uint32_t event)
{
    found.own++;
    if (event == TLOG_CONTROL_TIME)
        CHECK(slot[0] == wraps_at(slot[TLOG_WORD_LOW]));
    else if (event != TLOG_CONTROL_BUFFER && event != TLOG_CONTROL_PAD)
        test_fail(__FILE__, __LINE__, "an event that was not logged");
}

/* The slots that begin the first lap state time 0; no clock in these tests begins at 0. */
static bool is_beginning(const uint32_t *slot, uint32_t event)
{
    return slot[TLOG_WORD_LOW] == 0
           && ((event == TLOG_CONTROL_BUFFER && slot[0] == 1u) || (event == TLOG_CONTROL_TIME && slot[0] == 0));
}

/* Reads a traceevent that has at most `left` slots; returns the number of its slots. */
static uint32_t read_traceevent(const uint32_t *slot, uint32_t left, uint32_t tag)
{
    bool is_control = (slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT == TLOG_CLASS_CONTROL;
    uint32_t event = (slot[TLOG_WORD_HEAD] & 0xFFu) | (slot[TLOG_WORD_HEAD] >> 8 & 0x300u), count = 1;
    if (is_control && is_beginning(slot, event)) {
        found.own++;
        return 1;
    }
    check_stamp(slot[TLOG_WORD_LOW]);
    if ((slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT == TLOG_TRACE_COMM) {
        found.own++;
        return 1;
    }
    if (is_control && event != TLOG_CONTROL_PRINTK) {
        check_control(slot, event);
        return 1;
    }
    if (slot[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_CB)
        for (bool last = false; !last && !test_has_failed(); count++) {
            if (count < left && !is_tagged(slot + count * 4u, tag))
                return count; /* its writer is interrupted, or the slot was taken in the next lap */
            if (count >= left) {
                test_fail(__FILE__, __LINE__, "an event without its end");
                return count;
            }
            last = slot[count * 4u + TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT == TLOG_STRUCT_CE;
            check_rest(slot, slot + count * 4u, last);
        }
    check_event(number_of(slot), slot[TLOG_WORD_LOW], count);
    return count;
}
#endif

struct view {
    const struct tlog_chunk *chunk;
    uint32_t lap, tag, used; /* the lap being written, its tag, its slots before the cursor */
};

/* Reads slots from..to of the chunk, which were written in the lap with that tag. The rest of an event may stand at the
 * beginning, where the event was overwritten, or after an unfinished or a claimed slot. */
static void read_range(const struct view *view, uint32_t from, uint32_t to, uint32_t tag)
{
    bool is_open = true;
    for (uint32_t s = from, n = 1; s <= to && !test_has_failed(); s += n) {
        const uint32_t *slot = &view->chunk->cursor + s * 4u;
        n = 1;
        if (is_claimed(view->chunk, view->lap, view->used + 1u, s)) {
            found.claimed++;
            is_open = true;
            continue;
        }
        if ((slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK) != tag) {
            found.unfinished++;
            is_open = true;
            continue;
        }
#if TLOG_TRACEEVENTS
        if ((slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) != 0) {
            if (is_rest(slot)) {
                if (!is_open)
                    test_fail(__FILE__, __LINE__, "an event without its beginning");
            } else {
                n = read_traceevent(slot, to + 1u - s, tag);
                is_open = false;
            }
            found.kept += n;
            continue;
        }
#endif
        found.kept++;
        is_open = false;
        check_stamp(slot[TLOG_WORD_LOW]);
        read_record(slot);
    }
    (void)is_open;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static struct view view_of(uint32_t number)
{
    const struct tlog_chunk *chunk = (const void *)(sweep_ring + number * SWEEP_CHUNK_WORDS);
    struct view view = {chunk, chunk->lap >> TLOG_LAP_SHIFT, chunk->cursor & TLOG_TAG_MASK,
                        (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u};
    if (view.tag == TLOG_TAG_MASK)
        view.tag = chunk->lap & TLOG_TAG_MASK; /* parked: the cursor has no lap tag */
    if (view.tag != (chunk->lap & TLOG_TAG_MASK))
        view.lap++; /* the lap is opened, but not counted yet */
    return view;
}

/* The chunk whose lap is being written is read last; the chunks that follow it in the ring hold older events. */
static uint32_t youngest(void)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < CHUNKS; i++)
        if (view_of(i).lap >= view_of(at).lap && view_of(i).lap > 0)
            at = i;
    return at;
}

static void read_chunk(const struct view *view, bool is_last)
{
    if (is_last && view->lap > 1) /* the rest of the previous lap is the oldest of all */
        read_range(view, view->used + 1u, SLOTS, view->tag ^ TLOG_TAG_MASK);
    if (is_last || view->lap == 0)
        return;
    found.attempted += (view->lap - 1u) * SLOTS + view->used;
    found.overwritten += view->lap > 1 ? (view->lap - 2u) * SLOTS + view->used : 0;
    found.extra += view->chunk->extra;
    read_range(view, 1, view->used, view->tag);
}

/* Emergency slots are in an order of their own. */
static void read_emergency(const struct tlog_chunk *chunk)
{
    const uint32_t *slot = &chunk->cursor + (SLOTS + 2u) * 4u;
    CHECK(chunk->emergency_used <= TLOG_EMERGENCY_SLOTS);
    uint32_t oldest = found.first, own = found.own;
    found.any = false;
    for (uint32_t i = 0; i < chunk->emergency_used; i++, slot += 4) {
        if ((slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK) != TLOG_TAG_ODD)
            continue;
        found.urgent++;
        check_stamp(slot[TLOG_WORD_LOW]);
        read_record(slot);
    }
    CHECK(found.own == own); /* they report no loss */
    found.first = oldest;
}

static void read_all(void)
{
    volatile uint32_t *word = (volatile uint32_t *)&found;
    for (uint32_t i = 0; i < sizeof(found) / 4u; i++)
        word[i] = 0;
    uint32_t last = youngest();
    for (uint32_t i = 0; i <= CHUNKS && !test_has_failed(); i++) {
        struct view view = view_of((last + i) % CHUNKS);
        read_chunk(&view, i == 0);
    }
    for (uint32_t i = 0; i < CHUNKS && TLOG_EMERGENCY_SLOTS > 0 && !test_has_failed(); i++)
        read_emergency(view_of(i).chunk);
    found.dropped = view_of(0).chunk->dropped;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

void sweep_check_instant(uint32_t interrupted)
{
    (void)interrupted;
    if (!tlog_ring_is_open(&tlog_cpu0))
        return;
    read_all();
    CHECK(found.kept + found.unfinished + found.claimed + found.overwritten == found.attempted);
    CHECK(view_of(0).chunk->reported - found.dropped - 1u >= 0x80000000u
          || found.dropped == view_of(0).chunk->reported);
    CHECK(found.told <= view_of(0).chunk->reported);
}

/* Every lap that was opened is counted. */
static void check_laps(void)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        CHECK(view_of(i).tag == (view_of(i).chunk->lap & TLOG_TAG_MASK));
}

/* Number of calls so far that tlog refuses, so that they count as a loss. */
static uint32_t refused(void)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < logged_count; n++)
        count += logged_events[n].slots == 0;
    return count;
}

/* Only the oldest events are overwritten. */
static void check_oldest(void)
{
    for (uint32_t n = 0; n < logged_count && found.dropped == 0; n++)
        CHECK(found.seen[n] || found.first - logged_events[n].before < 0x80000000u);
}

/* Every logged event is counted once: in a slot, or as dropped. */
static void check_records(bool stops)
{
    CHECK(found.attempted - found.extra + found.urgent + found.dropped == logged_count);
    CHECK(TLOG_TRACEEVENTS || found.overwritten > 0 || found.extra == found.own);
    if (!TLOG_TRACEEVENTS && stops && refused() == 0)
        CHECK(found.attempted == (logged_count < CAPACITY ? logged_count : CAPACITY));
}

void sweep_read_end(const struct sweep_expected *expected)
{
    read_all();
    uint32_t unseen = logged_count - found.events, reported = view_of(0).chunk->reported;
    test_note("dropped", found.dropped);
    test_note("reported", reported);
    CHECK(found.unfinished == 0);
    CHECK(found.kept + found.claimed + found.overwritten == found.attempted);
    CHECK(tlog_cpu0.filter == 0 && tlog_cpu0.muted == 0);
    check_laps();
    if (TLOG_MINIMAL)
        CHECK(reported == 0);
    if (!expected->stops) {
        CHECK(TLOG_MINIMAL || reported == found.dropped); /* the last event found room, and reported every loss */
        CHECK(found.seen[logged_count - 1u]);
        CHECK(tlog_ring_held == 0 && tlog_ring_untold == 0); /* and it told every pause */
    }
    CHECK(found.told <= reported);
    if (found.overwritten == 0)
        CHECK(found.told == reported);
    if (expected->muted)
        return;
    CHECK(unseen >= found.dropped);
    CHECK(found.overwritten > 0 || unseen == found.dropped);
    if (expected->fits)
        CHECK(found.dropped == refused());
    check_oldest();
    check_records(expected->stops);
}
