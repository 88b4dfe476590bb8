/* hold.c - a program for Windows that has a file open until its standard input ends.
 *
 * usage: hold.exe FILE shares|alone       (shares: others may rename it and remove it; alone: others may read it)
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

int wmain(int argc, wchar_t **argv)
{
    DWORD others = argc > 2 && wcscmp(argv[2], L"shares") == 0 ? FILE_SHARE_DELETE | FILE_SHARE_WRITE : 0;
    HANDLE file = CreateFileW(argv[1], GENERIC_READ, FILE_SHARE_READ | others, NULL, OPEN_EXISTING, 0, NULL);
    puts(file != INVALID_HANDLE_VALUE ? "open" : "not open");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return file != INVALID_HANDLE_VALUE ? 0 : 1;
}
