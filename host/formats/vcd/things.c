/* things.c - see things.h. Things are in a hash table by key; each stays where it is in memory. */
#include "formats/vcd/things.h"

#include "base/sort.h"

#include <stdlib.h>

enum { FIRST_SIZE = 64 };

struct vcd_things {
    struct vcd_thing **table; /* size of them, a power of two; n are used */
    size_t size, n;
};

struct vcd_things *vcd_things_new(void)
{
    struct vcd_things *things = calloc(1, sizeof *things);
    if (things == NULL)
        return NULL;
    things->size = FIRST_SIZE;
    things->table = calloc(FIRST_SIZE, sizeof *things->table);
    if (things->table != NULL)
        return things;
    free(things);
    return NULL;
}

void vcd_things_free(struct vcd_things *things)
{
    if (things == NULL)
        return;
    for (size_t i = 0; i < things->size; i++)
        free(things->table[i]);
    free(things->table);
    free(things);
}

/* Where the thing is, or the free place where it would be. */
static struct vcd_thing **find(struct vcd_thing **table, size_t size, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & (size - 1u);
    while (table[at] != NULL && table[at]->key != key)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct vcd_things *things)
{
    size_t size = 2 * things->size;
    struct vcd_thing **table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < things->size; i++) {
        if (things->table[i] != NULL)
            *find(table, size, things->table[i]->key) = things->table[i];
    }
    free(things->table);
    things->table = table;
    things->size = size;
    return true;
}

struct vcd_thing *vcd_thing(struct vcd *vcd, uint64_t key, unsigned ids)
{
    struct vcd_things *things = vcd->things;
    struct vcd_thing *thing = *find(things->table, things->size, key);
    if (thing != NULL)
        return thing;
    if (things->n == VCD_THINGS_MOST) {
        vcd->left_out++;
        return NULL;
    }
    thing = calloc(1, sizeof *thing);
    if (thing == NULL || (2 * things->n >= things->size && !grow(things))) {
        free(thing);
        trace_fail(vcd->trace, "no memory for variables");
        return NULL;
    }
    thing->key = key;
    thing->first = vcd->ids;
    thing->initial = 'x';
    vcd->ids += ids;
    things->n++;
    *find(things->table, things->size, key) = thing;
    return thing;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = (*(struct vcd_thing *const *)a)->key, y = (*(struct vcd_thing *const *)b)->key;
    return (x > y) - (x < y);
}

struct vcd_thing **vcd_things_sorted(struct vcd_things *things, size_t *n)
{
    size_t used = 0;
    for (size_t i = 0; i < things->size; i++) {
        struct vcd_thing *thing = things->table[i];
        things->table[i] = NULL;
        if (thing != NULL)
            things->table[used++] = thing;
    }
    sort(things->table, used, sizeof *things->table, by_key);
    *n = used;
    return things->table;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

void vcd_unlist(struct vcd_thing *thing)
{
    if (thing->place == NULL)
        return;
    *thing->place = thing->next;
    if (thing->next != NULL)
        thing->next->place = thing->place;
    thing->place = NULL;
}

void vcd_know(struct vcd_thing **list, struct vcd_thing *thing)
{
    if (thing->place != NULL)
        return;
    thing->next = *list;
    if (thing->next != NULL)
        thing->next->place = &thing->next;
    thing->place = list;
    *list = thing;
}
