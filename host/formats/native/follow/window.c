/* window.c - see window.h. */
#include "formats/native/follow/window.h"

#include "base/heap.h"
#include "io/input.h"
#include "model/known.h"

#include <string.h>

extern const struct trace_reader reader_native; /* formats/native/reader.c */

#define KEPT_MOST 64u
#define HELD      2u /* a loss and a damage */

/* What was decoded at one poll. */
struct pass {
    struct trace trace;
    struct input *in;
    void *state;
    uint16_t type[TRACE_TYPES_MAX]; /* in the window's trace, by type; ntypes of them are known */
    unsigned ntypes;
    bool is_kept; /* its types are those of the window's trace */
    struct pass *next;
};

/* What was given out of a CPU. */
struct given {
    uint64_t time; /* of the last event: this and rest */
    uint16_t rest;
    bool any;
    uint64_t n;                   /* events of that time that were given out */
    uint64_t same;                /* events of that time that this pass has met */
    struct trace_batch *ahead;    /* events of the pass */
    size_t at;                    /* which of them are not looked at yet */
    struct tlog_event held[HELD]; /* nheld losses, which are given out ahead of the next event */
    unsigned char held_data[HELD][8];
    unsigned nheld;
    bool done; /* the next event's order is not certain */
};

/* Images: n of room bytes. */
struct images {
    unsigned char *bytes;
    size_t n, room;
};

struct native_window {
    struct trace *trace;
    struct trace base;         /* the window's trace before anything was declared */
    struct images now, anchor; /* of this poll; of the last one of which events were given out */
    bool overtaken;            /* slots were lost since then: how many, images of both tell */
    bool gave;                 /* events of this poll were given out */
    struct pass *pass;         /* the one that is read; NULL: none */
    struct pass *kept;         /* those before whose types are in use */
    unsigned nkept;
    bool is_open;    /* the window's trace has what an input tells */
    uint64_t latest; /* time of the latest event that was seen */
    uint64_t until;  /* events up to this time can be given out */
    struct given given[256];
};

/* ---- images ------------------------------------------------------------------------------------------------------ */

void native_window_begin(struct native_window *window)
{
    if (window->gave) {
        struct images swap = window->anchor;
        window->anchor = window->now;
        window->now = swap;
        window->overtaken = false;
    }
    window->gave = false;
    window->now.n = 0;
}

static int add(struct images *images, const unsigned char *bytes, size_t n)
{
    if (images->n + n > images->room) {
        unsigned char *more = heap_realloc(images->bytes, 2u * images->room + n);
        if (more == NULL)
            return -1;
        images->bytes = more;
        images->room = 2u * images->room + n;
    }
    if (n > 0)
        memcpy(images->bytes + images->n, bytes, n);
    images->n += n;
    return 0;
}

int native_window_add(struct native_window *window, const unsigned char *image, uint32_t size)
{
    return add(&window->now, image, size);
}

