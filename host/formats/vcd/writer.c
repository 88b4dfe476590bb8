/* writer.c - the formats "vcd" and "vcd-wires": value change dumps, for viewers of waveforms.
 *
 * Both have wires: a task runs, or is ready; an interrupt runs; a mutex is locked. vcd-wires has only these, because
 * libsigrok up to 0.5.2 reads no file with numbers of several bits. vcd also has the other variables in the list of
 * enum vcd_kind.
 *
 * The header declares all variables, with their values before the first event. The name of a variable is unique in the
 * whole file and tells what it is about, since some viewers show no scopes. It has only letters, digits and "_".
 */
#include "base/heap.h"
#include "base/text.h"
#include "formats/vcd/encoder.h"
#include "formats/vcd/states.h"
#include "formats/vcd/variables.h"
#include "io/output.h"
#include "io/temp_file.h"
#include "model/display.h"
#include "model/known.h"
#include "model/module.h"
#include "os/os_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    NAME_MOST = 256,  /* of a variable */
    BASE_MOST = 96,   /* of an entity's name, so that what follows it can be seen */
    FIRST_SIZE = 256, /* of the set of names */
};

/* What is needed while the header is written. */
struct header {
    struct vcd *vcd;
    struct vcd_session *session; /* NULL: none is wanted */
    uint64_t *taken;             /* hashes of names, in a table of size, a power of two; n are used, 0: free */
    size_t size, n;
    const struct vcd_entity *entity; /* whose variables are told now */
    char base[BASE_MOST];            /* what their names begin with */
    uint32_t id;                     /* of the next variable */
};

/* ---- the header: names ------------------------------------------------------------------------------------------- */

/* Never 0. */
static uint64_t hash_of(const char *text)
{
    return text_hash(text) | 1u;
}

static uint64_t *find(uint64_t *table, size_t size, uint64_t hash)
{
    size_t at = (size_t)(hash >> 20) & (size - 1u);
    while (table[at] != 0 && table[at] != hash)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the set. False: no memory. */
static bool grow(struct header *header)
{
    size_t size = header->size != 0 ? 2 * header->size : FIRST_SIZE;
    uint64_t *table = heap_calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < header->size; i++) {
        if (header->taken[i] != 0)
            *find(table, size, header->taken[i]) = header->taken[i];
    }
    heap_free(header->taken);
    header->taken = table;
    header->size = size;
    return true;
}

/* Take a name. False: it is taken already. If two names have the same hash, they count as one; that does no harm. */
static bool take(struct header *header, const char *name)
{
    uint64_t *place;
    if (2 * header->n >= header->size && !grow(header)) {
        trace_fail(header->vcd->trace, "no memory for names of variables");
        return true;
    }
    place = find(header->taken, header->size, hash_of(name));
    if (*place != 0)
        return false;
    *place = hash_of(name);
    header->n++;
    return true;
}

/* Keep letters and digits; a name must not begin with a digit. */
static void clean(char *name)
{
    for (char *at = name; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte >= 0x80u || !isalnum(byte))
            *at = '_';
    }
}

/* Make a variable's name: the entity's name and the tail. If that name is taken, as an event called like a task's
 * variable takes it, add the entity's number, and then 2, 3 ... */
static void name_variable(struct header *header, const char *tail, char name[NAME_MOST])
{
    size_t n = (size_t)snprintf(name, NAME_MOST - 32u, "%s%.96s", header->base, tail);
    clean(name);
    if (!take(header, name))
        n += (size_t)snprintf(name + n, 12, "_%u", vcd_number_of(header->entity));
    else
        return;
    for (unsigned i = 2; !take(header, name); i++)
        snprintf(name + n, 12, "_%u", i);
}

/* The name that the trace has for the entity's number, or that an event told; NULL: none. */
static const char *known_name(const struct trace *trace, const struct vcd_entity *entity, char room[DISPLAY_NAME_BYTES])
{
    bool is_known = vcd_kind_of(entity) == VCD_MUTEX && !trace->only_numbers && !trace->mapped
                    && display_name(trace, TLOG_KIND_MUTEX, vcd_number_of(entity), room);
    return is_known ? room : entity->name[0] != '\0' ? entity->name : NULL;
}

/* A name without the number of the board, with which all names begin if there are several boards. */
static const char *without_board(const char *name, unsigned board)
{
    size_t digits = strspn(name, "0123456789");
    return board > 0 && digits > 0 && name[digits] == ':' && name[digits + 1u] != '\0' ? name + digits + 1 : name;
}

