/* test_map.c - the mapping to Linux's events: how events fall into batches changes nothing.
 *
 * What a single event becomes is tested by tests/system/cli.sh. Here the same made-up events of all classes are mapped
 * one at a time and in batches of other sizes; what comes out must be the same, byte for byte. The graph of functions,
 * which comes after the mapping, must not change events that are none of functions. Which task the first events of a
 * CPU belong to is compared with lists made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "events/nesting.h"
#include "model/known.h"
#include "decode/map.h"

enum { EVENTS = 20000, PAYLOAD = 64 }; /* PAYLOAD: most bytes that a mapped event has */

static const struct tlog_field fields[] = {{"number", TLOG_KIND_UNSIGNED, 4, 4}, {"other", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_field count[] = {{"count", TLOG_KIND_UNSIGNED, 0, 8}};
#define OF(name, means) "test", name, TLOG_MEANS_##means, 8, 2, fields, NULL
static const struct tlog_type types[] = {
    {OF("plain", PLAIN)},        {OF("switch", SWITCH)},
    {OF("wake", WAKE)},          {OF("block", BLOCK)},
    {OF("unblock", UNBLOCK)},    {OF("entry", IRQ_ENTRY)},
    {OF("exit", IRQ_EXIT)},      {"test", "bare", TLOG_MEANS_SWITCH, 0, 0, NULL, NULL},
    {OF("resume", RESUME)},      {OF("running", RUNNING)},
    {OF("priority", PRIORITY)},  {OF("lock", LOCK)},
    {OF("await", LOCK_RUNNING)}, {"test", "loss", TLOG_MEANS_LOSS, 8, 1, count, NULL},
};
enum { TYPES = sizeof types / sizeof types[0] };

/* An empty trace with these types, type i at index i. */
static void init(struct trace *trace, unsigned cpus)
{
    trace_init(trace, "test");
    trace->ncpus = cpus;
    for (unsigned i = 0; i < TYPES; i++)
        assert_int_equal(trace_type(trace, &types[i]), i);
}

/* What came out of the mapping. */
struct out {
    struct trace_counts counts;
    size_t n;
    struct {
        struct tlog_event event;
        unsigned char payload[PAYLOAD];
    } at[2 * EVENTS];
};

static struct trace_batch in, mapped;
static unsigned char payload[EVENTS][8];

static uint32_t random32(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Event i of a kind of trace: one in `special` events is not plain; task 71024 is beyond those whose state is
 * followed. */
static struct tlog_event make(uint64_t *state, uint32_t special, size_t i)
{
    uint32_t type = random32(state) % special == 0 ? 1u + random32(state) % (TYPES - 1u) : 0;
    uint32_t number = random32(state) % 9u;
    uint8_t flags = random32(state) % 32u == 0 ? TLOG_FLAG_IN_THREAD : 0;
    put_le32(payload[i], random32(state) % 99u);
    put_le32(payload[i] + 4, number == 8 ? 71024u : number);
    return (struct tlog_event){
        .time = 10 * i, .data = payload[i], .type = (uint16_t)type, .size = types[type].size, .flags = flags};
}

static void take(struct out *out)
{
    for (size_t i = 0; i < mapped.n; i++) {
        const struct tlog_event *event = &mapped.event[i];
        struct tlog_event *to;
        assert_true(out->n < 2 * EVENTS && event->size <= PAYLOAD);
        if (event->size > 0)
            memcpy(out->at[out->n].payload, event->data, event->size);
        to = &out->at[out->n++].event; /* cleared, and so is what is between its fields */
        to->time = event->time;
        to->task = event->task;
        to->type = event->type;
        to->size = event->size;
        to->rest = event->rest;
        to->flags = event->flags;
    }
}

/* Map the same events in batches of up to `most`. */
static struct out *map_all(enum tlog_map_mode mode, uint32_t special, size_t most)
{
    struct out *out = calloc(1, sizeof *out);
    uint64_t state = special, sizes = 1;
    struct trace trace;
    struct decode_map *map;
    assert_non_null(out);
    init(&trace, 1);
    trace.irqs_once = true;
    trace_set_name(&trace, TRACE_NAME_TASK, 3, "three");
    trace_set_name(&trace, TRACE_NAME_IRQ, 4, "a name of more than 27 characters");
    map = decode_map_new(&trace, mode);
    assert_non_null(map);
    for (size_t i = 0; i < EVENTS;) {
        size_t size = 1u + random32(&sizes) % most;
        for (in.n = 0; in.n < size && i < EVENTS; i++)
            in.event[in.n++] = make(&state, special, i);
        for (size_t at = 0; at < in.n; take(out))
            at = decode_map_batch(map, 0, &in, at, in.n, &mapped);
    }
    out->counts = trace.counts;
    decode_map_free(map);
    trace_free(&trace);
    return out;
}

static void check_mode(enum tlog_map_mode mode, uint32_t special)
{
    static const size_t sizes[] = {7, 300, TRACE_BATCH_EVENTS};
    struct out *expected = map_all(mode, special, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct out *out = map_all(mode, special, sizes[i]);
        assert_int_equal(out->n, expected->n);
        assert_memory_equal(&out->counts, &expected->counts, sizeof out->counts);
        for (size_t k = 0; k < out->n; k++)
            assert_memory_equal(&out->at[k], &expected->at[k], sizeof out->at[k]);
        free(out);
    }
    free(expected);
}

static void batches_change_nothing(void **state)
{
    (void)state;
    for (uint32_t special = 1; special <= 2000; special = special * 3 + 1) {
        check_mode(TLOG_MAP_FULL, special);
        check_mode(TLOG_MAP_EXACT, special);
        check_mode(TLOG_MAP_NATIVE, special);
    }
}

/* Every event comes out once, in order and with its time; derived ones stand behind the event they are derived from, or
 * in front of it, if they tell what is known and what not. */
static void every_event_comes_out(void **state)
{
    struct out *out = map_all(TLOG_MAP_FULL, 2, TRACE_BATCH_EVENTS);
    size_t events = 0;
    (void)state;
    for (size_t k = 0; k < out->n; k++) {
        const struct tlog_event *event = &out->at[k].event;
        if (event->flags & TLOG_FLAG_TELLS)
            assert_int_equal(event->time, out->at[k + 1].event.time);
        else if (event->flags & TLOG_FLAG_DERIVED)
            assert_int_equal(event->time, out->at[k - 1].event.time);
        else
            assert_int_equal(event->time, 10 * events++);
    }
    assert_int_equal(events, EVENTS);
    assert_int_equal(out->counts.derived, out->n - EVENTS);
    assert_true(out->counts.derived > 1000);
    free(out);
}

/* Times of a trace that is mapped already may go back: the span is from the earliest to the latest. */
static void times_go_back(void **state)
{
    static const uint64_t times[] = {50, 10, 90, 40};
    struct trace trace;
    struct decode_map *map;
    (void)state;
    trace_init(&trace, "test");
    trace.ncpus = 1;
    trace.mapped = true;
    trace_type(&trace, &types[0]);
    map = decode_map_new(&trace, TLOG_MAP_FULL);
    assert_non_null(map);
    for (unsigned i = 0; i < 2; i++) {
        for (in.n = 0; in.n < 4; in.n++)
            in.event[in.n] = (struct tlog_event){.time = times[in.n] + 5 * i, .data = payload[0], .size = 8};
        assert_int_equal(decode_map_batch(map, 0, &in, 0, in.n, &mapped), in.n);
    }
    assert_int_equal(trace.counts.events, 8);
    assert_int_equal(trace.counts.first, 10);
    assert_int_equal(trace.counts.last, 95);
    decode_map_free(map);
    trace_free(&trace);
}

/* A firmware may log only entries of functions, or only exits. Then the type that is not declared has no number, which
 * must not be taken for number 0: an event of the first type of all keeps its payload, and the bytes behind that. */
static void functions_change_nothing_else(void **state)
{
    static const struct tlog_type *const one[] = {&funcgraph_entry, &funcgraph_exit};
    unsigned char before[FUNCGRAPH_EXIT_BYTES];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct trace trace;
        struct nesting *nesting;
        uint16_t first, function;
        trace_init(&trace, "test");
        nesting = nesting_new(&trace);
        assert_non_null(nesting);
        first = trace_type(&trace, &types[0]);
        function = trace_type(&trace, one[i]);
        memset(in.room, 0x5A, sizeof in.room);
        memset(before, 0x5A, sizeof before);
        in.event[0] = (struct tlog_event){.data = in.room + 64, .type = function, .size = one[i]->size};
        in.event[1] = (struct tlog_event){.data = in.room + 128, .type = first, .size = 8};
        in.n = 2;
        assert_int_equal(nesting_batch(nesting, 0, &in, in.room), 0);
        assert_memory_equal(in.room + 128, before, sizeof before);
        assert_memory_not_equal(in.room + 64, before, one[i]->size);
        nesting_free(nesting);
        trace_free(&trace);
    }
}

/* ---- the task at the beginning of a CPU -------------------------------------------------------------------------- */

enum { PLAIN = 0, SWITCH, WAKE, BLOCK, UNBLOCK, ENTRY, EXIT, PRIORITY = 10, LOCK, AWAIT, LOSS, DAMAGE };
enum { BOOT = 65536, UNKNOWN = 69999, ISR = 70000 };
static const struct tlog_type damage = {"test", "damage", TLOG_MEANS_DAMAGE, 8, 1, count, NULL};

/* Map events of these types, with the number 2 in each: they must get these tasks. */
static void tasks_must_be(struct decode_map *map, unsigned cpu, const unsigned *type, const uint32_t *task, size_t n)
{
    for (size_t i = 0; i < n; i++)
        in.event[i] = (struct tlog_event){.time = i, .data = payload[0], .type = (uint16_t)type[i], .size = 8};
    in.n = n;
    put_le32(payload[0], 0);
    put_le32(payload[0] + 4, 2);
    assert_int_equal(decode_map_batch(map, cpu, &in, 0, in.n, &mapped), in.n);
    for (size_t i = 0, k = 0; k < mapped.n; k++) {
        if (!(mapped.event[k].flags & TLOG_FLAG_DERIVED))
            assert_int_equal(mapped.event[k].task, task[i++]);
    }
}

static void a_lost_beginning_is_of_no_known_task(void **state)
{
    static const unsigned lossy[] = {LOSS, PLAIN, SWITCH, PLAIN, LOSS, PLAIN};
    static const uint32_t of_lossy[] = {UNKNOWN, UNKNOWN, UNKNOWN, 2, UNKNOWN, UNKNOWN};
    static const unsigned whole[] = {PLAIN, LOSS, PLAIN, SWITCH, PLAIN};
    static const uint32_t of_whole[] = {BOOT, UNKNOWN, UNKNOWN, UNKNOWN, 2};
    static const unsigned marks[] = {DAMAGE, LOSS};
    static const unsigned inside[] = {PLAIN, EXIT, ENTRY, PLAIN, EXIT, PLAIN};
    static const uint32_t unknown[] = {UNKNOWN, UNKNOWN, ISR + 2, ISR + 2, ISR + 2, UNKNOWN};
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++) {
        struct trace trace;
        struct decode_map *map;
        init(&trace, 3);
        assert_int_equal(trace_type(&trace, &damage), DAMAGE);
        map = decode_map_new(&trace, mode);
        assert_non_null(map);
        tasks_must_be(map, 0, lossy, of_lossy, 3);
        assert_string_equal((const char *)mapped.event[2].data, mode == TLOG_MAP_NATIVE ? "" : "<...>");
        tasks_must_be(map, 0, lossy + 3, of_lossy + 3, 3);
        tasks_must_be(map, 1, whole, of_whole, 5);
        tasks_must_be(map, 2, marks, unknown, 1); /* the marks of one beginning, in several batches */
        tasks_must_be(map, 2, marks + 1, unknown, 1);
        tasks_must_be(map, 2, inside, unknown, 6);
        assert_null(trace_name(&trace, TRACE_NAME_TASK, UNKNOWN));
        decode_map_free(map);
        trace_free(&trace);
    }
}

/* ---- what an event tells by itself ------------------------------------------------------------------------------- */

/* Map one event of the type, with this payload of 16 bytes, by itself. */
static void map_one(struct decode_map *map, uint16_t type, const unsigned char *data)
{
    in.event[0] = (struct tlog_event){.time = 1, .data = data, .type = type, .size = 16};
    in.n = 1;
    assert_int_equal(decode_map_batch(map, 0, &in, 0, in.n, &mapped), in.n);
}

/* The number of an interrupt may have any size, and a sign; an end that tells no number ends the interrupt that was
 * entered last. */
static void numbers_have_any_size(void **state)
{
    static const enum tlog_kind kinds[] = {TLOG_KIND_UNSIGNED, TLOG_KIND_SIGNED, TLOG_KIND_HEX};
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct trace trace;
        struct decode_map *map;
        unsigned char data[16] = {0};
        uint16_t size = (uint16_t)(1u << i % 4u);
        enum tlog_kind kind = kinds[i / 4u];
        const struct tlog_field number[] = {{"irq", kind, 8, size}};
        const struct tlog_type entry = {"test", "entry", TLOG_MEANS_IRQ_ENTRY, 16, 1, number, NULL};
        const struct tlog_type leave = {"test", "leave", TLOG_MEANS_IRQ_LEAVE, 16, 0, NULL, NULL};
        uint32_t largest = kind == TLOG_KIND_SIGNED || size >= 4 ? UINT32_MAX : (1u << 8u * size) - 1u;
        trace_init(&trace, "test");
        trace.ncpus = 1;
        trace_type(&trace, &entry);
        trace_type(&trace, &leave);
        map = decode_map_new(&trace, TLOG_MAP_EXACT);
        map_one(map, 1, data);
        assert_string_equal(trace.types[mapped.event[0].type]->name, "leave");
        memset(data + 8, 0xFF, size);
        map_one(map, 0, data);
        assert_string_equal(trace.types[mapped.event[0].type]->name, "irq_handler_entry");
        assert_int_equal(get_le32(mapped.event[0].data), largest);
        map_one(map, 1, data);
        assert_string_equal(trace.types[mapped.event[0].type]->name, "irq_handler_exit");
        assert_int_equal(get_le32(mapped.event[0].data), largest);
        decode_map_free(map);
        trace_free(&trace);
    }
}

