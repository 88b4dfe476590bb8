/* record.c - see record.h. */
#include "formats/native/follow/record.h"

#include "base/heap.h"
#include "formats/native/chunks/write_position.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool begin_lap(const struct record_chunk *chunk, struct record_lap *lap)
{
    lap->lap = 0;
    lap->slots = heap_calloc(chunk->layout.slots, TLOG_SLOT_BYTES);
    lap->state = heap_calloc(chunk->layout.slots, 1);
    return lap->slots != NULL && lap->state != NULL;
}

bool record_chunk_begin(struct record_chunk *chunk, const unsigned char *header)
{
    memset(chunk, 0, sizeof *chunk);
    memcpy(chunk->header, header, TLOG_HEADER_BYTES);
    chunk->self = get_le64(header + offsetof(struct tlog_chunk, self));
    chunk->layout = (struct native_layout){(uint16_t)record_word(header, offsetof(struct tlog_chunk, slots)),
                                           (uint16_t)record_word(header, offsetof(struct tlog_chunk, emergency))};
    chunk->rest = heap_calloc(1, record_rest_size(chunk) + 1u);
    if (record_is_names(chunk))
        return chunk->rest != NULL;
    return chunk->rest != NULL && begin_lap(chunk, &chunk->last) && begin_lap(chunk, &chunk->before)
           && begin_lap(chunk, &chunk->ended);
}

void record_chunk_free(struct record_chunk *chunk)
{
    heap_free(chunk->last.slots);
    heap_free(chunk->last.state);
    heap_free(chunk->before.slots);
    heap_free(chunk->before.state);
    heap_free(chunk->ended.slots);
    heap_free(chunk->ended.state);
    heap_free(chunk->rest);
}

/* ---- where the firmware writes ----------------------------------------------------------------------------------- */

uint64_t record_reserved(const struct record_chunk *chunk, const unsigned char *header)
{
    struct native_image image = {.layout = chunk->layout};
    struct native_position position;
    native_position_read(&image, record_word(header, TLOG_CURSOR_OFFSET),
                         record_word(header, offsetof(struct tlog_chunk, lap)),
                         record_word(header, offsetof(struct tlog_chunk, lap_high)), &position);
    if (position.why != NULL || position.doubtful || position.lap_lost)
        return UINT64_MAX;
    return position.lap == 0 ? 0 : (position.lap - 1u) * chunk->layout.slots + position.slot - 1u;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static uint64_t lap_of(const struct record_chunk *chunk, uint64_t slot)
{
    return slot / chunk->layout.slots + 1u;
}

/* The lap that a slot is of; NULL: it is not kept. */
static struct record_lap *find_lap(struct record_chunk *chunk, uint64_t slot)
{
    uint64_t lap = lap_of(chunk, slot);
    return lap == chunk->last.lap ? &chunk->last : lap == chunk->before.lap ? &chunk->before : NULL;
}

enum record_state record_state(const struct record_chunk *chunk, uint64_t slot)
{
    const struct record_lap *lap = find_lap((struct record_chunk *)chunk, slot);
    return lap != NULL ? (enum record_state)lap->state[slot % chunk->layout.slots] : RECORD_UNREAD;
}

static void set_slot(struct record_chunk *chunk, struct record_lap *lap, uint64_t slot, enum record_state state,
                     const unsigned char *bytes)
{
    size_t at = (size_t)(slot % chunk->layout.slots);
    chunk->npending -= lap->state[at] == RECORD_PENDING;
    chunk->npending += state == RECORD_PENDING;
    lap->state[at] = (unsigned char)state;
    memcpy(lap->slots + at * TLOG_SLOT_BYTES, bytes, TLOG_SLOT_BYTES);
}

/* A slot whose owner has not finished bears the tag of the lap before its own. */
void record_slot(struct record_chunk *chunk, uint64_t slot, const unsigned char *bytes, const unsigned char *again)
{
    struct record_lap *lap = find_lap(chunk, slot);
    bool finished;
    if (lap == NULL || lap->state[slot % chunk->layout.slots] == RECORD_DONE)
        return;
    finished = memcmp(bytes, again, TLOG_SLOT_BYTES) == 0 && native_slot_tag(bytes) != native_tag_before(lap->lap);
    set_slot(chunk, lap, slot, finished ? RECORD_DONE : RECORD_PENDING, bytes);
}

void record_note(struct record_chunk *chunk, uint32_t note)
{
    static const unsigned char claimed[TLOG_SLOT_BYTES] = {[NATIVE_HEAD] = TLOG_SLOT_CLAIMED & 0xFFu,
                                                           [NATIVE_HEAD + 1] = TLOG_SLOT_CLAIMED >> 8};
    const uint32_t slot = note & TLOG_CLAIM_SLOT_MASK, number = note >> TLOG_CLAIM_LAP_SHIFT;
    struct record_lap *const laps[] = {&chunk->last, &chunk->before};
    if (slot == 0 || slot > chunk->layout.slots)
        return;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t at = (laps[i]->lap - 1u) * chunk->layout.slots + slot - 1u;
        if (laps[i]->lap > 1u && (laps[i]->lap & 0xFFFFu) == number && laps[i]->state[slot - 1u] != RECORD_UNREAD)
            set_slot(chunk, laps[i], at, RECORD_DONE, claimed);
    }
}

