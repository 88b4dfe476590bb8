/* rtos_types.c - makes the types of records about an operating system's objects: see rtos_types.h. */
#include "events/rtos_types.h"

#include "base/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rtos_type {
    struct tlog_type type; /* its system is the one string by which rtos_types_code() knows such types */
    struct tlog_field field[2];
    char name[RTOS_NAME_BYTES];
    uint32_t code;
    struct rtos_type *before;
};

static const char rtos_system[] = "rtos";

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* The names of operations, by the high nibble of their code. */
#define CODE_NAME(code, name, par1, par2) [(code) >> 4] = #name,
#define OPERATION_NAME(number, name)      [number] = #name,
static const char *const operations[32] = {TLOG_RTOS_EVENTS(CODE_NAME) TLOG_RTOS_OPERATIONS(OPERATION_NAME)};

const char *rtos_object_name(uint32_t number)
{
    static const char *const objects[TLOG_OBJECTS] = {
        "object",        "queue",          "queue_set", "semaphore", "timer",       "event_group",
        "stream_buffer", "message_buffer", "mailbox",   "pipe",      "memory_pool", "heap",
        "condition",     "notification",   "barrier",   "lock",      "work_queue",  "counter"};
    return objects[number];
}

/* What a record is about. */
struct about {
    uint32_t code, kind, operation;
};

/* What is sent is given back, if it can only be given and taken. */
static bool is_given(uint32_t kind)
{
    return kind == TLOG_NAME_MUTEX || kind == TLOG_NAME_SEMAPHORE || kind == TLOG_NAME_LOCK
           || kind == TLOG_NAME_NOTIFICATION;
}

/* The verb for an operation on a kind of object. */
static const char *verb_of(uint32_t operation, uint32_t kind)
{
    bool is_pool = kind == TLOG_NAME_MEMORY_POOL || kind == TLOG_NAME_HEAP;
    if (operation == TLOG_RTOS_send)
        return is_given(kind) ? "give" : is_pool ? "free" : "send";
    if (operation == TLOG_RTOS_receive)
        return is_given(kind) ? "take" : is_pool ? "allocate" : "receive";
    return operations[operation];
}

/* The name of a kind of object, and of its field. NULL: there is no such kind. */
static const char *noun_of(uint32_t kind)
{
    if (kind >= TLOG_NAME_OBJECT && kind < TLOG_NAME_OBJECT + TLOG_OBJECTS)
        return rtos_object_name(kind - TLOG_NAME_OBJECT);
    return kind == TLOG_NAME_TASK ? "task" : kind == TLOG_NAME_MUTEX ? "mutex" : NULL;
}

static enum tlog_kind kind_of(uint32_t kind)
{
    return kind == TLOG_NAME_TASK    ? TLOG_KIND_TASK
           : kind == TLOG_NAME_MUTEX ? TLOG_KIND_MUTEX
                                     : (enum tlog_kind)(TLOG_KIND_OBJECT + (kind - TLOG_NAME_OBJECT));
}

/* The name of the count that a kind of object has. NULL: it has none. */
static const char *count_of(const struct about *about)
{
    uint32_t kind = about->kind;
    if (!RTOS_HAS(about->code, RTOS_WITH_COUNT) || about->operation == TLOG_RTOS_delete || kind == TLOG_NAME_MUTEX)
        return NULL;
    if (about->operation == TLOG_RTOS_create)
        return "size";
    if (kind == TLOG_NAME_STREAM_BUFFER || kind == TLOG_NAME_MESSAGE_BUFFER || kind == TLOG_NAME_PIPE)
        return "bytes";
    return is_given(kind) || kind == TLOG_NAME_COUNTER ? "count" : "waiting";
}

/* ---- making a type ----------------------------------------------------------------------------------------------- */

/* Codes with fields and a name of their own. */
struct plain {
    const char *name;
    struct tlog_field field[2];
    uint16_t nfields;
    enum tlog_meaning means;
};

static const struct plain plain[16] = {
    [TLOG_RTOS_delay] = {"delay", {{"ticks", TLOG_KIND_UNSIGNED, 4, 4}}, 1, TLOG_MEANS_BLOCK_RUNNING},
    [TLOG_RTOS_set_bits] = {"event_group_set_bits",
                            {{"event_group", TLOG_KIND_OBJECT + 5, 4, 4}, {"bits", TLOG_KIND_HEX, 0, 4}},
                            2,
                            TLOG_MEANS_PLAIN},
    [TLOG_RTOS_clear_bits] = {"event_group_clear_bits",
                              {{"event_group", TLOG_KIND_OBJECT + 5, 4, 4}, {"bits", TLOG_KIND_HEX, 0, 4}},
                              2,
                              TLOG_MEANS_PLAIN},
    [TLOG_RTOS_wait_bits] = {"event_group_wait_block",
                             {{"event_group", TLOG_KIND_OBJECT + 5, 4, 4}, {"bits", TLOG_KIND_HEX, 0, 4}},
                             2,
                             TLOG_MEANS_BLOCK_RUNNING},
    [TLOG_RTOS_notify] = {"task_notify",
                          {{"task", TLOG_KIND_TASK, 0, 4}, {"index", TLOG_KIND_UNSIGNED, 4, 4}},
                          2,
                          TLOG_MEANS_PLAIN},
    [TLOG_RTOS_allocate] = {"heap_allocate",
                            {{"bytes", TLOG_KIND_UNSIGNED, 0, 4}, {"in_use", TLOG_KIND_UNSIGNED, 4, 4}},
                            2,
                            TLOG_MEANS_PLAIN},
    [TLOG_RTOS_free] = {"heap_free",
                        {{"bytes", TLOG_KIND_UNSIGNED, 0, 4}, {"in_use", TLOG_KIND_UNSIGNED, 4, 4}},
                        2,
                        TLOG_MEANS_PLAIN},
};

