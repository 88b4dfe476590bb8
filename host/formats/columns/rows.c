/* rows.c - see rows.h. */
#include "formats/columns/rows.h"

#include "base/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct columns_key {
    uint64_t key;
    struct columns_row *row;
};

const struct columns_layout columns_row_layout[COLUMNS_KINDS] = {
    [COLUMNS_CPU] = {{"start", "end", "what"}, {COLUMN_TIME, COLUMN_TIME, COLUMN_U32}, 3},
    [COLUMNS_TASK] = {{"start", "end", "what", "state"}, {COLUMN_TIME, COLUMN_TIME, COLUMN_U32, COLUMN_U8}, 4},
    [COLUMNS_IRQ] = {{"start", "end", "what", "state", "flags"},
                     {COLUMN_TIME, COLUMN_TIME, COLUMN_U32, COLUMN_U8, COLUMN_U8},
                     5},
    [COLUMNS_MUTEX] = {{"start", "end", "what", "flags"}, {COLUMN_TIME, COLUMN_TIME, COLUMN_U32, COLUMN_U8}, 4},
    [COLUMNS_COUNTER] = {{"start", "value"}, {COLUMN_TIME, COLUMN_REAL}, 2},
    [COLUMNS_SPAN] = {{"start", "end", "what", "state"}, {COLUMN_TIME, COLUMN_TIME, COLUMN_U32, COLUMN_U8}, 4},
    [COLUMNS_LOG] = {{"start", "what"}, {COLUMN_TIME, COLUMN_U32}, 2},
};
const struct columns_layout columns_events_layout = {
    {"time", "row", "text", "type", "cpu", "flags"},
    {COLUMN_TIME, COLUMN_U32, COLUMN_U32, COLUMN_U16, COLUMN_U16, COLUMN_U8},
    6};
const struct columns_layout columns_gaps_layout = {
    {"start", "end", "count", "cpu", "kind"}, {COLUMN_TIME, COLUMN_TIME, COLUMN_REAL, COLUMN_U16, COLUMN_U8}, 5};
const struct columns_layout columns_wakes_layout = {{"time", "from", "to"}, {COLUMN_TIME, COLUMN_U32, COLUMN_U32}, 3};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Make room for one more row. False: no memory. */
static bool make_room(struct columns_state *state)
{
    struct columns_row **row = heap_grow(state->row, state->nrows, &state->rows_room, sizeof *state->row);
    state->row = row != NULL ? row : state->row;
    return row != NULL;
}

struct columns_row *columns_row_new(struct columns_state *state, enum columns_kind kind, int64_t cpu, uint64_t number)
{
    struct columns_row *row;
    if (state->nrows >= COLUMNS_ROWS_MOST + state->trace->ncpus) {
        state->rows_missed++;
        return NULL;
    }
    row = make_room(state) ? heap_calloc(1, sizeof *row) : NULL;
    if (row == NULL) {
        trace_fail(state->trace, "no memory for rows");
        return NULL;
    }
    row->index = state->nrows;
    row->kind = kind;
    row->cpu = cpu;
    row->parent = cpu >= 0 && kind != COLUMNS_CPU ? state->lane[cpu].row->index : COLUMNS_NO_ROW;
    row->number = number;
    row->naming = UINT32_MAX;
    row->store.layout = &columns_row_layout[kind];
    state->row[state->nrows++] = row;
    return row;
}

struct columns_row *columns_row_of_key(struct columns_state *state, enum columns_kind kind, uint64_t key, bool *is_new)
{
    struct columns_key *at = table_at(&state->keys, (uint64_t)kind << 60 | key);
    *is_new = false;
    if (at == NULL)
        state->rows_missed++;
    if (at == NULL || at->row != NULL)
        return at != NULL ? at->row : NULL;
    at->row = columns_row_new(state, kind, -1, 0);
    *is_new = at->row != NULL;
    return at->row;
}

struct columns_row *columns_task_row(struct columns_state *state, struct stat_task *task)
{
    struct columns_row *row = task->row;
    if (row != NULL)
        return row;
    row = task->row = columns_row_new(state, COLUMNS_TASK, -1, task->pid);
    if (row != NULL)
        row->of = task;
    return row;
}

