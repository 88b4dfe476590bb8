/* path.c - paths, in UTF-8 and in UTF-16: see os_file.h and back.h. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>

#define PREFIX     L"\\\\?\\"      /* of a path that may be long, and is taken as it stands */
#define PREFIX_UNC L"\\\\?\\UNC\\" /* of one on another machine, in the place of two backslashes */
#define SHORT_MOST 240u            /* characters of a path that needs no prefix, with a name of 8.3 behind it */

/* ---- texts ------------------------------------------------------------------------------------------------------- */

char *narrow(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *to = size > 0 ? heap_alloc((size_t)size) : NULL;
    if (to != NULL)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, to, size, NULL, NULL);
    else
        errno = ENOMEM;
    return to;
}

char *narrow_path(wchar_t *path)
{
    if (wcsncmp(path, PREFIX_UNC, wcslen(PREFIX_UNC)) == 0)
        *(path += wcslen(PREFIX_UNC) - 2u) = L'\\';
    else if (wcsncmp(path, PREFIX, wcslen(PREFIX)) == 0)
        path += wcslen(PREFIX);
    for (wchar_t *at = path; *at != L'\0'; at++)
        *at = *at == L'\\' ? L'/' : *at;
    return narrow(path);
}

/* ---- parts of a path --------------------------------------------------------------------------------------------- */

const char *os_base_name(const char *path)
{
    const char *end = path + strlen(path);
    while (end > path && strchr("/\\:", end[-1]) == NULL)
        end--;
    return end;
}

bool os_is_device_name(const char *path)
{
    return text_is(path, "nul") || text_is(path, "con") || strncmp(path, "\\\\.\\", 4) == 0;
}

char os_folder_separator(void)
{
    return ';';
}

/* ---- paths for Win32 --------------------------------------------------------------------------------------------- */

/* Make a path whole, with the prefix. */
static bool make_long(wchar_t *path)
{
    wchar_t whole[WIDE_MOST];
    DWORD n = GetFullPathNameW(path, WIDE_MOST, whole, NULL);
    bool is_unc = n > 2u && whole[0] == L'\\' && whole[1] == L'\\';
    const wchar_t *prefix = is_unc ? PREFIX_UNC : PREFIX, *rest = is_unc ? whole + 2 : whole;
    if (n == 0 || n >= WIDE_MOST || wcslen(prefix) + wcslen(rest) >= WIDE_MOST) {
        errno = ENAMETOOLONG;
        return false;
    }
    wcscpy(path, prefix);
    wcscat(path, rest);
    return true;
}

static bool is_from_root(const wchar_t *path)
{
    return path[0] == L'/' || path[0] == L'\\' || (path[0] != L'\0' && path[1] == L':');
}

/* Add a name behind the path of an open directory, which has the prefix. */
static bool add_below(wchar_t *path, const wchar_t *name)
{
    size_t used = wcslen(path);
    if (wcscmp(name, L".") == 0)
        return true;
    if (used + 1u + wcslen(name) >= WIDE_MOST) {
        errno = ENAMETOOLONG;
        return false;
    }
    path[used++] = L'\\';
    do {
        path[used++] = *name == L'/' ? L'\\' : *name;
    } while (*name++ != L'\0');
    return true;
}

/* A name of bytes that are not UTF-8 is there nowhere. */
bool wide_path(wchar_t *to, int directory, const char *name)
{
    wchar_t wide[WIDE_MOST];
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, WIDE_MOST) == 0) {
        errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
        return false;
    }
    if (directory != OS_HERE && !is_from_root(wide))
        return path_of_handle(handle_of(directory), to) && add_below(to, wide);
    wcscpy(to, wide);
    return wcslen(to) < SHORT_MOST || wcsncmp(to, PREFIX, 4) == 0 || wcsncmp(to, L"\\\\.\\", 4) == 0 || make_long(to);
}

bool path_of_handle(HANDLE handle, wchar_t *to)
{
    DWORD n = GetFinalPathNameByHandleW(handle, to, WIDE_MOST - 1u, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    if (n == 0)
        return fail();
    if (n < WIDE_MOST - 1u)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* ---- whole paths ------------------------------------------------------------------------------------------------- */

char *os_whole_path(const char *path)
{
    wchar_t wide[WIDE_MOST], whole[WIDE_MOST];
    DWORD n = wide_path(wide, OS_HERE, path) ? GetFullPathNameW(wide, WIDE_MOST, whole, NULL) : 0;
    return n > 0 && n < WIDE_MOST ? narrow_path(whole) : NULL;
}

/* Where no file is, a link that leads nowhere is taken for one. */
char *os_real_path(const char *path)
{
    wchar_t wide[WIDE_MOST], real[WIDE_MOST];
    HANDLE handle = INVALID_HANDLE_VALUE;
    bool found;
    if (!wide_path(wide, OS_HERE, path))
        return NULL;
    handle = CreateFileW(wide, 0, SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return text_copy(path);
    found = path_of_handle(handle, real);
    CloseHandle(handle);
    return found ? narrow_path(real) : text_copy(path);
}

char *os_program(const char *called)
{
    wchar_t path[WIDE_MOST];
    DWORD n = GetModuleFileNameW(NULL, path, WIDE_MOST);
    (void)called;
    return n > 0 && n < WIDE_MOST ? narrow_path(path) : NULL;
}
