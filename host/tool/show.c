/* show.c - see show.h. */
#include "tool/show.h"

#include "base/heap.h"
#include "base/text.h"
#include "os/os_file.h"
#include "os/os_launch.h"
#include "os/os_socket.h"
#include "tool/message.h"
#include "tool/serve.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { FETCHED_WITHIN_S = 60 };

/* What shows a format. */
struct viewer {
    const char *format;
    const char *program; /* NULL: what the system has for the file */
    const char *session; /* the option for a session, which tells the output; NULL: it comes behind the output */
    const char *hint;    /* for those who do not have it */
    bool fetches;        /* it is a page of the net, which fetches the file */
};

#define KERNELSHARK "kernelshark", "-s", "KernelShark shows it (Debian: sudo apt install kernelshark)", false
#define GTKWAVE     "gtkwave", NULL, "GTKWave shows it (Debian: sudo apt install gtkwave)", false

static const struct viewer viewers[] = {
    {"trace.dat", KERNELSHARK},
    {"trace.dat-v6", KERNELSHARK},
    {"vcd", GTKWAVE},
    {"vcd-wires", GTKWAVE},
    {"html", NULL, NULL, "any browser shows it", false},
    {"perfetto", NULL, NULL, SERVE_PAGE " shows it (Open trace file)", true},
};

static const struct viewer *find(const struct trace_writer *writer)
{
    for (size_t i = 0; i < sizeof viewers / sizeof viewers[0]; i++) {
        if (strcmp(viewers[i].format, writer->name) == 0)
            return &viewers[i];
    }
    return NULL;
}

bool decode_has_viewer(const struct trace_writer *writer)
{
    return find(writer) != NULL;
}

/* Tell what would have shown it. errno tells why nothing does. */
static void tell_hint(const struct decode_request *request, const struct viewer *viewer)
{
    const char *program = viewer->program != NULL ? viewer->program : os_show_name;
    if (errno == ENOENT)
        message("%s: not opened, for want of %s; %s", request->output, program, viewer->hint);
    else if (errno == ENOSYS)
        message("%s: not opened, for this program can start no others; %s", request->output, viewer->hint);
    else
        message("%s: not opened: %s; %s", request->output, strerror(errno), viewer->hint);
}

/* Have the page fetch the file. */
static void let_fetch(const struct decode_request *request, const struct viewer *viewer)
{
    int listener = serve_begin(), file = listener >= 0 ? os_open(request->output) : -1;
    bool shown = file >= 0 && os_show(SERVE_PAGE "/#!/?url=http://" SERVE_ADDRESS SERVE_FILE);
    if (!shown) {
        tell_hint(request, viewer);
    } else {
        if (!request->quiet)
            message("%s: %s fetches it from this machine, within %d s", request->output, SERVE_PAGE, FETCHED_WITHIN_S);
        if (!serve_once(listener, file, FETCHED_WITHIN_S))
            message("%s: was not fetched; %s", request->output, viewer->hint);
    }
    if (file >= 0)
        os_close(file);
    if (listener >= 0)
        os_socket_close(listener);
}

/* Viewers get whole paths, since what begins with - is an option to them. */
static bool launch(const struct decode_request *request, const struct viewer *viewer)
{
    char *output = os_whole_path(request->output);
    char *session = request->session != NULL ? os_whole_path(request->session) : NULL;
    bool by_option = session != NULL && viewer->session != NULL, started = false;
    if (output != NULL && (session != NULL || request->session == NULL))
        started = viewer->program == NULL ? os_show(output)
                                          : os_launch((const char *const[]){
                                              viewer->program, by_option ? viewer->session : output, session, NULL});
    heap_free(output);
    heap_free(session);
    return started;
}

void decode_show(const struct decode_request *request)
{
    const struct viewer *viewer = find(request->writer);
    if (viewer->fetches)
        let_fetch(request, viewer);
    else if (!launch(request, viewer))
        tell_hint(request, viewer);
    else if (!request->quiet)
        message("%s: opened by %s", request->output, viewer->program != NULL ? viewer->program : os_show_name);
}
