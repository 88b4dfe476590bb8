/* directory.c - see directory.h. A trace of another tracer is not replaced: its metadata is not of tlog-decode. */
#include "formats/ctf/directory.h"

#include "base/bytes.h"
#include "formats/ctf/format.h"
#include "formats/ctf/metadata.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read the first bytes of a regular file. Returns how many there are, -1 if it is none. */
static ssize_t read_start(int directory, const char *name, void *bytes, size_t size)
{
    struct stat status;
    ssize_t n;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    n = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, bytes, size) : -1;
    close(fd);
    return n;
}

/* Whether a name is this one with a number behind. */
static bool is_numbered(const char *name, const char *begin)
{
    size_t n = strlen(begin);
    return strncmp(name, begin, n) == 0 && name[n] != '\0' && name[n + strspn(name + n, "0123456789")] == '\0';
}

static bool is_own(int directory, const char *name)
{
    static const char start[] = CTF_METADATA_START;
    unsigned char bytes[sizeof start];
    ssize_t n;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    n = read_start(directory, name, bytes, sizeof start - 1u);
    if (strcmp(name, CTF_METADATA) == 0)
        return n == (ssize_t)(sizeof start - 1u) && memcmp(bytes, start, sizeof start - 1u) == 0;
    return (is_numbered(name, CTF_CHANNEL) || is_numbered(name, CTF_STATEDUMP)) && n >= 4
           && get_le32(bytes) == CTF_MAGIC;
}

bool ctf_directory_is_trace(int directory)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool good = entries != NULL;
    if (entries == NULL && fd >= 0)
        close(fd);
    while (good && (entry = readdir(entries)) != NULL)
        good = is_own(directory, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return good;
}
