/* script_reader.c - a reader of event scripts, linked into a decoder in the place of native/reader.c.
 *
 * With it everything between the reader and the file can be tested: merging, counting, damage, errors, interruption.
 * A script begins with "#script" and has one instruction per line, with one blank between its fields:
 *
 *   cpus N                          clock HZ                     name TASK TEXT
 *   order                           a kernel tells which priorities are the more important ones: the lowest
 *   event CPU TIME PAR1 PAR2        switch CPU TIME TASK            priority CPU TIME TASK PRIORITY
 *   wake CPU TIME TASK              block, lock, unblock CPU TIME TASK             entry, exit CPU TIME INTERRUPT
 *   delay CPU TIME TICKS            the running task waits
 *   allocate, free CPU TIME BYTES IN_USE            of the heap
 *   create, end CPU TIME TASK       make, send, destroy CPU TIME QUEUE              notify CPU TIME TASK
 *   acquire, release CPU TIME TASK MUTEX            pause CPU TIME 0     logging stops
 *   loss CPU TIME COUNT             damage CPU TIME OFFSET LENGTH COUNT TEXT
 *   many CPU COUNT FIRST STEP       COUNT events from time FIRST on, STEP apart; par1 counts them
 *   fail CPU TEXT                   the reader fails here, with that message
 *   wait CPU SECONDS                the reader sleeps so long
 *   bad                             the probe says TRACE_MINE_BROKEN
 *   unsure                          the probe says TRACE_MAYBE
 */
#include "io/input.h"
#include "model/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 256u
#define CPUS_MAX   8u

