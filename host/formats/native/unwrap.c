/* unwrap.c - steps back in time that are wraps: see unwrap.h. A single stamp may be damaged. So a step counts only if
 * two of the last stamps ahead of it are later than the two behind it. */
#include "formats/native/unwrap.h"

#define LOW_SLOTS 6u /* that have to agree, if they do not tell wraps */

void native_trail_add(struct native_trail *trail, uint64_t stamp)
{
    for (uint32_t i = NATIVE_TRAIL - 1u; i > 0; i--)
        trail->stamp[i] = trail->stamp[i - 1u];
    trail->stamp[0] = stamp;
    trail->n += trail->n < NATIVE_TRAIL;
}

uint64_t native_trail_second(const struct native_trail *trail)
{
    uint64_t first = 0, second = 0;
    for (uint32_t i = 0; i < trail->n; i++) {
        if (trail->stamp[i] >= first) {
            second = first;
            first = trail->stamp[i];
        } else if (trail->stamp[i] > second) {
            second = trail->stamp[i];
        }
    }
    return second;
}

uint64_t native_trail_least(const struct native_trail *trail)
{
    uint64_t least = trail->n < NATIVE_TRAIL ? 0 : UINT64_MAX;
    for (uint32_t i = 0; i < trail->n; i++)
        least = trail->stamp[i] < least ? trail->stamp[i] : least;
    return least;
}

/* Whether a stamp is before `latest` as it can be if a wrap was not seen: by less than half a wrap, because the mirror
 * bit tells half wraps apart. */
static bool is_back(uint64_t stamp, uint64_t latest)
{
    return stamp < latest && latest - stamp < NATIVE_WRAP / 2u;
}

/* Whether the stamps of a slot and of those behind it are before `latest`: of one, which may be in the next lap, or, if
 * only low words are told, of all that damage can reach. */
static bool stays_back(const struct native_told *told, uint32_t n, uint64_t next, uint64_t added, uint64_t latest)
{
    uint32_t look = told->whole ? 2u : LOW_SLOTS;
    for (uint32_t i = 0; i < look && i < n; i++) {
        if (!is_back(told[i].stamp + added, latest))
            return false;
    }
    return n > 1u || (next != NATIVE_STAMP_UNKNOWN && is_back(next + added, latest));
}

void native_unwrap(struct native_trail *trail, struct native_told *told, uint32_t n, uint64_t next)
{
    struct native_trail ahead = *trail;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t latest = told[i].whole ? native_trail_second(&ahead) : native_trail_least(&ahead);
        ahead.wraps += stays_back(&told[i], n - i, next, ahead.wraps * NATIVE_WRAP, latest);
        told[i].wraps = ahead.wraps;
        native_trail_add(&ahead, told[i].stamp + ahead.wraps * NATIVE_WRAP);
    }
    trail->wraps = ahead.wraps;
}
