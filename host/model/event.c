/* event.c - room in batches, the types of losses, and the names of contexts: see event.h. */
#include "model/event.h"

#include "base/bytes.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- batches and types ------------------------------------------------------------------------------------------- */

#define ROOM_ALIGNMENT 8u /* every payload begins where a field of 8 bytes may */

void *trace_batch_room(struct trace_batch *batch, size_t size)
{
    size_t start = (batch->used + ROOM_ALIGNMENT - 1u) & ~(size_t)(ROOM_ALIGNMENT - 1u);
    if (batch->n >= TRACE_BATCH_EVENTS || start > sizeof batch->room || size > sizeof batch->room - start)
        return NULL;
    batch->used = start + size;
    return batch->room + start;
}

uint64_t tlog_event_number(const struct tlog_event *event, const struct tlog_field *field)
{
    unsigned spare = field->size < 8u ? 64u - 8u * field->size : 0;
    uint64_t value;
    if (!tlog_event_has(event, field) || field->size == 0 || field->size > 8u)
        return 0;
    value = number_at(event->data + field->offset, field->size, false);
    return field->kind == TLOG_KIND_SIGNED ? (uint64_t)((int64_t)(value << spare) >> spare) : value;
}

const char *tlog_event_string(const struct tlog_event *event, const struct tlog_field *field, size_t *length)
{
    size_t offset = field->offset, size = field->size;
    if (field->kind != TLOG_KIND_STRING && field->kind != TLOG_KIND_CHARS)
        return NULL;
    if (field->kind == TLOG_KIND_STRING) {
        uint32_t place = (uint32_t)tlog_event_number(event, field);
        offset = place & 0xFFFFu;
        size = place >> 16;
    }
    if (!tlog_event_has(event, field) || offset > event->size || size > event->size - offset)
        return NULL;
    *length = text_length((const char *)event->data + offset, size);
    return (const char *)event->data + offset;
}

bool trace_field_is_rounded(const struct tlog_type *type, unsigned i)
{
    const struct tlog_field *field = &type->fields[i], *text = field + 1;
    size_t n = strlen(field->name);
    return i + 1u < type->nfields && field->kind == TLOG_KIND_SIGNED && field->size == 8u
           && text->kind == TLOG_KIND_STRING && strncmp(text->name, field->name, n) == 0
           && strcmp(text->name + n, "_text") == 0;
}

const struct tlog_field *tlog_field_named(const struct tlog_type *type, const char *name)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    }
    return NULL;
}

static const struct tlog_field count_fields[] = {{"count", TLOG_KIND_UNSIGNED, 0, 8}};
const struct tlog_type trace_loss_type = {"tlog", "loss", TLOG_MEANS_LOSS, 8, 1, count_fields, NULL};
const struct tlog_type trace_damage_type = {"tlog", "damage", TLOG_MEANS_DAMAGE, 8, 1, count_fields, NULL};
static const struct tlog_field begins_fields[] = {{"begins", TLOG_KIND_UNSIGNED, 0, 4}};
const struct tlog_type trace_left_out_type = {"tlog", "left_out", TLOG_MEANS_LEFT_OUT, 4, 1, begins_fields, NULL};

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

enum {
    EXCEPTIONS = 16,   /* of the core; the numbers from here on are those of interrupts, from interrupt 0 */
    MODE_FIRST = 0x10, /* number of the first mode, User */
    MODES = 16
};

static const char *const exceptions[EXCEPTIONS] = {
    [1] = "reset",       [2] = "nmi",  [3] = "hardfault", [4] = "memmanage", [5] = "busfault", [6] = "usagefault",
    [7] = "securefault", [11] = "svc", [12] = "debugmon", [14] = "pendsv",   [15] = "systick",
};

/* User and System mode have no name: they are those of tasks. */
static const char *const modes[MODES] = {
    [1] = "fiq", [2] = "irq", [3] = "supervisor", [6] = "monitor", [7] = "abort", [10] = "hyp", [11] = "undefined",
};

static bool is_mode(uint16_t context)
{
    return (context & TRACE_CONTEXT_MODE) != 0;
}

/* Index of a mode in modes. */
static unsigned mode_of(uint16_t context)
{
    return ((unsigned)context - MODE_FIRST) % MODES;
}

const char *trace_context_name(uint16_t context, char text[TRACE_CONTEXT_NAME_BYTES])
{
    if (is_mode(context))
        return modes[mode_of(context)];
    if (context == 0)
        return NULL;
    if (context < EXCEPTIONS && exceptions[context] != NULL)
        return exceptions[context];
    if (context < EXCEPTIONS)
        snprintf(text, TRACE_CONTEXT_NAME_BYTES, "exception %u", (unsigned)context);
    else
        snprintf(text, TRACE_CONTEXT_NAME_BYTES, "irq %u", (unsigned)(uint16_t)(context - EXCEPTIONS));
    return text;
}

/* Of modes, those that only an exception enters: FIQ, IRQ, Abort and Undefined. In Supervisor mode some systems run
 * their tasks. */
bool trace_context_is_interrupt(uint16_t context)
{
    static const unsigned entered = 1u << 1 | 1u << 2 | 1u << 7 | 1u << 11;
    return is_mode(context) ? (entered >> mode_of(context) & 1u) != 0 : context != 0;
}
