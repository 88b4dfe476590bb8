/* start_time.h - a moment of real time as people write it. */
#ifndef CLI_START_TIME_H
#define CLI_START_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* ISO 8601 (YYYY-MM-DD, then T or a blank, hh:mm, optionally :ss and a fraction, then Z, +hh:mm, -hh:mm or nothing for
 * local time) or @seconds since 1970, with a fraction if need be. Up to 9 digits of a fraction count. To ns since 1970
 * in UTC, from 1970 to 2200. False: not such a text. */
bool start_time_parse(const char *text, int64_t *ns);

#endif