struct columns_row *columns_mutex_row(struct columns_state *state, struct stat_mutex *mutex)
{
    struct columns_row *row = mutex->row;
    if (row != NULL)
        return row;
    row = mutex->row = columns_row_new(state, COLUMNS_MUTEX, -1, stat_number_of(state->stat, mutex->number));
    if (row == NULL)
        return NULL;
    row->of = mutex;
    row->board = columns_board_of(state, mutex->number);
    return row;
}

struct columns_row *columns_irq_row(struct columns_state *state, struct stat_irq *irq, unsigned cpu)
{
    struct columns_row *row = irq->row;
    while (row != NULL && row->cpu != (int64_t)cpu)
        row = row->next;
    if (row != NULL)
        return row;
    row = columns_row_new(state, COLUMNS_IRQ, cpu, irq->number);
    if (row == NULL)
        return NULL;
    row->of = irq;
    row->next = irq->row;
    irq->row = row;
    return row;
}

void columns_rows_free(struct columns_state *state)
{
    for (uint32_t i = 0; i < state->nrows; i++) {
        columns_store_free(&state->row[i]->store);
        heap_free(state->row[i]->open);
        heap_free(state->row[i]);
    }
    heap_free(state->row);
    table_free(&state->keys);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

unsigned columns_board_of(const struct columns_state *state, uint64_t number)
{
    return state->trace->boards != NULL ? (unsigned)(number >> STAT_NUMBER_BITS) : 0;
}

/* The name without the board. */
static const char *plain_name(const struct columns_state *state, const struct columns_row *row, char room[64])
{
    room[0] = '\0';
    switch (row->kind) {
    case COLUMNS_CPU:
        snprintf(room, 64, "CPU %" PRId64, row->cpu);
        break;
    case COLUMNS_TASK:
        return stat_task_name(state->stat, row->of, room);
    case COLUMNS_IRQ:
        stat_irq_name(state->stat, row->of, room);
        break;
    case COLUMNS_MUTEX:
        stat_mutex_name(state->stat, row->of, room);
        break;
    case COLUMNS_COUNTER:
        return counter_name(state->trace, (uint32_t)row->number);
    case COLUMNS_SPAN:
        return row->is_function ? "functions" : "spans";
    default:
        return "log";
    }
    return room;
}

const char *columns_row_name(const struct columns_state *state, const struct columns_row *row,
                             char room[COLUMNS_NAME_BYTES])
{
    char plain[64];
    const char *name = plain_name(state, row, plain);
    if (row->board > 0)
        snprintf(room, COLUMNS_NAME_BYTES, "%u:%.128s", row->board, name);
    else
        snprintf(room, COLUMNS_NAME_BYTES, "%.140s", name);
    return room;
}

uint32_t columns_row_string(struct columns_state *state, struct columns_row *row)
{
    char room[COLUMNS_NAME_BYTES];
    const char *name;
    if (row->naming == state->trace->naming)
        return row->what;
    name = columns_row_name(state, row, room);
    row->what = columns_string(&state->strings, name, strlen(name));
    row->naming = state->trace->naming;
    return row->what;
}

/* ---- intervals --------------------------------------------------------------------------------------------------- */

uint64_t columns_interval(struct columns_state *state, struct columns_row *row, uint64_t start, uint64_t end,
                          uint32_t what, unsigned value)
{
    struct columns_store *store = &row->store;
    uint32_t place = columns_add(store, &state->spill);
    if (place == UINT32_MAX)
        return UINT64_MAX;
    columns_set64(store, ROW_START, place, start);
    columns_set64(store, ROW_END, place, end > start ? end : start);
    columns_set32(store, ROW_WHAT, place, what);
    if (row->kind != COLUMNS_CPU)
        columns_set8(store, ROW_STATE, place, (uint8_t)value);
    if (row->kind == COLUMNS_IRQ)
        columns_set8(store, ROW_FLAGS, place, 0);
    return store->n - 1u;
}
