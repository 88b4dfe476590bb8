/* block.h - the blocks of one file of a trace, in the order of time. */
#ifndef LTTNG_BLOCK_H
#define LTTNG_BLOCK_H

#include "formats/lttng/walk.h"

/* Start a walk at the block that is first in time. The caller has set the walk's first fields, up to reference, and all
 * the rest to 0. */
void lttng_block_start(struct lttng_walk *walk);

/* Go to the next block: read its headers, check them, and set where its events are. Returns false at the end of the
 * file. */
bool lttng_block_next(struct lttng_walk *walk);

/* All events of the current block, if there is one, were read. This is reported if the block ends too long after
 * them. */
void lttng_block_leave(struct lttng_walk *walk);

#endif
