/* run_files.h - which files are of one run. S.Ha.R.K. writes each chunk that is sent to a file of its own, whose name
 * is a number from 0 on and then a name that the program chose: 0trace.dat, 1trace.dat ... Perhaps only one of them
 * tells the clock.
 */
#ifndef DECODE_RUN_FILES_H
#define DECODE_RUN_FILES_H

#include "decode/request.h"

/* How many of n paths, from the first one on, are those of files of one run: at least 1. Such files are beside each
 * other, have names that differ in the number only, are of a format whose traces may be in several files, and do not
 * contradict each other in the clock. Reports nothing. */
unsigned decode_run_files(const struct decode_request *request, char *const *paths, unsigned n);

#endif
