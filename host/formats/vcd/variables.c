/* variables.c - see variables.h. Entities stay where they are in memory; a hash table finds them by key. */
#include "formats/vcd/variables.h"

#include "base/heap.h"
#include "base/sort.h"
#include "io/output.h"
#include "model/module.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    FIRST_SIZE = 64,  /* of the hash table */
    ESCAPED_MOST = 4, /* characters of an escaped byte: \303 */
    VALUE_MOST = 128, /* of a time and a value that is no text */
};

/* ---- entities ---------------------------------------------------------------------------------------------------- */

struct vcd_entities {
    struct vcd_entity **table; /* size of them, a power of two; n are used */
    size_t size, n;
};

struct vcd_entities *vcd_entities_new(void)
{
    struct vcd_entities *entities = heap_calloc(1, sizeof *entities);
    if (entities == NULL)
        return NULL;
    entities->size = FIRST_SIZE;
    entities->table = heap_calloc(FIRST_SIZE, sizeof *entities->table);
    if (entities->table != NULL)
        return entities;
    heap_free(entities);
    return NULL;
}

void vcd_entities_free(struct vcd_entities *entities)
{
    if (entities == NULL)
        return;
    for (size_t i = 0; i < entities->size; i++)
        heap_free(entities->table[i]);
    heap_free(entities->table);
    heap_free(entities);
}

/* Where the entity is, or the free place where it would be. */
static struct vcd_entity **find(struct vcd_entity **table, size_t size, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (size - 1u);
    while (table[at] != NULL && table[at]->key != key)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct vcd_entities *entities)
{
    size_t size = 2 * entities->size;
    struct vcd_entity **table = heap_calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < entities->size; i++) {
        if (entities->table[i] != NULL)
            *find(table, size, entities->table[i]->key) = entities->table[i];
    }
    heap_free(entities->table);
    entities->table = table;
    entities->size = size;
    return true;
}

struct vcd_entity *vcd_entity_of(struct vcd *vcd, uint64_t key, unsigned ids)
{
    struct vcd_entities *entities = vcd->entities;
    struct vcd_entity *entity = *find(entities->table, entities->size, key);
    if (entity != NULL || ids == 0)
        return entity;
    if (entities->n == VCD_ENTITIES_MOST) {
        vcd->no_room = true;
        return NULL;
    }
    entity = heap_calloc(1, sizeof *entity);
    if (entity == NULL || (2 * entities->n >= entities->size && !grow(entities))) {
        heap_free(entity);
        trace_fail(vcd->trace, "no memory for variables");
        return NULL;
    }
    entity->key = key;
    entity->first = vcd->ids;
    entity->initial = 'x';
    vcd->ids += ids;
    entities->n++;
    *find(entities->table, entities->size, key) = entity;
    return entity;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = (*(struct vcd_entity *const *)a)->key, y = (*(struct vcd_entity *const *)b)->key;
    return (x > y) - (x < y);
}

struct vcd_entity **vcd_entities_sorted(struct vcd_entities *entities, size_t *n)
{
    size_t used = 0;
    for (size_t i = 0; i < entities->size; i++) {
        struct vcd_entity *entity = entities->table[i];
        entities->table[i] = NULL;
        if (entity != NULL)
            entities->table[used++] = entity;
    }
    sort(entities->table, used, sizeof *entities->table, by_key);
    *n = used;
    return entities->table;
}

void vcd_untrack(struct vcd_entity *entity)
{
    if (entity->place == NULL)
        return;
    *entity->place = entity->next;
    if (entity->next != NULL)
        entity->next->place = entity->place;
    entity->place = NULL;
}

