/* slot.c - looks at single slots of a .kev file: see slot.h. */
#include "formats/qnx/slot.h"

unsigned kev_cpu(const struct kev_slot *slot)
{
    return _NTO_TRACE_GETCPU(slot->header);
}

bool kev_is_control(const struct kev_slot *slot, uint32_t event)
{
    return _NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_CONTROL_C && _NTO_TRACE_GETEVENT(slot->header) == event;
}

bool kev_tells_trace(const struct kev_slot *slot)
{
    return kev_is_control(slot, TLOG_CONTROL_TIME) || kev_is_control(slot, TLOG_CONTROL_BUFFER)
           || kev_is_control(slot, TLOG_CONTROL_BUFFER_END) || kev_is_control(slot, TLOG_CONTROL_DROPPED);
}

bool kev_is_empty(const struct kev_slot *slot)
{
    return slot->header == 0 && slot->stamp == 0 && slot->word[0] == 0 && slot->word[1] == 0;
}

/* In QNX 8 the CPU of CONTROL slots may be wrong, so it is not checked. */
const char *kev_fault(const struct kev_slot *slot, unsigned release, unsigned ncpus)
{
    if (_NTO_TRACE_GETEVENT_C(slot->header) == _TRACE_EMPTY_C)
        return kev_is_empty(slot) ? NULL : "a slot of no class";
    if (kev_cpu(slot) >= ncpus && !(kev_tells_trace(slot) && release >= 8u))
        return "a slot of a CPU that the header does not count";
    return NULL;
}

/* Bits 31..30 of the header are the part, as enum qnx_part has them. */
struct qnx_slot kev_joinable(const struct kev_slot *slot, uint64_t time)
{
    return (struct qnx_slot){slot->header & (_NTO_TRACE_CPU_BITS | _NTO_TRACE_CLASS_BITS | _NTO_TRACE_EVENT_BITS),
                             slot->stamp,
                             (enum qnx_part)(slot->header >> 30),
                             time,
                             slot->offset,
                             slot->data};
}

struct qnx_event kev_event(const struct qnx_joined *joined, bool big)
{
    return (struct qnx_event){_NTO_TRACE_GETEVENT_C(joined->header) >> 10, _NTO_TRACE_GETEVENT(joined->header),
                              joined->slots, joined->data, big};
}

uint32_t kev_buffers_step(struct kev_buffers *buffers, const struct kev_slot *slot)
{
    unsigned i = buffers->per_cpu ? kev_cpu(slot) : 0;
    uint32_t missing = buffers->known[i] ? (slot->word[0] - buffers->last[i] - 1u) % KEV_SEQUENCES : 0;
    buffers->known[i] = true;
    buffers->last[i] = slot->word[0];
    buffers->expected = slot->word[1];
    buffers->found = 0;
    return missing;
}

bool kev_buffers_wrong(const struct kev_buffers *buffers, unsigned release)
{
    return release < 8u && buffers->expected != 0 && buffers->expected != buffers->found;
}