static size_t read_bytes(void *ctx, uint64_t offset, void *to, size_t n)
{
    const struct native_window *window = ctx;
    memcpy(to, window->now.bytes + offset, n);
    return n;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static void free_pass(struct pass *pass)
{
    if (pass == NULL)
        return;
    if (pass->state != NULL)
        reader_native.close(pass->state);
    input_close(pass->in);
    trace_free(&pass->trace);
    heap_free(pass);
}

/* The pass was read. If types of it are in use it stays. */
static void end_pass(struct native_window *window)
{
    struct pass *pass = window->pass;
    window->pass = NULL;
    if (pass == NULL || !pass->is_kept) {
        free_pass(pass);
        return;
    }
    pass->next = window->kept;
    window->kept = pass;
    window->nkept++;
}

/* Decode the images. NULL: they cannot be, or there is no memory. */
static struct pass *new_pass(struct native_window *window)
{
    const struct tlog_bytes bytes = {window->trace->input_name, window->now.n, read_bytes, window};
    struct pass *pass = heap_calloc(1, sizeof *pass);
    if (pass == NULL)
        return NULL;
    pass->trace = window->base;
    pass->trace.firmware = window->trace->firmware;
    pass->trace.printk = window->trace->printk;
    pass->trace.nprintk = window->trace->nprintk;
    pass->trace.quiet = pass->trace.goes_on = true;
    pass->in = input_open_bytes(&pass->trace, &bytes);
    if (pass->in != NULL)
        pass->state = reader_native.open(&pass->trace, pass->in);
    if (pass->state != NULL)
        return pass;
    free_pass(pass);
    return NULL;
}

/* ---- what an input tells ----------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether two types are shown alike. */
static bool is_same_type(const struct tlog_type *a, const struct tlog_type *b)
{
    if (a == b)
        return true;
    if (strcmp(a->system, b->system) != 0 || strcmp(a->name, b->name) != 0 || a->means != b->means || a->size != b->size
        || a->nfields != b->nfields || !same_text(a->print, b->print))
        return false;
    for (unsigned i = 0; i < a->nfields; i++) {
        const struct tlog_field *left = &a->fields[i], *right = &b->fields[i];
        if (strcmp(left->name, right->name) != 0 || left->kind != right->kind || left->offset != right->offset
            || left->size != right->size)
            return false;
    }
    return true;
}

/* The type in the window's trace that is like one of a pass. 0 after trace_fail(). */
static uint16_t find_type(struct native_window *window, const struct tlog_type *type)
{
    struct trace *trace = window->trace;
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (is_same_type(trace->types[i], type))
            return (uint16_t)i;
    }
    window->pass->is_kept = true;
    if (window->nkept == KEPT_MOST) {
        trace_fail(trace, "%s: too many types of events come", trace->input_name);
        return 0;
    }
    return trace_type(trace, type);
}

static uint16_t map_type(struct native_window *window, uint16_t type)
{
    struct pass *pass = window->pass;
    while (pass->ntypes <= type) {
        pass->type[pass->ntypes] = find_type(window, pass->trace.types[pass->ntypes]);
        pass->ntypes++;
    }
    return pass->type[type];
}

static void take_name(void *ctx, enum trace_name_kind kind, uint32_t id, const char *name)
{
    struct trace *trace = ctx;
    if (!same_text(trace_name(trace, kind, id), name))
        trace_set_name(trace, kind, id, name);
}

struct names {
    struct trace *trace;
    enum trace_name_kind kind;
};

static void take_name_of(void *ctx, uint32_t id, const char *name)
{
    const struct names *names = ctx;
    take_name(names->trace, names->kind, id, name);
}

/* Names may have changed since the last pass. */
static void take_names(struct native_window *window)
{
    for (unsigned kind = 0; kind < TRACE_NAME_KINDS; kind++) {
        struct names names = {window->trace, (enum trace_name_kind)kind};
        trace_each_name(&window->pass->trace, names.kind, take_name_of, &names);
    }
}

/* CPUs that have logged nothing yet are known by the firmware. */
static unsigned count_cpus(const struct native_window *window)
{
    const struct trace_firmware *firmware = window->trace->firmware;
    unsigned n = window->pass->trace.ncpus;
    for (size_t i = 0; firmware != NULL && i < firmware->nrings; i++) {
        unsigned cpu = firmware->rings[i].place & 0xFFu;
        n = cpu + 1u > n ? cpu + 1u : n;
    }
    return n;
}