/* A switch that tells the task that ran until now is believed, and so is whether that one is still ready. */
static void a_switch_tells_who_ran(void **state)
{
    static const struct tlog_field told[] = {
        {"next", TLOG_KIND_SIGNED, 0, 4}, {"prev", TLOG_KIND_SIGNED, 4, 2}, {"state", TLOG_KIND_SIGNED, 8, 8}};
    static const struct tlog_type type = {"test", "switch", TLOG_MEANS_SWITCH_OF, 16, 3, told, NULL};
    struct trace trace;
    struct decode_map *map;
    unsigned char data[16] = {0};
    (void)state;
    trace_init(&trace, "test");
    trace.ncpus = 1;
    trace_type(&trace, &type);
    map = decode_map_new(&trace, TLOG_MAP_EXACT);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned char *prev, *mapped_state;
        put_le32(data, 7);
        data[4] = (unsigned char)(40 + i);
        data[8] = (unsigned char)i;
        map_one(map, 0, data);
        prev = mapped.event[0].data + 16;
        mapped_state = mapped.event[0].data + 24;
        assert_string_equal(trace.types[mapped.event[0].type]->name, "sched_switch");
        assert_int_equal(mapped.event[0].task, 40 + i);
        assert_int_equal(get_le32(prev), 40 + i);
        assert_int_equal(get_le64(mapped_state), i);
    }
    decode_map_free(map);
    trace_free(&trace);
}

