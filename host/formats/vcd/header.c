/* header.c - see header.h. */
#include "formats/vcd/header.h"

#include "model/display.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NAME_MOST = 256,  /* of a variable */
    BASE_MOST = 96,   /* of a thing's name, so that what follows it can be seen */
    FIRST_SIZE = 256, /* of the set of names */
};

/* What is needed while names are made. */
struct header {
    struct vcd *vcd;
    uint64_t *taken; /* hashes of names, in a table of size, a power of two; n are used, 0: free */
    size_t size, n;
    const struct vcd_thing *thing; /* whose variables are told now */
    char base[BASE_MOST];          /* what their names begin with */
    uint32_t id;                   /* of the next variable */
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* FNV-1a. Never 0. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    while (*text != '\0')
        hash = (hash ^ (unsigned char)*text++) * 0x100000001B3u;
    return hash | 1u;
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
    uint64_t *table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < header->size; i++) {
        if (header->taken[i] != 0)
            *find(table, size, header->taken[i]) = header->taken[i];
    }
    free(header->taken);
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

/* Make a variable's name: the thing's name and the tail. If that name is taken, add the thing's number, and so on. */
static void name_variable(struct header *header, const char *tail, char name[NAME_MOST])
{
    size_t n = (size_t)snprintf(name, NAME_MOST - 32u, "%s%.96s", header->base, tail);
    clean(name);
    if (!take(header, name))
        n += (size_t)snprintf(name + n, 12, "_%u", vcd_number_of(header->thing));
    else
        return;
    for (unsigned i = 2; !take(header, name); i++)
        snprintf(name + n, 12, "_%u", i);
}

/* A name that the trace has for the thing's number, if there are names for it. */
static const char *known_name(const struct trace *trace, const struct vcd_thing *thing, char room[DISPLAY_NAME_BYTES])
{
    bool is_known = vcd_kind_of(thing) == VCD_MUTEX && !trace->only_numbers && !trace->mapped
                    && display_name(trace, TRACE_MUTEX, vcd_number_of(thing), room);
    return is_known ? room : thing->name[0] != '\0' ? thing->name : NULL;
}

/* A name without the number of the board, with which all names begin if there are several boards. */
static const char *without_board(const char *name, unsigned board)
{
    size_t digits = strspn(name, "0123456789");
    return board > 0 && digits > 0 && name[digits] == ':' && name[digits + 1u] != '\0' ? name + digits + 1 : name;
}

static void name_thing(struct header *header)
{
    const struct vcd_thing *thing = header->thing;
    const struct trace *trace = header->vcd->trace;
    unsigned number = vcd_number_of(thing), cpu = vcd_cpu_of(thing), board = vcd_board_of(thing);
    char room[DISPLAY_NAME_BYTES], task[VCD_NAME_BYTES], digits[24], of_board[16] = "", of_cpu[24] = "";
    const char *name = known_name(trace, thing, room), *begin = "";
    enum vcd_kind kind = vcd_kind_of(thing);
    if (board > 0)
        snprintf(of_board, sizeof of_board, "b%u_", board);
    if (kind == VCD_TASK) {
        vcd_task_name(header->vcd, board, number, thing->name, task);
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
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

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
        declare(header, of->field->kind == TRACE_SIGNED ? "integer" : "reg", 8u * of->field->size, tail);
        snprintf(called, sizeof called, "%.96s_name", tail);
        if (of->value >= VCD_NAMED)
            declare(header, "string", 1, called);
    }
}

static void declare_event(struct header *header)
{
    const struct vcd_shape *shape = header->vcd->shape[vcd_number_of(header->thing)];
    declare(header, "event", 1, "");
    declare(header, "string", 1, "_in");
    for (unsigned i = 0; i < shape->nfields; i++)
        declare_field(header, &shape->field[i]);
}

static void declare_thing(struct header *header, const struct vcd_thing *thing)
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
    enum vcd_kind kind = vcd_kind_of(thing);
    header->thing = thing;
    header->id = thing->first;
    name_thing(header);
    if (kind == VCD_EVENT) {
        declare_event(header);
        return;
    }
    for (unsigned i = 0; i < CPU_IDS && of_kind[kind][i].type != NULL; i++)
        declare(header, of_kind[kind][i].type, of_kind[kind][i].bits, of_kind[kind][i].tail);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

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

