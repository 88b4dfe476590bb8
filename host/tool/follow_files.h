/* follow_files.h - where the events of a board that is followed go as they come: the output that the user asks for; or
 * with --rotate one file after the other. Each event is in one of them, as they are cut between two polls' events. */
#ifndef TOOL_FOLLOW_FILES_H
#define TOOL_FOLLOW_FILES_H

#include "tool/follow_stream.h"

#include <stdint.h>

/* All zero before the first one is opened. */
struct follow_files {
    char *path;      /* of the file that is written, or NULL: the output is as the user has named it */
    uint32_t number; /* of that file, from 1 on */
    uint64_t began;  /* ns of os_now_ns() */
};

/* Open the output of a stream that is open, or the next file. 0, or -1 after trace_fail() of the stream's trace. */
int follow_files_open(struct follow_files *files, struct follow_stream *stream);

/* The events of a poll were written. If the file is large or old enough, publish it, and open the next one. 0, or -1
 * after trace_fail() of the stream's trace. */
int follow_files_go_on(struct follow_files *files, struct follow_stream *stream);

/* The name of a further output: FILE.txt becomes FILE-WORD.txt. heap_free() is due. NULL: there is no memory. */
char *follow_files_name(const char *output, const char *word);

/* Free what is owned, after the stream was released. */
void follow_files_release(struct follow_files *files);

#endif