uint64_t record_next_pending(const struct record_chunk *chunk, uint64_t slot)
{
    uint64_t first = (chunk->last.lap > 2u ? chunk->last.lap - 2u : 0) * (uint64_t)chunk->layout.slots;
    for (slot = slot > first ? slot : first; chunk->npending > 0 && slot < chunk->end; slot++) {
        if (record_state(chunk, slot) == RECORD_PENDING)
            return slot;
    }
    return UINT64_MAX;
}

/* ---- laps -------------------------------------------------------------------------------------------------------- */

/* A slot that was not finished in time is unread now; and where an event of several slots lacks one that follows, so
 * are those ahead: the first one that is missing stands for the event. */
static void give_up_pending(struct record_chunk *chunk, struct record_lap *lap)
{
    for (uint32_t i = chunk->layout.slots; i-- > 0;) {
        uint32_t structure = native_head(lap->slots + (size_t)i * TLOG_SLOT_BYTES) >> TLOG_STRUCT_SHIFT;
        bool is_followed = lap->state[i] == RECORD_DONE
                           && native_is_traceevent(native_head(lap->slots + (size_t)i * TLOG_SLOT_BYTES))
                           && (structure == TLOG_STRUCT_CB || structure == TLOG_STRUCT_CC);
        chunk->npending -= lap->state[i] == RECORD_PENDING;
        if (lap->state[i] == RECORD_PENDING
            || (is_followed && i + 1u < chunk->layout.slots && lap->state[i + 1u] <= RECORD_NOTHING))
            lap->state[i] = RECORD_UNREAD;
    }
}

/* Hand on the image of a lap that is over, and of which nothing more can be read. If nothing was, it tells the count of
 * extra slots up to there. */
static int put_lap(struct record_chunk *chunk, struct record_lap *lap, const struct record_sink *sink)
{
    unsigned char *image;
    int result;
    give_up_pending(chunk, lap);
    if (lap->lap == 0)
        return 0;
    image = heap_alloc(record_size(chunk));
    if (image == NULL)
        return -1;
    record_image(chunk, lap, (struct record_view){true, false}, image);
    result = sink->put(sink->ctx, image, record_size(chunk));
    heap_free(image);
    return result;
}

static void clear_lap(const struct record_chunk *chunk, struct record_lap *lap, uint64_t number)
{
    lap->lap = number;
    memset(lap->state, RECORD_UNREAD, chunk->layout.slots);
}

/* The last lap is that number from now on, and the one before it that before. */
static void move_on(struct record_chunk *chunk, uint64_t number)
{
    struct record_lap swap = chunk->before;
    bool follows = chunk->last.lap + 1u == number;
    chunk->before = chunk->last;
    chunk->last = swap;
    if (!follows) {
        swap = chunk->ended;
        chunk->ended = chunk->before;
        chunk->before = swap;
        clear_lap(chunk, &chunk->before, number - 1u);
    }
    clear_lap(chunk, &chunk->last, number);
}

