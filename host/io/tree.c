/* tree.c - directories with all that is in them: see tree.h.
 *
 * A file counts as unchanged while its inode, and the time of that inode's last change, are the same; a directory while
 * its inode is the same, because the time changes with each file that is removed from it.
 */
#define _GNU_SOURCE /* getdents64(): opendir() takes memory, which a signal handler must not */

#include "io/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX   8u    /* directories in directories; no format has as many */
#define PIECE_BYTES 1024u /* of a list of names, on the stack */

/* ---- removing all ------------------------------------------------------------------------------------------------ */

static void empty(int directory, unsigned depth);

/* Remove what a directory has under that name; depth: of the directory. Whether it is gone. */
static bool remove_entry(int directory, const char *name, unsigned depth)
{
    int below;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (unlinkat(directory, name, 0) == 0)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0 && depth < DEPTH_MAX)
        empty(below, depth + 1u);
    if (below >= 0)
        close(below);
    return unlinkat(directory, name, AT_REMOVEDIR) == 0;
}

/* Remove all that is in a directory. The list of names is read in pieces. Removals change it, so that reading may skip
 * names; therefore it is read again from its start until nothing more can be removed. */
static void empty(int directory, unsigned depth)
{
    char piece[PIECE_BYTES] __attribute__((aligned(8)));
    bool removed = true;
    while (removed && lseek(directory, 0, SEEK_SET) == 0) {
        ssize_t n;
        removed = false;
        while ((n = getdents64(directory, piece, sizeof piece)) > 0) {
            for (ssize_t at = 0; at < n;) {
                unsigned short length;
                memcpy(&length, piece + at + offsetof(struct dirent64, d_reclen), sizeof length);
                removed |= remove_entry(directory, piece + at + offsetof(struct dirent64, d_name), depth);
                at += length;
            }
        }
    }
}

void tree_remove(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    empty(directory, 0);
    close(directory);
    rmdir(path);
}

struct tree_entry {
    char *path; /* below the directory */
    struct stat status;
};

/* ---- making a list ----------------------------------------------------------------------------------------------- */

/* Add an entry; its path becomes the list's. */
static bool add(struct tree_list *list, char *path, const struct stat *status)
{
    struct tree_entry *more = NULL;
    if (path != NULL)
        more = realloc(list->entry, (list->n + 1u) * sizeof *more);
    if (more == NULL) {
        free(path);
        return false;
    }
    list->entry = more;
    more[list->n++] = (struct tree_entry){.path = path, .status = *status};
    return true;
}

/* The path of a name below another path, which may be empty. The caller frees it. NULL: no memory. */
static char *join(const char *path, const char *name)
{
    size_t n = strlen(path) + strlen(name) + 2u;
    char *joined = malloc(n);
    if (joined != NULL)
        snprintf(joined, n, "%s%s%s", path, path[0] != '\0' ? "/" : "", name);
    return joined;
}

/* Add the entry of that name in a directory, whose path is given. The entry's status is, too. */
static bool add_name(struct tree_list *list, int directory, const char *path, const char *name, struct stat *status)
{
    return fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW) == 0 && add(list, join(path, name), status);
}

/* Add all that is in a directory and below it. It is opened anew, since going through it moves the descriptor. */
static bool add_all(struct tree_list *list, int parent, const char *name, const char *path, unsigned depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool good = directory != NULL && depth < DEPTH_MAX;
    if (directory == NULL && fd >= 0)
        close(fd);
    while (good && (entry = readdir(directory)) != NULL) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        good = add_name(list, fd, path, entry->d_name, &status);
        if (good && S_ISDIR(status.st_mode))
            good = add_all(list, fd, entry->d_name, list->entry[list->n - 1u].path, depth + 1u);
    }
    if (directory != NULL)
        closedir(directory);
    return good;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

bool tree_list_read(struct tree_list *list, int directory)
{
    errno = ELOOP;
    if (!add_all(list, directory, ".", "", 0))
        return false;
    if (list->n > 1)
        qsort(list->entry, list->n, sizeof list->entry[0], by_path);
    return true;
}

void tree_list_free(struct tree_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->entry[i].path);
    free(list->entry);
    *list = (struct tree_list){0};
}

/* ---- using one --------------------------------------------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    if (a->st_dev != b->st_dev || a->st_ino != b->st_ino || (a->st_mode & S_IFMT) != (b->st_mode & S_IFMT))
        return false;
    return S_ISDIR(a->st_mode)
           || (a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec
               && a->st_size == b->st_size);
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
        struct stat now;
        if (fstatat(directory, entry->path, &now, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&entry->status, &now))
            unlinkat(directory, entry->path, S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0);
    }
}
