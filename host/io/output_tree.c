/* output_tree.c - removing a directory with all that is in it: see output_tree.h. */
#define _GNU_SOURCE /* getdents64(): opendir() takes memory, which a signal handler must not */

#include "io/output_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX   8u    /* directories in directories; no format has as many */
#define PIECE_BYTES 1024u /* of a list of names, on the stack */

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

/* Remove all that is in a directory. The list of names is read in pieces. A removal changes it, and names may be
 * skipped: so the list is read again from its start until nothing of it can be removed. */
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

void output_tree_remove(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    empty(directory, 0);
    close(directory);
    rmdir(path);
}
