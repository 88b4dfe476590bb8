/* os_file.h - files and directories.
 *
 * host/os/ is the only folder that knows the operating system. Its headers are the face, its folders the backs: posix/
 * uses POSIX.1-2008, and of what is newer only the ways to find a file's holes, where there are any. A WebAssembly has
 * posix/, too, but for what wasi-libc lacks: that is in wasi/, or left out by none/.
 *
 * A file is a number, as in the C library of every system; -1 is none. What fails returns -1, NULL or false, and errno
 * tells why; a function that says so returns an errno, or 0. No call ends because of a signal, and none reads or writes
 * less than it could. Names in a directory are relative to it: directory is its number, or OS_HERE.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OS_STDIN, OS_STDOUT, OS_STDERR };

#define OS_HERE (-1) /* the directory that the program was started in */

/* Prepare the process, before anything else. A standard stream that it was started without is opened, so that no file
 * gets its number; it can be neither read nor written. What is written to stderr may wait for fflush(). */
void os_begin(void);

/* ---- what is there ----------------------------------------------------------------------------------------------- */

enum os_kind { OS_FILE, OS_DIRECTORY, OS_LINK, OS_BLOCK_DEVICE, OS_DEVICE, OS_PIPE, OS_SOCKET };

struct os_status {
    enum os_kind kind;
    uint64_t size;
    uint64_t device, number; /* both are the same for one file only */
    int64_t written;         /* seconds from 1970 to the last change of its bytes */
    int64_t change[2];       /* differs after each change of the file */
    unsigned permissions;
};

/* Find out about a path, a name in a directory, or an open file. A link at its end is followed, if that is wanted. */
bool os_status(const char *path, struct os_status *status);
bool os_status_in(int directory, const char *name, bool follow, struct os_status *status);
bool os_status_of(int file, struct os_status *status);

/* Whether the path leads to a regular file; whether both lead to the same one. */
bool os_is_file(const char *path);
bool os_is_same(const char *a, const char *b);

/* Whether the file is a terminal; whether it is one that takes escape sequences, for colours and the like; whether
 * what is written there is shown as UTF-8, though the user has set no locale; whether nobody is left who reads it. */
bool os_is_terminal(int file);
bool os_takes_escapes(int file);
bool os_takes_utf8(int file);
bool os_is_hung_up(int file);

/* The names in a directory's directory ("." for itself), in their order, without "." and ".."; NULL ends the list. Free
 * it with os_list_free(), to which NULL may be given. */
char **os_list(int directory, const char *name);
void os_list_free(char **names);

/* What follows the path's last separator; it is empty if nothing follows. Whether the path names a device by the way it
 * is written. What stands between the folders of a list. */
const char *os_base_name(const char *path);
bool os_is_device_name(const char *path);
char os_folder_separator(void);

/* The path, whole and without links: also if it is the end of links that lead nowhere. The caller frees it. */
char *os_real_path(const char *path);

/* The path from the root on. The caller frees it. */
char *os_whole_path(const char *path);

/* The path of this program, by what it was called by, its argv[0], if the system tells no better. The caller frees it.
 * NULL: not known. */
char *os_program(const char *called);

/* ---- open files -------------------------------------------------------------------------------------------------- */

/* Open a file to read it, or to write over it; or a directory. */
int os_open(const char *path);
int os_open_to_write(int directory, const char *path);
int os_open_directory(const char *path);

/* Open what must be a regular file, to read it. If it is something else, which is not waited for, errno is 0. */
int os_open_file(int directory, const char *path, struct os_status *status);

/* False: the file may not have all that was written. */
bool os_close(int file);

/* Read size bytes at an offset. Returns how many; if that is fewer, *error is why: 0 at the file's end. */
size_t os_read_at(int file, uint64_t offset, void *to, size_t size, int *error);

/* Read what is there next, at most size bytes, and wait if there is nothing yet. 0: the end. */
int64_t os_read(int file, void *to, size_t size);

/* Write all bytes, where the file stands or to an offset. Returns an errno: ENOSPC for a file that takes no more. */
int os_write(int file, const void *from, size_t size);
int os_write_at(int file, const void *from, size_t size, uint64_t offset);

/* Ask for the blocks of such a write at once: for a MiB that takes half the time that it takes page by page. Nothing
 * happens where it cannot be done, nor to a file that others may look at meanwhile, since the file may grow. */
void os_reserve(int file, size_t size, uint64_t offset);

/* Go to an offset, as fseek() does. Returns where the file stands then. */
int64_t os_seek(int file, int64_t offset, int whence);

/* The offset from which on the file stores bytes again, or has a hole again. errno is ENXIO if there is none. */
int64_t os_data_from(int file, uint64_t offset);
int64_t os_hole_from(int file, uint64_t offset);

/* A stream of the file, for which mode is as for fopen(). Closing it leaves the file open. */
FILE *os_stream(int file, const char *mode);

/* Create a file to be read and written that has no name: its space is free again as soon as it is closed, however the
 * program ends. The directory of such files, for messages. */
int os_temporary(void);
const char *os_temporary_directory(void);

/* ---- changing directories ---------------------------------------------------------------------------------------- */

/* Rename a file or directory; it replaces a file, or an empty directory. Remove an empty directory. */
bool os_rename(const char *from, const char *to);
bool os_remove_directory(const char *path);

/* Remove a name in a directory: of a file or of an empty directory. */
bool os_remove_in(int directory, const char *name, enum os_kind kind);

/* Make a directory beside a path, of a name that was free. The caller frees the name. */
char *os_make_beside(const char *path);

/* ---- what is unfinished ------------------------------------------------------------------------------------------
 * It has a name of its own until it is finished. os_catch_ending() (os_signal.h) has it removed when a signal ends the
 * program. One thread does all of this. */

/* Create a file, or a directory, beside a path, with the permissions of `like`, or, if that is NULL, of any new one.
 * Returns its name, valid until os_unfinished_end(); *file is to be closed, a directory's not before that. */
char *os_unfinished(const char *path, enum os_kind kind, const struct os_status *like, int *file);

/* Create a file or a directory in a directory, unfinished with it. os_create_in() opens it, to write. */
int os_create_in(int directory, const char *name);
bool os_make_in(int directory, const char *name);

/* It has another name now, and stays; or remove it, with what was created in it. */
void os_unfinished_end(char *name, bool remove);

/* Remove all that is unfinished, as the program ends: a signal handler may do that. */
void os_unfinished_remove_all(void);

#endif
