/* tasks.c - see tasks.h. Tasks are in a hash table by pid; each stays where it is in memory. */
#include "perfetto/tasks.h"

#include "perfetto/fields.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SIZE = 64, TREE_BYTES = 192 };

struct perfetto_tasks {
    struct perfetto_task **table; /* size of them, a power of two; n are used */
    size_t size, n;
};

struct perfetto_tasks *perfetto_tasks_new(void)
{
    struct perfetto_tasks *tasks = calloc(1, sizeof *tasks);
    if (tasks == NULL)
        return NULL;
    tasks->size = FIRST_SIZE;
    tasks->table = calloc(FIRST_SIZE, sizeof *tasks->table);
    if (tasks->table != NULL)
        return tasks;
    free(tasks);
    return NULL;
}

void perfetto_tasks_free(struct perfetto_tasks *tasks)
{
    if (tasks == NULL)
        return;
    for (size_t i = 0; i < tasks->size; i++) {
        if (tasks->table[i] != NULL)
            free(tasks->table[i]->slices);
        free(tasks->table[i]);
    }
    free(tasks->table);
    free(tasks);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Where the task is, or the free place where it would be. */
static struct perfetto_task **find(struct perfetto_task **table, size_t size, uint32_t pid)
{
    size_t at = (pid * 0x9E3779B1u ^ pid >> 15) & (size - 1u);
    while (table[at] != NULL && table[at]->pid != pid)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct perfetto_tasks *tasks)
{
    size_t size = 2 * tasks->size;
    struct perfetto_task **table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < tasks->size; i++) {
        if (tasks->table[i] != NULL)
            *find(table, size, tasks->table[i]->pid) = tasks->table[i];
    }
    free(tasks->table);
    tasks->table = table;
    tasks->size = size;
    return true;
}

/* Add a task that the table has not. NULL after trace_fail(). */
static struct perfetto_task *add(struct perfetto *state, uint32_t pid)
{
    struct perfetto_tasks *tasks = state->tasks;
    struct perfetto_task *task = calloc(1, sizeof *task);
    if (task == NULL || (2 * tasks->n >= tasks->size && !grow(tasks))) {
        free(task);
        trace_fail(state->trace, "no memory for tasks");
        return NULL;
    }
    task->pid = pid;
    tasks->n++;
    *find(tasks->table, tasks->size, pid) = task;
    return task;
}

struct perfetto_task *perfetto_task(struct perfetto *state, uint32_t pid)
{
    struct perfetto_task *task = *find(state->tasks->table, state->tasks->size, pid);
    return task != NULL ? task : add(state, pid);
}

void perfetto_each_task(struct perfetto *state, void (*call)(void *ctx, struct perfetto_task *task), void *ctx)
{
    for (size_t i = 0; i < state->tasks->size; i++) {
        if (state->tasks->table[i] != NULL)
            call(ctx, state->tasks->table[i]);
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* An event with another name than the last one brings about that the name is told again. */
void perfetto_task_comm(struct perfetto_task *task, const unsigned char *comm, size_t size)
{
    size_t n = strnlen((const char *)comm, size < PERFETTO_COMM_BYTES ? size : PERFETTO_COMM_BYTES - 1u);
    if (strlen(task->comm) == n && memcmp(task->comm, comm, n) == 0)
        return;
    memcpy(task->comm, comm, n);
    task->comm[n] = '\0';
    task->naming = 0;
}

/* What the task is called: as the trace has it, in full; as an event had it; or by its number. */
static void find_name(const struct perfetto *state, const struct perfetto_task *task, char name[PERFETTO_NAME_BYTES])
{
    const char *found = trace_name(state->trace, TRACE_NAME_TASK, task->pid);
    if (found == NULL && task->comm[0] != '\0')
        found = task->comm;
    if (found != NULL)
        snprintf(name, PERFETTO_NAME_BYTES, "%s", found);
    else
        snprintf(name, PERFETTO_NAME_BYTES, "task-%u", task->pid);
}

static unsigned char *put_process(unsigned char *to, const struct perfetto_task *task)
{
    unsigned char *process = proto_begin(to, TREE_PROCESSES);
    to = proto_number(process, PROCESS_PID, perfetto_process(task->pid));
    return proto_end(process, proto_text(to, PROCESS_CMDLINE, task->name));
}

static unsigned char *put_thread(unsigned char *to, const struct perfetto_task *task)
{
    unsigned char *thread = proto_begin(to, TREE_THREADS);
    to = proto_number(thread, THREAD_TID, perfetto_tid(task->pid));
    to = proto_text(to, THREAD_NAME, task->name);
    return proto_end(thread, proto_number(to, THREAD_TGID, perfetto_process(task->pid)));
}

/* The idle task is no thread: viewers know it by its tid, 0. */
int perfetto_task_tell(struct perfetto *state, struct perfetto_task *task, uint64_t time)
{
    char name[PERFETTO_NAME_BYTES];
    unsigned char *to, *tree;
    if (task->naming == state->trace->naming + 1u || task->pid == 0)
        return 0;
    task->naming = state->trace->naming + 1u;
    find_name(state, task, name);
    if (strcmp(name, task->name) == 0)
        return 0;
    memcpy(task->name, name, sizeof name);
    to = perfetto_kernel_packet(state, TREE_BYTES);
    if (to == NULL)
        return -1;
    tree = proto_begin(proto_number(to, PACKET_TIMESTAMP, time), PACKET_PROCESS_TREE);
    perfetto_kernel_end(state, proto_end(tree, put_thread(put_process(tree, task), task)));
    return 0;
}
