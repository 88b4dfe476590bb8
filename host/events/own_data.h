/* own_data.h - the data of an event that a firmware defines, as its descriptor says that it is. */
#ifndef EVENTS_OWN_DATA_H
#define EVENTS_OWN_DATA_H

#include "events/own_descriptor.h"
#include "model/trace.h"

/* The data of an event: n words of 4 bytes, little-endian. A slot has two, so the last one may be no part of the
 * event. */
struct own_data {
    const unsigned char *words;
    uint32_t n;
};

/* Bytes of the event's text, with its NUL; 0 if it has none, or it has no end. */
size_t own_data_text(const struct own_descriptor *of, struct own_data from);

/* Whether the event has the data that the descriptor says: all, and no more than the last slot has to have. */
bool own_data_is_of(const struct own_descriptor *of, struct own_data from);

/* A pointer to a function of Thumb code has bit 0 set: clear it where a function begins. */
void own_data_clear_thumb(const struct trace_firmware *firmware, unsigned char *at);

#endif
