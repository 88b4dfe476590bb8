/* cpus.h - what runs on a CPU, task or interrupts, and for how long. */
#ifndef ANSWER_CPUS_H
#define ANSWER_CPUS_H

#include "answer/figures.h"

/* Count up to a time what the CPU did: the running task's share, the load, and how long others waited. */
void cpu_account(struct stat *stat, struct stat_cpu *cpu, uint64_t time);

/* An interrupt begins or ends. */
void cpu_enter(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time);
void cpu_exit(struct stat *stat, struct stat_cpu *cpu, uint64_t number, uint64_t time);

/* Events are missing: what runs is not known until the next switch. */
void cpu_lose(struct stat *stat, struct stat_cpu *cpu, uint64_t time);

#endif
