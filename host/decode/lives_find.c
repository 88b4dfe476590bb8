/* lives_find.c - finds the lives of numbers: see lives.h. Reads all events in the order of time, and keeps for each
 * number what was known of it last.
 */
#include "base/heap.h"
#include "base/bytes.h"
#include "base/sort.h"
#include "decode/lives.h"
#include "decode/map.h"
#include "decode/queue.h"
#include "decode/source.h"
#include "model/known.h"

#include <string.h>

enum {
    FIRST_SIZE = 64,        /* of the hash table */
    NUMBERS_MOST = 1 << 17, /* that are followed: a damaged input may have any */
    LIVES_MOST = 1 << 20,   /* of all numbers */
};

/* What is known of a number. */
struct number {
    decode_lives_key_t key;
    bool is_created; /* its first life begins in the trace */
    bool has_ended;
    uint64_t begin, end; /* when the first life began, and the last one ended */
    const char *name;    /* of a task whose only life begins in the trace; NULL: of others */
    uint32_t row;        /* the number of the task in whose row it is shown; 0: in its own */
    size_t n, room;
    struct decode_life *life; /* n of them, behind the first one */
};

struct finder {
    struct number **table; /* size of them, a power of two; n are used */
    size_t size, n, lives;
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Where the number is, or the free place where it would be. */
static struct number **find(struct number **table, size_t size, decode_lives_key_t key)
{
    size_t at = (size_t)((key ^ key >> 32) * 0x9E3779B97F4A7C15u >> 32) & (size - 1u);
    while (table[at] != NULL && table[at]->key != key)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct finder *finder)
{
    size_t size = finder->size > 0 ? 2u * finder->size : FIRST_SIZE;
    struct number **table = heap_calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < finder->size; i++) {
        if (finder->table[i] != NULL)
            *find(table, size, finder->table[i]->key) = finder->table[i];
    }
    heap_free(finder->table);
    finder->table = table;
    finder->size = size;
    return true;
}

/* Add a number, of which an event with that meaning and time is the first to tell. False: no memory. Further ones than
 * NUMBERS_MOST are left out. */
static bool add(struct finder *finder, decode_lives_key_t key, enum tlog_meaning means, uint64_t time)
{
    struct number *number;
    if (finder->n == NUMBERS_MOST)
        return true;
    if (2u * finder->n >= finder->size && !grow(finder))
        return false;
    number = heap_calloc(1, sizeof *number);
    if (number == NULL)
        return false;
    *number = (struct number){.key = key, .is_created = means == TLOG_MEANS_CREATE, .begin = time};
    *find(finder->table, finder->size, key) = number;
    finder->n++;
    return true;
}

/* A life begins that is not the number's first one. False: no memory. */
static bool begin_life(struct finder *finder, struct number *number, const struct decode_life *life)
{
    struct decode_life *lives;
    number->has_ended = false;
    if (finder->lives == LIVES_MOST)
        return true;
    lives = heap_grow(number->life, number->n, &number->room, sizeof *lives);
    if (lives == NULL)
        return false;
    number->life = lives;
    lives[number->n++] = *life;
    finder->lives++;
    return true;
}

/* Whether an event with that meaning tells that what its first field is the number of is there, or was. Others, which
 * only name it, may come ahead of its creation. The mapping looks at the same ones (map_event.c). */
static bool tells_of_life(enum tlog_meaning means)
{
    return means == TLOG_MEANS_CREATE || means == TLOG_MEANS_END || means == TLOG_MEANS_SWITCH
           || means == TLOG_MEANS_SWITCH_OF || means == TLOG_MEANS_WAKE || means == TLOG_MEANS_BLOCK
           || means == TLOG_MEANS_LOCK;
}

/* An event tells of a number. Behind the end of a task a wake-up tells that another one has its number, whose creation
 * is missing. False: no memory. */
