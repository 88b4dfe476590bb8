/* tree_list.h - what is in a directory at a moment, so that later only that is removed, and nothing that came since. */
#ifndef IO_TREE_LIST_H
#define IO_TREE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct tree_entry;

/* All 0 is an empty list. */
struct tree_list {
    struct tree_entry *entry; /* n of them, sorted by path: a directory comes before what is in it */
    size_t n;
};

/* List all that is in a directory and below it; links are listed, not followed. False with errno set, and what was
 * listed so far is to be freed. */
bool tree_list_read(struct tree_list *list, int directory);

/* Do both lists have the same files, and none has changed between them? */
bool tree_list_same(const struct tree_list *list, const struct tree_list *other);

/* Remove from a directory what is in the list and has not changed since, and directories that are empty then. Errors
 * are ignored. */
void tree_list_remove(const struct tree_list *list, int directory);

/* Free the list, which is empty then. */
void tree_list_free(struct tree_list *list);

#endif
