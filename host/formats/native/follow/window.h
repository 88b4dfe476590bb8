/* window.h - the events of a firmware that is followed, as they come: a reader without an end.
 *
 * At each poll the images of the laps that the poll has seen are decoded by the reader of dumps. So they hold events
 * that were given out before, which are passed over, and new ones. An event is given out when its order is certain: no
 * CPU can have an earlier one that was not read yet.
 */
#ifndef NATIVE_WINDOW_H
#define NATIVE_WINDOW_H

#include "model/module.h"

struct native_window;

/* The reader whose state a window is. It cannot be opened otherwise. */
extern const struct trace_reader native_window_reader;

/* A window for a trace, which lives as long; nothing was declared in it yet. NULL: no memory. The reader's close()
 * frees it. */
struct native_window *native_window_new(struct trace *trace);

/* Forget the images, before a poll; and add one, which is copied. 0, or -1: no memory. */
void native_window_begin(struct native_window *window);
int native_window_add(struct native_window *window, const unsigned char *image, uint32_t size);

/* All images were added: get ready to read. at_once: all that was read is of one moment, so that the order of all
 * events is certain; otherwise only of those that the poll before has seen. overtaken: slots were
 * lost before they were read. 1; 0: there is nothing that can be read; -1 after trace_fail(). */
int native_window_decode(struct native_window *window, bool at_once, bool overtaken);

#endif
