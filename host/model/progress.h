/* progress.h - a line on a terminal that tells how far a long decoding is: rewritten in place, and erased at the end.
 * Nothing is shown within the first second, and nothing unless progress_begin() was called. */
#ifndef MODEL_PROGRESS_H
#define MODEL_PROGRESS_H

#include <stdint.h>

/* From now on a line may be shown, if standard error is a terminal that can erase it. */
void progress_begin(void);

/* A reading of all of the input begins, of so many bytes; 0: it is not known how many. */
void progress_stage(uint64_t bytes);

/* The number of that reading. */
unsigned progress_reading(void);

/* So many bytes, or events, were read. */
void progress_bytes(uint64_t n);
void progress_events(uint64_t n);

/* Erase the line, if there is one: something else is to be written. */
void progress_erase(void);

/* The same, and none is shown any more. */
void progress_end(void);

#endif
