/* unfinished.c - what is unfinished: see os_file.h. */
#include "os/posix/features.h"

#include "os/os_file.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_signal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct unfinished {
    struct unfinished *next; /* what was created before */
    int directory;           /* where the name is: AT_FDCWD, or an unfinished directory */
    int self;                /* the number of what is a directory and stands in none of these; else -1 */
    int flags;               /* for unlinkat() */
    char name[];
};

/* What the signal handler removes. A node is whole before it is put there, and changed only while signals are held. */
static struct unfinished *volatile first;

/* What is in a directory was created after it, so it comes first. */
void os_unfinished_remove_all(void)
{
    for (const struct unfinished *at = first; at != NULL; at = at->next)
        unlinkat(at->directory, at->name, at->flags);
}

/* A name for it, whose last characters are to be chosen by mkstemp() or mkdtemp(), in the directory of path: so it can
 * be renamed to path. NULL: no memory. */
static struct unfinished *node_beside(const char *path)
{
    static const char suffix[] = ".tlog-decode-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t directory = slash != NULL ? (size_t)(slash - path) + 1u : 0;
    struct unfinished *node = heap_calloc(1, sizeof *node + directory + sizeof suffix);
    if (node == NULL)
        return NULL;
    node->directory = AT_FDCWD;
    node->self = -1;
    memcpy(node->name, path, directory);
    memcpy(node->name + directory, suffix, sizeof suffix);
    return node;
}

char *os_make_beside(const char *path)
{
    struct unfinished *node = node_beside(path);
    char *name = node != NULL && mkdtemp(node->name) != NULL ? text_copy(node->name) : NULL;
    heap_free(node);
    return name;
}

/* The permissions of what replaces old, or, if that is NULL, of what is new. The writer creates files in a directory.
 */
static mode_t permissions(const struct os_status *old, enum os_kind kind)
{
    mode_t mask;
    if (old != NULL)
        return (mode_t)old->permissions | (kind == OS_DIRECTORY ? S_IRWXU : 0u);
    mask = umask(0); /* it cannot be read without a change */
    umask(mask);
    return (kind == OS_DIRECTORY ? 0777u : 0666u) & ~mask;
}

/* Create it, and choose its name. Its descriptor, or -1. */
static int create(struct unfinished *node, enum os_kind kind)
{
    if (kind != OS_DIRECTORY)
        return mkstemp(node->name);
    node->flags = AT_REMOVEDIR;
    node->self = mkdtemp(node->name) != NULL ? open(node->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return node->self;
}

/* Have the signal handler remove it. */
static void add(struct unfinished *node)
{
    node->next = first;
    first = node;
}

/* No signal comes between creating and adding. */
char *os_unfinished(const char *path, enum os_kind kind, const struct os_status *like, int *file)
{
    struct unfinished *node = node_beside(path);
    if (node == NULL)
        return NULL;
    os_signals_hold();
    *file = create(node, kind);
    if (*file >= 0)
        add(node);
    os_signals_release();
    if (*file < 0) {
        heap_free(node);
        return NULL;
    }
    fchmod(*file, permissions(like, kind));
    return node->name;
}

/* Have the signal handler remove a name, still to be created, if the directory is unfinished. */
static bool add_in(int directory, const char *name, int flags)
{
    const struct unfinished *root = first;
    struct unfinished *node;
    while (root != NULL && root->self != directory)
        root = root->next;
    if (root == NULL)
        return true;
    node = heap_calloc(1, sizeof *node + strlen(name) + 1u);
    if (node == NULL)
        return false;
    node->directory = directory;
    node->self = -1;
    node->flags = flags;
    memcpy(node->name, name, strlen(name) + 1u);
    add(node);
    return true;
}

int os_create_in(int directory, const char *name)
{
    return add_in(directory, name, 0) ? openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
}

bool os_make_in(int directory, const char *name)
{
    return add_in(directory, name, AT_REMOVEDIR) && mkdirat(directory, name, 0777) == 0;
}

void os_unfinished_end(char *name, bool remove)
{
    struct unfinished *root = first, *next;
    while (root != NULL && root->name != name)
        root = root->next;
    os_signals_hold();
    for (struct unfinished *at = first, *before_it = NULL; root != NULL && at != NULL; at = next) {
        next = at->next;
        if (at != root && (root->self < 0 || at->directory != root->self)) {
            before_it = at;
            continue;
        }
        if (remove)
            unlinkat(at->directory, at->name, at->flags);
        if (before_it != NULL)
            before_it->next = next;
        else
            first = next;
        root = at != root ? root : NULL;
        heap_free(at);
    }
    os_signals_release();
}
