/* cross_cpu.c - see cross_cpu.h. Each CPU fills a page with updates. The full pages of all CPUs go to one temporary
 * file, each with the number of the page that continues it. Only this process reads the file, so pages are written as
 * the compiler lays them out. */

#include "decode/cross_cpu.h"

#include "base/heap.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>

enum { UPDATES = 127 }; /* of a page, which has less than 4096 bytes */

struct page {
    uint64_t next; /* number of the page that continues this one */
    struct decode_task_update update[UPDATES];
};

struct lane {
    struct page *page; /* the last one, which is still in memory; NULL: there are no updates */
    unsigned n;        /* updates in it */
    uint64_t last;     /* its number */
    uint64_t reading;  /* number of the page that is being read */
    unsigned nread;    /* updates of that page which have been read */
};

struct decode_cross_cpu {
    int temporary; /* the temporary file; -1: there is none */
    unsigned ncpus;
    uint64_t pages;               /* of all CPUs, so far */
    const struct lane *loaded_of; /* the CPU that `loaded` is of; NULL: it is empty */
    struct page loaded;           /* the page of the temporary file that is being read */
    struct lane lane[];
};

struct decode_cross_cpu *decode_cross_cpu_new(unsigned ncpus)
{
    struct decode_cross_cpu *updates = heap_calloc(1, sizeof *updates + ncpus * sizeof updates->lane[0]);
    if (updates == NULL)
        return NULL;
    updates->temporary = -1;
    updates->ncpus = ncpus;
    return updates;
}

void decode_cross_cpu_free(struct decode_cross_cpu *updates)
{
    if (updates == NULL)
        return;
    for (unsigned i = 0; i < updates->ncpus; i++)
        heap_free(updates->lane[i].page);
    if (updates->temporary >= 0)
        os_close(updates->temporary);
    heap_free(updates);
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Give a CPU its first page. 0, or -1 after trace_fail(). */
static int begin(struct decode_cross_cpu *updates, struct trace *trace, struct lane *lane)
{
    lane->page = heap_alloc(sizeof *lane->page);
    if (lane->page == NULL)
        return trace_fail(trace, "%s: no memory for what CPUs know of tasks", trace->input_name);
    memset(lane->page, 0, sizeof *lane->page);
    lane->last = lane->reading = updates->pages++;
    return 0;
}

/* Write a full page to the temporary file, and begin the next one. 0, or -1 after trace_fail(). */
static int turn_page(struct decode_cross_cpu *updates, struct trace *trace, struct lane *lane)
{
    int error;
    if (updates->temporary < 0 && (updates->temporary = temp_file_open(trace, trace->input_name)) < 0)
        return -1;
    lane->page->next = updates->pages++;
    error = os_write_at(updates->temporary, lane->page, sizeof *lane->page, lane->last * sizeof *lane->page);
    if (error != 0)
        return trace_fail(trace, "cannot write a temporary file: %s", strerror(error));
    lane->last = lane->page->next;
    lane->n = 0;
    return 0;
}

void decode_cross_cpu_add(struct decode_cross_cpu *updates, struct trace *trace, unsigned cpu,
                          const struct decode_task_update *update)
{
    struct lane *lane = &updates->lane[cpu];
    if (trace->failed || (lane->page == NULL && begin(updates, trace, lane) != 0)
        || (lane->n == UPDATES && turn_page(updates, trace, lane) != 0))
        return;
    lane->page->update[lane->n++] = *update;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Load the page that is to be read next. 0, or -1 after trace_fail(). */
static int load(struct decode_cross_cpu *updates, struct trace *trace, const struct lane *lane)
{
    size_t size = sizeof updates->loaded;
    int error;
    if (os_read_at(updates->temporary, lane->reading * size, &updates->loaded, size, &error) < size)
        return trace_fail(trace, "cannot read a temporary file: %s", error != 0 ? strerror(error) : "it is too short");
    updates->loaded_of = lane;
    return 0;
}

bool decode_cross_cpu_next(struct decode_cross_cpu *updates, struct trace *trace, unsigned cpu,
                           struct decode_task_update *update)
{
    struct lane *lane = &updates->lane[cpu];
    if (lane->page == NULL)
        return false;
    if (lane->reading != lane->last) {
        if ((lane->nread == 0 || updates->loaded_of != lane) && load(updates, trace, lane) != 0)
            return false;
        *update = updates->loaded.update[lane->nread++];
        if (lane->nread == UPDATES) {
            lane->reading = updates->loaded.next;
            lane->nread = 0;
        }
        return true;
    }
    if (lane->nread == lane->n)
        return false;
    *update = lane->page->update[lane->nread++];
    return true;
}
