/* start_time.h - a moment of real time as people write it. */
#ifndef CLI_START_TIME_H
#define CLI_START_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Parse a time from 1970 to 2199: ISO 8601 (YYYY-MM-DD, then T or a blank, hh:mm, perhaps :ss and a fraction, then Z,
 * +hh:mm, -hh:mm, or nothing for local time), or @SECONDS since 1970, perhaps with a fraction. Digits of a fraction
 * beyond the ninth have no effect. *ns becomes ns since 1970, UTC. False: the text is no such time; *ns stays. */
bool cli_start_time(const char *text, int64_t *ns);

#endif
