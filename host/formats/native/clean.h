/* clean.h - whether a lap is as the firmware writes it, with nothing wrong, as nearly all laps are. */
#ifndef NATIVE_CLEAN_H
#define NATIVE_CLEAN_H

#include "formats/native/slot.h"

/* What is known of a clean lap besides. */
struct native_clean {
    bool records;  /* all slots are records */
    uint64_t lead; /* the stamp that stamps of traceevent slots ahead of the first record are counted from */
};

/* Whether n slots, at least one, are whole events of that lap alone, in the order of time and within the span. True:
 * *clean is filled. False only means that the slots have to be looked at one by one: something that is not wrong, but
 * rare, may also lead to it. The slots have no contexts in the high word. */
bool native_is_clean(const unsigned char *slot, uint32_t n, uint64_t lap, struct native_span span,
                     struct native_clean *clean);

#endif
