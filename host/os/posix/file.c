/* file.c - files and directories: see os_file.h. */
#ifdef __linux__
#define _GNU_SOURCE /* SEEK_DATA and SEEK_HOLE, which are newer than POSIX.1-2008 */
#endif
#include "os/posix/features.h"

#include "os/os_file.h"

#include "base/heap.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void os_begin(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static enum os_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? OS_FILE
           : S_ISDIR(mode)  ? OS_DIRECTORY
           : S_ISLNK(mode)  ? OS_LINK
           : S_ISBLK(mode)  ? OS_BLOCK_DEVICE
           : S_ISCHR(mode)  ? OS_DEVICE
           : S_ISFIFO(mode) ? OS_PIPE
                            : OS_SOCKET;
}

/* Tell what stat() found, if it succeeded. */
static bool tell(int result, const struct stat *from, struct os_status *status)
{
    if (result != 0)
        return false;
    *status = (struct os_status){.kind = kind_of(from->st_mode),
                                 .size = (uint64_t)from->st_size,
                                 .device = (uint64_t)from->st_dev,
                                 .number = (uint64_t)from->st_ino,
                                 .written = from->st_mtim.tv_sec,
                                 .change = {from->st_ctim.tv_sec, from->st_ctim.tv_nsec},
                                 .permissions = from->st_mode & 0777u};
    return true;
}

bool os_status(const char *path, struct os_status *status)
{
    struct stat found;
    return tell(stat(path, &found), &found, status);
}

/* What the *at() functions call the directory. */
static int number_of(int directory)
{
    return directory == OS_HERE ? AT_FDCWD : directory;
}

bool os_status_in(int directory, const char *name, bool follow, struct os_status *status)
{
    struct stat found;
    return tell(fstatat(number_of(directory), name, &found, follow ? 0 : AT_SYMLINK_NOFOLLOW), &found, status);
}

bool os_status_of(int file, struct os_status *status)
{
    struct stat found;
    return tell(fstat(file, &found), &found, status);
}

bool os_is_file(const char *path)
{
    struct os_status status;
    return os_status(path, &status) && status.kind == OS_FILE;
}

bool os_is_same(const char *a, const char *b)
{
    struct os_status x, y;
    return os_status(a, &x) && os_status(b, &y) && x.device == y.device && x.number == y.number;
}

bool os_is_terminal(int file)
{
    return isatty(file) != 0;
}

bool os_takes_escapes(int file)
{
    const char *kind = getenv("TERM");
    return kind != NULL && strcmp(kind, "dumb") != 0 && os_is_terminal(file);
}

/* The locale of POSIX has ASCII. */
bool os_takes_utf8(int file)
{
    (void)file;
    return false;
}

