/* variables.c - see variables.h. Entities stay where they are in memory; a hash table finds them by key. */
#include "formats/vcd/variables.h"

#include "base/sort.h"
#include "io/output.h"

#include <stdlib.h>

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
    struct vcd_entities *entities = calloc(1, sizeof *entities);
    if (entities == NULL)
        return NULL;
    entities->size = FIRST_SIZE;
    entities->table = calloc(FIRST_SIZE, sizeof *entities->table);
    if (entities->table != NULL)
        return entities;
    free(entities);
    return NULL;
}

void vcd_entities_free(struct vcd_entities *entities)
{
    if (entities == NULL)
        return;
    for (size_t i = 0; i < entities->size; i++)
        free(entities->table[i]);
    free(entities->table);
    free(entities);
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
    struct vcd_entity **table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < entities->size; i++) {
        if (entities->table[i] != NULL)
            *find(table, size, entities->table[i]->key) = entities->table[i];
    }
    free(entities->table);
    entities->table = table;
    entities->size = size;
    return true;
}

struct vcd_entity *vcd_entity_of(struct vcd *vcd, uint64_t key, unsigned ids)
{
    struct vcd_entities *entities = vcd->entities;
    struct vcd_entity *entity = *find(entities->table, entities->size, key);
    if (entity != NULL)
        return entity;
    if (entities->n == VCD_ENTITIES_MOST) {
        vcd->left_out++;
        return NULL;
    }
    entity = calloc(1, sizeof *entity);
    if (entity == NULL || (2 * entities->n >= entities->size && !grow(entities))) {
        free(entity);
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
