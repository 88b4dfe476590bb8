/* launch.c - other programs: see os_launch.h. */
#include "os/posix/features.h"

#include "os/os_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <unistd.h>

#ifdef __APPLE__
const char os_show_name[] = "open";
#else
const char os_show_name[] = "xdg-open";
#endif

extern char **environ;

/* Its streams lead nowhere, so that nobody waits for their end. */
static int lead_nowhere(posix_spawn_file_actions_t *actions)
{
    int error = 0;
    for (int file = STDIN_FILENO; file <= STDERR_FILENO && error == 0; file++)
        error = posix_spawn_file_actions_addopen(actions, file, "/dev/null", O_RDWR, 0);
    return error;
}

/* A process group of its own, and the signals as they are by default: this program ignores some. */
static int set_apart(posix_spawnattr_t *how)
{
    sigset_t usual;
    int error;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    error = posix_spawnattr_setsigdefault(how, &usual);
    if (error == 0)
        error = posix_spawnattr_setpgroup(how, 0);
    return error != 0 ? error : posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
}

bool os_launch(const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        errno = error;
        return false;
    }
    error = posix_spawnattr_init(&how);
    if (error == 0) {
        error = lead_nowhere(&actions);
        if (error == 0)
            error = set_apart(&how);
        if (error == 0)
            error = posix_spawnp(&child, arguments[0], &actions, &how, (char *const *)arguments, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
}

bool os_show(const char *what)
{
    return os_launch((const char *const[]){os_show_name, what, NULL});
}