void vcd_track(struct vcd_entity **list, struct vcd_entity *entity)
{
    if (entity->place != NULL)
        return;
    entity->next = *list;
    if (entity->next != NULL)
        entity->next->place = &entity->next;
    entity->place = list;
    *list = entity;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

int vcd_flush(struct vcd *vcd)
{
    size_t used = (size_t)(vcd->at - vcd->buffer);
    vcd->at = vcd->buffer;
    return vcd->trace->failed ? -1 : output_put(vcd->trace, vcd->to, vcd->buffer, used);
}

char *vcd_room(struct vcd *vcd, size_t bytes)
{
    if (bytes > (size_t)(vcd->buffer + VCD_BUFFER - vcd->at))
        vcd_flush(vcd);
    return vcd->at;
}

void vcd_set_time(struct vcd *vcd, uint64_t time)
{
    time /= vcd->unit;
    if (!vcd->begun)
        vcd->first = vcd->stamped = vcd->now = time;
    vcd->begun = true;
    vcd->now = time > vcd->now ? time : vcd->now;
}

void vcd_stamp(struct vcd *vcd)
{
    char *to = vcd_room(vcd, VALUE_MOST);
    if (vcd->stamped == vcd->now)
        return;
    vcd->stamped = vcd->now;
    *to++ = '#';
    to = put_unsigned(to, vcd->now);
    *to++ = '\n';
    vcd->at = to;
}

/* Room for that many bytes of a value, after the time if that is new. So a time without values is not written. */
static char *begin(struct vcd *vcd, size_t bytes)
{
    vcd_stamp(vcd);
    return vcd_room(vcd, bytes + VALUE_MOST);
}

static void end(struct vcd *vcd, char *to, uint32_t id)
{
    to = vcd_put_code(to, id);
    *to++ = '\n';
    vcd->at = to;
}

void vcd_wire(struct vcd *vcd, uint32_t id, char value)
{
    char *to = begin(vcd, 0);
    *to++ = value;
    end(vcd, to, id);
}

void vcd_trigger(struct vcd *vcd, uint32_t id)
{
    if (!vcd->only_wires)
        vcd_wire(vcd, id, '1');
}

/* Leading zeros are left out: viewers add them. */
void vcd_number(struct vcd *vcd, uint32_t id, uint64_t value)
{
    static const char fours[] = "0000000100100011010001010110011110001001101010111100110111101111";
    int shift = value != 0 ? (63 - __builtin_clzll(value)) & ~3 : 0;
    const char *first = &fours[4u * (value >> shift & 15u)];
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, 0);
    *to++ = 'b';
    while (*first == '0' && (size_t)(first - fours) % 4u < 3u)
        first++;
    to = put_bytes(to, first, 4u - (size_t)(first - fours) % 4u);
    for (shift -= 4; shift >= 0; shift -= 4)
        to = put_bytes(to, &fours[4u * (value >> shift & 15u)], 4);
    *to++ = ' ';
    end(vcd, to, id);
}

void vcd_real(struct vcd *vcd, uint32_t id, const char *text, size_t n)
{
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, n);
    *to++ = 'r';
    to = put_bytes(to, text, n);
    *to++ = ' ';
    end(vcd, to, id);
}

/* Blanks would end a string, and a backslash begins an escape. */
void vcd_text(struct vcd *vcd, uint32_t id, const char *text, size_t n)
{
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, ESCAPED_MOST * n);
    *to++ = 's';
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte > ' ' && byte < 0x7Fu && byte != '\\') {
            *to++ = (char)byte;
            continue;
        }
        *to++ = '\\';
        *to++ = (char)('0' + (byte >> 6));
        *to++ = (char)('0' + (byte >> 3 & 7u));
        *to++ = (char)('0' + (byte & 7u));
    }
    *to++ = ' ';
    end(vcd, to, id);
}

/* ---- the save file of GTKWave ------------------------------------------------------------------------------------ */

/* The file is lines. "[dumpfile]" and the like tell about the window; "*" and a number tell how much time is in view;
 * "@" and a hexadecimal number tell how the lines below are shown; "-" and a text are a heading; any other line is a
 * variable, by its scopes and its name. */

/* How GTKWave shows a line: bits of its trace flags. */
enum {
    DECIMAL = 0x4,
    BINARY = 0x8,
    AT_RIGHT = 0x20, /* the value, within its room */
    HEADING = 0x200,
    SIGNED = 0x400,
    AS_TEXT = 0x800,
    STEPS = 0x8000,  /* an analogue line that keeps each value until the next one */
    TALLER = 0x20000 /* no line of its own: the analogue line above is as much taller */
};

enum {
    WIDTH = 1400, /* of the window, in pixels */
    HEIGHT = 900,
    NAMES_WIDTH = 300, /* of the column of names and values */
    WAVES_WIDTH = 860, /* at least so much is left for the waves */
    STEP_WIDTH = 200,  /* GTKWave's zoom is the binary logarithm of the time that so many pixels have, below 0 */
};