/* If another task has the name, add the number: so all variables of one task stand together where they are sorted by
 * name. */
static void make_distinct(struct header *header)
{
    char key[BASE_MOST + 10u];
    size_t n = strlen(header->base);
    snprintf(key, sizeof key, "%s of a task", header->base);
    if (!take(header, key))
        snprintf(header->base + n, sizeof header->base - n, "_%u", vcd_number_of(header->entity));
}

static void name_entity(struct header *header)
{
    const struct vcd_entity *entity = header->entity;
    const struct trace *trace = header->vcd->trace;
    unsigned number = vcd_number_of(entity), cpu = vcd_cpu_of(entity), board = vcd_board_of(entity);
    char room[DISPLAY_NAME_BYTES], task[VCD_NAME_BYTES], digits[24], of_board[16] = "", of_cpu[24] = "";
    const char *name = known_name(trace, entity, room), *begin = "";
    enum vcd_kind kind = vcd_kind_of(entity);
    if (board > 0)
        snprintf(of_board, sizeof of_board, "b%u_", board);
    if (kind == VCD_TASK) {
        vcd_task_name(header->vcd, board, number, entity->name, task);
        name = without_board(task, board);
        begin = board == 0 && isdigit((unsigned char)name[0]) ? "_" : "";
    } else if (kind == VCD_COUNTER || kind == VCD_EVENT) {
        name = kind == VCD_EVENT ? trace->types[number]->name : counter_name(trace, number);
        begin = board == 0 && isdigit((unsigned char)name[0]) ? "_" : "";
    } else {
        begin = kind == VCD_CPU ? "cpu" : kind == VCD_IRQ ? "irq_" : "mutex_";
    }
    if (name == NULL)
        snprintf(digits, sizeof digits, "%u", number);
    if (kind == VCD_IRQ && trace->ncpus > 1)
        snprintf(of_cpu, sizeof of_cpu, "_cpu%u", cpu);
    snprintf(header->base, sizeof header->base, "%.8s%s%.32s%s", of_board, begin, name != NULL ? name : digits, of_cpu);
    if (kind == VCD_TASK)
        make_distinct(header);
}

/* ---- the header: variables --------------------------------------------------------------------------------------- */

static void put_line(struct vcd *vcd, const char *line)
{
    vcd->at = put_word(vcd_room(vcd, 512), line);
}

/* The next variable, of any type that VCD has. */
static void declare(struct header *header, const char *type, unsigned bits, const char *tail)
{
    struct vcd *vcd = header->vcd;
    bool is_wire = strcmp(type, "wire") == 0;
    char name[NAME_MOST], line[512], code[VCD_CODE_MOST + 1] = "", range[16] = "";
    *vcd_put_code(code, header->id++) = '\0';
    if (vcd->only_wires && !is_wire)
        return;
    name_variable(header, tail, name);
    if (strcmp(type, "reg") == 0)
        snprintf(range, sizeof range, " [%u:0]", bits - 1u);
    if (header->session != NULL && vcd_kind_of(header->entity) != VCD_EVENT)
        vcd_session_name(header->session, header->id - 1u, name, range[0] != '\0' ? range + 1 : "");
    snprintf(line, sizeof line, "$var %s %u %s %s%s $end\n", type, bits, code, name, range);
    put_line(vcd, line);
}

static void declare_field(struct header *header, const struct vcd_field *of)
{
    char tail[NAME_MOST], called[NAME_MOST];
    snprintf(tail, sizeof tail, "_%.80s", display_label(of->field));
    if (of->value == VCD_REAL) {
        declare(header, "real", 64, tail);
    } else if (of->value == VCD_TEXT || of->value == VCD_HEX) {
        declare(header, "string", 1, tail);
    } else {
        declare(header, of->field->kind == TLOG_KIND_SIGNED ? "integer" : "reg", 8u * of->field->size, tail);
        snprintf(called, sizeof called, "%.96s_name", tail);
        if (of->value >= VCD_NAMED)
            declare(header, "string", 1, called);
    }
}

static void declare_event(struct header *header)
{
    const struct vcd_encoder *encoder = header->vcd->encoder[vcd_number_of(header->entity)];
    declare(header, "event", 1, "");
    declare(header, "string", 1, "_in");
    for (unsigned i = 0; i < encoder->nfields; i++)
        declare_field(header, &encoder->field[i]);
}