/* poll() reports POLLERR of a pipe without a reader, POLLHUP of a terminal that has hung up. */
bool os_is_hung_up(int file)
{
    struct pollfd poller = {.fd = file, .events = 0};
    return poll(&poller, 1, 0) == 1 && (poller.revents & (POLLERR | POLLHUP));
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Add a name to n others, which a NULL ends. False: no memory. */
static bool add_name(char ***names, size_t n, const char *name)
{
    char **more = (n & (n + 1u)) == 0 ? heap_realloc(*names, 2u * (n + 1u) * sizeof *more) : *names;
    if (more == NULL)
        return false;
    *names = more;
    more[n] = text_copy(name);
    more[n + 1u] = NULL;
    return more[n] != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Read all names of an open directory. NULL: errno tells why. */
static char **read_names(DIR *directory)
{
    char **names = heap_calloc(1, sizeof *names);
    const struct dirent *entry = NULL;
    size_t n = 0;
    bool good = names != NULL;
    while (good && (errno = 0, entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = add_name(&names, n++, entry->d_name);
    }
    if (good && errno == 0) {
        qsort(names, n, sizeof names[0], by_name);
        return names;
    }
    os_list_free(names);
    return NULL;
}

/* It is opened anew, since going through it moves the descriptor. */
char **os_list(int directory, const char *name)
{
    int fd = openat(number_of(directory), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
    DIR *opened = fd >= 0 ? fdopendir(fd) : NULL;
    char **names;
    if (opened == NULL) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    names = read_names(opened);
    error = errno;
    closedir(opened);
    errno = error;
    return names;
}

void os_list_free(char **names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        heap_free(names[i]);
    heap_free(names);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

const char *os_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool os_is_device_name(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0;
}

char os_folder_separator(void)
{
    return ':';
}

/* Where a path leads that no file is at: it may be a link to where there is none yet. The caller frees it. */
static char *end_of_links(const char *path)
{
    enum { LINKS_MOST = 40 }; /* as many as Linux follows */
    char *at = text_copy(path), target[PATH_MAX];
    for (unsigned i = 0; at != NULL && i < LINKS_MOST; i++) {
        ssize_t n = readlink(at, target, sizeof target - 1u);
        const char *slash = strrchr(at, '/');
        char *next;
        if (n < 0)
            return at;
        target[n] = '\0';
        next = heap_alloc(strlen(at) + (size_t)n + 1u);
        if (next != NULL)
            sprintf(next, "%.*s%s", target[0] != '/' && slash != NULL ? (int)(slash - at) + 1 : 0, at, target);
        heap_free(at);
        at = next;
    }
    heap_free(at);
    errno = ELOOP;
    return NULL;
}

char *os_real_path(const char *path)
{
    char *real = realpath(path, NULL), *copy;
    if (real == NULL)
        return end_of_links(path);
    copy = text_copy(real);
    free(real);
    return copy;
}

char *os_whole_path(const char *path)
{
    struct growing_text whole = {0};
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (path[0] != '/' && here == NULL)
        return NULL;
    text_add(&whole, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", path);
    free(here);
    if (!whole.failed)
        return whole.bytes;
    heap_free(whole.bytes);
    return NULL;
}

/* Linux tells it. Elsewhere it is where the shell found it: a path, or a name in one of the folders of PATH. */
char *os_program(const char *called)
{
    static const char self[] = "/proc/self/exe";
    const char *folders = getenv("PATH");
    char *found = os_is_file(self) ? os_real_path(self) : NULL;
    if (found != NULL || called == NULL)
        return found;
    if (strchr(called, '/') != NULL)
        return os_real_path(called);
    while (found == NULL && folders != NULL && *folders != '\0') {
        size_t n = strcspn(folders, ":");
        struct growing_text path = {0};
        text_add(&path, "%.*s/%s", (int)n, folders, called);
        found = path.bytes != NULL && os_is_file(path.bytes) ? os_real_path(path.bytes) : NULL;
        heap_free(path.bytes);
        folders += n + (folders[n] == ':');
    }
    return found;
}

/* ---- open files -------------------------------------------------------------------------------------------------- */

int os_open(const char *path)
{
    return open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
}

int os_open_to_write(int directory, const char *path)
{
    return openat(number_of(directory), path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

int os_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int os_open_file(int directory, const char *path, struct os_status *status)
{
    int fd = openat(number_of(directory), path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || (os_status_of(fd, status) && status->kind == OS_FILE))
        return fd;
    close(fd);
    errno = 0;
    return -1;
}

bool os_close(int file)
{
    return close(file) == 0;
}

size_t os_read_at(int file, uint64_t offset, void *to, size_t size, int *error)
{
    size_t done = 0;
    *error = 0;
    while (done < size) {
        ssize_t n = pread(file, (unsigned char *)to + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        *error = n < 0 ? errno : 0;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

int64_t os_read(int file, void *to, size_t size)
{
    ssize_t n;
    do {
        n = read(file, to, size);
    } while (n < 0 && errno == EINTR);
    return n;
}

int os_write(int file, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const unsigned char *)from + done, size - done);
        if (n < 0 && errno != EINTR)
            return errno;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int os_write_at(int file, const void *from, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(file, (const unsigned char *)from + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        done += (size_t)n;
    }
    return 0;
}

/* A shell opens a file to be written only; the files of mkstemp() can be read, too. An error is ignored: if the blocks
 * are not to be had, the write itself fails and tells why. */
void os_reserve(int file, size_t size, uint64_t offset)
{
#if _POSIX_ADVISORY_INFO > 0
    if ((fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR)
        (void)posix_fallocate(file, (off_t)offset, (off_t)size);
#else
    (void)file, (void)size, (void)offset;
#endif
}

int64_t os_seek(int file, int64_t offset, int whence)
{
    return lseek(file, (off_t)offset, whence);
}

/* macOS has such numbers, too, but there SEEK_DATA passes by the data that the offset is in. */
#if defined SEEK_DATA && !defined __APPLE__
int64_t os_data_from(int file, uint64_t offset)
{
    return lseek(file, (off_t)offset, SEEK_DATA);
}

int64_t os_hole_from(int file, uint64_t offset)
{
    return lseek(file, (off_t)offset, SEEK_HOLE);
}
#else
int64_t os_data_from(int file, uint64_t offset)
{
    (void)file, (void)offset;
    errno = ENOTSUP;
    return -1;
}

int64_t os_hole_from(int file, uint64_t offset)
{
    return os_data_from(file, offset);
}
#endif

const char *os_temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

int os_temporary(void)
{
    char path[PATH_MAX];
    int fd;
    if ((size_t)snprintf(path, sizeof path, "%s/tlog-decode-XXXXXX", os_temporary_directory()) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* ---- changing directories ---------------------------------------------------------------------------------------- */

bool os_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool os_remove_directory(const char *path)
{
    return rmdir(path) == 0;
}

bool os_remove_in(int directory, const char *name, enum os_kind kind)
{
    return unlinkat(number_of(directory), name, kind == OS_DIRECTORY ? AT_REMOVEDIR : 0) == 0;
}
