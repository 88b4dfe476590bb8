/* windows.h - windows: the parts of a trace that --time and --around ask for. */
#ifndef DECODE_WINDOWS_H
#define DECODE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

/* From and to are included. */
struct decode_window {
    uint64_t from, to;
};

/* An event is wanted if it is inside `time` and, with --around, also inside one of the windows. All zero at the
 * beginning. */
struct decode_windows {
    struct decode_window time;    /* of --time; if from is above to, it is empty */
    struct decode_window *around; /* n of them, with room for `room`; after decode_windows_order() they are apart */
    size_t n, room;
};

/* Add a window, or extend the last ones. NULL, or a text that tells what failed. */
const char *decode_windows_add(struct decode_windows *windows, struct decode_window window);

/* Put the windows in the order of time, and join those that overlap. */
void decode_windows_order(struct decode_windows *windows);

/* The number, from 1, of the window that a time is in; 0: in none. The windows must be in order. */
size_t decode_windows_find(const struct decode_windows *windows, uint64_t time);

/* Free what was added. */
void decode_windows_free(struct decode_windows *windows);

#endif
