/* options.h - the options that say how a file is to be written. Which of them a writer heeds is in its takes. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "model/module.h"

/* Take --name=text; text is NULL for an option without. NULL, or what was wanted instead of such a text. */
const char *options_take(struct trace_options *options, const char *name, const char *text);

/* The name of an option that was given and that the writer does not heed, or NULL. */
const char *options_unheeded(const struct trace_options *options, const struct trace_writer *writer);

#endif
