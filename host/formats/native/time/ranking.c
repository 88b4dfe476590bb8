/* ranking.c - sequences of stamps in order: see ranking.h.
 *
 * Of all sequences of one length, the best one ends with the earliest stamp, because most stamps can follow it. best[]
 * holds the last stamps of the best sequences by length; they rise with it. So for each stamp a binary search finds the
 * longest sequence that it can be added to.
 */
#include "formats/native/time/ranking.h"

/* Set before of each stamp. Returns the length of the longest sequence. */
static uint32_t count_before(struct native_ranked_stamp *ranked, uint32_t n)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 0, high = longest;
        while (low < high) {
            uint32_t middle = (low + high) / 2u;
            if (ranked[middle].best[0] <= ranked[i].stamp)
                low = middle + 1u;
            else
                high = middle;
        }
        ranked[low].best[0] = ranked[i].stamp;
        ranked[i].before = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
    return longest;
}

/* Set after of each stamp: the same backwards. */
static void count_after(struct native_ranked_stamp *ranked, uint32_t n)
{
    uint32_t longest = 0;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t low = 0, high = longest;
        while (low < high) {
            uint32_t middle = (low + high) / 2u;
            if (ranked[middle].best[1] >= ranked[i].stamp)
                low = middle + 1u;
            else
                high = middle;
        }
        ranked[low].best[1] = ranked[i].stamp;
        ranked[i].after = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
}

static bool is_in_longest(const struct native_ranked_stamp *ranked, uint32_t longest)
{
    return ranked->before + ranked->after - 1u == longest;
}

void native_rank_stamps(struct native_ranked_stamp *ranked, uint32_t n)
{
    uint32_t longest = count_before(ranked, n);
    count_after(ranked, n);
    for (uint32_t i = 0; i < n; i++)
        ranked[i].rivals = 0;
    for (uint32_t i = 0; i < n; i++)
        ranked[ranked[i].before - 1u].rivals += is_in_longest(&ranked[i], longest);
    for (uint32_t i = 0; i < n; i++)
        ranked[i].keep = is_in_longest(&ranked[i], longest) && ranked[ranked[i].before - 1u].rivals == 1u;
}
