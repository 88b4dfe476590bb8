/* progress.h - a line on the terminal that shows how far a decoding is. It is rewritten in place, and erased at the
 * end. There is none within the first second, and none unless progress_begin() was called. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdint.h>

/* Allow the line from now on, if standard error is a terminal that can erase it. */
void progress_begin(void);

/* Tell that a reading of the whole input begins. An input may be read several times. bytes: its size; 0 = not known. */
void progress_stage(uint64_t bytes);

/* Tell that so many more bytes, and events, were read. */
void progress_add(uint64_t bytes, uint64_t events);

/* Show a text as the line, whether or not one is allowed; the caller knows that standard error is a terminal. */
void progress_line(const char *text);

/* Erase the line, if there is one, before something else is written. */
void progress_erase(void);

/* Erase the line, and show none any more. */
void progress_end(void);

#endif