static void declare_entity(struct header *header, const struct vcd_entity *entity)
{
    static const struct {
        const char *type;
        unsigned bits;
        const char *tail;
    } of_kind[VCD_EVENT][CPU_IDS] = {
        [VCD_CPU] = {{"string", 1, "_task"}, {"wire", 1, "_idle"}, {"reg", 64, "_lost"}, {"reg", 32, "_gaps"}},
        [VCD_TASK] = {{"wire", 1, ""}, {"wire", 1, "_ready"}, {"string", 1, "_state"}},
        [VCD_IRQ] = {{"wire", 1, ""}},
        [VCD_MUTEX] = {{"wire", 1, ""}, {"string", 1, "_owner"}},
        [VCD_COUNTER] = {{"real", 64, ""}},
    };
    enum vcd_kind kind = vcd_kind_of(entity);
    header->entity = entity;
    header->id = entity->first;
    name_entity(header);
    if (kind == VCD_EVENT) {
        declare_event(header);
        return;
    }
    for (unsigned i = 0; i < CPU_IDS && of_kind[kind][i].type != NULL; i++)
        declare(header, of_kind[kind][i].type, of_kind[kind][i].bits, of_kind[kind][i].tail);
}

/* ---- the header: scopes ------------------------------------------------------------------------------------------ */

static void open_scope(struct vcd *vcd, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "$scope module %s $end\n", name);
    put_line(vcd, line);
}

static void close_scope(struct vcd *vcd)
{
    put_line(vcd, "$upscope $end\n");
}

/* Close and open scopes between two entities. from NULL: before the first entity; to NULL: after the last one. */
static void change_scope(struct vcd *vcd, const struct vcd_entity *from, const struct vcd_entity *to)
{
    bool same_board = from != NULL && to != NULL && vcd_board_of(from) == vcd_board_of(to);
    char board[16];
    if (same_board && vcd_kind_of(from) == vcd_kind_of(to))
        return;
    if (from != NULL)
        close_scope(vcd);
    if (from != NULL && !same_board && vcd_board_of(from) > 0)
        close_scope(vcd);
    if (to != NULL && !same_board && vcd_board_of(to) > 0) {
        snprintf(board, sizeof board, "board%u", vcd_board_of(to));
        open_scope(vcd, board);
    }
    if (to != NULL)
        open_scope(vcd, vcd_scope(vcd_kind_of(to)));
}

static void declare_all(struct header *header, struct vcd_entity *const *entities, size_t n)
{
    struct vcd *vcd = header->vcd;
    put_line(vcd, "$version tlog-decode $end\n");
    if (vcd->trace->clock_hz == 0)
        put_line(vcd, "$comment the clock's frequency is not known: times are ticks, not ns $end\n");
    put_line(vcd, vcd->unit == 1u ? "$timescale 1 ns $end\n" : "$timescale 1 us $end\n");
    open_scope(vcd, "tlog");
    for (size_t i = 0; i <= n; i++) {
        change_scope(vcd, i > 0 ? entities[i - 1u] : NULL, i < n ? entities[i] : NULL);
        if (i < n)
            declare_entity(header, entities[i]);
    }
    close_scope(vcd);
    put_line(vcd, "$enddefinitions $end\n");
}

/* ---- the header: values before the first event ------------------------------------------------------------------- */

static void put_string(struct vcd *vcd, uint32_t id, const char *text)
{
    vcd_text(vcd, id, text, strlen(text));
}

static void start_number(struct vcd *vcd, uint32_t id, const char *digits)
{
    char *to = vcd_room(vcd, 64);
    to = put_word(to, digits);
    *to++ = ' ';
    to = vcd_put_code(to, id);
    *to++ = '\n';
    vcd->at = to;
}

static void start_event(struct vcd *vcd, const struct vcd_entity *entity)
{
    const struct vcd_encoder *encoder = vcd->encoder[vcd_number_of(entity)];
    uint32_t id = entity->first + EVENT_FIELDS;
    for (unsigned i = 0; i < encoder->nfields; i++) {
        enum vcd_value value = encoder->field[i].value;
        if (value == VCD_NUMBER || value >= VCD_NAMED)
            start_number(vcd, id, "bx");
        id += value >= VCD_NAMED ? 2u : 1u;
    }
}