/* A system that ran before the trace began has no main() there: what runs is unknown, until a switch tells it; and one
 * that tells the task before tells it for all events up to there, unless some are missing. */
static void a_system_that_ran_before_has_no_main(void **state)
{
    static const struct tlog_field told[] = {{"next", TLOG_KIND_SIGNED, 0, 4}, {"prev", TLOG_KIND_SIGNED, 4, 4}};
    static const struct tlog_type other = {"test", "switch_of", TLOG_MEANS_SWITCH_OF, 8, 2, told, NULL};
    static const unsigned plain[] = {PLAIN, ENTRY, EXIT, SWITCH, PLAIN};
    static const uint32_t of_plain[] = {UNKNOWN, ISR + 2, ISR + 2, UNKNOWN, 2};
    static const unsigned telling[] = {PLAIN, ENTRY, EXIT, DAMAGE, PLAIN};
    static const uint32_t of_telling[] = {2, ISR + 2, ISR + 2, 2, 0};
    static const unsigned lossy[] = {PLAIN, LOSS, DAMAGE};
    static const uint32_t of_lossy[] = {UNKNOWN, UNKNOWN, 2};
    struct trace trace;
    struct decode_map *map;
    (void)state;
    init(&trace, 3);
    trace.ran_before = true;
    assert_int_equal(trace_type(&trace, &other), DAMAGE); /* its number in the lists above: from task 2 to task 0 */
    map = decode_map_new(&trace, TLOG_MAP_EXACT);
    tasks_must_be(map, 0, plain, of_plain, 5);
    tasks_must_be(map, 1, telling, of_telling, 5);
    tasks_must_be(map, 2, lossy, of_lossy, 3);
    assert_null(trace_name(&trace, TRACE_NAME_TASK, BOOT));
    decode_map_free(map);
    trace_free(&trace);
}

