/* file.c - files: see os_file.h. */
#include "os/windows/back.h"

#include "os/os_file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_MOST 0x40000000u /* bytes that are read or written at a time */

/* ---- numbers and handles ----------------------------------------------------------------------------------------- */

HANDLE handle_of(int file)
{
    return file < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(file);
}

int number_of(HANDLE handle)
{
    int file;
    if (handle == INVALID_HANDLE_VALUE) {
        fail();
        return -1;
    }
    file = _open_osfhandle((intptr_t)handle, _O_BINARY);
    if (file < 0) {
        CloseHandle(handle);
        errno = EMFILE;
    }
    return file;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

/* What is told of directories makes them openable at all. */
static int open_to_read(int directory, const char *path)
{
    wchar_t wide[WIDE_MOST];
    if (!wide_path(wide, directory, path))
        return -1;
    return number_of(CreateFileW(wide, GENERIC_READ, SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL));
}

int os_open(const char *path)
{
    return open_to_read(OS_HERE, path);
}

int os_open_to_write(int directory, const char *path)
{
    wchar_t wide[WIDE_MOST];
    struct os_status status;
    int file;
    if (!wide_path(wide, directory, path))
        return -1;
    file = number_of(CreateFileW(wide, GENERIC_WRITE, SHARE_ALL, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL));
    if (file < 0 && errno == EACCES)
        errno = os_status_in(directory, path, true, &status) && status.kind == OS_DIRECTORY ? EISDIR : EACCES;
    return file;
}

/* Open what must be of a kind, with an errno if it is of another one. */
static int open_kind(int directory, const char *path, enum os_kind kind, struct os_status *status, int error)
{
    int file = open_to_read(directory, path);
    if (file < 0 || (os_status_of(file, status) && status->kind == kind))
        return file;
    os_close(file);
    errno = error;
    return -1;
}

int os_open_directory(const char *path)
{
    struct os_status status;
    return open_kind(OS_HERE, path, OS_DIRECTORY, &status, ENOTDIR);
}

int os_open_file(int directory, const char *path, struct os_status *status)
{
    return open_kind(directory, path, OS_FILE, status, 0);
}

bool os_close(int file)
{
    unfinished_closes(file);
    return _close(file) == 0;
}

FILE *os_stream(int file, const char *mode)
{
    int copy = _dup(file);
    FILE *stream = copy >= 0 ? _fdopen(copy, mode) : NULL;
    if (stream == NULL && copy >= 0)
        _close(copy);
    return stream;
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

/* What is read or written at an offset moves the place where the file stands, so it is moved back: by one thread at a
 * time for each file. */
static SRWLOCK turns[16];

static SRWLOCK *turn_of(int file)
{
    return &turns[(unsigned)file % (sizeof turns / sizeof turns[0])];
}

static bool seek(int file, int64_t offset, DWORD whence, LARGE_INTEGER *stands)
{
    LARGE_INTEGER to = {.QuadPart = offset};
    return SetFilePointerEx(handle_of(file), to, stands, whence);
}

/* The errno of the last read or write. A file that is opened for the other one denies access. */
static int error_of_transfer(void)
{
    DWORD error = GetLastError();
    return error == ERROR_ACCESS_DENIED ? EBADF : errno_of(error);
}

/* Read or write once, where the file stands or, if that is not NULL, at an offset. Returns an errno; *n: how many bytes
 * there were. The end of a file or a pipe is no error. */
static int transfer(int file, void *bytes, size_t size, bool writes, const uint64_t *offset, DWORD *n)
{
    DWORD most = size < PIECE_MOST ? (DWORD)size : PIECE_MOST;
    OVERLAPPED at = {.Offset = offset != NULL ? (DWORD)*offset : 0,
                     .OffsetHigh = offset != NULL ? (DWORD)(*offset >> 32) : 0};
    OVERLAPPED *where = offset != NULL ? &at : NULL;
    bool good;
    *n = 0;
    good =
        writes ? WriteFile(handle_of(file), bytes, most, n, where) : ReadFile(handle_of(file), bytes, most, n, where);
    if (good || (!writes && (GetLastError() == ERROR_HANDLE_EOF || GetLastError() == ERROR_BROKEN_PIPE)))
        return 0;
    return error_of_transfer();
}

/* Read or write all bytes at an offset. Returns how many it did, and why not more. */
static size_t transfer_at(int file, uint64_t offset, void *bytes, size_t size, bool writes, int *error)
{
    size_t done = 0;
    LARGE_INTEGER stands;
    *error = 0;
    AcquireSRWLockExclusive(turn_of(file));
    if (!seek(file, 0, FILE_CURRENT, &stands))
        *error = error_of_transfer();
    while (*error == 0 && done < size) {
        uint64_t at = offset + done;
        DWORD n;
        *error = transfer(file, (unsigned char *)bytes + done, size - done, writes, &at, &n);
        if (*error == 0 && n == 0)
            break;
        done += n;
    }
    if (*error == 0)
        seek(file, stands.QuadPart, FILE_BEGIN, NULL);
    ReleaseSRWLockExclusive(turn_of(file));
    return done;
}

size_t os_read_at(int file, uint64_t offset, void *to, size_t size, int *error)
{
    return transfer_at(file, offset, to, size, false, error);
}

int os_write_at(int file, const void *from, size_t size, uint64_t offset)
{
    int error;
    size_t n = transfer_at(file, offset, (void *)(uintptr_t)from, size, true, &error);
    return error == 0 && n < size ? ENOSPC : error;
}

int64_t os_read(int file, void *to, size_t size)
{
    DWORD n;
    int error = transfer(file, to, size, false, NULL, &n);
    if (error == 0)
        return (int64_t)n;
    errno = error;
    return -1;
}

static int hung_up = -1; /* the file whose reader is gone, as a write has shown */

int os_write(int file, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        DWORD n;
        int error = transfer(file, (unsigned char *)(uintptr_t)from + done, size - done, true, NULL, &n);
        if (error == EPIPE)
            hung_up = file;
        if (error != 0)
            return error;
        done += n;
    }
    return 0;
}

/* To write nothing fails, too, if nobody can read it any more. */
bool os_is_hung_up(int file)
{
    DWORD n;
    return hung_up == file
           || (GetFileType(handle_of(file)) == FILE_TYPE_PIPE && transfer(file, "", 0, true, NULL, &n) == EPIPE);
}

/* Windows gives a file its blocks as it grows. */
void os_reserve(int file, size_t size, uint64_t offset)
{
    (void)file, (void)size, (void)offset;
}

/* A pipe stands nowhere, though Windows says 0. */
int64_t os_seek(int file, int64_t offset, int whence)
{
    LARGE_INTEGER stands;
    if (GetFileType(handle_of(file)) != FILE_TYPE_DISK) {
        errno = handle_of(file) == INVALID_HANDLE_VALUE ? EBADF : ESPIPE;
        return -1;
    }
    if (seek(file, offset, whence == SEEK_SET ? FILE_BEGIN : whence == SEEK_CUR ? FILE_CURRENT : FILE_END, &stands))
        return stands.QuadPart;
    fail();
    return -1;
}

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

/* ---- temporary files --------------------------------------------------------------------------------------------- */

const char *os_temporary_directory(void)
{
    static char directory[3u * MAX_PATH];
    const char *wanted = getenv("TMPDIR");
    wchar_t usual[MAX_PATH + 1];
    if (wanted != NULL && wanted[0] != '\0')
        return wanted;
    if (directory[0] == '\0'
        && (GetTempPathW(MAX_PATH + 1, usual) == 0
            || WideCharToMultiByte(CP_UTF8, 0, usual, -1, directory, sizeof directory, NULL, NULL) == 0))
        return ".";
    return directory;
}

/* Nobody else needs it, so that it stays in memory if there is room. */
int os_temporary(void)
{
    const DWORD flags = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE;
    wchar_t path[WIDE_MOST];
    HANDLE handle;
    if (!wide_path(path, OS_HERE, os_temporary_directory()))
        return -1;
    if (wcslen(path) > WIDE_MOST - 32u) {
        errno = ENAMETOOLONG;
        return -1;
    }
    wcscat(path, L"\\tlog-decode-XXXXXX");
    do {
        choose_name(path);
        handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, SHARE_ALL, NULL, CREATE_NEW, flags, NULL);
    } while (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS);
    return number_of(handle);
}

void choose_name(wchar_t *path)
{
    static const wchar_t digits[] = L"0123456789abcdefghijklmnopqrstuv";
    static uint64_t state;
    size_t n = wcslen(path);
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    state =
        (state ^ (uint64_t)now.QuadPart ^ (uint64_t)GetCurrentProcessId() << 32) * UINT64_C(0x9E3779B97F4A7C15) + 1u;
    for (size_t i = 0; i < 6; i++)
        path[n - 1u - i] = digits[state >> (59u - 5u * i) & 31u];
}
