/* known.h - what is not known: the words for it, and how the stream of events tells it.
 *
 * What a CPU does is not known
 *   - before its first event, if another CPU has earlier ones
 *   - from the last event before a loss or damage on, and from a pause on
 *   - where switches are not logged: only what task runs, interrupts are known
 *   - where the user did not want the events: --time, --around
 * and then until an event tells it. A switch does; so do events that only the running task can log (decode/known.h).
 * States of tasks, and holders of mutexes, are as unknown, each until an event tells it.
 *
 * Every writer and every answer learns that from the stream alone:
 *   - A loss and damage stand where what is unknown begins: at the time of the CPU's last event before.
 *   - In front of them, behind a pause that events follow, and at the end of what the user wants stands a derived
 *     switch to the unknown task, and in front of it a derived exit of each interrupt that runs.
 *     TLOG_MEANS_NO_SWITCHES stands where they are not logged any more, and where they are again.
 *   - Where an event other than a switch tells what runs, a derived switch from the unknown task stands in front of it;
 *     also where what the user wants begins, if it is known what ran there.
 *     It leaves the unknown task in state S, where a real switch leaves it in state R.
 *   - For writers with trace_writer.left_out, an event of TLOG_MEANS_LEFT_OUT stands where what the user wants ends and
 *     begins.
 *   - Where it turns out that a handler was left without an exit (trace.irqs_once), a derived exit of its interrupt
 *     stands in front of the event that tells it. When the handler was left is not known.
 * These derived events have the flag TLOG_FLAG_TELLS. Writers that want no derived events get them all the same.
 */
#ifndef MODEL_KNOWN_H
#define MODEL_KNOWN_H

#include "model/trace.h"

#include <string.h>

/* The unknown task. No task of a firmware has this number; Linux's tools show a task without a name as this text. */
#define TRACE_UNKNOWN_TASK 69999u
#define TRACE_UNKNOWN_COMM "<...>"

/* What a derived exit tells as the interrupt's result: it did not end, but what it did from here on is not known. */
#define TRACE_EXIT_UNKNOWN 4u

/* Likewise: the handler was left at a time before that one, and not by its end. */
#define TRACE_EXIT_LEFT 8u

/* Whether a name of n bytes, as a switch tells it, is that of the unknown task. NULL is not. */
static inline bool trace_comm_is_unknown(const char *name, size_t n)
{
    return name != NULL && n == strlen(TRACE_UNKNOWN_COMM) && memcmp(name, TRACE_UNKNOWN_COMM, n) == 0;
}

/* Whether the pid is that of the unknown task, on a CPU of the trace. */
static inline bool trace_pid_is_unknown(const struct trace *trace, unsigned cpu, uint32_t pid)
{
    uint32_t base = trace->boards != NULL ? trace->boards[cpu].task_base : trace->task_base;
    return pid == TRACE_UNKNOWN_TASK + base;
}

/* Whether events with this meaning stand for events that are missing up to the CPU's next one. */
static inline bool trace_class_is_gap(enum tlog_meaning means)
{
    return means == TLOG_MEANS_LOSS || means == TLOG_MEANS_DAMAGE;
}

/* Whether a writer that wants no derived events passes the event over. */
static inline bool trace_event_is_extra(const struct tlog_event *event)
{
    return (event->flags & (TLOG_FLAG_DERIVED | TLOG_FLAG_TELLS)) == TLOG_FLAG_DERIVED;
}

#endif