static const struct tlog_field task_fields[] = {{"context", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_field mutex_fields[] = {{"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}};
static const struct tlog_field life_fields[] = {{"context", TLOG_KIND_TASK, 0, 4}};
static const struct tlog_field queue_fields[] = {{"queue", TLOG_KIND_OBJECT + 1, 0, 4}};
static const struct tlog_field irq_fields[] = {{"irq", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_field delay_fields[] = {{"ticks", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_field heap_fields[] = {{"bytes", TLOG_KIND_UNSIGNED, 0, 4},
                                                {"in_use", TLOG_KIND_UNSIGNED, 4, 4}};
static const struct tlog_field priority_fields[] = {{"task", TLOG_KIND_UNSIGNED, 0, 4},
                                                    {"priority", TLOG_KIND_UNSIGNED, 4, 4}};

/* Instructions that are an event with a number, and perhaps a second one. */
static const struct {
    const char *word;
    struct tlog_type type;
} words[] = {
    {"switch", {"shark", "context_switch", TLOG_MEANS_SWITCH, 4, 1, task_fields, NULL}},
    {"wake", {"shark", "task_activate", TLOG_MEANS_WAKE, 4, 1, task_fields, NULL}},
    {"block", {"shark", "task_sleep", TLOG_MEANS_BLOCK, 4, 1, task_fields, NULL}},
    {"lock", {"shark", "set_mutex_wait", TLOG_MEANS_LOCK, 4, 1, task_fields, NULL}},
    {"unblock", {"shark", "task_begin_cycle", TLOG_MEANS_UNBLOCK, 4, 1, task_fields, NULL}},
    {"entry", {"shark", "interrupt_start", TLOG_MEANS_IRQ_ENTRY, 4, 1, irq_fields, NULL}},
    {"exit", {"shark", "interrupt_end", TLOG_MEANS_IRQ_EXIT, 4, 1, irq_fields, NULL}},
    {"priority", {"shark", "set_priority", TLOG_MEANS_PRIORITY, 8, 2, priority_fields, NULL}},
    {"delay", {"rtos", "delay", TLOG_MEANS_BLOCK_RUNNING, 4, 1, delay_fields, NULL}},
    {"allocate", {"rtos", "heap_allocate", TLOG_MEANS_PLAIN, 8, 2, heap_fields, NULL}},
    {"free", {"rtos", "heap_free", TLOG_MEANS_PLAIN, 8, 2, heap_fields, NULL}},
    {"create", {"shark", "task_create", TLOG_MEANS_CREATE, 4, 1, life_fields, NULL}},
    {"end", {"shark", "task_end", TLOG_MEANS_END, 4, 1, life_fields, NULL}},
    {"notify", {"rtos", "task_notify", TLOG_MEANS_PLAIN, 4, 1, life_fields, NULL}},
    {"make", {"rtos", "queue_create", TLOG_MEANS_CREATE, 4, 1, queue_fields, NULL}},
    {"send", {"rtos", "queue_send", TLOG_MEANS_PLAIN, 4, 1, queue_fields, NULL}},
    {"destroy", {"rtos", "queue_delete", TLOG_MEANS_END, 4, 1, queue_fields, NULL}},
    {"acquire", {"shark", "set_mutex_lock", TLOG_MEANS_PLAIN, 8, 2, mutex_fields, NULL}},
    {"release", {"shark", "set_mutex_unlock", TLOG_MEANS_PLAIN, 8, 2, mutex_fields, NULL}},
    {"pause", {"shark", "trace_stop", TLOG_MEANS_PAUSE, 4, 1, task_fields, NULL}},
};
enum { WORDS = sizeof words / sizeof words[0] };

struct script {
    struct trace *trace;
    struct input *input;
    uint64_t at[CPUS_MAX];     /* offset of the next line */
    uint64_t left[CPUS_MAX];   /* events that a "many" has still to give; the next one's: */
    uint64_t number[CPUS_MAX]; /* par1 */
    uint64_t time[CPUS_MAX];
    uint64_t step[CPUS_MAX];     /* from its time to that of the one after it */
    uint16_t user, loss, damage; /* indices of types */
    uint16_t word[WORDS];        /* of the types of words[] */
};

static const struct tlog_field user_fields[] = {
    {"par1", TLOG_KIND_UNSIGNED, 0, 2},
    {"par2", TLOG_KIND_UNSIGNED, 4, 4},
};
static const struct tlog_type user_type = {"shark", "user_event_0", TLOG_MEANS_PLAIN, 8, 2, user_fields, NULL};

/* Get the line at *offset, without its newline, and move *offset behind it. False: there is no further line. */
static bool next_line(struct input *input, uint64_t *offset, char *line)
{
    size_t n = input_read(input, *offset, line, LINE_BYTES - 1u);
    char *end;
    if (n == 0)
        return false;
    line[n] = '\0';
    end = strchr(line, '\n');
    if (end != NULL)
        *end = '\0';
    *offset += strlen(line) + 1u;
    return true;
}

static bool has_line(struct input *input, const char *wanted)
{
    char line[LINE_BYTES];
    uint64_t at = 0;
    while (next_line(input, &at, line)) {
        if (strcmp(line, wanted) == 0)
            return true;
    }
    return false;
}

static enum trace_probe script_probe(struct input *input)
{
    char line[LINE_BYTES];
    uint64_t at = 0;
    if (!next_line(input, &at, line) || strcmp(line, "#script") != 0)
        return TRACE_NOT_MINE;
    if (has_line(input, "bad"))
        return TRACE_MINE_BROKEN;
    return has_line(input, "unsure") ? TRACE_MAYBE : TRACE_MINE;
}

/* Take what the lines say of the whole trace: CPUs, clock, names. */
static void script_declare(struct script *script)
{
    char line[LINE_BYTES];
    uint64_t at = 0;
    unsigned cpus;
    uint32_t task;
    int text;
    while (next_line(script->input, &at, line)) {
        if (sscanf(line, "cpus %u", &cpus) == 1)
            script->trace->ncpus = cpus < CPUS_MAX ? cpus : CPUS_MAX;
        else if (sscanf(line, "name %" SCNu32 " %n", &task, &text) == 1)
            trace_set_name(script->trace, TRACE_NAME_TASK, task, line + text);
        else if (strcmp(line, "order") == 0)
            script->trace->priority_order = TRACE_LOWEST_FIRST;
        else
            (void)sscanf(line, "clock %" SCNu64, &script->trace->clock_hz);
    }
}

static void *script_open(struct trace *trace, struct input *input)
{
    struct script *script;
    if (script_probe(input) == TRACE_NOT_MINE) {
        trace_fail(trace, "%s: offset 0x0: expected #script", trace->input_name);
        return NULL;
    }
    script = calloc(1, sizeof *script);
    if (script == NULL)
        return NULL;
    script->trace = trace;
    script->input = input;
    trace->ncpus = 1;
    trace->clock_hz = 1000000000u;
    script->user = trace_type(trace, &user_type);
    for (unsigned i = 0; i < WORDS; i++)
        script->word[i] = trace_type(trace, &words[i].type);
    script->loss = trace_type(trace, &trace_loss_type);
    script->damage = trace_type(trace, &trace_damage_type);
    script_declare(script);
    return script;
}

/* Add an event whose payload is two words. */
static void add_event(struct trace_batch *batch, uint16_t type, uint64_t time, uint32_t low, uint32_t high)
{
    uint32_t pair[2] = {low, high};
    unsigned char *room = trace_batch_room(batch, sizeof pair);
    struct tlog_event *event = &batch->event[batch->n++];
    for (size_t i = 0; i < sizeof pair; i++)
        room[i] = (unsigned char)(pair[i / 4u] >> 8u * (i % 4u));
    *event = (struct tlog_event){.time = time, .data = room, .type = type, .size = sizeof pair};
}

/* Add the events of a "many" that are left, as many as the batch has room for. */
static void many_events(struct script *script, unsigned cpu, struct trace_batch *batch)
{
    while (script->left[cpu] > 0 && batch->n < TRACE_BATCH_EVENTS) {
        add_event(batch, script->user, script->time[cpu], (uint32_t)script->number[cpu] & 0xFFFFu, 0);
        script->number[cpu]++;
        script->time[cpu] += script->step[cpu];
        script->left[cpu]--;
    }
}

/* Carry out a line that begins with one of words[], if it is for the CPU. */
static void add_word(struct script *script, unsigned cpu, const char *line, struct trace_batch *batch)
{
    char word[16];
    uint64_t time;
    uint32_t first, second = 0;
    unsigned where;
    if (sscanf(line, "%15s %u %" SCNu64 " %" SCNu32 " %" SCNu32, word, &where, &time, &first, &second) < 4
        || where != cpu)
        return;
    for (unsigned i = 0; i < WORDS; i++) {
        if (strcmp(word, words[i].word) == 0) {
            add_event(batch, script->word[i], time, first, second);
            batch->event[batch->n - 1u].size = words[i].type.size;
        }
    }
}

/* Carry out a line that adds an event, if it is for the CPU; other lines have no effect. */
static void add_line_event(struct script *script, unsigned cpu, const char *line, struct trace_batch *batch)
{
    uint64_t time, offset, length, count;
    uint32_t par1, par2;
    unsigned where;
    int text;
    if (sscanf(line, "event %u %" SCNu64 " %" SCNu32 " %" SCNu32, &where, &time, &par1, &par2) == 4 && where == cpu)
        add_event(batch, script->user, time, par1, par2);
    add_word(script, cpu, line, batch);
    if (sscanf(line, "loss %u %" SCNu64 " %" SCNu64, &where, &time, &count) == 3 && where == cpu) {
        add_event(batch, script->loss, time, (uint32_t)count, 0);
        script->trace->counts.dropped += count;
    }
    if (sscanf(line, "damage %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &where, &time, &offset, &length,
               &count, &text)
            == 5
        && where == cpu) {
        add_event(batch, script->damage, time, (uint32_t)count, 0);
        trace_damage(script->trace, offset, length, count, "%s", line + text);
    }
}

/* Carry out a line that adds no event of its own, if it is for the CPU. 0, or -1 after trace_fail(). */
static int carry_out(struct script *script, unsigned cpu, const char *line)
{
    uint64_t first, step, count;
    unsigned where, seconds;
    int text;
    if (sscanf(line, "many %u %" SCNu64 " %" SCNu64 " %" SCNu64, &where, &count, &first, &step) == 4 && where == cpu) {
        script->left[cpu] = count;
        script->number[cpu] = 0;
        script->time[cpu] = first;
        script->step[cpu] = step;
    }
    if (sscanf(line, "wait %u %u", &where, &seconds) == 2 && where == cpu)
        sleep(seconds);
    if (sscanf(line, "fail %u %n", &where, &text) == 1 && where == cpu)
        return trace_fail(script->trace, "%s: %s", script->trace->input_name, line + text);
    return 0;
}

static int script_read(void *reader, unsigned cpu, struct trace_batch *batch)
{
    struct script *script = reader;
    char line[LINE_BYTES];
    for (;;) {
        many_events(script, cpu, batch);
        if (batch->n == TRACE_BATCH_EVENTS || !next_line(script->input, &script->at[cpu], line))
            break;
        add_line_event(script, cpu, line, batch);
        if (carry_out(script, cpu, line) != 0)
            return -1;
    }
    return batch->n > 0;
}

static void script_close(void *reader)
{
    free(reader);
}

const struct trace_reader reader_native = {
    .name = "script",
    .description = "event scripts of the decoder's own tests",
    .probe = script_probe,
    .open = script_open,
    .read = script_read,
    .close = script_close,
};
