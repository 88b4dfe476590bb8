/* hits_set.c - implements hits_set.h: a hash table with open addressing, at most half full. */
#include "hits_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (memory != NULL)
        return memory;
    perror("hit maps");
    exit(2);
}

static size_t place_of(const struct hits_set *set, const uint32_t *prefix)
{
    uint32_t hash = prefix[0] * 0x9E3779B1u ^ prefix[1] * 0x85EBCA77u ^ prefix[HITS_CALL] * 0xC2B2AE3Du;
    size_t at = (hash ^ hash >> 15) & (set->room - 1u);
    while (set->rows[at] != NULL && memcmp(set->rows[at]->prefix, prefix, sizeof(set->rows[at]->prefix)) != 0)
        at = (at + 1u) & (set->room - 1u);
    return at;
}

static void grow(struct hits_set *set)
{
    struct hits_set bigger = {NULL, set->room ? set->room * 2u : 1024u, set->used};
    bigger.rows = must(calloc(bigger.room, sizeof(*bigger.rows)));
    for (size_t i = 0; i < set->room; i++)
        if (set->rows[i] != NULL)
            bigger.rows[place_of(&bigger, set->rows[i]->prefix)] = set->rows[i];
    free(set->rows);
    *set = bigger;
}

struct hits_row *hits_set_row(struct hits_set *set, const uint32_t *prefix)
{
    if (set->used * 2u >= set->room)
        grow(set);
    struct hits_row **row = &set->rows[place_of(set, prefix)];
    if (*row == NULL) {
        *row = must(calloc(1, sizeof(**row)));
        memcpy((*row)->prefix, prefix, sizeof((*row)->prefix));
        set->used++;
    }
    return *row;
}

void hits_set_add(struct hits_set *set, const struct hits_row *row)
{
    struct hits_row *sum = hits_set_row(set, row->prefix);
    for (int i = 0; i < HITS_WORDS; i++)
        sum->bits[i] |= row->bits[i];
}

bool hits_set_read(struct hits_set *set, const char *path)
{
    static struct hits_row row;
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        while (fread(&row, sizeof(row), 1, file) == 1)
            hits_set_add(set, &row);
    if (file != NULL && !ferror(file) && fclose(file) == 0)
        return true;
    perror(path);
    return false;
}

bool hits_set_write(const struct hits_set *set, const char *path)
{
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file != NULL && i < set->room; i++)
        if (set->rows[i] != NULL)
            fwrite(set->rows[i], sizeof(*set->rows[i]), 1, file);
    if (file != NULL && !ferror(file) && fclose(file) == 0)
        return true;
    perror(path);
    return false;
}
