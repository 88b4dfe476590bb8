/* take_tracedat.h - takes the options of trace.dat. These are options of writers: they say what the user wants of the
 * file. A writer that does not heed one that is given is found by cli_unheeded_option(). */
#ifndef CLI_TAKE_TRACEDAT_H
#define CLI_TAKE_TRACEDAT_H

#include "cli/given.h"

enum cli_action cli_take_compress(const struct given *given);
enum cli_action cli_take_start_time(const struct given *given);
enum cli_action cli_take_raw_tsc(const struct given *given);
enum cli_action cli_take_instances(const struct given *given);
enum cli_action cli_take_session(const struct given *given);
enum cli_action cli_take_endian(const struct given *given);
enum cli_action cli_take_long_size(const struct given *given);
enum cli_action cli_take_page_size(const struct given *given);

#endif