/* In every mode the task of an interrupt has a name. */
static void interrupts_have_names(void **state)
{
    static const unsigned inside[] = {ENTRY, PLAIN};
    static const uint32_t of_inside[] = {ISR + 2, ISR + 2};
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++) {
        struct trace trace;
        struct decode_map *map;
        init(&trace, 1);
        trace_set_name(&trace, TRACE_NAME_IRQ, 2, "uart");
        map = decode_map_new(&trace, mode);
        tasks_must_be(map, 0, inside, of_inside, 2);
        assert_string_equal(trace_name(&trace, TRACE_NAME_TASK, ISR + 2), "ISR:uart");
        decode_map_free(map);
        trace_free(&trace);
    }
}

/* ---- what a single event becomes --------------------------------------------------------------------------------- */

#define IN_THREAD 0x100u /* in a type: the event's context tells that no interrupt runs */

/* An event to be mapped, and what must come out for it: for each event "name task" and what is in brackets below. */
struct single {
    unsigned type;
    uint32_t number;
    const char *full, *exact, *native;
};

/* Append a mapped event to the text: name, task, and in brackets the state of a sched_switch, the task of a wake-up;
 * + for a derived event, i for one inside an interrupt, L for the exit of a handler that was left. */
static void tell(char *text, size_t room, const struct trace *trace, const struct tlog_event *event)
{
    const char *name = trace->types[event->type]->name;
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, room - used, "%s%s %u", used > 0 ? ", " : "", name, event->task);
    if (strcmp(name, "sched_switch") == 0)
        used += (size_t)snprintf(text + used, room - used, "[%u %u]", (unsigned)get_le64(event->data + 24),
                                 get_le32(event->data + 48));
    if (strncmp(name, "sched_wak", 9) == 0)
        used += (size_t)snprintf(text + used, room - used, "[%u]", get_le32(event->data + 16));
    used += (size_t)snprintf(text + used, room - used, "%s%s", event->flags & TLOG_FLAG_DERIVED ? "+" : "",
                             event->flags & TLOG_FLAG_IN_INTERRUPT ? "i" : "");
    if (strcmp(name, "irq_handler_exit") == 0 && get_le32(event->data + 4) == TRACE_EXIT_LEFT)
        snprintf(text + used, room - used, "L");
    assert_int_equal(event->flags & TLOG_FLAG_IN_THREAD, 0);
}

