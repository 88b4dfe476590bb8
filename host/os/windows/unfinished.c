/* unfinished.c - what is unfinished: see os_file.h. Windows removes no file that is open, but for those that are told
 * to be removed as they are closed. So what is still open is closed first. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"
#include "os/os_signal.h"

#include <errno.h>
#include <string.h>

struct unfinished {
    struct unfinished *next;     /* what was created before */
    const struct unfinished *in; /* the unfinished directory that it was created in, or NULL */
    int file;                    /* its number while it is open; else -1 */
    bool is_directory;
    char *name; /* of what stands in none of these; else NULL */
    wchar_t path[];
};

/* Changed only while signals are held. What is in a directory was created after it, so it comes first. */
static struct unfinished *first;

void os_unfinished_remove_all(void)
{
    for (const struct unfinished *at = first; at != NULL; at = at->next) {
        if (at->file >= 0)
            CloseHandle(handle_of(at->file));
        remove_wide(at->path, at->is_directory);
    }
}

void unfinished_closes(int file)
{
    os_signals_hold();
    for (struct unfinished *at = first; at != NULL; at = at->next)
        at->file = at->file == file ? -1 : at->file;
    os_signals_release();
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static struct unfinished *new_node(const wchar_t *path, bool is_directory)
{
    size_t length = wcslen(path) + 1u;
    struct unfinished *node = heap_calloc(1, sizeof *node + length * sizeof path[0]);
    if (node == NULL)
        return NULL;
    node->file = -1;
    node->is_directory = is_directory;
    memcpy(node->path, path, length * sizeof path[0]);
    return node;
}

static void free_node(struct unfinished *node)
{
    if (node != NULL)
        heap_free(node->name);
    heap_free(node);
}

/* A name for it, whose last characters are to be chosen, in the directory of path: so it can be renamed to path. NULL
 * with errno set. */
static struct unfinished *node_beside(const char *path, bool is_directory)
{
    struct growing_text name = {0};
    struct unfinished *node = NULL;
    wchar_t wide[WIDE_MOST];
    text_add(&name, "%.*s.tlog-decode-XXXXXX", (int)(os_base_name(path) - path), path);
    errno = ENOMEM;
    if (!name.failed && wide_path(wide, OS_HERE, name.bytes))
        node = new_node(wide, is_directory);
    if (node != NULL)
        node->name = name.bytes;
    else
        heap_free(name.bytes);
    return node;
}

static bool make_file(struct unfinished *node)
{
    node->file = number_of(CreateFileW(node->path, GENERIC_READ | GENERIC_WRITE, SHARE_ALL, NULL, CREATE_NEW,
                                       FILE_ATTRIBUTE_NORMAL, NULL));
    return node->file >= 0;
}

static bool make_directory(const struct unfinished *node)
{
    return CreateDirectoryW(node->path, NULL) || fail();
}

/* Choose a name that is free, and create it. */
static bool create(struct unfinished *node)
{
    size_t length = wcslen(node->path);
    bool good;
    do {
        choose_name(node->path);
        good = node->is_directory ? make_directory(node) : make_file(node);
    } while (!good && errno == EEXIST);
    for (size_t i = 1; i <= 6u; i++)
        node->name[strlen(node->name) - i] = (char)node->path[length - i];
    return good;
}

char *os_make_beside(const char *path)
{
    struct unfinished *node = node_beside(path, true);
    char *name = node != NULL && create(node) ? text_copy(node->name) : NULL;
    free_node(node);
    return name;
}

static void add(struct unfinished *node)
{
    node->next = first;
    first = node;
}

/* Create it, have it removed, and open it. False with errno set. */
static bool begin(struct unfinished *node)
{
    if (!create(node))
        return false;
    if (node->is_directory)
        node->file = os_open_directory(node->name);
    if (node->file < 0)
        return false;
    add(node);
    return true;
}

/* It gets the permissions of its directory, as all do here. */
char *os_unfinished(const char *path, enum os_kind kind, const struct os_status *like, int *file)
{
    struct unfinished *node = node_beside(path, kind == OS_DIRECTORY);
    bool good;
    (void)like;
    if (node == NULL)
        return NULL;
    os_signals_hold();
    good = begin(node);
    os_signals_release();
    *file = node->file;
    if (good)
        return node->name;
    free_node(node);
    return NULL;
}

/* The unfinished directory of this number; NULL if it is none. */
static const struct unfinished *find_directory(int directory)
{
    const struct unfinished *at = first;
    while (at != NULL && !(at->is_directory && at->file == directory))
        at = at->next;
    return at;
}

/* Create a name in a directory. Returns it if it could be created, and is to be freed if nobody is to remove it. */
static struct unfinished *create_in(int directory, const char *name, bool is_directory)
{
    wchar_t path[WIDE_MOST];
    struct unfinished *node = wide_path(path, directory, name) ? new_node(path, is_directory) : NULL;
    if (node == NULL)
        return NULL;
    if (is_directory ? make_directory(node) : make_file(node)) {
        node->in = find_directory(directory);
        return node;
    }
    free_node(node);
    return NULL;
}

/* Have it removed, if its directory is unfinished. Returns its number. */
static int keep(struct unfinished *node)
{
    int file = node->file;
    if (node->in != NULL)
        add(node);
    else
        free_node(node);
    return file;
}

int os_create_in(int directory, const char *name)
{
    struct unfinished *node;
    int file = -1;
    os_signals_hold();
    node = create_in(directory, name, false);
    if (node != NULL)
        file = keep(node);
    os_signals_release();
    return file;
}

bool os_make_in(int directory, const char *name)
{
    struct unfinished *node;
    os_signals_hold();
    node = create_in(directory, name, true);
    if (node != NULL)
        keep(node);
    os_signals_release();
    return node != NULL;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Free all that is in an unfinished thing, and itself, which is the last of them. */
void os_unfinished_end(char *name, bool remove)
{
    const struct unfinished *root = first;
    os_signals_hold();
    while (root != NULL && root->name != name)
        root = root->next;
    for (struct unfinished **at = &first; root != NULL && *at != NULL;) {
        struct unfinished *node = *at;
        if (node != root && node->in != root) {
            at = &node->next;
            continue;
        }
        if (remove)
            remove_wide(node->path, node->is_directory);
        *at = node->next;
        root = node != root ? root : NULL;
        free_node(node);
    }
    os_signals_release();
}
