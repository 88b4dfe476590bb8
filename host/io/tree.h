/* tree.h - directories with all that is in them. A tree is listed, and later only what is in the list is removed, so
 * that what has come since stays. */
#ifndef IO_TREE_H
#define IO_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_entry;

/* All 0 is an empty list. */
struct tree_list {
    struct tree_entry *entry; /* n of them, sorted by path: a directory comes before what is in it */
    size_t n;
};

/* List all that is in a directory and below it; links are listed, not followed. False with errno set; the list has what
 * was found so far, and must be freed. */
bool tree_list_read(struct tree_list *list, int directory);

/* Whether both lists have the same files, none of which has changed between them. */
bool tree_list_same(const struct tree_list *list, const struct tree_list *other);

/* Remove from a directory what is in the list and has not changed since, and directories that are empty then. Errors
 * are ignored. */
void tree_list_remove(const struct tree_list *list, int directory);

/* The path of the i-th entry, if it is a regular file; else NULL. */
const char *tree_list_file(const struct tree_list *list, size_t i);

/* Bytes of the files in the list. */
uint64_t tree_list_bytes(const struct tree_list *list);

/* Free the list, which is empty then. */
void tree_list_free(struct tree_list *list);

#endif