static void singles_become(const struct single *single, size_t n, enum tlog_map_mode mode, bool irqs_once)
{
    struct trace trace;
    struct decode_map *map;
    init(&trace, 1);
    trace.irqs_once = irqs_once;
    map = decode_map_new(&trace, mode);
    assert_non_null(map);
    for (size_t i = 0; i < n; i++) {
        char text[400] = "";
        put_le32(payload[0], 0);
        put_le32(payload[0] + 4, single[i].number);
        in.event[0] = (struct tlog_event){.time = i,
                                          .data = payload[0],
                                          .type = (uint16_t)(single[i].type & ~IN_THREAD),
                                          .size = 8,
                                          .flags = single[i].type & IN_THREAD ? TLOG_FLAG_IN_THREAD : 0};
        in.n = 1;
        assert_int_equal(decode_map_batch(map, 0, &in, 0, in.n, &mapped), in.n);
        for (size_t k = 0; k < mapped.n; k++)
            tell(text, sizeof text, &trace, &mapped.event[k]);
        assert_string_equal(text, mode == TLOG_MAP_FULL    ? single[i].full
                                  : mode == TLOG_MAP_EXACT ? single[i].exact
                                                           : single[i].native);
    }
    decode_map_free(map);
    trace_free(&trace);
}

/* Linux logs a wake-up twice: sched_waking when it begins, and sched_wakeup, by which trace-cmd measures, when the task
 * is ready. A task that waits for a lock leaves in state D (2), one that sleeps in state S (1). The entry of an
 * interrupt is of the interrupt, as its exit is. A switch from a task to itself is none. */