static void make_plain(struct rtos_type *type, const struct plain *from)
{
    snprintf(type->name, sizeof type->name, "%s", from->name);
    memcpy(type->field, from->field, sizeof type->field);
    type->type.nfields = from->nfields;
    type->type.means = from->means;
}

/* Name the type by object, operation and outcome. */
static void name_type(struct rtos_type *type, const struct about *about)
{
    const char *noun = noun_of(about->kind), *verb = verb_of(about->operation, about->kind);
    const char *end = about->code >> 4 == TLOG_RTOS_fail    ? "_failed"
                      : about->code >> 4 == TLOG_RTOS_block ? "_block"
                                                            : "";
    snprintf(type->name, sizeof type->name, "%s%s%s%s", noun != NULL ? noun : "", noun != NULL ? "_" : "", verb, end);
}

/* Give the type the fields of an object. */
static void make_fields(struct rtos_type *type, const struct about *about)
{
    const char *noun = noun_of(about->kind), *count = count_of(about);
    type->field[0] = (struct tlog_field){noun, noun != NULL ? kind_of(about->kind) : TLOG_KIND_UNSIGNED, 4, 4};
    if (noun == NULL && about->operation == TLOG_RTOS_call)
        type->field[0] = (struct tlog_field){"function", TLOG_KIND_ADDRESS, 4, 4};
    else if (noun == NULL)
        type->field[0].name = "value";
    type->field[1] = (struct tlog_field){count, TLOG_KIND_UNSIGNED, 2, 2};
    if (about->kind == TLOG_NAME_HEAP) /* Zephyr does not tell what is left */
        type->field[1].kind = TLOG_KIND_OPTIONAL;
    type->type.nfields = count != NULL ? 2 : 1;
}

/* A task that waits for a lock leaves the CPU in another state than one that waits for anything else. */
static enum tlog_meaning class_of(const struct about *about)
{
    if (about->code >> 4 == TLOG_RTOS_create || about->code >> 4 == TLOG_RTOS_delete)
        return about->code >> 4 == TLOG_RTOS_create ? TLOG_MEANS_CREATE : TLOG_MEANS_END;
    if (about->code >> 4 != TLOG_RTOS_block)
        return TLOG_MEANS_PLAIN;
    return about->kind == TLOG_NAME_MUTEX || about->kind == TLOG_NAME_LOCK ? TLOG_MEANS_LOCK_RUNNING
                                                                           : TLOG_MEANS_BLOCK_RUNNING;
}

/* Read what the record is about. False: that is not known. */
static bool read_about(struct about *about, uint32_t code, uint32_t par1)
{
    uint32_t operation = par1 >> TLOG_RTOS_COUNT_SHIFT;
    *about = (struct about){code, par1 & TLOG_RTOS_KIND_MASK, code >> 4};
    if (plain[code >> 4].name != NULL)
        return true;
    if (RTOS_HAS(code, RTOS_WITH_REASON))
        about->operation = operation;
    if (about->operation > 31u || operations[about->operation] == NULL)
        return false;
    return about->kind == 0 || noun_of(about->kind) != NULL;
}

/* Make and declare the type. Returns its index; RTOS_TYPE_NONE after trace_fail(). */
static uint16_t make_type(struct rtos_types *types, const struct about *about)
{
    const struct plain *from = &plain[about->code >> 4];
    struct rtos_type *type = heap_calloc(1, sizeof *type);
    if (type == NULL) {
        trace_fail(types->trace, "%s: no memory", types->trace->input_name);
        return RTOS_TYPE_NONE;
    }
    type->type = (struct tlog_type){rtos_system, type->name, class_of(about), RTOS_PAYLOAD_SIZE, 0, type->field, NULL};
    type->code = about->code;
    type->before = types->last;
    types->last = type;
    if (from->name != NULL) {
        make_plain(type, from);
    } else {
        name_type(type, about);
        make_fields(type, about);
    }
    return trace_type(types->trace, &type->type);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

void rtos_types_start(struct rtos_types *types, struct trace *trace)
{
    types->trace = trace;
    types->last = NULL;
    memset(types->index, 0xFF, sizeof types->index);
}

void rtos_types_free(struct rtos_types *types)
{
    while (types->last != NULL) {
        struct rtos_type *type = types->last;
        types->last = type->before;
        heap_free(type);
    }
}

uint16_t rtos_types_payload(struct rtos_types *types, unsigned char *data, uint32_t code, uint32_t par1, uint32_t par2,
                            uint16_t *type)
{
    uint16_t *index = &types->index[rtos_place(code, par1)];
    struct about about;
    if (!read_about(&about, code, par1) || trace_name(types->trace, TRACE_NAME_EVENT, code) != NULL)
        return 0;
    if (*index == RTOS_TYPE_NONE)
        *index = make_type(types, &about);
    if (*index == RTOS_TYPE_NONE)
        return 0;
    *type = *index;
    rtos_put(data, code, par1, par2);
    return RTOS_PAYLOAD_SIZE;
}

uint32_t rtos_types_code(const struct tlog_type *type)
{
    return type->system == rtos_system ? ((const struct rtos_type *)(const void *)type)->code : 0;
}