/* Set once what the first pass tells. */
static void open_trace(struct native_window *window)
{
    struct trace *trace = window->trace;
    const struct trace *told = &window->pass->trace;
    trace->ncpus = count_cpus(window);
    trace->clock_hz = told->clock_hz;
    trace->start_ns = told->start_ns;
    trace->target = told->target;
    memcpy(trace->build, told->build, sizeof trace->build);
    trace->priority_order = told->priority_order;
    trace->ran_before = told->ran_before;
    trace->irqs_once = told->irqs_once;
    for (size_t i = 0; i < told->npriorities; i++)
        trace_set_priority(trace, told->priorities[i].task, told->priorities[i].priority);
    for (unsigned i = 0; i < told->ntypes; i++)
        map_type(window, (uint16_t)i);
    window->pass->is_kept = true;
    window->is_open = true;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Read all events of a CPU: *last becomes the time of the last one. 0, or -1. */
static int scan_cpu(struct native_window *window, unsigned cpu, struct trace_batch *batch, uint64_t *last)
{
    struct pass *pass = window->pass;
    int got;
    *last = 0;
    batch->n = batch->used = batch->enough = 0;
    while ((got = reader_native.read(pass->state, cpu, batch)) > 0) {
        *last = batch->n > 0 ? batch->event[batch->n - 1u].time : *last;
        batch->n = batch->used = 0;
    }
    return got;
}

/* Find out up to which time the order of events is certain: all that the pass before has seen was logged ahead of this
 * one, and no CPU waits for an earlier event that is not finished. */
static int find_until(struct native_window *window, bool at_once)
{
    struct trace_batch *batch = heap_alloc(sizeof *batch);
    uint64_t seen = window->latest, last;
    int result = batch != NULL ? 0 : -1;
    window->until = at_once ? UINT64_MAX : seen;
    for (unsigned cpu = 0; cpu < window->pass->trace.ncpus && result == 0; cpu++) {
        result = scan_cpu(window, cpu, batch, &last);
        window->latest = last > window->latest ? last : window->latest;
        if (reader_native.waits(window->pass->state, cpu) && last < window->until)
            window->until = last;
    }
    heap_free(batch);
    return result;
}

int native_window_decode(struct native_window *window, bool at_once, bool overtaken)
{
    end_pass(window);
    window->overtaken = window->overtaken || overtaken;
    if (window->overtaken && add(&window->now, window->anchor.bytes, window->anchor.n) != 0)
        return trace_fail(window->trace, "%s: no memory", window->trace->input_name);
    for (unsigned cpu = 0; cpu < sizeof window->given / sizeof window->given[0]; cpu++) {
        struct given *given = &window->given[cpu];
        given->at = given->same = 0;
        given->nheld = 0;
        given->done = false;
        if (given->ahead != NULL)
            given->ahead->n = given->ahead->used = 0;
    }
    window->until = UINT64_MAX;
    window->pass = new_pass(window);
    if (window->pass != NULL && window->pass->trace.ncpus > 1) {
        if (find_until(window, at_once) != 0)
            return trace_fail(window->trace, "%s: cannot be decoded", window->trace->input_name);
        free_pass(window->pass);
        window->pass = new_pass(window);
    }
    if (window->pass == NULL)
        return 0;
    if (!window->is_open)
        open_trace(window);
    take_names(window);
    return window->trace->failed ? -1 : 1;
}

/* ---- the reader -------------------------------------------------------------------------------------------------- */

/* Whether an event was given out before; else it is noted as given out now. Losses are not events here. */
static bool was_given(struct given *given, const struct tlog_event *event)
{
    bool is_same = given->any && event->time == given->time && event->rest == given->rest;
    if (given->any && (event->time < given->time || (event->time == given->time && event->rest < given->rest)))
        return true;
    if (is_same && given->same++ < given->n)
        return true;
    given->n = is_same ? given->n + 1u : 1u;
    given->same = given->n;
    given->any = true;
    given->time = event->time;
    given->rest = event->rest;
    return false;
}

/* Hold a loss back until it is known whether the next event was given out before. */
static void hold(struct given *given, const struct tlog_event *event)
{
    struct tlog_event *held = &given->held[given->nheld];
    if (given->nheld == HELD)
        return;
    *held = *event;
    memcpy(given->held_data[given->nheld], event->data, sizeof given->held_data[0]);
    held->data = given->held_data[given->nheld++];
}

static void give(struct native_window *window, const struct tlog_event *event, struct trace_batch *batch)
{
    struct tlog_event *to = &batch->event[batch->n++];
    *to = *event;
    to->type = map_type(window, event->type);
    to->group = 0;
}

/* A loss that was held is copied, as another one may be held before the batch is used. */
static void give_held(struct native_window *window, const struct tlog_event *held, struct trace_batch *batch)
{
    unsigned char *room = trace_batch_room(batch, sizeof window->given->held_data[0]);
    if (room == NULL)
        return;
    memcpy(room, held->data, sizeof window->given->held_data[0]);
    give(window, held, batch);
    batch->event[batch->n - 1u].data = room;
}

/* Give out those events ahead that are new and certain. */
static void give_events(struct native_window *window, struct given *given, struct trace_batch *batch)
{
    while (given->at < given->ahead->n && batch->n + HELD < TRACE_BATCH_EVENTS && !given->done) {
        const struct tlog_event *event = &given->ahead->event[given->at];
        bool is_gap = trace_class_is_gap(window->pass->trace.types[event->type]->means);
        given->done = event->time > window->until;
        if (given->done)
            break;
        given->at++;
        if (is_gap) {
            hold(given, event);
            continue;
        }
        if (!was_given(given, event)) {
            for (unsigned i = 0; i < given->nheld; i++)
                give_held(window, &given->held[i], batch);
            give(window, event, batch);
            window->gave = true;
        }
        given->nheld = 0;
    }
}

static int read_window(void *reader, unsigned cpu, struct trace_batch *batch)
{
    struct native_window *window = reader;
    struct given *given = &window->given[cpu];
    batch->n = batch->used = 0;
    if (window->pass == NULL || cpu >= window->pass->trace.ncpus)
        return 0;
    if (given->ahead == NULL)
        given->ahead = heap_calloc(1, sizeof *given->ahead);
    if (given->ahead == NULL)
        return trace_fail(window->trace, "%s: no memory", window->trace->input_name);
    while (batch->n == 0 && !given->done) {
        int got = 1;
        if (given->at == given->ahead->n) {
            given->at = given->ahead->n = given->ahead->used = 0;
            got = reader_native.read(window->pass->state, cpu, given->ahead);
        }
        if (got < 0)
            return trace_fail(window->trace, "%s", window->pass->trace.error);
        if (got == 0)
            break;
        give_events(window, given, batch);
    }
    return window->trace->failed ? -1 : batch->n > 0;
}

static void close_window(void *reader)
{
    struct native_window *window = reader;
    free_pass(window->pass);
    while (window->kept != NULL) {
        struct pass *next = window->kept->next;
        free_pass(window->kept);
        window->kept = next;
    }
    for (unsigned cpu = 0; cpu < sizeof window->given / sizeof window->given[0]; cpu++)
        heap_free(window->given[cpu].ahead);
    heap_free(window->now.bytes);
    heap_free(window->anchor.bytes);
    heap_free(window);
}

static enum trace_probe probe_window(struct input *in)
{
    (void)in;
    return TRACE_NOT_MINE;
}

static void *open_window(struct trace *trace, struct input *in)
{
    trace_fail(trace, "%s: cannot be read again", in != NULL ? input_name(in) : trace->input_name);
    return NULL;
}

const struct trace_reader native_window_reader = {
    .name = "native",
    .description = "chunks of a firmware that is followed",
    .probe = probe_window,
    .open = open_window,
    .read = read_window,
    .close = close_window,
};

struct native_window *native_window_new(struct trace *trace)
{
    struct native_window *window = heap_calloc(1, sizeof *window);
    if (window == NULL)
        return NULL;
    window->trace = trace;
    window->base = *trace;
    return window;
}
