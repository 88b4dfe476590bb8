/* launch.c - other programs: see os_launch.h. */
#include "os/windows/back.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"
#include "os/os_launch.h"

#include <errno.h>
#include <process.h>
#include <stdint.h>

const char os_show_name[] = "Windows";

enum { ARGUMENTS_MOST = 16 };

/* The argument between quotation marks, as programs take their command lines apart. It has none in it: names of files
 * have none. The caller frees it. NULL: no memory. */
static wchar_t *quote(const char *argument)
{
    size_t room = strlen(argument) + 3u;
    wchar_t *wide = heap_alloc(room * sizeof *wide);
    int n = wide != NULL ? MultiByteToWideChar(CP_UTF8, 0, argument, -1, wide + 1, (int)room - 2) : 0;
    if (n == 0)
        return wide;
    wide[0] = wide[n] = L'"';
    wide[n + 1] = L'\0';
    return wide;
}

bool os_launch(const char *const *arguments)
{
    wchar_t *quoted[ARGUMENTS_MOST + 1] = {0}, program[WIDE_MOST];
    bool good = wide_path(program, OS_HERE, arguments[0]);
    for (size_t i = 0; good && arguments[i] != NULL && i < ARGUMENTS_MOST; i++)
        good = (quoted[i] = quote(arguments[i])) != NULL;
    good = good && _wspawnvp(_P_NOWAIT, program, (const wchar_t *const *)quoted) != -1;
    for (size_t i = 0; i < ARGUMENTS_MOST; i++)
        heap_free(quoted[i]);
    return good;
}

typedef HINSTANCE WINAPI execute(HWND window, const wchar_t *verb, const wchar_t *what, const wchar_t *parameters,
                                 const wchar_t *directory, INT show);

/* The shell is loaded only here: it takes longer than all else of the program's start. */
bool os_show(const char *what)
{
    wchar_t wide[WIDE_MOST];
    HMODULE shell = LoadLibraryW(L"shell32.dll");
    execute *show = shell != NULL ? (execute *)(void (*)(void))GetProcAddress(shell, "ShellExecuteW") : NULL;
    INT_PTR result;
    if (MultiByteToWideChar(CP_UTF8, 0, what, -1, wide, WIDE_MOST) == 0 || show == NULL) {
        errno = ENOSYS;
        return false;
    }
    result = (INT_PTR)show(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL);
    if (result > 32) /* as Windows tells success */
        return true;
    errno = result == ERROR_FILE_NOT_FOUND ? ENOENT : errno_of((DWORD)result);
    return false;
}
