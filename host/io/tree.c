/* tree.c - directories with all that is in them: see tree.h.
 *
 * A file counts as unchanged while its inode, and the time of that inode's last change, are the same; a directory while
 * its inode is the same, because the time changes with each file that is removed from it.
 */
#include "io/tree.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8u /* directories in directories; no format has as many */

struct tree_entry {
    char *path; /* below the directory */
    struct os_status status;
};

/* ---- making a list ----------------------------------------------------------------------------------------------- */

/* Add an entry; its path becomes the list's. False: no memory. */
static bool add(struct tree_list *list, char *path, const struct os_status *status)
{
    struct tree_entry *more = NULL;
    if (path != NULL)
        more = heap_realloc(list->entry, (list->n + 1u) * sizeof *more);
    if (more == NULL) {
        heap_free(path);
        return false;
    }
    list->entry = more;
    more[list->n++] = (struct tree_entry){.path = path, .status = *status};
    return true;
}

/* Add all that is in a directory, whose path is given, and below it. */
static bool add_all(struct tree_list *list, int directory, const char *path, unsigned depth)
{
    char **names = depth < DEPTH_MAX ? os_list(directory, path) : NULL;
    bool good = names != NULL;
    for (size_t i = 0; good && names[i] != NULL; i++) {
        struct growing_text name = {0};
        struct os_status status;
        text_add(&name, "%s%s%s", depth > 0 ? path : "", depth > 0 ? "/" : "", names[i]);
        good = !name.failed && os_status_in(directory, name.bytes, false, &status)
               && add(list, text_copy(name.bytes), &status);
        if (good && status.kind == OS_DIRECTORY)
            good = add_all(list, directory, name.bytes, depth + 1u);
        heap_free(name.bytes);
    }
    os_list_free(names);
    return good;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

bool tree_list_read(struct tree_list *list, int directory)
{
    errno = ELOOP;
    if (!add_all(list, directory, ".", 0))
        return false;
    if (list->n > 1)
        qsort(list->entry, list->n, sizeof list->entry[0], by_path);
    return true;
}

const char *tree_list_file(const struct tree_list *list, size_t i)
{
    return list->entry[i].status.kind == OS_FILE ? list->entry[i].path : NULL;
}

uint64_t tree_list_bytes(const struct tree_list *list)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->n; i++)
        bytes += list->entry[i].status.kind == OS_FILE ? list->entry[i].status.size : 0;
    return bytes;
}

void tree_list_free(struct tree_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        heap_free(list->entry[i].path);
    heap_free(list->entry);
    *list = (struct tree_list){0};
}

/* ---- using one --------------------------------------------------------------------------------------------------- */

static bool is_same(const struct os_status *a, const struct os_status *b)
{
    if (a->device != b->device || a->number != b->number || a->kind != b->kind)
        return false;
    return a->kind == OS_DIRECTORY
           || (a->change[0] == b->change[0] && a->change[1] == b->change[1] && a->size == b->size);
}

bool tree_list_same(const struct tree_list *list, const struct tree_list *other)
{
    if (list->n != other->n)
        return false;
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->entry[i].path, other->entry[i].path) != 0
            || !is_same(&list->entry[i].status, &other->entry[i].status))
            return false;
    }
    return true;
}

/* From the end on, so that a directory comes after what is in it. */
void tree_list_remove(const struct tree_list *list, int directory)
{
    for (size_t i = list->n; i-- > 0;) {
        const struct tree_entry *entry = &list->entry[i];
        struct os_status now;
        if (os_status_in(directory, entry->path, false, &now) && is_same(&entry->status, &now))
            os_remove_in(directory, entry->path, now.kind);
    }
}
