/* order.c - the longest sequences of records in order: see order.h.
 *
 * Of all sequences in order of a length, the best one ends with the earliest stamp, because most records can follow it.
 * best[] holds these stamps by length, and they rise with it; so for each record a binary search finds the longest
 * sequence that it can be added to.
 */
#include "formats/native/order.h"

/* Set before of each record. Returns the length of the longest sequence. */
static uint32_t count_before(struct native_order *order, uint32_t n)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 0, high = longest;
        while (low < high) {
            uint32_t middle = (low + high) / 2u;
            if (order[middle].best[0] <= order[i].stamp)
                low = middle + 1u;
            else
                high = middle;
        }
        order[low].best[0] = order[i].stamp;
        order[i].before = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
    return longest;
}

/* Set after of each record: the same backwards. */
static void count_after(struct native_order *order, uint32_t n)
{
    uint32_t longest = 0;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t low = 0, high = longest;
        while (low < high) {
            uint32_t middle = (low + high) / 2u;
            if (order[middle].best[1] >= order[i].stamp)
                low = middle + 1u;
            else
                high = middle;
        }
        order[low].best[1] = order[i].stamp;
        order[i].after = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
}

static bool is_in_longest(const struct native_order *order, uint32_t longest)
{
    return order->before + order->after - 1u == longest;
}

void native_order_records(struct native_order *order, uint32_t n)
{
    uint32_t longest = count_before(order, n);
    count_after(order, n);
    for (uint32_t i = 0; i < n; i++)
        order[i].rivals = 0;
    for (uint32_t i = 0; i < n; i++)
        order[order[i].before - 1u].rivals += is_in_longest(&order[i], longest);
    for (uint32_t i = 0; i < n; i++)
        order[i].keep = is_in_longest(&order[i], longest) && order[order[i].before - 1u].rivals == 1u;
}
