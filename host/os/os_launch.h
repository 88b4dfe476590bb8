/* os_launch.h - other programs, which go on by themselves. They read and print nothing, and a key that interrupts this
 * program does not interrupt them. */
#ifndef OS_LAUNCH_H
#define OS_LAUNCH_H

#include <stdbool.h>

/* Start a program: arguments[0] is its name, which is looked for in the user's folders of programs; a NULL ends the
 * arguments, which it gets as they are, without any shell. False: errno tells why, ENOENT if there is no such program,
 * ENOSYS if no program can be started. */
bool os_launch(const char *const *arguments);

/* Have the system show a file, of which the whole path is given, or an address of the net, in what the user wants for
 * it. False as above. What it was told to: a name for messages. */
bool os_show(const char *what);
extern const char os_show_name[];

#endif
