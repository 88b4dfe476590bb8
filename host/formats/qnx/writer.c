/* writer.c - writes event files as QNX's tracelogger does, little-endian. Format: file.h.
 *
 * An event that comes from a traceevent is written as that traceevent. Of other events, switches, wake-ups and
 * interrupts are written as those of QNX, if they have no more to tell: a task is a thread of process 2, whose tid is
 * the task's pid, and the idle task is the CPU's idle thread, of process 1. Any other event is written as a user event
 * with a text, "system:name field=value ..."; the number of the user event is the index of the event's type, modulo
 * 1024.
 *
 * Times become ticks of the trace's clock again, exactly (model/clock.h); the attribute CYCLES_PER_SEC tells the clock.
 * A loss is a CONTROL DROPPED whose words are the count, low word first. Those of QNX have no count, so the attribute
 * TLOG_COUNTS tells that it is there. TLOG_MAIN tells that what runs before the first switch is main().
 */
#include "base/heap.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/printable.h"
#include "base/text.h"
#include "events/qnx_rows.h"
#include "events/qnx_event.h"
#include "io/output.h"
#include "model/known.h"
#include "model/module.h"
#include "model/display.h"
#include "model/clock.h"
#include "formats/qnx/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFER_SLOTS 1014u                /* of QNX's kernel buffers */
#define BUFFER_FULL  714u                 /* slots from which on it is handed over */
#define EVENT_MAX    (QNX_SLOTS_MAX * 8u) /* bytes of data in an event */
#define PROCESS      2u                   /* of tasks that are no threads of QNX */
#define IDLE_PROCESS 1u                   /* of the idle task: its threads are those of CPU 0, CPU 1, ... from 1 on */
#define TASKS        65536u               /* those with lower pids, but for the idle task, get a name in PROCESS */

/* Where a type's events come from: found out when the first event of the type comes. */
struct type_origin {
    bool known;  /* the rest is set */
    bool is_qnx; /* from traceevents; then they come from this one: */
    struct qnx_origin origin;
};

