/* repair.h - what could not be read as it stands of a dump, made images again as far as they are proved
 * (target/FORMAT.md, 4.1 to 4.4). A dump without damage never comes here, unless what stands beside its chunks looks
 * like a chunk.
 */
#ifndef NATIVE_REPAIR_H
#define NATIVE_REPAIR_H

#include "formats/native/chunks/image_list.h"

/* Add to the images of a list what is proved of what could not be read. Damage is noted, not
 * reported. Takes what it looks at from the view's budget. Returns 0, or -1 after trace_fail(). */
int native_repair(struct native_view *view, struct native_image_list *list);

/* Report the damage of the images of a list, which are all of one run. Returns 0, or -1 after trace_fail(). */
int native_repair_report(struct native_view *view, struct native_image_list *list);

#endif
