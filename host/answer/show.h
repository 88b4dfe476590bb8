/* show.h - the figures of --stat as text and as JSON. */
#ifndef ANSWER_SHOW_H
#define ANSWER_SHOW_H

#include "answer/answer.h"
#include "answer/mutexes.h"
#include "answer/figures.h"

/* The figures must be in order: stat_order(). */
void show_stat_text(const struct answer *answer, const struct stat *stat);
void show_stat_json(struct json *json, const struct stat *stat);

/* How often per second of the trace; 0 if its times are ticks. */
double show_per_second(const struct stat *stat, uint64_t n);

/* Whether nothing had to be left out. */
bool show_is_complete(const struct stat *stat);

#endif