static void start_entity(struct vcd *vcd, const struct vcd_entity *entity)
{
    const char *ran = vcd->cpu[vcd_cpu_of(entity)].initial;
    uint32_t id = entity->first;
    switch (vcd_kind_of(entity)) {
    case VCD_CPU:
        put_string(vcd, id + CPU_TASK, ran[0] != '\0' ? ran : "x");
        vcd_wire(vcd, id + CPU_IDLE, entity->initial);
        vcd_number(vcd, id + CPU_LOST, 0);
        vcd_number(vcd, id + CPU_GAPS, 0);
        break;
    case VCD_TASK:
        vcd_wire(vcd, id + TASK_RUNS, entity->initial);
        vcd_wire(vcd, id + TASK_READY, entity->initial == '1' ? '0' : 'x');
        put_string(vcd, id + TASK_STATE, entity->initial == '1' ? "running" : "x");
        break;
    case VCD_IRQ:
        vcd_wire(vcd, id, entity->initial);
        break;
    case VCD_MUTEX:
        vcd_wire(vcd, id + MUTEX_LOCKED, entity->initial);
        put_string(vcd, id + MUTEX_OWNER, entity->initial == '0' ? "-" : "x");
        break;
    case VCD_EVENT:
        if (!vcd->only_wires)
            start_event(vcd, entity);
        break;
    default:
        break;
    }
}

static void start_all(struct vcd *vcd, struct vcd_entity *const *entities, size_t n)
{
    char *to = vcd_room(vcd, 64);
    *to++ = '#';
    to = put_unsigned(to, vcd->first);
    vcd->at = put_word(to, "\n$dumpvars\n");
    for (size_t i = 0; i < n; i++)
        start_entity(vcd, entities[i]);
    put_line(vcd, "$end\n");
}

