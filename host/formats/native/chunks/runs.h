/* runs.h - of all images of a dump, those of one run of the firmware: times of different runs cannot be compared. */
#ifndef NATIVE_RUNS_H
#define NATIVE_RUNS_H

#include "formats/native/chunks/image_list.h"

/* Keep the images of the run that the view's trace->run asks for, and tell which other runs there are. The order of the
 * images changes. Returns 0, or -1 after trace_fail(), also if there is no image or no such run. */
int native_runs_choose(struct native_image_list *list, struct native_view *view);

#endif