static void single_events_become_linux_events(void **state)
{
    static const struct single singles[] = {
        {SWITCH, 2, "sched_switch 65536[32 2]", "sched_switch 65536[32 2]", "switch 65536"},
        {WAKE, 3, "sched_waking 2[3], sched_wakeup 2[3]+", "sched_waking 2[3]", "wake 2"},
        {WAKE, 3, "wake 2", "wake 2", "wake 2"},
        {LOCK, 2, "lock 2", "lock 2", "lock 2"},
        {SWITCH, 3, "sched_switch 2[2 3]", "sched_switch 2[2 3]", "switch 2"},
        {WAKE, 2, "sched_waking 3[2], sched_wakeup 3[2]+", "sched_waking 3[2]", "wake 3"},
        {BLOCK, 3, "block 3", "block 3", "block 3"},
        {SWITCH, 2, "sched_switch 3[1 2]", "sched_switch 3[1 2]", "switch 3"},
        {LOCK, 0, "lock 2", "lock 2", "lock 2"},
        {UNBLOCK, 0, "unblock 2", "unblock 2", "unblock 2"},
        {SWITCH, 3, "sched_switch 2[0 3]", "sched_switch 2[0 3]", "switch 2"},
        {SWITCH, 3, "switch 3", "switch 3", "switch 3"},
        {ENTRY, 4, "irq_handler_entry 70004i, sched_switch 3[0 70004]+", "irq_handler_entry 70004i", "entry 70004i"},
        {BLOCK, 2, "block 70004i", "block 70004i", "block 70004i"},
        {WAKE, 2, "sched_waking 70004[2]i, sched_wakeup 70004[2]+i", "sched_waking 70004[2]i", "wake 70004i"},
        {SWITCH, 3, "switch 70004i", "switch 70004i", "switch 70004i"},
        {ENTRY, 5, "irq_handler_entry 70005i, sched_switch 70004[0 70005]+", "irq_handler_entry 70005i",
         "entry 70005i"},
        {EXIT, 5, "irq_handler_exit 70005i, sched_switch 70005[1 70004]+", "irq_handler_exit 70005i", "exit 70005i"},
        {EXIT, 4, "irq_handler_exit 70004i, sched_switch 70004[1 3]+", "irq_handler_exit 70004i", "exit 70004i"},
        {LOCK, 3, "lock 3", "lock 3", "lock 3"},
        {WAKE, 3, "wake 3", "wake 3", "wake 3"},
        {SWITCH, 3, "switch 3", "switch 3", "switch 3"},
        {SWITCH, 0, "sched_switch 3[0 0]", "sched_switch 3[0 0]", "switch 3"},
    };
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++)
        singles_become(singles, sizeof singles / sizeof singles[0], mode, false);
}

