/* serve.h - hands one file to Perfetto's page, which a browser shows, once: by HTTP, on this machine. The page may only
 * fetch from this address; and nothing but the page gets the file. */
#ifndef TOOL_SERVE_H
#define TOOL_SERVE_H

#include <stdbool.h>

#define SERVE_PAGE    "https://ui.perfetto.dev"
#define SERVE_ADDRESS "127.0.0.1:9001"
#define SERVE_FILE    "/trace.pftrace"

/* Be ready: the page may be opened then. What it returns os_socket_close() closes; -1: errno tells why not. */
int serve_begin(void);

/* Hand over the file as soon as it is asked for. False: nobody has fetched all of it within that time. */
bool serve_once(int listener, int file, unsigned wait_s);

#endif