struct vcd_session {
    struct vcd *vcd;
    char **name; /* by id, n of them; NULL: it is not shown */
    size_t n;
};

struct vcd_session *vcd_session_new(struct vcd *vcd)
{
    struct vcd_session *session = heap_calloc(1, sizeof *session);
    if (session != NULL) {
        session->vcd = vcd;
        session->n = vcd->ids;
        session->name = heap_calloc(vcd->ids + 1u, sizeof *session->name);
    }
    if (session != NULL && session->name != NULL)
        return session;
    heap_free(session);
    trace_fail(vcd->trace, "no memory for names of variables");
    return NULL;
}

void vcd_session_free(struct vcd_session *session)
{
    for (size_t i = 0; session != NULL && i < session->n; i++)
        heap_free(session->name[i]);
    if (session != NULL)
        heap_free(session->name);
    heap_free(session);
}

void vcd_session_name(struct vcd_session *session, uint32_t id, const char *name, const char *bits)
{
    size_t size = strlen(name) + strlen(bits) + 1u;
    char *copy = heap_alloc(size);
    if (copy == NULL) {
        trace_fail(session->vcd->trace, "no memory for names of variables");
        return;
    }
    snprintf(copy, size, "%s%s", name, bits);
    heap_free(session->name[id]);
    session->name[id] = copy;
}

const char *vcd_scope(enum vcd_kind kind)
{
    static const char *const scopes[VCD_KINDS] = {"cpus", "tasks", "interrupts", "mutexes", "counters", "events"};
    return scopes[kind];
}

/* Tasks of one board, for which the lowest priorities are the most important ones unless they are said to be the least.
 * Those whose priority is not known come last. */