/* Task 2 is preempted by 3, which waits for a mutex of 2. FreeRTOS then gives 2 the priority of 3, and takes it out of
 * the ready tasks and makes it ready again: that is no wake-up, though 2 has not told of any wait yet. Nor is the
 * one behind the change of a priority, ever after, unless the task is new: 5. A firmware whose kernel does not log its
 * waits that way may change a priority and then wake the task: 4 at the beginning. So may any firmware, if something
 * comes between the two. */
static void a_task_whose_priority_changes_is_not_woken(void **state)
{
    static const struct single singles[] = {
        {PRIORITY, 4, "priority 65536", "priority 65536", "priority 65536"},
        {WAKE, 4, "sched_waking 65536[4], sched_wakeup 65536[4]+", "sched_waking 65536[4]", "wake 65536"},
        {SWITCH, 2, "sched_switch 65536[32 2]", "sched_switch 65536[32 2]", "switch 65536"},
        {SWITCH, 3, "sched_switch 2[0 3]", "sched_switch 2[0 3]", "switch 2"},
        {AWAIT, 1, "await 3", "await 3", "await 3"},
        {PLAIN, 1, "plain 3", "plain 3", "plain 3"},
        {WAKE, 2, "wake 3", "wake 3", "wake 3"},
        {PRIORITY, 2, "priority 3", "priority 3", "priority 3"},
        {SWITCH, 2, "sched_switch 3[2 2]", "sched_switch 3[2 2]", "switch 3"},
        {SWITCH, 4, "sched_switch 2[0 4]", "sched_switch 2[0 4]", "switch 2"},
        {LOCK, 4, "lock 4", "lock 4", "lock 4"},
        {WAKE, 2, "wake 4", "wake 4", "wake 4"},
        {SWITCH, 2, "sched_switch 4[2 2]", "sched_switch 4[2 2]", "switch 4"},
        {WAKE, 3, "sched_waking 2[3], sched_wakeup 2[3]+", "sched_waking 2[3]", "wake 2"},
        {SWITCH, 3, "sched_switch 2[0 3]", "sched_switch 2[0 3]", "switch 2"},
        {PRIORITY, 2, "priority 3", "priority 3", "priority 3"},
        {WAKE, 2, "wake 3", "wake 3", "wake 3"},
        {SWITCH, 2, "sched_switch 3[0 2]", "sched_switch 3[0 2]", "switch 3"},
        {SWITCH, 3, "sched_switch 2[0 3]", "sched_switch 2[0 3]", "switch 2"},
        {AWAIT, 1, "await 3", "await 3", "await 3"},
        {SWITCH, 0, "sched_switch 3[2 0]", "sched_switch 3[2 0]", "switch 3"},
        {WAKE, 2, "sched_waking 0[2], sched_wakeup 0[2]+", "sched_waking 0[2]", "wake 0"},
        {PRIORITY, 5, "priority 0", "priority 0", "priority 0"},
        {WAKE, 5, "sched_waking 0[5], sched_wakeup 0[5]+", "sched_waking 0[5]", "wake 0"},
        {SWITCH, 5, "sched_switch 0[0 5]", "sched_switch 0[0 5]", "switch 0"},
        {SWITCH, 0, "sched_switch 5[0 0]", "sched_switch 5[0 0]", "switch 5"},
        {PRIORITY, 5, "priority 0", "priority 0", "priority 0"},
        {WAKE, 6, "sched_waking 0[6], sched_wakeup 0[6]+", "sched_waking 0[6]", "wake 0"},
        {WAKE, 5, "sched_waking 0[5], sched_wakeup 0[5]+", "sched_waking 0[5]", "wake 0"},
    };
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++)
        singles_become(singles, sizeof singles / sizeof singles[0], mode, false);
}

