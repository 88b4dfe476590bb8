#define _GNU_SOURCE
#include "clock_harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CONTROL (1u << 10)
enum { CHUNK_COARSE_FREQ = 32 };

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

struct board board_make(uint32_t slots, uint32_t chunks, uint32_t coarse_hz, bool traceevents, uint64_t start)
{
    struct gen_options options = {.slots = slots, .chunks = chunks, .cpus = 1, .hz = BOARD_HZ, .boot = 1};
    struct board board = {.dump = make_dump(&options, NULL),
                          .slots = slots,
                          .chunks = chunks,
                          .coarse_hz = coarse_hz,
                          .traceevents = traceevents,
                          .time = start,
                          .halves = start >> 31};
    for (uint32_t i = 0; i < chunks; i++) {
        unsigned char *image = board.dump.data + board.dump.n / chunks * i;
        put32(image + CHUNK_COARSE_FREQ, coarse_hz);
        fix_header(image);
    }
    return board;
}

static struct bytes image_of(const struct board *board, uint32_t chunk)
{
    size_t size = board->dump.n / board->chunks;
    return (struct bytes){board->dump.data + size * chunk, size};
}

/* Fill the next slot. The head has no tag yet. */
static void fill(struct board *board, uint32_t head, uint32_t word0, uint32_t word1)
{
    uint32_t turn = (uint32_t)(board->used / board->slots), lap = turn / board->chunks + 1;
    uint32_t slot = (uint32_t)(board->used++ % board->slots) + 1;
    set_words(image_of(board, turn % board->chunks), slot, head | (lap % 2 ? 0x100u : 0x200u), word1,
              (uint32_t)board->time, word0);
    if ((head & 0x7C00u) == CONTROL)
        board->extra[turn % board->chunks]++;
}

static void fill_coarse(struct board *board)
{
    __extension__ unsigned __int128 ticks = board->time;
    if (board->coarse_hz > 0)
        fill(board, CONTROL | 0x10000 | 0x03, (uint32_t)(ticks * board->coarse_hz / BOARD_HZ),
             (uint32_t)(board->halves >> 1));
}

static void fill_time(struct board *board)
{
    if (board->traceevents)
        fill(board, CONTROL | 0x01, (uint32_t)(board->halves >> 1), (uint32_t)board->time);
}

/* A lap begins with slots that tell the time. */
static void put(struct board *board, uint32_t head, uint32_t word0, uint32_t word1)
{
    if (board->used % board->slots == 0) {
        if (board->traceevents)
            fill(board, CONTROL | 0x02, (uint32_t)(board->used / board->slots / board->chunks) + 1, board->slots);
        fill_time(board);
        fill_coarse(board);
    }
    fill(board, head, word0, word1);
}

void board_put_coarse(struct board *board, uint32_t coarse, uint32_t wraps)
{
    put(board, CONTROL | 0x10000 | 0x03, coarse, wraps);
}

/* Count half wraps up to `halves`, and tell the time if wraps are among them. */
static void count_halves(struct board *board, uint64_t halves)
{
    bool told = halves >> 1 != board->halves >> 1;
    board->halves = halves;
    if (told && board->used % board->slots != 0)
        fill_time(board);
    if (told && board->used % board->slots != 0)
        fill_coarse(board);
}

void board_tick(struct board *board)
{
    uint64_t halves = board->time >> 31;
    if (board->coarse_hz > 0 || ((halves ^ board->halves) & 1) != 0)
        count_halves(board, board->coarse_hz > 0 ? halves : board->halves + 1);
}

void board_log(struct board *board, bool record)
{
    uint32_t low = (uint32_t)board->time, high;
    if ((((board->time >> 31) ^ board->halves) & 1) != 0)
        board_tick(board);
    high = (uint32_t)(board->halves >> 1) | (low & 0x80000000u);
    assert_true(board->n < BOARD_EVENTS);
    board->times[board->n] = board->time;
    board->told[board->n] = (board->halves >> 1) * WRAP + low;
    if (record)
        put(board, 0x09, board->n, high);
    else
        put(board, 9u << 10 | 0x01, board->n, 0);
    board->n++;
}

void board_burst(struct board *board, uint32_t n, uint64_t step, unsigned kind)
{
    for (uint32_t i = 0; i < n; i++) {
        board_log(board, kind == 1 || (kind == 2 && i % 3 == 0));
        board->time += step;
    }
}

void board_idle(struct board *board, uint64_t ticks, uint64_t step)
{
    uint64_t end = board->time + ticks;
    if (step > 0)
        board_tick(board);
    while (step > 0 && board->time + step < end) {
        board->time += step;
        board_tick(board);
    }
    board->time = end;
}

