/* directory.c - what is there, and changes in directories: see os_file.h. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_A_SECOND   10000000    /* of the times of files */
#define SECONDS_TO_1970  11644473600 /* from 1601 on, where those times begin */
#define USUAL_PERMISSION 0666u

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Of what reparse points tell, only links are links: files that a cloud keeps are files. */
static bool is_link(HANDLE handle, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return (attributes & FILE_ATTRIBUTE_REPARSE_POINT)
           && GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag)
           && (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static uint64_t join(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

/* Find out about a file of a disk. Some file systems give files no numbers: theirs are 0. */
static bool tell_file(HANDLE handle, struct os_status *status)
{
    BY_HANDLE_FILE_INFORMATION number;
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic)
        || !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard))
        return fail();
    if (!GetFileInformationByHandle(handle, &number))
        memset(&number, 0, sizeof number);
    *status = (struct os_status){
        .kind = is_link(handle, basic.FileAttributes) ? OS_LINK
                : standard.Directory                  ? OS_DIRECTORY
                                                      : OS_FILE,
        .size = (uint64_t)standard.EndOfFile.QuadPart,
        .device = number.dwVolumeSerialNumber,
        .number = join(number.nFileIndexHigh, number.nFileIndexLow),
        .written = basic.LastWriteTime.QuadPart / TICKS_A_SECOND - SECONDS_TO_1970,
        .change = {basic.ChangeTime.QuadPart / TICKS_A_SECOND, basic.ChangeTime.QuadPart % TICKS_A_SECOND},
        .permissions = USUAL_PERMISSION};
    return true;
}

static bool tell(HANDLE handle, struct os_status *status)
{
    DWORD type = GetFileType(handle);
    if (handle == INVALID_HANDLE_VALUE || (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR)) {
        errno = EBADF;
        return false;
    }
    if (type == FILE_TYPE_DISK)
        return tell_file(handle, status);
    *status = (struct os_status){.kind = type == FILE_TYPE_PIPE ? OS_PIPE : OS_DEVICE, .permissions = USUAL_PERMISSION};
    return true;
}

bool os_status_of(int file, struct os_status *status)
{
    return tell(handle_of(file), status);
}

bool os_status_in(int directory, const char *name, bool follow, struct os_status *status)
{
    const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    wchar_t path[WIDE_MOST];
    HANDLE handle;
    bool good;
    if (!wide_path(path, directory, name))
        return false;
    handle = CreateFileW(path, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    good = tell(handle, status);
    CloseHandle(handle);
    return good;
}

bool os_status(const char *path, struct os_status *status)
{
    return os_status_in(OS_HERE, path, true, status);
}

bool os_is_file(const char *path)
{
    struct os_status status;
    return os_status(path, &status) && status.kind == OS_FILE;
}

bool os_is_same(const char *a, const char *b)
{
    struct os_status x, y;
    return os_status(a, &x) && os_status(b, &y) && x.number != 0 && x.device == y.device && x.number == y.number;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Add a name to n others, which a NULL ends. False: no memory. */
static bool add_name(char ***names, size_t n, const wchar_t *name)
{
    char **more = (n & (n + 1u)) == 0 ? heap_realloc(*names, 2u * (n + 1u) * sizeof *more) : *names;
    if (more == NULL)
        return false;
    *names = more;
    more[n] = narrow(name);
    more[n + 1u] = NULL;
    return more[n] != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Read all names from the first one on. NULL with errno set. */
static char **read_names(HANDLE search, WIN32_FIND_DATAW *found)
{
    char **names = heap_calloc(1, sizeof *names);
    size_t n = 0;
    bool good = names != NULL;
    do {
        if (wcscmp(found->cFileName, L".") != 0 && wcscmp(found->cFileName, L"..") != 0)
            good = good && add_name(&names, n++, found->cFileName);
    } while (good && FindNextFileW(search, found));
    if (good && GetLastError() == ERROR_NO_MORE_FILES) {
        qsort(names, n, sizeof names[0], by_name);
        return names;
    }
    fail();
    os_list_free(names);
    return NULL;
}

char **os_list(int directory, const char *name)
{
    wchar_t path[WIDE_MOST];
    WIN32_FIND_DATAW found;
    HANDLE search;
    char **names;
    if (!wide_path(path, directory, name) || wcslen(path) > WIDE_MOST - 3u)
        return NULL;
    search = FindFirstFileW(wcscat(path, L"\\*"), &found);
    if (search == INVALID_HANDLE_VALUE) {
        fail();
        return NULL;
    }
    names = read_names(search, &found);
    FindClose(search);
    return names;
}

void os_list_free(char **names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        heap_free(names[i]);
    heap_free(names);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* A file that somebody has open cannot be replaced, but be renamed, if those who have it open allow it: it gets a name
 * beside, under which it is removed as soon as it is closed. */
static bool replace_open(const wchar_t *from, const wchar_t *to)
{
    wchar_t aside[WIDE_MOST];
    if (wcslen(to) > WIDE_MOST - 8u)
        return false;
    wcscpy(aside, to);
    wcscat(aside, L".XXXXXX");
    choose_name(aside);
    if (!MoveFileExW(to, aside, 0))
        return false;
    if (!MoveFileExW(from, to, 0)) {
        MoveFileExW(aside, to, 0);
        return false;
    }
    DeleteFileW(aside);
    return true;
}

/* Windows replaces no directory, so an empty one is removed first. */
bool rename_wide(const wchar_t *from, const wchar_t *to)
{
    DWORD attributes = GetFileAttributesW(to), error;
    bool is_there = attributes != INVALID_FILE_ATTRIBUTES,
         is_directory = is_there && attributes & FILE_ATTRIBUTE_DIRECTORY;
    if (is_directory && !RemoveDirectoryW(to))
        return fail();
    if (MoveFileExW(from, to, is_directory ? 0 : MOVEFILE_REPLACE_EXISTING))
        return true;
    error = GetLastError();
    if (is_there && !is_directory && errno_of(error) == EACCES && replace_open(from, to))
        return true;
    errno = errno_of(error);
    return false;
}

bool remove_wide(const wchar_t *path, bool is_directory)
{
    return (is_directory ? RemoveDirectoryW(path) : DeleteFileW(path)) || fail();
}

bool os_rename(const char *from, const char *to)
{
    wchar_t old[WIDE_MOST], new[WIDE_MOST];
    return wide_path(old, OS_HERE, from) && wide_path(new, OS_HERE, to) && rename_wide(old, new);
}

bool os_remove_directory(const char *path)
{
    return os_remove_in(OS_HERE, path, OS_DIRECTORY);
}

/* A link to a directory is a directory here. */
bool os_remove_in(int directory, const char *name, enum os_kind kind)
{
    wchar_t path[WIDE_MOST];
    if (!wide_path(path, directory, name))
        return false;
    return remove_wide(path, kind == OS_DIRECTORY) || (kind == OS_LINK && remove_wide(path, true));
}
