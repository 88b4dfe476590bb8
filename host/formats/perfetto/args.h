/* args.h - the fields of an event as debug annotations, each of its own type. */
#ifndef PERFETTO_ARGS_H
#define PERFETTO_ARGS_H

#include "formats/perfetto/shape.h"

/* NULL: no memory. */
struct perfetto_args *perfetto_args_new(void);
void perfetto_args_free(struct perfetto_args *args);

/* Put all fields of an event; the shape tells how much room the caller must have made. Returns the place behind
 * them. */
unsigned char *perfetto_put_args(struct perfetto *state, unsigned char *to, struct perfetto_shape *shape,
                                 const struct trace_event *event);

/* Put one annotation with a text. */
unsigned char *perfetto_put_text_arg(struct perfetto *state, unsigned char *to, const char *label, const char *text);

#endif
