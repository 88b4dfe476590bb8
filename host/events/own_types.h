/* own_types.h - the types of the events that a firmware defines itself, and their payloads.
 *
 * Types come from the descriptors in trace->firmware. They have the system and the name that the firmware gives them;
 * spans are NAME_begin and NAME_end (nesting.h). A type is declared when the first event of it comes.
 */
#ifndef EVENTS_OWN_TYPES_H
#define EVENTS_OWN_TYPES_H

#include "events/own_descriptor.h"
#include "model/trace.h"

#define OWN_CLASS_FIRST 12u /* the traceevents of group 0 */
#define OWN_CLASSES     4u
#define OWN_RECORD      0x0Fu /* code of the record that stands for such an event */

/* Traceevents of class CONTROL whose data begins with the address of a descriptor. */
#define OWN_CONTROL_EVENT 0x105u
#define OWN_CONTROL_BEGIN 0x106u
#define OWN_CONTROL_END   0x107u

struct own_types;

/* The descriptors are not read before the first event comes. NULL: no memory. The trace must live as long. */
struct own_types *own_types_new(struct trace *trace);

/* Free all types, and tell the user how many events stayed numbers, because no descriptor describes them. The trace's
 * writer must be closed. NULL is allowed.
 */
void own_types_free(struct own_types *types);

/* Put the payload of an event of a group to data, which has room for OWN_PAYLOAD_MAX bytes, and its type to *type.
 * Returns its size; 0: no descriptor describes it. *is_plain: every event of this group and number with as much data
 * has its data, padded to this size, as the payload. */
uint16_t own_types_payload(struct own_types *types, uint32_t group, uint32_t number, struct own_data from,
                           unsigned char *data, uint16_t *type, bool *is_plain);

/* Whether there are descriptors. If there are, events with one number may differ: one has a type, and another has none
 * because its data are not what the descriptor says. */
bool own_types_are_known(const struct own_types *types);

/* Like own_types_payload(), for an event whose descriptor is at an address. */
uint16_t own_types_payload_at(struct own_types *types, uint64_t address, enum own_tag tag, struct own_data from,
                              unsigned char *data, uint16_t *type);

/* The same for a TLOG_PRINTK whose format is at an address. from: its arguments. 0: it is a text, not an event with
 * fields. */
uint16_t own_types_payload_of_text(struct own_types *types, uint64_t address, struct own_data from, unsigned char *data,
                                   uint16_t *type);

#define OWN_PAYLOAD_MAX 2048u /* OWN_BYTES_MAX, and for each field a number, a text and a unit */

#endif