int record_advance(struct record_chunk *chunk, uint64_t end, const struct record_sink *sink)
{
    uint64_t lap = end == 0 ? 0 : lap_of(chunk, end - 1u);
    if (lap > chunk->last.lap) {
        if (put_lap(chunk, &chunk->before, sink) != 0)
            return -1;
        move_on(chunk, lap);
    }
    chunk->end = end;
    return 0;
}

/* ---- what was lost ----------------------------------------------------------------------------------------------- */

/* How many of the slots from..end - 1 of a lap are extra slots, and how many are unread. */
static void count_slots(const struct record_chunk *chunk, const struct record_lap *lap, uint64_t from, uint64_t end,
                        uint64_t *extra, uint64_t *unread)
{
    uint64_t first = (lap->lap - 1u) * chunk->layout.slots;
    *extra = *unread = 0;
    for (uint32_t i = 0; lap->lap > 0 && i < chunk->layout.slots && first + i < end; i++) {
        const unsigned char *slot = lap->slots + (size_t)i * TLOG_SLOT_BYTES;
        if (first + i < from)
            continue;
        *unread += lap->state[i] == RECORD_UNREAD;
        *extra += lap->state[i] == RECORD_DONE && (native_slot_tag(slot) == TLOG_TAG_MASK || native_is_extra(slot));
    }
}

/* Of the slots of a lap from `from` on that are unread, take n for extra ones. */
static void take_extra(const struct record_chunk *chunk, struct record_lap *lap, uint64_t from, uint64_t n)
{
    uint64_t first = (lap->lap - 1u) * chunk->layout.slots;
    for (uint32_t i = 0; i < chunk->layout.slots && n > 0; i++) {
        if (first + i < from || lap->state[i] != RECORD_UNREAD)
            continue;
        lap->state[i] = RECORD_NOTHING;
        n--;
    }
}

/* The extra slots that are left, among slots that are missing. */
struct share {
    uint64_t left, missing;
};

/* How many of them are among n of these: where they are is not known, but how many there are in all. */
static uint64_t take_share(struct share *share, uint64_t n)
{
    uint64_t taken =
        share->missing > 0 ? (uint64_t)((double)share->left * (double)n / (double)share->missing + 0.5) : 0;
    taken = taken < share->left ? taken : share->left;
    taken = taken < n ? taken : n;
    share->missing -= n;
    share->left -= taken;
    return taken;
}

int record_settle(struct record_chunk *chunk, uint64_t from, uint64_t extra, const struct record_sink *sink)
{
    struct record_lap *const laps[] = {&chunk->ended, &chunk->before, &chunk->last};
    const uint64_t slots = chunk->layout.slots, first = (chunk->before.lap > 0 ? chunk->before.lap - 1u : 0) * slots;
    const uint64_t tail = chunk->ended.lap * slots, behind = tail > from ? tail : from;
    uint64_t shown[3], unread[3], gap = first > behind ? first - behind : 0, now = chunk->extra, told = now;
    struct share share = {0, gap};
    for (unsigned i = 0; i < 3; i++) {
        count_slots(chunk, laps[i], from, chunk->end, &shown[i], &unread[i]);
        told += shown[i];
        share.missing += unread[i];
    }
    share.left = extra > told ? extra - told : 0;
    share.left = share.left < share.missing ? share.left : share.missing;
    chunk->unread += share.missing;
    chunk->lost += share.missing - share.left;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t taken = take_share(&share, unread[i]);
        take_extra(chunk, laps[i], from, taken);
        now += shown[i] + taken;
        if (laps[i]->lap * slots > from)
            laps[i]->extra = now;
        now += i == 0 ? take_share(&share, gap) : 0;
    }
    chunk->last.extra = chunk->extra = extra;
    if (chunk->ended.lap > 0 && put_lap(chunk, &chunk->ended, sink) != 0)
        return -1;
    clear_lap(chunk, &chunk->ended, 0);
    return 0;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static void put_word(unsigned char *image, size_t offset, uint32_t word)
{
    put_le32(image + offset, word);
}