void board_finish(struct board *board, bool sealed)
{
    uint64_t turns = (board->used + board->slots - 1) / board->slots;
    for (uint32_t i = 0; i < board->chunks && i < turns; i++) {
        struct bytes image = image_of(board, i);
        uint32_t lap = (uint32_t)((turns - 1 - i) / board->chunks) + 1;
        bool open = (turns - 1) % board->chunks == i;
        set_cursor(image, lap, open ? (uint32_t)((board->used - 1) % board->slots) + 2 : board->slots + 1);
        put32(image.data + CHUNK_EXTRA, board->extra[i]);
        if (sealed)
            fix_seal(image.data);
    }
}

/* ---- the decoder ------------------------------------------------------------------------------------------------- */

/* Decode with messages, which are put into text. */
static void decode_aloud(struct decoded *decoded, struct bytes dump, char *text, size_t room)
{
    int file = memfd_create("messages", 0), was = dup(STDERR_FILENO);
    ssize_t n;
    assert_true(file >= 0 && was >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    decode_is_quiet = false;
    decode_bytes(decoded, dump);
    decode_is_quiet = true;
    fflush(stderr);
    dup2(was, STDERR_FILENO);
    n = pread(file, text, room - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(file);
    close(was);
}

/* Add up what the notes tell. */
static void read_notes(struct outcome *outcome)
{
    const char *unseen = "wrapped unseen ", *least = "at least ";
    for (const char *at = outcome->text; (at = strstr(at, unseen)) != NULL; outcome->notes++) {
        at += strlen(unseen);
        if (strncmp(at, least, strlen(least)) == 0)
            outcome->least += strtoull(at + strlen(least), NULL, 10);
        else
            outcome->exact += strtoull(at, NULL, 10);
    }
}

/* What the firmware's count lacked so far, as decoded. */
struct lack {
    int64_t wraps;    /* at the last record */
    uint64_t marked;  /* wraps that were marked behind it */
    int64_t last;     /* at the last traceevent behind it */
    uint64_t time;    /* of that */
    uint64_t between; /* wraps that were marked between the two */
};

/* Compare with the marks, at a record or at the end. In between, a slot of no event may have told that the firmware has
 * counted all. */
static void settle(struct outcome *outcome, struct lack *lack, int64_t wraps, uint64_t marked)
{
    outcome->untold += wraps > lack->wraps && (uint64_t)(wraps - lack->wraps) != marked && (uint64_t)wraps != marked;
    *lack = (struct lack){.wraps = wraps};
}

/* Go on with an event. A traceevent has no count in the dump: what stands behind it tells whether wraps were added. */
static void take(const struct board *board, struct outcome *outcome, const struct item *item, struct lack *lack)
{
    bool record = item->code != ITEM_TRACEEVENT;
    uint64_t number = record ? item->par2 : item->count & UINT32_MAX;
    int64_t wraps;
    assert_true(number < board->n);
    wraps = (int64_t)(item->time - board->told[number]) / (int64_t)WRAP;
    wraps = wraps < 0 ? 0 : wraps; /* of a traceevent, whose lap tells no count any more */
    outcome->kept++;
    outcome->wrong += board->times[number] != item->time;
    if (record) {
        settle(outcome, lack, wraps, lack->marked);
        return;
    }
    if (wraps < lack->last)
        *lack = (struct lack){.wraps = wraps};
    lack->last = wraps;
    lack->time = item->time;
    lack->between = lack->marked;
}

struct outcome board_decode(const struct board *board, struct bytes dump)
{
    struct outcome outcome = {0};
    struct decoded decoded;
    struct lack lack = {0};
    decode_aloud(&decoded, dump, outcome.text, sizeof outcome.text);
    for (size_t i = 0; i < decoded.list.n; i++) {
        const struct item *item = &decoded.list.item[i];
        outcome.set_back += item->code == ITEM_SET_BACK;
        if (item->code == ITEM_MARK) {
            outcome.marks++;
            outcome.wraps += item->par2;
            lack.marked += item->par2;
        } else if (item->code == 0x09 || item->code == ITEM_TRACEEVENT) {
            take(board, &outcome, item, &lack);
        }
    }
    if (lack.time / WRAP > board->halves / 2) /* else the last slots tell that count */
        settle(&outcome, &lack, lack.last, lack.between);
    outcome.damaged = decoded.trace.counts.gaps + decoded.trace.counts.damaged;
    read_notes(&outcome);
    decoded_free(&decoded);
    return outcome;
}
