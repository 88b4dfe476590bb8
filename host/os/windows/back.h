/* back.h - what the files of host/os/windows/ share. They use Win32 of Windows 7 on, and its C library's numbers of
 * files.
 *
 * Texts are UTF-8 outside of this folder, and UTF-16 in Win32. Directories have numbers, too: of handles, whose paths
 * Windows tells.
 */
#ifndef OS_WINDOWS_BACK_H
#define OS_WINDOWS_BACK_H

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include <winsock2.h>
#include <windows.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define WIDE_MOST 32768u /* characters of the longest path, with its NUL */

/* Whatever we open others may read, write, rename and remove meanwhile. */
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* The errno of an error of Win32. And set errno by the last error: false. */
int errno_of(DWORD error);
bool fail(void);

/* Make the path of a name in a directory (os_file.h), which has WIDE_MOST characters of room. A long one gets the
 * prefix that lifts its limit of 260 characters. False with errno set. */
bool wide_path(wchar_t *to, int directory, const char *name);

/* Text in UTF-8; the caller frees it. NULL: no memory, with errno set. */
char *narrow(const wchar_t *text);

/* The same for a path from the root on, with slashes, and without the prefix for long ones. */
char *narrow_path(wchar_t *path);

/* The path of what is open. False with errno set. */
bool path_of_handle(HANDLE handle, wchar_t *to);

/* The file's handle. */
HANDLE handle_of(int file);

/* Give a handle a number, as open() does. -1 with errno set: then it is closed. */
int number_of(HANDLE handle);

/* Rename or remove, as os_file.h tells. */
bool rename_wide(const wchar_t *from, const wchar_t *to);
bool remove_wide(const wchar_t *path, bool is_directory);

/* Replace the last six characters of a path by others, each time. */
void choose_name(wchar_t *path);

/* Set the console up for UTF-8, and for colours; what it was is restored by the second one, and as the program ends. */
void console_begin(void);
void console_end(void);

/* The file is about to be closed: what is unfinished forgets its number. */
void unfinished_closes(int file);

#endif
