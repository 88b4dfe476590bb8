/* dump.c - a generator of valid dumps: see dump.h. As a program: gen_dump [--option=value]... [-o FILE]
 *
 * All layouts and numbers are taken from target/FORMAT.md, not from the decoder's headers, and times in ns are made by
 * one division of 128 bits. The events are made twice from the same seed: for the chunks, and for the text with what a
 * decoder must find.
 */
#include "event.h"
#include "words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOT = 16,                  /* bytes of a slot */
    HEADER = 128,               /* bytes of a chunk's header */
    CLAIMS = 32,                /* bytes of the notes of claimed slots */
    SEAL = 48,                  /* bytes of the seal without its table of groups */
    GROUP = 32,                 /* slots that a checksum of the seal is of */
    CHUNK_ADDRESS = 0x20001000, /* of the first chunk, in the target's memory */
    CONTROL = 1,                /* a class, and the numbers of three of its events: */
    CONTROL_TIME = 1,
    CONTROL_BUFFER = 2,
    CONTROL_PAD = 0x102,
    CONTROL_RATE = 0x108,
};

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Without a clock ticks are shown as they are. */
static uint64_t ns_of(const struct gen_options *options, uint64_t ticks)
{
    __extension__ typedef unsigned __int128 wide;
    wide ns = options->hz ? (wide)ticks * 1000000000u / options->hz : ticks;

    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns; /* of a slow clock that jumped far */
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

struct chunk {
    unsigned char *bytes; /* its image: header, slots, end mark, room for the seal */
    uint32_t number;      /* in the ring */
    uint32_t laps;        /* how often it was begun */
    uint32_t index;       /* of the slot to fill next, from 1 on */
    uint64_t extra;       /* slots that were passed and are no event of their own */
    bool uncounted;       /* the open lap is not counted yet */
};

/* The chunks of a CPU that are filled one after the other. */
struct ring {
    const struct gen_options *options;
    struct chunk *chunk; /* n of them */
    uint32_t cpu;
    uint32_t role;     /* 0: events, 1: names */
    uint32_t n, slots; /* chunks; slots of each */
    uint32_t home;     /* number of the chunk that is being filled */
    uint64_t logged;   /* slots that were filled */
    uint64_t dropped;  /* events that were lost; those of them that a record has told of */
    uint64_t reported;
    uint64_t events; /* that were logged */
    uint32_t wraps;  /* of the clock's low word, as the last CONTROL TIME tells */
    uint64_t marked; /* ticks of the last mark of the clock's rate, and the same in ns and 2^-32 ns */
    __extension__ unsigned __int128 marked_ns;
    uint32_t marks, hz; /* how many there were, and the rate since the last one */
};

/* Groups of slots, each with a checksum. */
static uint32_t group_count(uint32_t slots)
{
    return (slots + GROUP - 1u) / GROUP;
}

/* Bytes of a chunk in memory, with the seal. */
static size_t image_bytes(uint32_t slots)
{
    return HEADER + ((size_t)slots + 1u) * SLOT + CLAIMS + SEAL + (size_t)((group_count(slots) + 3u) / 4u * 16u);
}

/* What bits 9..8 of a slot are in that lap. */
static uint32_t lap_tag(uint32_t lap)
{
    return lap % 2u ? 1u << 8 : 2u << 8;
}

/* Fill in the part of the header that never changes, and the end mark. */
static void chunk_header(const struct ring *ring, struct chunk *chunk)
{
    unsigned char *at = chunk->bytes;
    uint32_t size = (uint32_t)image_bytes(ring->slots);
    uint32_t base = CHUNK_ADDRESS + ring->cpu * 0x1000000u + ring->role * 0x800000u;
    put32(at, 0x00D6B7EDu);
    memcpy(at + 4, "TLOG", 4);
    put32(at + 8, 2u | HEADER << 16 | 4u << 24);
    put32(at + 12, ring->cpu | chunk->number << 8 | ring->role << 16);
    put32(at + 16, ring->slots);
    put32(at + 24, size);
    put32(at + 28, ring->options->rates > 0 ? 0 : ring->options->hz);
    put32(at + 36, ring->options->rates > 0);
    put32(at + 40, base + chunk->number * size);
    put32(at + 48, ring->options->boot);
    put32(at + 60, check_of(at));
    put32(at + 64, chunk->number + 1u < ring->n ? size : ring->role ? 1u : 0u - chunk->number * size);
    put32(at + HEADER + ring->slots * SLOT + 12, 0x300u);
}

/* A ring of n empty chunks; the first one is open. */
static void ring_start(struct ring *ring, const struct gen_options *options, uint32_t cpu, uint32_t role, uint32_t n,
                       uint32_t slots)
{
    memset(ring, 0, sizeof *ring);
    ring->options = options;
    ring->cpu = cpu;
    ring->role = role;
    ring->n = n;
    ring->slots = slots;
    ring->chunk = calloc(n, sizeof *ring->chunk);
    for (uint32_t i = 0; i < n; i++) {
        struct chunk *chunk = &ring->chunk[i];
        chunk->number = i;
        chunk->index = slots + 1u;
        chunk->bytes = calloc(1, image_bytes(slots));
        for (uint32_t slot = 0; slot < slots; slot++)
            put32(chunk->bytes + HEADER + SLOT * (size_t)slot + 12,
                  0x200); /* the tag of a slot that was never written */
        chunk_header(ring, chunk);
    }
    ring->chunk[0].laps = 1;
    ring->chunk[0].index = 1;
}

static void ring_free(struct ring *ring)
{
    for (uint32_t i = 0; i < ring->n; i++)
        free(ring->chunk[i].bytes);
    free(ring->chunk);
}

/* Fill in the part of the header that changes: cursor, laps, counts of losses. */
static void changing_words(const struct ring *ring, struct chunk *chunk)
{
    unsigned char *at = chunk->bytes;
    uint32_t laps = chunk->laps - chunk->uncounted;
    uint64_t dropped = chunk->number == 0 ? ring->dropped : 0, reported = chunk->number == 0 ? ring->reported : 0;
    uint64_t lap_count = (uint64_t)laps << 16;
    put32(at + 92, high_of(dropped));
    put32(at + 96, high_of(lap_count));
    put32(at + 100, high_of(chunk->extra));
    put32(at + 104, (uint32_t)reported);
    put32(at + 108, high_of(reported));
    put32(at + 112, chunk->index << 16 | lap_tag(chunk->laps));
    put32(at + 116, (uint32_t)lap_count | lap_tag(laps));
    put32(at + 120, (uint32_t)dropped);
    put32(at + 124, (uint32_t)chunk->extra);
}

/* Put the seal behind the slots: copies of the changing words, and checksums of them and of all groups of slots. */
static void seal(const struct ring *ring, struct chunk *chunk)
{
    static const unsigned places[10] = {112, 116, 120, 104, 72, 92, 96, 100, 124, 88};
    unsigned char *slots = chunk->bytes + HEADER, *claims = slots + ((size_t)ring->slots + 1u) * SLOT,
                  *at = claims + CLAIMS;
    uint32_t crc;
    memcpy(at, "SEAL", 4);
    for (unsigned i = 0; i < 10; i++)
        put32(at + 4 + 4 * i, get32(chunk->bytes + places[i]));
    for (uint32_t i = 0; i < group_count(ring->slots); i++) {
        uint32_t n = ring->slots - i * GROUP;
        put32(at + SEAL + 4 * (size_t)i, crc_more(0, slots + (size_t)i * GROUP * SLOT, (n < GROUP ? n : GROUP) * SLOT));
    }
    crc = crc_more(crc_more(0, at, 44), claims, CLAIMS);
    put32(at + 44, crc_more(crc, at + SEAL, 4 * (size_t)group_count(ring->slots)));
}

/* Write a chunk to the dump, perhaps with garbage before it. */
static void write_image(struct ring *ring, struct chunk *chunk, uint64_t *state, FILE *dump)
{
    changing_words(ring, chunk);
    if (ring->options->sealed)
        seal(ring, chunk);
    if (ring->options->garbage > 0) {
        for (uint32_t n = gen_random(state) % (ring->options->garbage + 1u); n > 0; n--)
            fputc((int)(gen_random(state) & 0xFFu), dump);
    }
    fwrite(chunk->bytes, image_bytes(ring->slots), 1, dump);
}

/* The slot that is filled next; the chunk after a full one is opened first. */
static unsigned char *next_slot(struct ring *ring, uint32_t *tag)
{
    struct chunk *chunk = &ring->chunk[ring->home];
    if (chunk->index > ring->slots) {
        ring->home = (ring->home + 1u) % ring->n;
        chunk = &ring->chunk[ring->home];
        chunk->laps++;
        chunk->index = 1;
    }
    ring->logged++;
    *tag = lap_tag(chunk->laps);
    return chunk->bytes + HEADER + (size_t)(chunk->index++ - 1u) * SLOT;
}

/* Whether the event is a record of a loss, which the runtime makes itself. */
static bool is_of_loss(const struct gen_event *event)
{
    return event->slots == 0 && (event->code == 0x40 || event->code == 0x50);
}

/* Fill a slot with a record of S.Ha.R.K. */
static void log_record(struct ring *ring, const struct gen_event *event)
{
    uint32_t tag, low = (uint32_t)event->ticks;
    uint32_t par1 = is_of_loss(event) ? event->code == 0x50 : event->par1;
    uint32_t code = is_of_loss(event) ? 0xFFu : event->code;
    unsigned char *slot = next_slot(ring, &tag);
    ring->chunk[ring->home].extra += is_of_loss(event);
    put32(slot, event->par2);
    put32(slot + 4, (uint32_t)(event->ticks >> 32) | (low & 0x80000000u));
    put32(slot + 8, low);
    put32(slot + 12, par1 << 16 | (event->par2 & 0x8000u) | tag | code); /* bit 15 may have any value */
}

/* ---- traceevents ------------------------------------------------------------------------------------------------- */

/* Fill a slot with a part of a traceevent: 0 simple, 1 first, 2 further, 3 last. The tag splits the event's number. */
static void log_slot(struct ring *ring, uint32_t part, struct gen_kind kind, uint32_t stamp, const uint32_t *word)
{
    uint32_t tag;
    unsigned char *slot = next_slot(ring, &tag);
    ring->chunk[ring->home].extra += part > 1 || kind.class == CONTROL;
    put32(slot, word[0]);
    put32(slot + 4, word[1]);
    put32(slot + 8, stamp);
    put32(slot + 12,
          part << 30 | (ring->cpu & 63u) << 24 | kind.event >> 8 << 16 | kind.class << 10 | tag | (kind.event & 0xFFu));
}

static void log_control(struct ring *ring, uint32_t event, uint64_t ticks, uint32_t word0, uint32_t word1)
{
    const uint32_t word[2] = {word0, word1};
    log_slot(ring, 0, (struct gen_kind){CONTROL, event}, (uint32_t)ticks, word);
}

/* Free slots of the chunk that is being filled. */
static uint32_t ring_room(const struct ring *ring)
{
    return ring->slots + 1u - ring->chunk[ring->home].index;
}

/* Log what must stand before a traceevent in a chunk that is open: the time where the clock's low word has wrapped, and
 * pads where the event does not fit into what is left of the chunk. */
static void log_before(struct ring *ring, const struct gen_event *event)
{
    uint32_t wraps = (uint32_t)(event->ticks >> 32), low = (uint32_t)event->ticks;
    const struct chunk *chunk = &ring->chunk[ring->home];
    if (wraps != ring->wraps && ring_room(ring) > 0 && chunk->index > 1)
        log_control(ring, CONTROL_TIME, event->ticks, wraps, low);
    ring->wraps = wraps;
    while (event->slots > ring_room(ring) && ring_room(ring) > 0)
        log_control(ring, CONTROL_PAD, event->ticks, 0, 0);
}

/* Log what begins a lap when traceevents are logged. */
static void log_begin(struct ring *ring, const struct gen_event *event)
{
    uint32_t wraps = (uint32_t)(event->ticks >> 32), low = (uint32_t)event->ticks;
    if (ring_room(ring) > 0 && ring->chunk[ring->home].index > 1)
        return;
    ring->wraps = wraps;
    log_control(ring, CONTROL_TIME, event->ticks, wraps, low);
    log_control(ring, CONTROL_BUFFER, event->ticks, ring->chunk[ring->home].laps, ring->slots);
}

static void log_traceevent(struct ring *ring, const struct gen_event *event)
{
    for (uint32_t i = 0; i < event->slots; i++) {
        uint32_t part = event->slots == 1 ? 0 : i == 0 ? 1u : i + 1u == event->slots ? 3u : 2u;
        log_slot(ring, part, event->kind, (uint32_t)event->ticks, event->word + (size_t)2 * i);
    }
}

static void send_full(struct ring *ring, uint64_t *state, FILE *dump);

static uint32_t rotate(uint32_t x)
{
    return x << 15 | x >> 17;
}

/* Log a mark at the time of an event, ahead of it: the rate of the clock is another one from there on. */
static void log_rate(struct ring *ring, const struct gen_event *event, uint64_t *state, FILE *dump)
{
    __extension__ typedef unsigned __int128 wide;
    struct gen_event mark = {.ticks = event->ticks, .slots = 4, .kind = {CONTROL, CONTROL_RATE}};
    uint32_t *word = mark.word, check = 0, hz = ring->marks > 0 ? ring->hz : ring->options->hz;
    ring->marks++;
    ring->hz = ring->options->hz / (1u + ring->marks % 4u) + 1009u * ring->marks;
    ring->marked_ns += ((wide)(event->ticks - ring->marked) * 1000000000u << 32) / hz;
    ring->marked = event->ticks;
    word[0] = (uint32_t)(event->ticks >> 32);
    word[1] = (uint32_t)event->ticks;
    word[2] = (uint32_t)(ring->marked_ns >> 32);
    word[3] = (uint32_t)(ring->marked_ns >> 64);
    word[4] = (uint32_t)ring->marked_ns;
    word[5] = hz;
    word[6] = ring->hz;
    for (unsigned i = 0; i < 7; i++)
        check = rotate((check ^ word[i]) * 0x9E3779B1u);
    word[7] = check;
    if (ring_room(ring) > 0) {
        log_before(ring, &mark);
        send_full(ring, state, dump);
    }
    log_begin(ring, &mark);
    log_traceevent(ring, &mark);
    send_full(ring, state, dump);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* A fact that is the name of a task: its id, 0, the text and zeros, three words per slot. */
static void log_name(struct ring *ring, uint32_t id)
{
    unsigned char data[48] = {0};
    uint32_t n, tag, sum;
    put32(data, id);
    snprintf((char *)data + 8, 32, "task %.*s%" PRIu32, (int)(id % 20u), "with a rather long name", id);
    n = (uint32_t)(8 + strlen((char *)data + 8) + 11) / 12u;
    n = n < 2u ? 2u : n;
    sum = 1u + 256u * n;
    for (uint32_t i = 0; i < 3u * n; i++) {
        sum = (sum ^ get32(data + (size_t)4 * i)) * 0x9E3779B1u;
        sum = sum << 15 | sum >> 17;
    }
    for (uint32_t i = 0; i < n; i++) {
        unsigned char *slot = next_slot(ring, &tag);
        memcpy(slot, data + (size_t)12 * i, 12);
        put32(slot + 12, (i + 1u < n ? 1u << 31 : 0) | 1u << 10 | tag | (i == 0 ? (sum & 0x7FFFu) << 16 | 1u : 0));
    }
}

/* Write the chunk of names of tasks. */
static void write_names(const struct gen_options *options, uint64_t *state, FILE *dump)
{
    struct ring ring;
    ring_start(&ring, options, 0, 1, 1, options->names * 4u);
    for (uint32_t i = 1; i <= options->names; i++)
        log_name(&ring, i);
    write_image(&ring, &ring.chunk[0], state, dump);
    ring_free(&ring);
}

/* ---- a dump ------------------------------------------------------------------------------------------------------ */

/* A stream has an image of each chunk when it is full. */
static void send_full(struct ring *ring, uint64_t *state, FILE *dump)
{
    if (ring->options->stream && ring_room(ring) == 0)
        write_image(ring, &ring->chunk[ring->home], state, dump);
}

/* Log records and traceevents, until as many slots are used as events were asked for. */
static void log_mixed(struct ring *ring, struct gen_source *source, uint64_t *state, FILE *dump)
{
    struct gen_event event;
    for (; ring->logged < ring->options->events; ring->events++) {
        gen_next(source, &event);
        ring->reported += event.lost;
        ring->dropped = source->dropped;
        if (ring->options->rates > 0 && ring->events % ring->options->rates == 0)
            log_rate(ring, &event, state, dump);
        if (ring_room(ring) > 0) {
            log_before(ring, &event);
            send_full(ring, state, dump);
        }
        log_begin(ring, &event);
        if (event.slots > 0)
            log_traceevent(ring, &event);
        else
            log_record(ring, &event);
        send_full(ring, state, dump);
    }
}

/* Log records alone, as many as events were asked for. */
static void log_events(struct ring *ring, struct gen_source *source, uint64_t *state, FILE *dump)
{
    struct gen_event event;
    for (uint64_t i = 0; i < ring->options->events; i++) {
        gen_next(source, &event);
        ring->reported += event.lost;
        ring->dropped = source->dropped;
        log_record(ring, &event);
        send_full(ring, state, dump);
    }
}

/* Write what is in memory at the end: all chunks; of a stream only the open one, which was not sent yet, and the first
 * one if losses were counted, because its header has the counts. */
static void write_rest(struct ring *ring, uint64_t *state, FILE *dump)
{
    for (uint32_t i = 0; i < ring->n; i++) {
        struct chunk *chunk = &ring->chunk[i];
        if (ring->options->stream && i != ring->home && (i != 0 || ring->options->drops == 0))
            continue;
        chunk->uncounted = ring->options->uncounted && i == ring->home;
        write_image(ring, chunk, state, dump);
    }
}

/* Lines of the text of what a decoder must find: see gen_dump(). */
static void print_loss(const struct ring *ring, FILE *expect, uint64_t ticks, uint64_t count)
{
    if (count > 0)
        fprintf(expect, "%" PRIu32 " %" PRIu64 " loss 0 %" PRIu64 "\n", ring->cpu, ns_of(ring->options, ticks), count);
}

static void print_traceevent(const struct ring *ring, FILE *expect, const struct gen_event *event)
{
    fprintf(expect, "%" PRIu32 " %" PRIu64 " 102 %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", ring->cpu,
            ns_of(ring->options, event->ticks), event->kind.class << 16 | event->kind.event, 2u * event->slots,
            event->word[0], event->word[1]);
}

static void print_record(const struct ring *ring, FILE *expect, const struct gen_event *event)
{
    if (event->slots > 0) {
        print_traceevent(ring, expect, event);
        return;
    }
    fprintf(expect, "%" PRIu32 " %" PRIu64 " %" PRIx32 " %" PRIu32 " %" PRIu32 "\n", ring->cpu,
            ns_of(ring->options, event->ticks), event->code, event->par1, event->par2);
}

/* Make the same events once more, as text. A ring that is no stream has kept as many of the last events as it has
 * slots. */
static void expect_events(const struct ring *ring, FILE *expect)
{
    const struct gen_options *options = ring->options;
    uint64_t room = (uint64_t)ring->n * ring->slots;
    uint64_t events = options->traceevents ? ring->events : options->events;
    uint64_t gone = options->stream || options->traceevents || events <= room ? 0 : events - room;
    uint64_t extra = 0; /* records of losses, which are no events */
    struct gen_source source;
    struct gen_event event = {0}, start = event;
    gen_source_start(&source, options, ring->cpu);
    for (uint64_t i = 0; i < events; i++) {
        uint64_t lost = i == gone ? gone - extra : 0;
        gen_next(&source, &event);
        extra += is_of_loss(&event);
        if (i < gone)
            continue;
        if (event.slots == 0 && event.code == 0x40 && i + 1u < events) { /* the loss stands before both records */
            start = event;
            gen_next(&source, &event);
            i++;
            print_loss(ring, expect, start.ticks, lost + event.lost);
            print_record(ring, expect, &start);
        } else {
            print_loss(ring, expect, event.ticks, lost + event.lost);
        }
        print_record(ring, expect, &event);
    }
    print_loss(ring, expect, event.ticks, ring->dropped - ring->reported);
}

void gen_dump(const struct gen_options *options, FILE *dump, FILE *expect)
{
    uint64_t state = options->seed;
    crc_prepare();
    if (options->names > 0)
        write_names(options, &state, dump);
    for (uint32_t cpu = 0; cpu < options->cpus; cpu++) {
        struct ring ring;
        struct gen_source source;
        ring_start(&ring, options, cpu, 0, options->chunks, options->slots);
        gen_source_start(&source, options, cpu);
        if (options->traceevents > 0)
            log_mixed(&ring, &source, &state, dump);
        else
            log_events(&ring, &source, &state, dump);
        write_rest(&ring, &state, dump);
        if (expect != NULL)
            expect_events(&ring, expect);
        ring_free(&ring);
    }
}
