/* launch.c - where no program can be started: see os_launch.h. */
#include "os/os_launch.h"

#include <errno.h>

const char os_show_name[] = "nothing";

bool os_launch(const char *const *arguments)
{
    (void)arguments;
    errno = ENOSYS;
    return false;
}

bool os_show(const char *what)
{
    (void)what;
    errno = ENOSYS;
    return false;
}
