/* order.h - which records of a lap to leave out, so that the stamps of the others never go back. */
#ifndef NATIVE_ORDER_H
#define NATIVE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* A record that is to be put in order. The caller sets slot and stamp; the rest is the functions' own. */
struct native_order {
    uint64_t stamp;
    uint64_t best[2]; /* working space, by length of a sequence: the last or first stamp of the best one */
    uint32_t slot;    /* its number in the lap */
    uint32_t before;  /* records in the longest sequence in order that ends with this one */
    uint32_t after;   /* records in the longest sequence in order that begins with it */
    uint32_t rivals;  /* by place in a longest sequence: records that can stand there */
    bool keep;
};

/* Set keep of those of n records that are in every longest sequence in order. A record that is in some of these only
 * contradicts another one, and neither can be relied on. Takes n * log n steps. */
void native_order_records(struct native_order *order, uint32_t n);

#endif
