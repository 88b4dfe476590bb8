/* table.c - see table.h. */
#include "answer/table.h"

#include "base/heap.h"
#include "base/sort.h"

enum { PLACES_FIRST = 64 };

/* The place of a key's element, or the free one where it belongs. The multiplier, 2^64 divided by the golden ratio,
 * spreads keys that follow each other. */
static uint32_t *place_of(const struct table *table, uint64_t key)
{
    uint64_t hash = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 32) & (table->places - 1u);
    while (table->place[at] != 0 && *(uint64_t *)table->element[table->place[at] - 1u] != key)
        at = (at + 1u) & (table->places - 1u);
    return &table->place[at];
}

/* Double the places. False: there is no memory, and the table is as before. */
static bool grow(struct table *table)
{
    size_t places = table->places > 0 ? table->places * 2u : PLACES_FIRST;
    uint32_t *place = heap_calloc(places, sizeof *place);
    void **element = heap_realloc(table->element, places / 2u * sizeof *element);
    table->element = element != NULL ? element : table->element;
    if (place == NULL || element == NULL) {
        heap_free(place);
        return false;
    }
    heap_free(table->place);
    table->place = place;
    table->places = places;
    for (size_t i = 0; i < table->n; i++)
        *place_of(table, *(uint64_t *)table->element[i]) = (uint32_t)(i + 1u);
    return true;
}

static void *add(struct table *table, uint64_t key)
{
    uint64_t *element;
    if (table->n == table->most || (table->n == table->places / 2u && !grow(table))) {
        table->is_full = true;
        return NULL;
    }
    element = heap_calloc(1, table->size);
    if (element == NULL)
        return NULL;
    *element = key;
    *place_of(table, key) = (uint32_t)(table->n + 1u);
    table->element[table->n++] = element;
    return element;
}

void *table_find(const struct table *table, uint64_t key)
{
    const uint32_t *place = table->places > 0 ? place_of(table, key) : NULL;
    return place != NULL && *place != 0 ? table->element[*place - 1u] : NULL;
}

void *table_at(struct table *table, uint64_t key)
{
    uint32_t *place = table->places > 0 ? place_of(table, key) : NULL;
    return place != NULL && *place != 0 ? table->element[*place - 1u] : add(table, key);
}

void table_sort(struct table *table, int (*order)(const void *a, const void *b))
{
    if (table->n > 0)
        sort(table->element, table->n, sizeof *table->element, order);
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->n; i++)
        heap_free(table->element[i]);
    heap_free(table->element);
    heap_free(table->place);
    *table = (struct table){.size = table->size, .most = table->most};
}
