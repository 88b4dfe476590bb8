/* start.c - the start of the program: see os_file.h. Arguments and the environment become UTF-8, whatever the code page
 * is; the program's main() and getenv() see nothing else. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv);

/* Of MinGW-w64: patterns such as *.bin are left as they are, since they stand in filters, too. */
int _dowildcard = 0;

/* ---- the environment --------------------------------------------------------------------------------------------- */

static char *environment; /* NAME=VALUE, with a NUL behind each, and one behind all of them */

static void read_environment(void)
{
    wchar_t *wide = GetEnvironmentStringsW();
    const wchar_t *end = wide;
    int size;
    while (end != NULL && *end != L'\0')
        end += wcslen(end) + 1u;
    size = wide != NULL ? WideCharToMultiByte(CP_UTF8, 0, wide, (int)(end - wide) + 1, NULL, 0, NULL, NULL) : 0;
    environment = size > 0 ? heap_alloc((size_t)size) : NULL;
    if (environment != NULL)
        WideCharToMultiByte(CP_UTF8, 0, wide, (int)(end - wide) + 1, environment, size, NULL, NULL);
    if (wide != NULL)
        FreeEnvironmentStringsW(wide);
}

/* In the place of the C library's, which has the environment in the code page. */
char *getenv(const char *name)
{
    size_t length = strlen(name);
    for (char *at = environment; at != NULL && *at != '\0'; at += strlen(at) + 1u) {
        if (text_begins(at, name) && at[length] == '=')
            return at + length + 1u;
    }
    return NULL;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* The first function of a program that is linked with -municode. */
int wmain(int argc, wchar_t **wide)
{
    char **argv = heap_calloc((size_t)argc + 1u, sizeof *argv);
    bool good = argv != NULL;
    for (int i = 0; good && i < argc; i++)
        good = (argv[i] = narrow(wide[i])) != NULL;
    if (!good) {
        fputs("tlog-decode: no memory for the arguments\n", stderr);
        return EXIT_FAILURE;
    }
    read_environment();
    return main(argc, argv);
}

static void end_console(void)
{
    fflush(stdout);
    console_end();
}

/* A standard stream that the program was started without has a number all the same. Lines are written in one piece: a
 * console shows no character of UTF-8 whose bytes come one by one, and each write to it takes its time. */
void os_begin(void)
{
    for (int file = OS_STDIN; file <= OS_STDERR; file++)
        _setmode(file, _O_BINARY);
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
    console_begin();
    atexit(end_console);
}
