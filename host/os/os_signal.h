/* os_signal.h - signals, which a user or the system sends to the program. */
#ifndef OS_SIGNAL_H
#define OS_SIGNAL_H

#include <stdbool.h>

/* From now on a signal that ends the program calls at_end before, os_unfinished_remove_all() (os_file.h). A signal that
 * is ignored stays ignored: nohup and background jobs of a shell rely on it. To write to a closed pipe is an error, no
 * signal. */
void os_catch_ending(void (*at_end)(void));

/* Let the signals that end the program wait, but for those of faults in it; and let them come again. Pairs may be
 * within each other. */
void os_signals_hold(void);
void os_signals_release(void);

/* Between these two calls the user's interrupt, Ctrl-C, does not end the program: os_interrupted() tells of it. A
 * second one ends it. `all`: nor does what asks a program to end in order, such as SIGTERM. Pairs may be within each
 * other: the outermost counts. */
void os_interrupt_begin(bool all);
void os_interrupt_end(void);
bool os_interrupted(void);

#endif