static bool note(struct finder *finder, decode_lives_key_t key, enum tlog_meaning means, const struct decode_life *at)
{
    struct number *number = finder->size > 0 ? *find(finder->table, finder->size, key) : NULL;
    if (number == NULL && !tells_of_life(means))
        return true;
    if (number == NULL)
        return add(finder, key, means, at->time);
    if (means == TLOG_MEANS_CREATE || (means == TLOG_MEANS_WAKE && number->has_ended))
        return begin_life(finder, number, at);
    number->has_ended |= means == TLOG_MEANS_END;
    number->end = means == TLOG_MEANS_END ? at->time : number->end;
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Take the lane's next event. 0, or -1 after trace_fail(). */
static int take(struct finder *finder, struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    const struct tlog_event *event = &lane->in.event[lane->at++];
    const struct tlog_type *type = source->trace.types[event->type];
    struct decode_life at = {event->time, lane->lives.events++, cpu, 0};
    decode_lives_key_t key;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (decode_lives_field(event, type, i, &key)
            && !note(finder, key, i == 0 ? type->means : TLOG_MEANS_PLAIN, &at))
            return trace_fail(&source->trace, "%s: no memory for lives of tasks", source->trace.input_name);
    }
    return 0;
}

/* Get the CPU's next event, if the one before was its last. 1; 0 at the end; -1 after trace_fail(). */
static int fill(struct decode_source *source, unsigned cpu)
{
    return decode_lane_has_event(&source->lanes[cpu]) ? 1 : decode_source_fill(source, cpu);
}

static int take_all(struct finder *finder, struct decode_source *source, struct decode_queue *queue)
{
    if (decode_queue_fill(queue, source, fill) != 0)
        return -1;
    while (queue->n > 0) {
        unsigned cpu = queue->at[0].cpu;
        uint64_t until = decode_queue_second(queue);
        int got = 1;
        do {
            if (take(finder, source, cpu) != 0 || (got = fill(source, cpu)) < 0)
                return -1;
        } while (got > 0 && decode_lane_time(&source->lanes[cpu]) < until);
        decode_queue_next(queue, got > 0, &source->lanes[cpu]);
    }
    return 0;
}

/* ---- rows of short lives ------------------------------------------------------------------------------------------
 * Of tasks that have one name and live one after the other, as those that do one job each, viewers would show a row
 * each. They share the row of the first one. Only tasks that were created in the trace do: of others it is not known
 * that they are not the same one. And only numbers with one life: of several the last one alone has the name.
 */

enum { ROWS_MOST = 16 }; /* of one name that are looked through for a free one */

/* Numbers without a name come last. */
static int name_order(const void *a, const void *b)
{
    const struct number *left = *(struct number *const *)a, *right = *(struct number *const *)b;
    int order = (left->name == NULL) - (right->name == NULL);
    if (order == 0 && left->name != NULL)
        order = strcmp(left->name, right->name);
    if (order == 0)
        order = (left->begin > right->begin) - (left->begin < right->begin);
    return order != 0 ? order : (left->key > right->key) - (left->key < right->key);
}

static void take_name(struct number *number, const struct trace *trace)
{
    bool is_task = number->key >> 32 == TRACE_NAME_TASK;
    if (is_task && number->is_created && number->n == 0)
        number->name = trace_name(trace, TRACE_NAME_TASK, (uint32_t)number->key);
}

/* Put a task in the row of one that has ended before it began. Else it has a row of its own, the last one, which
 * nrows counts. Returns whether it shares one. */
static bool find_row(struct number *task, struct number *row[ROWS_MOST], size_t *nrows)
{
    for (size_t i = 0; i < *nrows; i++) {
        if (!row[i]->has_ended || row[i]->end > task->begin)
            continue;
        task->row = row[i]->row != 0 ? row[i]->row : (uint32_t)row[i]->key;
        row[i] = task;
        return true;
    }
    if (*nrows < ROWS_MOST)
        row[(*nrows)++] = task;
    return false;
}

