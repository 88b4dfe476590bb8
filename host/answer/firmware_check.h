/* firmware_check.h - --check of a firmware's ELF file: what will go wrong with its trace, before it is flashed. */
#ifndef ANSWER_FIRMWARE_CHECK_H
#define ANSWER_FIRMWARE_CHECK_H

#include "answer/answer.h"

/* Answer about the ELF file at path. 0 = nothing is wrong; 1 = it cannot be read, and the trace has the error; 2 =
 * something is wrong. */
int answer_firmware(struct answer *answer, struct trace *trace, const char *path);

#endif
