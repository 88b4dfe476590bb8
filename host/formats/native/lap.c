/* lap.c - the slots of a traceevent in a lap: see lap.h. */
#include "formats/native/lap.h"

#include <stdlib.h>

/* The head without the bits that differ among the slots of one event. */
static uint32_t common_bits(const unsigned char *slot)
{
    return native_head(slot) & ~(TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT);
}

uint32_t native_lap_combined(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *first = native_lap_slot(lap, index);
    uint32_t structure = native_head(first) >> TLOG_STRUCT_SHIFT;
    uint32_t n = 1;
    if (structure != TLOG_STRUCT_CB)
        return structure == TLOG_STRUCT_S;
    for (uint32_t i = index + 1u; i <= lap->last && native_lap_state(lap, i) == NATIVE_TRACEEVENT; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        structure = native_head(slot) >> TLOG_STRUCT_SHIFT;
        if (common_bits(slot) != common_bits(first) || native_low_stamp(slot) != native_low_stamp(first))
            return 0;
        n++;
        if (structure == TLOG_STRUCT_CE)
            return n;
        if (structure != TLOG_STRUCT_CC)
            return 0;
    }
    return 0;
}

const struct native_step *native_lap_step(const struct native_lap *lap, uint32_t index)
{
    uint32_t i = 0;
    while (i + 1u < lap->steps && lap->step[i].slot != index)
        i++;
    return &lap->step[i];
}

void native_lap_free(struct native_lap *lap)
{
    free(lap->view.bytes);
    free(lap->state);
    free(lap->contexts);
}

void native_loader_free(struct native_loader *loader)
{
    free(loader->other.bytes);
    free(loader->other_state);
    free(loader->order);
    free(loader->told);
}
