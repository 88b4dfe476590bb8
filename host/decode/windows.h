/* windows.h - windows: the parts of a trace that --time and --around ask for. */
#ifndef DECODE_WINDOWS_H
#define DECODE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

/* From and to are included. */
struct decode_window {
    uint64_t from, to;
};

/* An event is wanted if it is inside of time, and, if there is --around, of one of the windows, too. All zero to begin
 * with. */
struct decode_windows {
    struct decode_window time;    /* of --time; from is above to: nothing is in it */
    struct decode_window *around; /* n of them, with room for so many, after decode_windows_order() apart */
    size_t n, room;
};

/* Add a window, or make the last ones longer. NULL, or what failed. */
const char *decode_windows_add(struct decode_windows *windows, struct decode_window window);

/* Put them in the order of time, and make one of those that overlap. */
void decode_windows_order(struct decode_windows *windows);

/* Number from 1 of the window that a time is in; 0: it is in none. They must be in order. */
size_t decode_windows_find(const struct decode_windows *windows, uint64_t time);

/* Free what was added. */
void decode_windows_free(struct decode_windows *windows);

#endif