/* Write the header, when the body is complete, and the session, unless that is NULL. 0, or -1 after trace_fail(). */
static int write_header(struct vcd *vcd, const struct trace_session *session)
{
    int result;
    struct header header = {.vcd = vcd};
    size_t n;
    struct vcd_entity **entities = vcd_entities_sorted(vcd->entities, &n);
    header.session = session != NULL ? vcd_session_new(vcd) : NULL;
    declare_all(&header, entities, n);
    heap_free(header.taken);
    if (vcd->begun)
        start_all(vcd, entities, n);
    result = vcd_flush(vcd);
    if (result == 0 && header.session != NULL)
        result = vcd_session_write(header.session, session, entities, n);
    vcd_session_free(header.session);
    return result;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

struct writer {
    struct vcd *vcd;
    const struct trace_session *session;
    int fd, temporary;
};

static void free_state(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    for (unsigned i = 0; vcd != NULL && vcd->encoder != NULL && i < TRACE_TYPES_MAX; i++)
        vcd_encoder_free(vcd->encoder[i]);
    if (vcd != NULL) {
        vcd_entities_free(vcd->entities);
        heap_free(vcd->cpu);
        heap_free(vcd->encoder);
    }
    if (writer->temporary >= 0)
        os_close(writer->temporary);
    heap_free(vcd);
    heap_free(writer);
}

/* Allocate the parts of the state. False: no memory. */
static bool make_parts(struct writer *writer, struct trace *trace)
{
    struct vcd *vcd = heap_alloc(sizeof *vcd);
    writer->vcd = vcd;
    if (vcd == NULL)
        return false;
    memset(vcd, 0, offsetof(struct vcd, buffer));
    vcd->trace = trace;
    vcd->at = vcd->buffer;
    vcd->entities = vcd_entities_new();
    vcd->cpu = heap_calloc(trace->ncpus + 1u, sizeof *vcd->cpu);
    for (unsigned i = 0; trace->boards != NULL && i < trace->ncpus; i++)
        vcd->board[trace->boards[i].number] = &trace->boards[i];
    vcd->encoder = heap_calloc(TRACE_TYPES_MAX, sizeof *vcd->encoder);
    return vcd->entities != NULL && vcd->cpu != NULL && vcd->encoder != NULL;
}

static void *begin(struct trace *trace, const struct trace_options *options, int fd, bool only_wires)
{
    struct writer *writer = heap_calloc(1, sizeof *writer);
    if (writer != NULL)
        writer->temporary = -1;
    if (writer == NULL || !make_parts(writer, trace)) {
        trace_fail(trace, "no memory for the writer");
    } else {
        writer->fd = fd;
        writer->session = options != NULL ? options->session : NULL;
        writer->vcd->only_wires = only_wires;
        writer->vcd->unit = options != NULL && (options->given & TRACE_OPTION_TIMESCALE) ? options->timescale : 1u;
        writer->temporary = writer->vcd->to = temp_file_open(trace, NULL);
    }
    if (writer == NULL || writer->temporary >= 0)
        return writer;
    free_state(writer);
    return NULL;
}

static void *open_vcd(struct trace *trace, const struct trace_options *options, int fd)
{
    return begin(trace, options, fd, false);
}

static void *open_wires(struct trace *trace, const struct trace_options *options, int fd)
{
    return begin(trace, options, fd, true);
}

/* Count an event that was written, unless all of it is in the file. Derived ones and marks do not count. */
static void count_left_out(struct vcd *vcd, const struct vcd_encoder *encoder, const struct tlog_event *event)
{
    bool is_shown =
        !vcd->only_wires || encoder->ends || (encoder->form != VCD_FORM_EVENT && encoder->form != VCD_FORM_COUNTER);
    if ((event->flags & TLOG_FLAG_DERIVED) != 0 || encoder->type->means >= TLOG_MEANS_LOSS)
        return;
    vcd->left_out += vcd->no_room;
    vcd->not_wires += !vcd->no_room && !is_shown;
}

static void write_event(struct vcd *vcd, unsigned cpu, const struct tlog_event *event)
{
    const struct vcd_encoder *encoder = vcd_encoder_of(vcd, event->type);
    if (encoder == NULL)
        return;
    vcd->no_room = false;
    vcd_event(vcd, cpu, encoder, event);
    count_left_out(vcd, encoder, event);
}

static int write_batch(void *state, unsigned cpu, const struct trace_batch *batch)
{
    struct writer *writer = state;
    for (size_t i = 0; i < batch->n; i++) {
        if (!trace_event_is_extra(&batch->event[i]))
            write_event(writer->vcd, cpu, &batch->event[i]);
    }
    return writer->vcd->trace->failed ? -1 : 0;
}

/* Copy the body behind the header. 0, or -1 after trace_fail(). */
static int copy_body(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    int64_t n;
    if (os_seek(writer->temporary, 0, SEEK_SET) != 0)
        return trace_fail(vcd->trace, "cannot read a temporary file: %s", strerror(errno));
    do {
        n = os_read(writer->temporary, vcd->buffer, VCD_BUFFER);
        if (n < 0)
            return trace_fail(vcd->trace, "cannot read a temporary file: %s", strerror(errno));
        if (n > 0 && output_put(vcd->trace, writer->fd, vcd->buffer, (size_t)n) != 0)
            return -1;
    } while (n != 0);
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int finish(struct writer *writer)
{
    struct vcd *vcd = writer->vcd;
    vcd_stamp(vcd);
    if (vcd_flush(vcd) != 0)
        return -1;
    trace_leave_out(vcd->trace, "vcd", vcd->left_out, "there is room for %u tasks, interrupts, mutexes and events",
                    VCD_ENTITIES_MOST);
    trace_leave_out(vcd->trace, "vcd-wires", vcd->not_wires, "no wire shows them");
    vcd->to = writer->fd;
    return write_header(vcd, writer->session) == 0 ? copy_body(writer) : -1;
}

static int close_writer(void *state, bool ok)
{
    int result = ok ? finish(state) : 0;
    free_state(state);
    return result;
}

const struct trace_writer writer_vcd = {
    .name = "vcd",
    .suffix = ".vcd",
    .description = "value change dump (IEEE 1364) of states, interrupts, mutexes, counters, own events; for GTKWave",
    .merged = true,
    .exact = true,
    .left_out = true,
    .sessions = true,
    .takes = TRACE_OPTION_TIMESCALE | TRACE_OPTION_SESSION,
    .open = open_vcd,
    .write = write_batch,
    .close = close_writer,
};

const struct trace_writer writer_vcd_wires = {
    .name = "vcd-wires",
    .description = "the same with wires of one bit only, for PulseView and sigrok-cli",
    .merged = true,
    .exact = true,
    .left_out = true,
    .takes = TRACE_OPTION_TIMESCALE,
    .open = open_wires,
    .write = write_batch,
    .close = close_writer,
};