/* The two words of a count: the high one repeats the top bit of the low one. */
static void put_count(unsigned char *image, size_t low, size_t high, uint64_t count, uint32_t bits)
{
    put_word(image, low, (uint32_t)count | bits);
    put_word(image, high, (uint32_t)(count >> 32) | ((uint32_t)count & TLOG_COUNT_MIRROR));
}

/* The words that change: those of a lap that is over, or of the last one. */
static void put_words(const struct record_chunk *chunk, const struct record_lap *lap, bool is_over,
                      unsigned char *image)
{
    uint64_t used = is_over ? chunk->layout.slots : chunk->end - (lap->lap - 1u) * chunk->layout.slots;
    put_word(image, offsetof(struct tlog_chunk, goal), 0);
    put_word(image, offsetof(struct tlog_chunk, emergency_used), is_over ? 0 : chunk->emergency_used);
    put_word(image, TLOG_CURSOR_OFFSET, (uint32_t)(used + 1u) << TLOG_CURSOR_SHIFT | native_tag(lap->lap));
    put_count(image, offsetof(struct tlog_chunk, lap), offsetof(struct tlog_chunk, lap_high),
              lap->lap << TLOG_LAP_SHIFT, native_tag(lap->lap));
    put_count(image, offsetof(struct tlog_chunk, extra), offsetof(struct tlog_chunk, extra_high), lap->extra, 0);
}

/* A slot in an image; returns whether it is unread. Those at and behind the cursor of the last lap are of the lap
 * before, which has an image of its own. In lap 1 they were never written. */
static bool put_slot(const struct record_chunk *chunk, const struct record_lap *lap, uint32_t index,
                     struct record_view view, unsigned char *to)
{
    bool is_behind = !view.is_over && (lap->lap - 1u) * chunk->layout.slots + index >= chunk->end;
    enum record_state state = (enum record_state)lap->state[index];
    memset(to, 0, TLOG_SLOT_BYTES);
    if (!is_behind && state == RECORD_DONE)
        memcpy(to, lap->slots + (size_t)index * TLOG_SLOT_BYTES, TLOG_SLOT_BYTES);
    else if (!is_behind && state == RECORD_PENDING && !view.passes_pending)
        put_le32(to + NATIVE_HEAD, native_tag_before(lap->lap));
    else if (is_behind && lap->lap <= 1u)
        put_le32(to + NATIVE_HEAD, TLOG_SLOT_EMPTY);
    else
        put_le32(to + NATIVE_HEAD, state != RECORD_UNREAD && !is_behind ? NATIVE_HEAD_NOTHING : NATIVE_HEAD_UNREAD);
    return is_behind ? lap->lap > 1u : state <= RECORD_NOTHING || (state == RECORD_PENDING && view.passes_pending);
}

void record_image(const struct record_chunk *chunk, const struct record_lap *lap, struct record_view view,
                  unsigned char *image)
{
    uint32_t slots = chunk->layout.slots, flags;
    bool partial = false;
    if (record_is_names(chunk)) {
        memcpy(image, chunk->rest, record_size(chunk));
        return;
    }
    memset(image, 0, record_size(chunk));
    memcpy(image, chunk->header, TLOG_HEADER_BYTES);
    if (lap->lap > 0)
        put_words(chunk, lap, view.is_over, image);
    for (uint32_t i = 0; i < slots; i++)
        partial |= put_slot(chunk, lap, i, view, image + native_slot_offset(i + 1u));
    put_le32(image + native_slot_offset(slots + 1u) + NATIVE_HEAD, TLOG_TAG_MASK);
    if (!view.is_over)
        memcpy(image + native_slot_offset(slots + 2u), chunk->rest, record_rest_size(chunk));
    flags = record_word(image, offsetof(struct tlog_chunk, flags)) & ~NATIVE_CHUNK_PARTIAL;
    put_word(image, offsetof(struct tlog_chunk, flags), partial ? flags | NATIVE_CHUNK_PARTIAL : flags);
}