/* Close and open scopes between two things. from NULL: before the first thing; to NULL: after the last one. */
static void change_scope(struct vcd *vcd, const struct vcd_thing *from, const struct vcd_thing *to)
{
    static const char *const scopes[VCD_KINDS] = {"cpus", "tasks", "interrupts", "mutexes", "counters", "events"};
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
        open_scope(vcd, scopes[vcd_kind_of(to)]);
}

static void declare_all(struct header *header, struct vcd_thing *const *things, size_t n)
{
    struct vcd *vcd = header->vcd;
    put_line(vcd, "$version tlog-decode $end\n");
    if (vcd->trace->clock_hz == 0)
        put_line(vcd, "$comment the clock's frequency is not known: times are ticks, not ns $end\n");
    put_line(vcd, vcd->unit == 1u ? "$timescale 1 ns $end\n" : "$timescale 1 us $end\n");
    open_scope(vcd, "tlog");
    for (size_t i = 0; i <= n; i++) {
        change_scope(vcd, i > 0 ? things[i - 1u] : NULL, i < n ? things[i] : NULL);
        if (i < n)
            declare_thing(header, things[i]);
    }
    close_scope(vcd);
    put_line(vcd, "$enddefinitions $end\n");
}

/* ---- values before the first event ------------------------------------------------------------------------------- */

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

static void start_event(struct vcd *vcd, const struct vcd_thing *thing)
{
    const struct vcd_shape *shape = vcd->shape[vcd_number_of(thing)];
    uint32_t id = thing->first + EVENT_FIELDS;
    for (unsigned i = 0; i < shape->nfields; i++) {
        enum vcd_value value = shape->field[i].value;
        if (value == VCD_NUMBER || value >= VCD_NAMED)
            start_number(vcd, id, "bx");
        id += value >= VCD_NAMED ? 2u : 1u;
    }
}

static void start_thing(struct vcd *vcd, const struct vcd_thing *thing)
{
    const char *ran = vcd->cpu[vcd_cpu_of(thing)].initial;
    uint32_t id = thing->first;
    switch (vcd_kind_of(thing)) {
    case VCD_CPU:
        put_string(vcd, id + CPU_TASK, ran[0] != '\0' ? ran : "x");
        vcd_wire(vcd, id + CPU_IDLE, thing->initial);
        vcd_number(vcd, id + CPU_LOST, 0);
        vcd_number(vcd, id + CPU_GAPS, 0);
        break;
    case VCD_TASK:
        vcd_wire(vcd, id + TASK_RUNS, thing->initial);
        vcd_wire(vcd, id + TASK_READY, thing->initial == '1' ? '0' : 'x');
        put_string(vcd, id + TASK_STATE, thing->initial == '1' ? "running" : "x");
        break;
    case VCD_IRQ:
        vcd_wire(vcd, id, thing->initial);
        break;
    case VCD_MUTEX:
        vcd_wire(vcd, id + MUTEX_LOCKED, thing->initial);
        put_string(vcd, id + MUTEX_OWNER, thing->initial == '0' ? "-" : "x");
        break;
    case VCD_EVENT:
        if (!vcd->only_wires)
            start_event(vcd, thing);
        break;
    default:
        break;
    }
}

static void start_all(struct vcd *vcd, struct vcd_thing *const *things, size_t n)
{
    char *to = vcd_room(vcd, 64);
    *to++ = '#';
    to = put_unsigned(to, vcd->first);
    vcd->at = put_word(to, "\n$dumpvars\n");
    for (size_t i = 0; i < n; i++)
        start_thing(vcd, things[i]);
    put_line(vcd, "$end\n");
}

int vcd_header(struct vcd *vcd)
{
    struct header header = {.vcd = vcd};
    size_t n;
    struct vcd_thing **things = vcd_things_sorted(vcd->things, &n);
    declare_all(&header, things, n);
    free(header.taken);
    if (vcd->begun)
        start_all(vcd, things, n);
    return vcd_flush(vcd);
}