/* Task 2 runs. Interrupt 4 is left; the kernel switches to 3 and back; then 4 comes again: the handler from before is
 * closed, and with it 5 inside of it. An exit of 4 closes 5 inside of it. The next event of 4 and of 5 is ordinary, and
 * an exit without an entry changes nothing. What thread code logs closes all, whatever it is. */
static void a_handler_that_was_left_is_closed(void **state)
{
    static const struct single singles[] = {
        {SWITCH, 2, "sched_switch 65536[32 2]", "sched_switch 65536[32 2]", "switch 65536"},
        {ENTRY, 4, "irq_handler_entry 70004i, sched_switch 2[0 70004]+", "irq_handler_entry 70004i", "entry 70004i"},
        {ENTRY, 5, "irq_handler_entry 70005i, sched_switch 70004[0 70005]+", "irq_handler_entry 70005i",
         "entry 70005i"},
        {ENTRY, 4,
         "irq_handler_exit 70005+iL, sched_switch 70005[1 70004]+, irq_handler_exit 70004+iL, sched_switch 70004[1 2]+,"
         " irq_handler_entry 70004i, sched_switch 2[0 70004]+",
         "irq_handler_exit 70005+iL, irq_handler_exit 70004+iL, irq_handler_entry 70004i", "entry 70004i"},
        {ENTRY, 5, "irq_handler_entry 70005i, sched_switch 70004[0 70005]+", "irq_handler_entry 70005i",
         "entry 70005i"},
        {EXIT, 4,
         "irq_handler_exit 70005+iL, sched_switch 70005[1 70004]+, irq_handler_exit 70004i, sched_switch 70004[1 2]+",
         "irq_handler_exit 70005+iL, irq_handler_exit 70004i", "exit 70004i"},
        {EXIT, 5, "irq_handler_exit 2", "irq_handler_exit 2", "exit 2"},
        {ENTRY, 4, "irq_handler_entry 70004i, sched_switch 2[0 70004]+", "irq_handler_entry 70004i", "entry 70004i"},
        {PLAIN | IN_THREAD, 1, "irq_handler_exit 70004+iL, sched_switch 70004[1 2]+, plain 2",
         "irq_handler_exit 70004+iL, plain 2", "plain 2"},
    };
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++)
        singles_become(singles, sizeof singles / sizeof singles[0], mode, true);
}

static void an_interrupt_may_come_in_itself(void **state)
{
    static const struct single singles[] = {
        {ENTRY, 4, "irq_handler_entry 70004i, sched_switch 65536[0 70004]+", "irq_handler_entry 70004i",
         "entry 70004i"},
        {ENTRY, 4, "irq_handler_entry 70004i, sched_switch 70004[0 70004]+", "irq_handler_entry 70004i",
         "entry 70004i"},
        {EXIT, 4, "irq_handler_exit 70004i, sched_switch 70004[1 70004]+", "irq_handler_exit 70004i", "exit 70004i"},
    };
    (void)state;
    for (enum tlog_map_mode mode = TLOG_MAP_FULL; mode <= TLOG_MAP_NATIVE; mode++)
        singles_become(singles, sizeof singles / sizeof singles[0], mode, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_any_size),
        cmocka_unit_test(a_switch_tells_who_ran),
        cmocka_unit_test(single_events_become_linux_events),
        cmocka_unit_test(a_task_whose_priority_changes_is_not_woken),
        cmocka_unit_test(a_handler_that_was_left_is_closed),
        cmocka_unit_test(an_interrupt_may_come_in_itself),
        cmocka_unit_test(a_lost_beginning_is_of_no_known_task),
        cmocka_unit_test(a_system_that_ran_before_has_no_main),
        cmocka_unit_test(interrupts_have_names),
        cmocka_unit_test(batches_change_nothing),
        cmocka_unit_test(every_event_comes_out),
        cmocka_unit_test(times_go_back),
        cmocka_unit_test(functions_change_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