/* Returns how many tasks share another one's row. */
static size_t share_rows(struct finder *finder, const struct trace *trace)
{
    struct number *row[ROWS_MOST];
    size_t nrows = 0, n = 0;
    for (size_t i = 0; i < finder->size; i++)
        take_name(finder->table[i], trace);
    sort(finder->table, finder->size, sizeof *finder->table, name_order);
    for (size_t i = 0; i < finder->size && finder->table[i]->name != NULL; i++) {
        if (i > 0 && strcmp(finder->table[i]->name, finder->table[i - 1u]->name) != 0)
            nrows = 0;
        n += find_row(finder->table[i], row, &nrows);
    }
    return n;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static int key_order(const void *a, const void *b)
{
    decode_lives_key_t left = (*(struct number *const *)a)->key, right = (*(struct number *const *)b)->key;
    return (left > right) - (left < right);
}

/* Leave no free places in the table, so that nothing can be found there any more. */
static void close_up(struct finder *finder)
{
    size_t n = 0;
    for (size_t i = 0; i < finder->size; i++) {
        if (finder->table[i] != NULL)
            finder->table[n++] = finder->table[i];
    }
    finder->size = n;
}

/* Hand on the numbers that have several lives, or are shown in another one's row. 0, or -1: no memory. */
static int hand_on(struct finder *finder, const struct trace *trace, struct decode_source *source)
{
    close_up(finder);
    if (share_rows(finder, trace) + finder->lives == 0)
        return 0;
    source->lives = decode_lives_new();
    if (source->lives == NULL)
        return -1;
    sort(finder->table, finder->size, sizeof *finder->table, key_order);
    for (size_t i = 0; i < finder->size; i++) {
        const struct number *number = finder->table[i];
        struct decode_life only = {0, 0, 0, number->row};
        if (number->row != 0 && decode_lives_add(source->lives, number->key, &only, 1) != 0)
            return -1;
        if (number->n > 0 && decode_lives_add(source->lives, number->key, number->life, number->n) != 0)
            return -1;
    }
    return 0;
}

static void release(struct finder *finder)
{
    for (size_t i = 0; i < finder->size; i++) {
        if (finder->table[i] != NULL)
            heap_free(finder->table[i]->life);
        heap_free(finder->table[i]);
    }
    heap_free(finder->table);
}

/* Read all events of a second source of the same input. 0, or -1 after trace_fail() of its trace. */
static int read_all(struct finder *finder, struct decode_source *second)
{
    struct decode_queue queue = {NULL, 0};
    int result = decode_source_start(second);
    if (result != 0 || second->trace.mapped)
        return result;
    queue.at = heap_calloc(second->trace.ncpus + 1u, sizeof *queue.at);
    result = queue.at != NULL ? take_all(finder, second, &queue)
                              : trace_fail(&second->trace, "no memory for %u CPUs", second->trace.ncpus);
    heap_free(queue.at);
    return result;
}

int decode_lives_find(struct decode_source *source)
{
    struct decode_source *second = heap_calloc(1, sizeof *second);
    struct finder finder = {NULL, 0, 0, 0};
    source->knows_lives = true;
    if (second == NULL)
        return trace_fail(&source->trace, "%s: no memory", source->trace.input_name);
    decode_source_repeat(second, source, source->request);
    second->knows_lives = true;
    if (read_all(&finder, second) != 0)
        trace_fail(&source->trace, "%s", second->trace.failed ? second->trace.error : "cannot be read twice");
    else if (!second->trace.mapped && hand_on(&finder, &second->trace, source) != 0)
        trace_fail(&source->trace, "%s: no memory for lives of tasks", source->trace.input_name);
    source->ncpus = second->trace.ncpus;
    release(&finder);
    decode_source_release_repeated(second);
    heap_free(second);
    return source->trace.failed ? -1 : 0;
}