static int compare_urgency(const struct vcd_entity *x, const struct vcd_entity *y, bool highest_first)
{
    if (x->has_priority != y->has_priority)
        return x->has_priority ? -1 : 1;
    if (x->has_priority && x->priority != y->priority)
        return (x->priority < y->priority) != highest_first ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int lowest_first(const void *a, const void *b)
{
    return compare_urgency(*(struct vcd_entity *const *)a, *(struct vcd_entity *const *)b, false);
}

static int highest_first(const void *a, const void *b)
{
    return compare_urgency(*(struct vcd_entity *const *)a, *(struct vcd_entity *const *)b, true);
}

static bool board_is_highest_first(const struct trace *trace, unsigned board)
{
    for (unsigned cpu = 0; trace->boards != NULL && cpu < trace->ncpus; cpu++) {
        if (trace->boards[cpu].number == board)
            return trace->boards[cpu].priority_order == TRACE_HIGHEST_FIRST;
    }
    return trace->priority_order == TRACE_HIGHEST_FIRST;
}

/* What a variable looks like: its place among the entity's variables, and its flags. 0: there is no further one. */
struct look {
    unsigned at, flags;
};

/* The parts of a board, from top to bottom. */
static const struct part {
    const char *heading;
    enum vcd_kind kind;
    struct look look[3];
} parts[] = {
    {"load", VCD_CPU, {{CPU_TASK, AS_TEXT | AT_RIGHT}, {CPU_IDLE, BINARY | AT_RIGHT}}},
    {"interrupts", VCD_IRQ, {{0, BINARY | AT_RIGHT}}},
    {"tasks, the most urgent one first", VCD_TASK, {{TASK_STATE, AS_TEXT | AT_RIGHT}, {TASK_RUNS, BINARY | AT_RIGHT}}},
    {"mutexes", VCD_MUTEX, {{MUTEX_LOCKED, BINARY | AT_RIGHT}, {MUTEX_OWNER, AS_TEXT | AT_RIGHT}}},
    {"counters", VCD_COUNTER, {{0, STEPS | SIGNED | AT_RIGHT}}},
    {"losses", VCD_CPU, {{CPU_LOST, DECIMAL | AT_RIGHT}, {CPU_GAPS, DECIMAL | AT_RIGHT}}},
};

static void put_variable(FILE *to, const struct vcd_session *session, const struct vcd_entity *entity,
                         const struct look *look)
{
    const char *name = session->name[entity->first + look->at];
    if (name == NULL)
        return;
    fprintf(to, "@%x\ntlog.", look->flags);
    if (vcd_board_of(entity) > 0)
        fprintf(to, "board%u.", vcd_board_of(entity));
    fprintf(to, "%s.%s\n", vcd_scope(vcd_kind_of(entity)), name);
    if (look->flags & STEPS)
        fprintf(to, "@%x\n-\n-\n", (unsigned)TALLER);
}

/* Put the part of a board that has n entities. */
static void put_part(FILE *to, const struct vcd_session *session, const struct part *part,
                     struct vcd_entity *const *entities, size_t n)
{
    unsigned board = n > 0 ? vcd_board_of(entities[0]) : 0;
    bool has_heading = false;
    for (size_t i = 0; i < n; i++) {
        if (vcd_kind_of(entities[i]) != part->kind)
            continue;
        if (!has_heading)
            fprintf(to, board > 0 ? "@%x\n-%s of board %u\n" : "@%x\n-%s\n", (unsigned)HEADING, part->heading, board);
        has_heading = true;
        for (const struct look *look = part->look; look->flags != 0; look++)
            put_variable(to, session, entities[i], look);
    }
}

/* Put a board, whose n entities are sorted by key. */
static void put_board(FILE *to, const struct vcd_session *session, struct vcd_entity **entities, size_t n)
{
    size_t begin = 0, end;
    while (begin < n && vcd_kind_of(entities[begin]) < VCD_TASK)
        begin++;
    for (end = begin; end < n && vcd_kind_of(entities[end]) == VCD_TASK;)
        end++;
    if (end > begin)
        sort(entities + begin, end - begin, sizeof *entities,
             board_is_highest_first(session->vcd->trace, vcd_board_of(entities[0])) ? highest_first : lowest_first);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        put_part(to, session, &parts[i], entities, n);
}

/* The binary logarithm of a number, in thousandths, at most 87 too large: between two powers of two a straight line
 * stands in for it, which is less than 87 below it. */
static unsigned logarithm(uint64_t of)
{
    unsigned whole = 63u - (unsigned)__builtin_clzll(of | 1u);
    uint64_t power = UINT64_C(1) << whole, rest = of > power ? of - power : 0;
    return whole * 1000u + (unsigned)(whole > 10 ? (rest >> (whole - 10u)) * 1000u >> 10 : rest * 1000u >> whole) + 87u;
}

/* Put the window, and how much time it shows: all, in whatever window of this size. */
static void put_window(FILE *to, const struct vcd *vcd)
{
    uint64_t steps = (vcd->now - vcd->first) / WAVES_WIDTH + 1u, most = UINT64_MAX / STEP_WIDTH;
    unsigned zoom = logarithm((steps < most ? steps : most) * STEP_WIDTH);
    fprintf(to, "[timestart] %" PRIu64 "\n[size] %d %d\n[pos] -1 -1\n*-%u.%03u -1\n", vcd->first, WIDTH, HEIGHT,
            zoom / 1000u, zoom % 1000u);
    fprintf(to, "[sst_width] 200\n[signals_width] %d\n[sst_expanded] 0\n", NAMES_WIDTH);
}

static void put_session(FILE *to, const struct vcd_session *session, const struct trace_session *of,
                        struct vcd_entity **entities, size_t n)
{
    fprintf(to, "[*]\n[*] tlog-decode\n[*]\n[dumpfile] \"%s\"\n[savefile] \"%s\"\n", of->output, of->path);
    put_window(to, session->vcd);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && vcd_board_of(entities[end]) == vcd_board_of(entities[begin]);)
            end++;
        put_board(to, session, entities + begin, end - begin);
    }
}

int vcd_session_write(const struct vcd_session *session, const struct trace_session *of, struct vcd_entity **entities,
                      size_t n)
{
    struct trace *trace = session->vcd->trace;
    FILE *to = os_stream(of->fd, "w");
    bool is_written;
    if (to == NULL)
        return trace_fail(trace, "%s: cannot write: %s", of->path, strerror(errno));
    put_session(to, session, of, entities, n);
    is_written = !ferror(to);
    is_written &= fclose(to) == 0;
    return is_written ? 0 : trace_fail(trace, "%s: cannot write: %s", of->path, strerror(errno));
}
