/* handles.c - see handles.h. */
#include "decode/handles.h"

#include "base/heap.h"
#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FIELDS = 4,  /* fields of a type that are looked at, at most */
    CACHED = 64, /* handles that are known to have been looked up; a power of two */
};

/* The fields of a type that are handles. */
struct fields {
    uint8_t n;
    uint8_t kind[FIELDS];
    uint16_t offset[FIELDS];
};

struct decode_handles {
    unsigned ntypes; /* types whose fields are known */
    unsigned named;  /* objects that got a name here */
    struct fields of[TRACE_TYPES_MAX];
    uint64_t looked_up[CACHED]; /* kind << 32 | handle; 0 = none */
};

struct decode_handles *decode_handles_new(void)
{
    return heap_calloc(1, sizeof(struct decode_handles));
}

void decode_handles_free(struct decode_handles *handles)
{
    heap_free(handles);
}

static struct fields fields_of(const struct tlog_type *type)
{
    struct fields fields = {0};
    for (unsigned i = 0; i < type->nfields && fields.n < FIELDS; i++) {
        const struct tlog_field *field = &type->fields[i];
        if (!display_is_handle(field->kind) || field->size != 4u)
            continue;
        fields.kind[fields.n] = (uint8_t)field->kind;
        fields.offset[fields.n++] = field->offset;
    }
    return fields;
}

/* The variable that an object lies in. Objects are aligned, and are not in code or constants: numbers that only look
 * like an address there, as 1, 2, 3 ... do, are none. */
static const struct trace_symbol *variable_at(const struct trace_firmware *firmware, uint32_t handle, uint64_t *offset)
{
    const struct trace_symbol *symbol = handle % 4u == 0 ? trace_symbol_at(firmware, handle, offset) : NULL;
    return symbol != NULL && strchr("DdBbV", symbol->type) != NULL ? symbol : NULL;
}

/* A long name is cut in front of the offset. */
bool decode_handles_text(const struct trace_firmware *firmware, uint32_t handle, char name[DISPLAY_NAME_BYTES])
{
    char tail[20] = "";
    uint64_t offset = 0;
    const struct trace_symbol *symbol = variable_at(firmware, handle, &offset);
    if (symbol == NULL)
        return false;
    if (offset > 0)
        snprintf(tail, sizeof tail, "+0x%" PRIx64, offset);
    snprintf(name, DISPLAY_NAME_BYTES, "%.*s%s", (int)(DISPLAY_NAME_BYTES - 1u - strlen(tail)), symbol->name, tail);
    return true;
}

/* An object that has a name keeps it, whether the firmware gave it or it is that of a life (lives.h). */
static void name_by_symbol(struct decode_handles *handles, struct trace *trace, enum tlog_kind kind, uint32_t handle)
{
    enum trace_name_kind names;
    char name[DISPLAY_NAME_BYTES];
    if (handles->named == DECODE_HANDLES_MAX || !display_names_of(kind, &names)
        || trace_name(trace, names, handle) != NULL || !decode_handles_text(trace->firmware, handle, name))
        return;
    trace_set_name(trace, names, handle, name);
    handles->named++;
}

static inline void look_up(struct decode_handles *handles, struct trace *trace, const struct tlog_event *event)
{
    const struct fields *fields = &handles->of[event->type];
    for (unsigned i = 0; i < fields->n; i++) {
        const unsigned char *data = event->data + fields->offset[i];
        uint32_t handle = fields->offset[i] + 4u <= event->size ? get_le32(data) : 0;
        uint64_t key = (uint64_t)fields->kind[i] << 32 | handle;
        uint64_t *cached = &handles->looked_up[(handle >> 2 ^ handle >> 8) % CACHED];
        if (handle == 0 || *cached == key)
            continue;
        *cached = key;
        name_by_symbol(handles, trace, (enum tlog_kind)fields->kind[i], handle);
    }
}

void decode_handles_name(struct decode_handles *handles, struct trace *trace, const struct trace_batch *in, size_t at,
                         size_t end)
{
    if (trace->firmware == NULL || trace->firmware->nsymbols == 0)
        return;
    for (; handles->ntypes < trace->ntypes; handles->ntypes++)
        handles->of[handles->ntypes] = fields_of(trace->types[handles->ntypes]);
    for (; at < end; at++)
        look_up(handles, trace, &in->event[at]);
}
