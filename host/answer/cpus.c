/* cpus.c - see cpus.h. */
#include "answer/cpus.h"

#include <stdlib.h>

#include "answer/mutexes.h"

/* Add a time in which the CPU was busy. Its load is kept from the first one on. */
static void be_busy(struct stat *stat, struct stat_cpu *cpu, uint64_t from, uint64_t to)
{
    cpu->busy += stat_elapsed(from, to);
    if (cpu->load == NULL && from < to) {
        cpu->load = calloc(1, sizeof *cpu->load);
        if (cpu->load != NULL)
            cpu->load->first = stat->first;
    }
    if (cpu->load != NULL)
        load_add(cpu->load, from, to);
}

static bool is_idle(const struct stat_cpu *cpu)
{
    return cpu->is_known && cpu->task != NULL && cpu->task->pid == 0;
}

/* Up to a time, interrupts ran on the CPU: take that time from what they interrupted. */
static void steal(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    uint64_t from = cpu->irq_since > cpu->since ? cpu->irq_since : cpu->since;
    cpu->stolen += stat_elapsed(from, time);
    if (is_idle(cpu) || !cpu->is_known)
        be_busy(stat, cpu, from, time);
    if (!cpu->is_known)
        cpu->told += stat_elapsed(from, time);
}

void cpu_account(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    uint64_t whole = stat_elapsed(cpu->since, time), own;
    if (cpu->depth > 0)
        steal(stat, cpu, time);
    own = stat_elapsed(cpu->stolen, whole);
    if (!cpu->is_known)
        cpu->unknown += own;
    else if (is_idle(cpu))
        cpu->idle += own;
    else
        be_busy(stat, cpu, cpu->since + cpu->told, time); /* the load forgets where in this time interrupts ran */
    if (cpu->is_known && cpu->task != NULL) {
        cpu->task->running += own;
        cpu->task->interrupted += stat_elapsed(own, whole);
        mutex_overlap(stat, cpu->task, cpu->since, time);
    }
    cpu->since = time;
    cpu->stolen = cpu->told = 0;
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

void cpu_enter(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time)
{
    struct stat_irq *irq = table_at(&stat->irqs, number);
    if (cpu->depth == STAT_NESTING)
        return;
    if (cpu->depth == 0)
        cpu->irq_since = time;
    cpu->nested[cpu->depth].irq = irq;
    cpu->nested[cpu->depth].since = time;
    cpu->nested[cpu->depth].inside = 0;
    if (irq != NULL) {
        irq->entered++;
        irq->deepest = cpu->depth > irq->deepest ? cpu->depth : irq->deepest;
    }
    cpu->depth++;
    stat->deepest = cpu->depth > stat->deepest ? cpu->depth : stat->deepest;
}

/* The outermost interrupt has ended. */
static void leave_all(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    steal(stat, cpu, time);
    cpu->irq_time += stat_elapsed(cpu->irq_since, time);
    cpu->depth = 0;
}

/* If an outer interrupt exits, the exits of those inside of it are missing: they end without a length. */
void cpu_exit(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time)
{
    struct stat_irq *irq = table_at(&stat->irqs, number);
    unsigned at = cpu->depth;
    uint64_t whole;
    while (at > 0 && cpu->nested[at - 1u].irq != irq)
        at--;
    if (at == 0)
        return;
    at--;
    whole = stat_elapsed(cpu->nested[at].since, time);
    if (irq != NULL) {
        stat_span_add(&irq->span, whole, cpu->nested[at].since);
        irq->own += stat_elapsed(cpu->nested[at].inside, whole);
    }
    if (at > 0)
        cpu->nested[at - 1u].inside += whole;
    if (at == 0)
        leave_all(stat, cpu, time);
    cpu->depth = at;
}

void cpu_lose(struct stat *stat, struct stat_cpu *cpu, uint64_t time)
{
    cpu_account(stat, cpu, time);
    if (cpu->depth > 0)
        leave_all(stat, cpu, time);
    if (cpu->task != NULL && cpu->is_known)
        cpu->task->state = STAT_UNKNOWN;
    cpu->since = time;
    cpu->stolen = cpu->told = 0;
    cpu->task = NULL;
    cpu->is_known = false;
}
