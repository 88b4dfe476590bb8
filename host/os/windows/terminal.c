/* terminal.c - terminals: see os_file.h. They are consoles, and those of MSYS2 and Cygwin, which are pipes of a certain
 * name. */
#include "os/windows/back.h"

#include "os/os_file.h"

#include <stdlib.h>
#include <string.h>

/* ---- consoles ---------------------------------------------------------------------------------------------------- */

/* What was set when the program was started. */
static struct {
    bool is_console, takes_escapes;
    DWORD mode;
} screens[OS_STDERR + 1];
static UINT code_page; /* of output; 0: there is no console */

/* Consoles before Windows 10 take no escape sequences. */
static void begin_screen(int file)
{
    const DWORD wanted = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    HANDLE handle = handle_of(file);
    screens[file].is_console = GetConsoleMode(handle, &screens[file].mode);
    screens[file].takes_escapes = screens[file].is_console && SetConsoleMode(handle, screens[file].mode | wanted);
}

void console_begin(void)
{
    code_page = GetConsoleOutputCP();
    begin_screen(OS_STDOUT);
    begin_screen(OS_STDERR);
    if (screens[OS_STDOUT].is_console || screens[OS_STDERR].is_console)
        SetConsoleOutputCP(CP_UTF8);
}

void console_end(void)
{
    for (int file = OS_STDOUT; file <= OS_STDERR; file++) {
        if (screens[file].takes_escapes)
            SetConsoleMode(handle_of(file), screens[file].mode);
    }
    if (screens[OS_STDOUT].is_console || screens[OS_STDERR].is_console)
        SetConsoleOutputCP(code_page);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* A name such as \msys-1888ae32e00d56aa-pty0-to-master. */
static bool is_pty(HANDLE handle)
{
    union {
        FILE_NAME_INFO info;
        unsigned char room[sizeof(FILE_NAME_INFO) + MAX_PATH * sizeof(wchar_t)];
    } name;
    memset(&name, 0, sizeof name);
    return GetFileType(handle) == FILE_TYPE_PIPE
           && GetFileInformationByHandleEx(handle, FileNameInfo, &name, sizeof name - sizeof(wchar_t))
           && (wcsncmp(name.info.FileName, L"\\msys-", 6) == 0 || wcsncmp(name.info.FileName, L"\\cygwin-", 8) == 0)
           && wcsstr(name.info.FileName, L"-pty") != NULL;
}

static bool is_console(int file)
{
    DWORD mode;
    return GetConsoleMode(handle_of(file), &mode);
}

bool os_is_terminal(int file)
{
    return is_console(file) || is_pty(handle_of(file));
}

bool os_takes_escapes(int file)
{
    const char *kind = getenv("TERM");
    if (kind != NULL && strcmp(kind, "dumb") == 0)
        return false;
    return is_console(file) ? file <= OS_STDERR && screens[file].takes_escapes : is_pty(handle_of(file));
}

/* What is no console is shown by a program of the user's, which takes it for text of the console. */
bool os_takes_utf8(int file)
{
    return (is_console(file) ? GetConsoleOutputCP() : code_page) == CP_UTF8;
}