struct kev {
    struct trace *trace;
    int fd;
    unsigned release;            /* of QNX, as the header tells */
    bool is_qnx;                 /* the trace is QNX's own, so its events tell the names of tasks */
    bool named;                  /* names of tasks are written, or left for the end: */
    bool late;                   /* there is no room for them before the first event */
    unsigned name_cpu;           /* CPU whose events these names are */
    uint32_t sequence;           /* number of the present kernel buffer */
    size_t slots;                /* in that buffer so far */
    bool timed[KEV_CPUS_MAX];    /* that buffer has a CONTROL TIME of the CPU */
    uint32_t high[KEV_CPUS_MAX]; /* high word of the CPU's last time stamp */
    uint64_t texts, cut;         /* events written as texts; those of them that were too long */
    uint64_t moved;              /* events that are later than they were */
    uint64_t left_out;           /* events of CPUs from KEV_CPUS_MAX on */
    uint64_t ticks;              /* of the last event */
    bool paused[KEV_CPUS_MAX];   /* the CPU's last event tells that logging stops */
    uint64_t next[KEV_CPUS_MAX]; /* the lowest ticks that the CPU's next event may have */
    struct type_origin origin[TRACE_TYPES_MAX];
    unsigned char buffer[BUFFER_SLOTS * KEV_SLOT_BYTES];
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Write the present kernel buffer. How many slots it has, which its first slot tells, is known only now. 0, or -1 after
 * trace_fail(). */
static int flush(struct kev *kev)
{
    size_t n = kev->slots;
    if (n == 0)
        return 0;
    put_le32(kev->buffer + KEV_AT_DATA + 4, (uint32_t)n);
    kev->slots = 0;
    return output_put(kev->trace, kev->fd, kev->buffer, n * KEV_SLOT_BYTES);
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* Append a slot; the kernel buffer must have room. Returns where its two words of data go, which are 0. */
static unsigned char *put_slot(struct kev *kev, uint32_t header, uint32_t stamp)
{
    unsigned char *slot = kev->buffer + kev->slots++ * KEV_SLOT_BYTES;
    put_le32(slot + KEV_AT_HEADER, header);
    put_le32(slot + KEV_AT_STAMP, stamp);
    memset(slot + KEV_AT_DATA, 0, QNX_SLOT_BYTES);
    return slot + KEV_AT_DATA;
}

/* Append a simple event of class CONTROL with two words of data. */
static void put_control(struct kev *kev, unsigned cpu, uint32_t event, uint32_t stamp, uint32_t first, uint32_t second)
{
    unsigned char *data = put_slot(kev, (uint32_t)cpu << 24 | _TRACE_CONTROL_C | event, stamp);
    put_le32(data, first);
    put_le32(data + 4, second);
}

/* Make room for the slots of an event: begin a kernel buffer if there is none, and write the high word of the time if
 * the buffer does not have it yet. 0, or -1 after trace_fail(). */
static int prepare(struct kev *kev, unsigned cpu, uint64_t ticks)
{
    uint32_t low = (uint32_t)ticks, high = (uint32_t)(ticks >> 32);
    if (kev->slots >= BUFFER_FULL && flush(kev) != 0)
        return -1;
    if (kev->slots == 0) {
        memset(kev->timed, 0, sizeof kev->timed);
        kev->sequence = (kev->sequence + 1u) % KEV_SEQUENCES;
        put_control(kev, cpu, TLOG_CONTROL_BUFFER, low, kev->sequence, 0);
    }
    if (!kev->timed[cpu] || kev->high[cpu] != high)
        put_control(kev, cpu, TLOG_CONTROL_TIME, low, high, low);
    kev->timed[cpu] = true;
    kev->high[cpu] = high;
    kev->ticks = ticks;
    return 0;
}

/* The ticks of the CPU's next event. Readers join the slots of an event by their stamp, so no two events of a CPU may
 * have the same stamp. QNX's kernel increments the stamp in that case, too. */
static uint64_t unique_ticks(struct kev *kev, unsigned cpu, uint64_t ticks)
{
    kev->moved += ticks < kev->next[cpu];
    ticks = ticks < kev->next[cpu] ? kev->next[cpu] : ticks;
    kev->next[cpu] = ticks + 1u;
    return ticks;
}

/* Append an event with bytes of data in as many slots as these need. header: class and event. 0, or -1 after
 * trace_fail(). */
static int put_event(struct kev *kev, unsigned cpu, uint64_t ticks, uint32_t header, const unsigned char *data,
                     size_t bytes)
{
    size_t n = bytes <= 8u ? 1u : (bytes + 7u) / 8u;
    ticks = unique_ticks(kev, cpu, ticks);
    if (prepare(kev, cpu, ticks) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint32_t part = n == 1u       ? _TRACE_STRUCT_S
                        : i == 0      ? _TRACE_STRUCT_CB
                        : i + 1u == n ? _TRACE_STRUCT_CE
                                      : _TRACE_STRUCT_CC;
        size_t left = bytes - 8u * i;
        memcpy(put_slot(kev, part | (uint32_t)cpu << 24 | header, (uint32_t)ticks), data + 8u * i,
               left < 8u ? left : 8u);
    }
    return 0;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The value of a field of up to 8 bytes; 0 if the payload does not have it. */
static uint64_t load(const struct tlog_event *event, const struct tlog_field *field)
{
    if (field->size > 8u || (size_t)field->offset + field->size > event->size)
        return 0;
    return number_at(event->data + field->offset, field->size, false);
}

/* Get the text of a TLOG_KIND_STRING or TLOG_KIND_CHARS, which stays in the payload. Returns its length, without the
 * NUL; the text is empty if the payload does not have it. */
static size_t text_of(const struct tlog_event *event, const struct tlog_field *field, const char **text)
{
    bool string = field->kind == TLOG_KIND_STRING;
    uint64_t value = string ? load(event, field) : 0;
    size_t offset = string ? value & 0xFFFFu : field->offset, size = string ? (size_t)(value >> 16) : field->size;
    *text = "";
    if (offset + size > event->size)
        return 0;
    *text = (const char *)event->data + offset;
    return text_length(*text, size);
}

static bool is_text(const struct tlog_field *field)
{
    return field->kind == TLOG_KIND_STRING || field->kind == TLOG_KIND_CHARS;
}

/* ---- traceevents ------------------------------------------------------------------------------------------------- */

/* Where the events of a type come from. */
static const struct type_origin *origin_of(struct kev *kev, uint16_t type)
{
    struct type_origin *origin = &kev->origin[type];
    if (!origin->known)
        origin->is_qnx = qnx_origin(kev->trace->types[type], kev->release, &origin->origin);
    origin->known = true;
    return origin;
}

/* Turn a text such as "0000002a 00000007" into words of data. Returns their bytes. */
static size_t read_hex_words(unsigned char *data, const char *text, size_t length)
{
    size_t n = 0;
    for (size_t at = 0; at + 8u <= length && n < EVENT_MAX; at += 9u, n += 4u) {
        char digits[9] = "";
        memcpy(digits, text + at, 8);
        put_le32(data + n, (uint32_t)strtoul(digits, NULL, 16));
    }
    return n;
}

/* Put the words of data, from the given field on. Returns their bytes. The type may have more words than the event had,
 * so zeros at the end are left out, except for the words that every event of the kind has. */
static size_t put_words(unsigned char *data, const struct tlog_event *event, const struct tlog_field *field,
                        const struct qnx_origin *origin)
{
    size_t n = 0;
    for (unsigned i = 0; i < origin->words; i++) {
        uint32_t word = (uint32_t)load(event, &field[i]);
        put_le32(data + (size_t)4u * i, word);
        if (word != 0 || i < origin->least)
            n = i + 1u;
    }
    return 4u * (origin->text ? origin->words : n);
}

/* Write an event as the traceevent that it comes from. 0, or -1 after trace_fail(). */
static int write_qnx(struct kev *kev, unsigned cpu, const struct tlog_event *event, const struct qnx_origin *origin)
{
    const struct tlog_field *field = kev->trace->types[event->type]->fields;
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    uint32_t class = origin->class, number = origin->event;
    unsigned char data[EVENT_MAX + 8u] = {0};
    const char *text;
    size_t bytes, length;
    if (origin->in_payload) {
        class = origin->first == 2u ? (uint32_t)load(event, &field[0]) : class;
        number = (uint32_t)load(event, &field[origin->first - 1u]);
    }
    field += origin->first;
    bytes = origin->data ? 0 : put_words(data, event, field, origin);
    if (origin->text && load(event, &field[origin->words]) >> 16 != 0) {
        length = text_of(event, &field[origin->words], &text);
        length = origin->data || length < EVENT_MAX - bytes ? length : EVENT_MAX - bytes - 1u;
        if (!origin->data)
            memcpy(data + bytes, text, length);
        bytes = origin->data ? read_hex_words(data, text, length) : bytes + length + 1u;
    }
    bytes = bytes < (size_t)4u * origin->least ? (size_t)4u * origin->least : bytes;
    return put_event(kev, cpu, ticks, (class << 10 & _NTO_TRACE_CLASS_BITS) | (number & _NTO_TRACE_EVENT_BITS), data,
                     bytes);
}

/* ---- all other events -------------------------------------------------------------------------------------------- */

/* Whether the first field, a number, is all that the event tells: its other fields are 0. */
static bool is_plain(const struct kev *kev, const struct tlog_event *event)
{
    const struct tlog_type *type = kev->trace->types[event->type];
    if (type->nfields == 0 || is_text(&type->fields[0]) || type->fields[0].kind > TLOG_KIND_OPTIONAL)
        return false;
    for (unsigned i = 1; i < type->nfields; i++) {
        if (is_text(&type->fields[i]) || load(event, &type->fields[i]) != 0)
            return false;
    }
    return (event->flags & TLOG_FLAG_UNCHECKED) == 0;
}

/* Class and event of the traceevent that means the same. 0: there is none. */
static uint32_t equal_of(const struct kev *kev, const struct tlog_event *event)
{
    enum tlog_meaning means = kev->trace->types[event->type]->means;
    if (!is_plain(kev, event))
        return 0;
    if (means == TLOG_MEANS_RESUME && load(event, &kev->trace->types[event->type]->fields[0]) != 0)
        means = TLOG_MEANS_SWITCH;
    return means == TLOG_MEANS_SWITCH      ? _TRACE_PR_TH_C | TLOG_TRACE_THRUNNING
           : means == TLOG_MEANS_WAKE      ? _TRACE_PR_TH_C | TLOG_TRACE_THREADY
           : means == TLOG_MEANS_IRQ_ENTRY ? _TRACE_INT_C | TLOG_TRACE_INT_ENTRY
           : means == TLOG_MEANS_IRQ_EXIT  ? _TRACE_INT_C | TLOG_TRACE_INT_EXIT
                                           : 0;
}

/* Write an event as the traceevent of that class and event. 0, or -1 after trace_fail(). */
static int write_equal(struct kev *kev, unsigned cpu, const struct tlog_event *event, uint32_t header)
{
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    uint32_t number = (uint32_t)load(event, &kev->trace->types[event->type]->fields[0]);
    bool thread = (header & _NTO_TRACE_CLASS_BITS) == _TRACE_PR_TH_C, idle = thread && number == 0;
    unsigned char data[8];
    put_le32(data, idle ? IDLE_PROCESS : thread ? PROCESS : number);
    put_le32(data + 4, idle ? cpu + 1u : thread ? number : 0);
    return put_event(kev, cpu, ticks, header, data, sizeof data);
}

/* A two's complement number of size bytes. */
static int64_t signed_of(uint64_t value, size_t size)
{
    switch (size) {
    case 1:
        return (int8_t)value;
    case 2:
        return (int16_t)value;
    case 4:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

/* Print " name=symbol" or " name=symbol+0x...", or without a symbol " name=0x...", likewise. */
static int print_address(char *to, size_t room, const struct trace_firmware *firmware, const char *name,
                         uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(firmware, address, &offset);
    if (symbol == NULL)
        return snprintf(to, room, " %s=0x%" PRIx64, name, address);
    if (offset == 0)
        return snprintf(to, room, " %s=%s", name, symbol->name);
    return snprintf(to, room, " %s=%s+0x%" PRIx64, name, symbol->name, offset);
}

/* Print " name=" and bytes in hex, cut to the bytes that there is room for. */
static int print_bytes(char *to, size_t room, const struct tlog_event *event, const struct tlog_field *field)
{
    int n = snprintf(to, room, " %s=", field->name);
    size_t used = (size_t)n, size = field->size;
    if (n < 0 || used >= room || (size_t)field->offset + size > event->size)
        return n;
    size = size < (room - used - 1u) / 2u ? size : (room - used - 1u) / 2u;
    *hex_put(to + used, event->data + field->offset, size) = '\0';
    return (int)(used + 2u * field->size);
}

/* The name of a mutex or another object. False: it has none. Threads and interrupts are numbers in a .kev file. */
static bool object_name(const struct trace *trace, enum tlog_kind kind, uint64_t number, char name[DISPLAY_NAME_BYTES])
{
    return display_is_handle(kind) && !trace->only_numbers && display_name(trace, kind, (uint32_t)number, name);
}

/* Print " name=value" in room bytes, cut if it is longer. Returns the length that it has without a cut. */
static size_t print_field(char *to, size_t room, const struct trace *trace, const struct tlog_event *event,
                          const struct tlog_field *field)
{
    uint64_t value = load(event, field);
    char name[DISPLAY_NAME_BYTES];
    const char *text;
    int n;
    if (object_name(trace, field->kind, value, name)) {
        n = snprintf(to, room, " %s=%s", field->name, name);
    } else if (field->kind == TLOG_KIND_BYTES) {
        n = print_bytes(to, room, event, field);
    } else if (is_text(field)) {
        int length = (int)text_of(event, field, &text);
        n = snprintf(to, room, " %s=%.*s", field->name, length, text);
    } else if (field->kind == TLOG_KIND_SIGNED) {
        n = snprintf(to, room, " %s=%" PRId64, field->name, signed_of(value, field->size));
    } else if (field->kind == TLOG_KIND_ADDRESS) {
        n = print_address(to, room, trace->firmware, field->name, value);
    } else if (field->kind == TLOG_KIND_HEX || display_is_handle(field->kind)) {
        n = snprintf(to, room, " %s=0x%" PRIx64, field->name, value);
    } else {
        n = snprintf(to, room, " %s=%" PRIu64, field->name, value);
    }
    return n < 0 ? 0 : (size_t)n;
}

/* If a text of length bytes did not fit, it is made to end in dots. Returns the length that it has. */
static size_t end_text(struct kev *kev, char text[EVENT_MAX], size_t length)
{
    if (length < EVENT_MAX)
        return length;
    memcpy(text + EVENT_MAX - sizeof "...", "...", sizeof "...");
    kev->cut++;
    return EVENT_MAX - 1u;
}

/* Write an event as a user event with a text. 0, or -1 after trace_fail(). */
static int write_text(struct kev *kev, unsigned cpu, const struct tlog_event *event)
{
    const struct tlog_type *type = kev->trace->types[event->type];
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    char text[EVENT_MAX] = "";
    int n = snprintf(text, sizeof text, "%s:%s", type->system, type->name);
    size_t used = n < 0 ? 0 : (size_t)n;
    for (unsigned i = 0; i < type->nfields && used < sizeof text; i++) {
        if (!display_if_set(type, &type->fields[i]) || load(event, &type->fields[i]) != 0)
            used += print_field(text + used, sizeof text - used, kev->trace, event, &type->fields[i]);
    }
    if ((event->flags & TLOG_FLAG_SIGNAL) != 0 && used < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, " signal=1");
    kev->texts++;
    used = end_text(kev, text, used);
    return put_event(kev, cpu, ticks, _TRACE_USER_C | (event->type & _NTO_TRACE_EVENT_BITS),
                     (const unsigned char *)text, used + 1u);
}

/* Write a loss or damage. 0, or -1 after trace_fail(). */
static int write_loss(struct kev *kev, unsigned cpu, const struct tlog_event *event, uint64_t count)
{
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    if (prepare(kev, cpu, ticks) != 0)
        return -1;
    put_control(kev, cpu, TLOG_CONTROL_DROPPED, (uint32_t)ticks, (uint32_t)count, (uint32_t)(count >> 32));
    return 0;
}

/* ---- the head of the file ---------------------------------------------------------------------------------------- */

/* Copy the value of an attribute. What a reader could take for a part of a key, a colon or "TRACE_", becomes '-'. */
static void put_value(char *to, size_t room, const char *value)
{
    size_t n;
    for (n = 0; value[n] != '\0' && n + 1u < room; n++)
        to[n] = value[n] == ':' || strncmp(value + n, "TRACE_", 6) == 0 ? '-' : value[n];
    to[n] = '\0';
}

/* Write the attributes. Values that the trace does not tell are those of a target with QNX 6.4.1 at the beginning of
 * 1970. 0, or -1 after trace_fail(). */
static int write_header(struct kev *kev)
{
    static const char *const orders[TRACE_PRIORITY_ORDERS] = {
        "", [TRACE_LOWEST_FIRST] = "TRACE_TLOG_LOWEST_FIRST::1", [TRACE_HIGHEST_FIRST] = "TRACE_TLOG_HIGHEST_FIRST::1"};
    const struct trace *trace = kev->trace;
    const char *target = trace->target != NULL ? trace->target : "", *blank;
    char head[1024], release[32] = "6.4.1", machine[KEV_ATTRIBUTE_MAX] = "tlog";
    int n;
    /* "QNX 6.4.1 armle": the target is QNX's own, its release and its machine. */
    if (sscanf(target, "QNX %31[0-9.]", release) == 1) {
        blank = strchr(target + strlen("QNX "), ' ');
        put_value(machine, sizeof machine, blank != NULL ? blank + 1 : "");
    } else if (trace->target != NULL) {
        put_value(machine, sizeof machine, target);
    }
    kev->is_qnx = strncmp(target, "QNX", 3) == 0;
    kev->release = (unsigned)strtoul(release, NULL, 10);
    n = snprintf(head, sizeof head,
                 KEV_HEADER_BEGIN "TRACE_FILE_NAME::trace.kevTRACE_DATE::Thu Jan  1 00:00:00 1970TRACE_VER_MAJOR::1"
                                  "TRACE_VER_MINOR::01TRACE_LITTLE_ENDIAN::TRUETRACE_ENCODING::16 byte events"
                                  "TRACE_BOOT_DATE::Thu Jan  1 00:00:00 1970TRACE_CYCLES_PER_SEC::%" PRIu64
                                  "TRACE_CPU_NUM::%uTRACE_SYSNAME::QNXTRACE_NODENAME::localhostTRACE_SYS_RELEASE::%s"
                                  "TRACE_SYS_VERSION::tlog-decodeTRACE_MACHINE::%sTRACE_SYSPAGE_LEN::0"
                                  "TRACE_TLOG_COUNTS::1%s%s" KEV_HEADER_END,
                 ticks_clock(trace->clock_hz), trace->ncpus < KEV_CPUS_MAX ? trace->ncpus : KEV_CPUS_MAX, release,
                 machine, trace->ran_before ? "" : "TRACE_TLOG_MAIN::1", orders[trace->priority_order]);
    return output_put(kev->trace, kev->fd, head, (size_t)n);
}

/* Whether the task's name is written. */
static bool has_name(uint32_t id)
{
    return id != 0 && id < TASKS;
}

static void count_name(void *ctx, uint32_t id, const char *name)
{
    uint64_t *n = ctx;
    (void)name;
    *n += has_name(id);
}

/* Write a task's name as an event that gives it to a thread of process 2. */
static void add_name(void *ctx, uint32_t id, const char *name)
{
    struct kev *kev = ctx;
    unsigned char data[8 + 32 + 1] = {0};
    size_t length = text_length(name, 32);
    if (!has_name(id))
        return;
    put_le32(data, PROCESS);
    put_le32(data + 4, id);
    memcpy(data + 8, name, length);
    put_event(kev, kev->name_cpu, kev->ticks, _TRACE_PR_TH_C | TLOG_TRACE_PROCTHREAD_NAME, data, 8u + length + 1u);
}

/* Write the names of tasks that no event tells, each a tick behind the one before. */
static void add_names(struct kev *kev)
{
    uint64_t moved = kev->moved; /* names are no events of the trace */
    if (!kev->is_qnx)
        trace_each_name(kev->trace, TRACE_NAME_TASK, add_name, kev);
    kev->moved = moved;
}

/* Write them before the first event, on its CPU; behind the last one if it comes so early that there are not as many
 * ticks before it, since its time must stay. A loss at the beginning of that CPU stays in front of them: a reader takes
 * the first event for the first thing that is known of the CPU. */
static int put_names(struct kev *kev, unsigned cpu, const struct tlog_event *event)
{
    uint64_t n = 0, ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    kev->named = true;
    kev->name_cpu = cpu;
    trace_each_name(kev->trace, TRACE_NAME_TASK, count_name, &n);
    kev->late = ticks < n;
    kev->ticks = ticks - n;
    if (!kev->late)
        add_names(kev);
    return kev->trace->failed ? -1 : 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* QNX has no event that stops a trace, so what may be missing behind one is a loss. 0, or -1 after trace_fail(). */
static int write_gap(struct kev *kev, unsigned cpu, const struct tlog_event *event, enum tlog_meaning means)
{
    const bool is_gap = trace_class_is_gap(means), was_paused = kev->paused[cpu];
    kev->paused[cpu] = means == TLOG_MEANS_PAUSE;
    const uint64_t lost = is_gap && event->size >= 8u ? get_le64(event->data) : 0;
    return is_gap || was_paused ? write_loss(kev, cpu, event, lost) : 0;
}

/* Write an event of any type. 0, or -1 after trace_fail(). */
static int write_event(struct kev *kev, unsigned cpu, const struct tlog_event *event)
{
    enum tlog_meaning means = kev->trace->types[event->type]->means;
    const struct type_origin *origin = origin_of(kev, event->type);
    uint32_t equal;
    if (cpu >= KEV_CPUS_MAX) {
        kev->left_out++;
        return 0;
    }
    if (write_gap(kev, cpu, event, means) != 0 || trace_class_is_gap(means))
        return kev->trace->failed ? -1 : 0;
    if (!kev->named && put_names(kev, cpu, event) != 0)
        return -1;
    if (origin->is_qnx)
        return write_qnx(kev, cpu, event, &origin->origin);
    equal = equal_of(kev, event);
    return equal != 0 ? write_equal(kev, cpu, event, equal) : write_text(kev, cpu, event);
}

static void *kev_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct kev *kev = heap_calloc(1, sizeof *kev);
    (void)options;
    if (kev == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    kev->trace = trace;
    kev->fd = fd;
    if (write_header(kev) != 0) {
        heap_free(kev);
        return NULL;
    }
    return kev;
}

static int kev_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct kev *kev = writer;
    for (size_t i = 0; i < batch->n; i++) {
        if (!(batch->event[i].flags & TLOG_FLAG_DERIVED) && write_event(kev, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* Tell the user what of the trace is not in the file, or is there in another form. */
static void say_what_is_missing(const struct kev *kev)
{
    const struct trace *trace = kev->trace;
    trace_leave_out(kev->trace, "kev", kev->left_out, "the format has no CPUs from %u on", KEV_CPUS_MAX);
    if (kev->texts > 0)
        trace_tell(trace, "kev: %" PRIu64 " event%s that QNX does not have written as user events", kev->texts,
                   text_plural(kev->texts));
    if (kev->cut > 0)
        trace_tell(trace, "kev: %" PRIu64 " event%s too long for QNX's, cut after %u bytes", kev->cut,
                   text_plural(kev->cut), EVENT_MAX - 1u);
    if (kev->moved > 0)
        trace_tell(trace, "kev: %" PRIu64 " event%s in the tick of another one of the CPU: a tick later than that",
                   kev->moved, text_plural(kev->moved));
    if (trace->clock_hz == 0)
        trace_tell(trace, "kev: clock frequency unknown: the file says 1 GHz");
}

static int kev_close(void *writer, bool ok)
{
    struct kev *kev = writer;
    int result = 0;
    if (ok && kev->late)
        add_names(kev);
    if (ok && kev->slots + kev->sequence == 0) /* a file without any slot is not whole */
        prepare(kev, 0, 0);
    if (ok)
        result = kev->trace->failed ? -1 : flush(kev);
    if (ok && result == 0)
        say_what_is_missing(kev);
    heap_free(kev);
    return result;
}

const struct trace_writer writer_kev = {
    .name = "kev",
    .suffix = ".kev",
    .description = "event file as QNX's tracelogger writes it, for System Profiler and traceprinter",
    .binary = true,
    .merged = true,
    .native = true,
    .open = kev_open,
    .write = kev_write,
    .close = kev_close,
};
