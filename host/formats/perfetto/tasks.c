/* tasks.c - see tasks.h. Tasks are in a hash table by pid; each stays where it is in memory. */
#include "formats/perfetto/tasks.h"

#include "base/heap.h"
#include "base/digits.h"
#include "base/text.h"
#include "formats/perfetto/proto.h"

enum {
    FIRST_SIZE = 64,
    TREE_BYTES = 192,
    TASKS_MOST = 1 << 16, /* so that memory is bounded, however many tasks the trace has */
    KEPT = 8,             /* so many tasks that were asked for last are never forgotten */
};

struct perfetto_tasks {
    struct perfetto_task **table; /* size of them, a power of two; n are used */
    size_t size, n;
    uint64_t asked; /* how often one was asked for */
    size_t passed;  /* place up to which tasks were passed over */
};

struct perfetto_tasks *perfetto_tasks_new(void)
{
    struct perfetto_tasks *tasks = heap_calloc(1, sizeof *tasks);
    if (tasks == NULL)
        return NULL;
    tasks->size = FIRST_SIZE;
    tasks->table = heap_calloc(FIRST_SIZE, sizeof *tasks->table);
    if (tasks->table != NULL)
        return tasks;
    heap_free(tasks);
    return NULL;
}

void perfetto_tasks_free(struct perfetto_tasks *tasks)
{
    if (tasks == NULL)
        return;
    for (size_t i = 0; i < tasks->size; i++)
        heap_free(tasks->table[i]);
    heap_free(tasks->table);
    heap_free(tasks);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The place in a table where the search for a task begins. */
static size_t place_of(uint32_t pid, size_t size)
{
    return (pid * 0x9E3779B1u ^ pid >> 15) & (size - 1u);
}

/* The place of the task in the table, or the free place where it belongs. */
static struct perfetto_task **find(struct perfetto_task **table, size_t size, uint32_t pid)
{
    size_t at = place_of(pid, size);
    while (table[at] != NULL && table[at]->pid != pid)
        at = (at + 1u) & (size - 1u);
    return &table[at];
}

/* Double the table. False: no memory. */
static bool grow(struct perfetto_tasks *tasks)
{
    size_t size = 2 * tasks->size;
    struct perfetto_task **table = heap_calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < tasks->size; i++) {
        if (tasks->table[i] != NULL)
            *find(table, size, tasks->table[i]->pid) = tasks->table[i];
    }
    heap_free(tasks->table);
    tasks->table = table;
    tasks->size = size;
    return true;
}

/* Take a task out of the table. Then a task behind it moves up if the free place lies between that task and the place
 * where its search begins. */
static void take_out(struct perfetto_tasks *tasks, size_t at)
{
    size_t last = tasks->size - 1u;
    for (size_t next = (at + 1u) & last; tasks->table[next] != NULL; next = (next + 1u) & last) {
        size_t home = place_of(tasks->table[next]->pid, tasks->size);
        if (((next - home) & last) < ((next - at) & last))
            continue;
        tasks->table[at] = tasks->table[next];
        at = next;
    }
    tasks->table[at] = NULL;
    tasks->n--;
}

/* Take out a task that can be forgotten, and return its memory for another one. It is the next one in the table that
 * was not asked for since this function last passed over it. Not all tasks can have slices, because those are
 * limited. */
static struct perfetto_task *forget_one(struct perfetto_tasks *tasks)
{
    for (;;) {
        size_t at = tasks->passed++ & (tasks->size - 1u);
        struct perfetto_task *task = tasks->table[at];
        if (task == NULL || task->slice != NULL || tasks->asked - task->asked < KEPT)
            continue;
        if (!task->is_used) {
            take_out(tasks, at);
            *task = (struct perfetto_task){0};
            return task;
        }
        task->is_used = false;
    }
}

/* Add a task that is not in the table. NULL after trace_fail(). */
static struct perfetto_task *add(struct perfetto *state, uint32_t pid)
{
    struct perfetto_tasks *tasks = state->tasks;
    struct perfetto_task *task = tasks->n < TASKS_MOST ? heap_calloc(1, sizeof *task) : forget_one(tasks);
    if (task == NULL || (2 * tasks->n >= tasks->size && !grow(tasks))) {
        heap_free(task);
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
    if (task == NULL)
        task = add(state, pid);
    if (task != NULL) {
        task->is_used = true;
        task->asked = ++state->tasks->asked;
    }
    return task;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* A name that differs from that of the last event will be described again. */
void perfetto_task_comm(struct perfetto_task *task, const unsigned char *comm, size_t size)
{
    size_t n = text_length((const char *)comm, size < PERFETTO_COMM_BYTES ? size : PERFETTO_COMM_BYTES - 1u);
    if (strlen(task->comm) == n && memcmp(task->comm, comm, n) == 0)
        return;
    memcpy(task->comm, comm, n);
    task->comm[n] = '\0';
    task->naming = 0;
}

/* Make a name of a task's number, such as task-7; with several boards 2:task-7. Its board is the one with the highest
 * base that is not above the pid. */
static void number_task(const struct trace *trace, uint32_t pid, char name[PERFETTO_NAME_BYTES])
{
    const struct trace_board *board = trace->boards;
    for (unsigned i = 1; board != NULL && i < trace->ncpus; i++) {
        if (trace->boards[i].task_base <= pid && trace->boards[i].task_base > board->task_base)
            board = &trace->boards[i];
    }
    if (board != NULL)
        name = put_word(put_unsigned(name, board->number), ":");
    *put_unsigned(put_word(name, "task-"), board != NULL ? pid - board->task_base : pid) = '\0';
}

void perfetto_task_name(const struct perfetto *state, const struct perfetto_task *task, char name[PERFETTO_NAME_BYTES])
{
    const char *found = trace_name(state->trace, TRACE_NAME_TASK, task->pid);
    if (found == NULL && task->comm[0] != '\0')
        found = task->comm;
    if (found != NULL)
        *put_at_most(name, found, PERFETTO_NAME_BYTES - 1u) = '\0';
    else
        number_task(state->trace, task->pid, name);
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

/* The idle task is not a thread: viewers know it by its tid, 0. */
int perfetto_task_describe(struct perfetto *state, struct perfetto_task *task, uint64_t time)
{
    char name[PERFETTO_NAME_BYTES];
    unsigned char *to, *tree;
    if (task->naming == state->trace->naming + 1u || task->pid == 0)
        return 0;
    task->naming = state->trace->naming + 1u;
    perfetto_task_name(state, task, name);
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
