/* news.h - news for a CPU of tasks that other CPUs changed, so that its events can be mapped without theirs.
 *
 * Tasks move between CPUs and wake each other across them, but some writers want the events of CPU after CPU. So the
 * events of all CPUs are followed once in the order of time (collect.h). Whenever a CPU then looks at a task that
 * another one has looked at since, the state of the task is kept as news for that look. When the CPU's events are
 * mapped later, its looks are counted again, and what was kept for a look is told there.
 *
 * Memory does not grow with the news: all but the newest 4 KiB of a CPU's go to a spool.
 */
#ifndef DECODE_NEWS_H
#define DECODE_NEWS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* The state of a task at a look; which task that is tells the look. */
struct decode_news_item {
    uint64_t look; /* its number on the CPU */
    int32_t priority;
    uint8_t state; /* this and the next three: see map_state.h */
    bool says_blocked;
    bool woken;
    bool begun;
};

struct decode_news;

/* Room for the news of so many CPUs. NULL when memory runs out. */
struct decode_news *decode_news_new(unsigned ncpus);

/* NULL is allowed. */
void decode_news_free(struct decode_news *news);

/* Keep news for a CPU, in the order of its looks. Does nothing after trace_fail(), which it may call. */
void decode_news_keep(struct decode_news *news, struct trace *trace, unsigned cpu, const struct decode_news_item *item);

/* Get the next news of a CPU; all of a CPU before those of another. False at the end, or after trace_fail(). */
bool decode_news_next(struct decode_news *news, struct trace *trace, unsigned cpu, struct decode_news_item *item);

#endif
