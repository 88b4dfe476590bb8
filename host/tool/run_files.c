/* run_files.c - see run_files.h. */
#include "tool/run_files.h"

#include "base/heap.h"
#include "os/os_file.h"

#include <string.h>

/* Where the number in a path begins, and what follows it. NULL: there is no number, or nothing follows. */
static const char *number_in(const char *path, const char **rest)
{
    const char *number = os_base_name(path);
    *rest = number + strspn(number, "0123456789");
    return *rest > number && **rest != '\0' ? number : NULL;
}

/* Whether the paths differ in the number only, and lead to two regular files. */
static bool are_beside(const char *a, const char *b)
{
    const char *rest_a, *rest_b, *number_a = number_in(a, &rest_a), *number_b = number_in(b, &rest_b);
    if (number_a == NULL || number_b == NULL || strcmp(rest_a, rest_b) != 0 || number_a - a != number_b - b
        || memcmp(a, b, (size_t)(number_a - a)) != 0)
        return false;
    return os_is_file(a) && os_is_file(b) && !os_is_same(a, b);
}

/* Whether the input is of a format whose traces may be in several files, and of no other. *hz: what it says of its
 * clock, 0 if nothing. An input without bytes is a file without events. */
static bool is_part(const struct decode_request *request, struct trace *trace, struct input *in, uint64_t *hz)
{
    const struct trace_reader *reader = request->reader;
    void *state;
    for (unsigned i = 0; request->reader == NULL && request->readers[i] != NULL; i++) {
        if (request->readers[i]->probe(in) == TRACE_NOT_MINE)
            continue;
        if (reader != NULL)
            return false;
        reader = request->readers[i];
    }
    if (input_size(in) == 0)
        return true;
    if (reader == NULL || !reader->several)
        return false;
    state = reader->open(trace, in);
    *hz = trace->clock_hz;
    if (state != NULL)
        reader->close(state);
    return state != NULL;
}

/* The same for a file, if it can be opened. */
static bool is_part_file(const struct decode_request *request, const char *path, uint64_t *hz)
{
    struct trace *trace = heap_alloc(sizeof *trace);
    struct input *in = NULL;
    bool result = false;
    *hz = 0;
    if (trace != NULL) {
        trace_init(trace, path);
        trace->quiet = true;
        in = input_open(trace, path, NULL);
        result = in != NULL && is_part(request, trace, in, hz);
        input_close(in);
        trace_free(trace);
    }
    heap_free(trace);
    return result;
}

unsigned decode_run_files(const struct decode_request *request, char *const *paths, unsigned n)
{
    uint64_t hz = 0;
    unsigned run = 1;
    if (n < 2 || !are_beside(paths[0], paths[1]) || !is_part_file(request, paths[0], &hz))
        return 1;
    for (; run < n; run++) {
        uint64_t other;
        bool is_new = true;
        for (unsigned i = 0; i < run; i++)
            is_new = is_new && are_beside(paths[i], paths[run]);
        if (!is_new || !is_part_file(request, paths[run], &other) || (hz != 0 && other != 0 && other != hz))
            break;
        hz = hz != 0 ? hz : other;
    }
    return run;
}
