/* collect.c - see collect.h. The input is read by a second source. */
#include "decode/collect.h"

#include <stdlib.h>
#include <string.h>

#include "decode/waiting.h"

bool decode_collect_needed(const struct decode_source *source)
{
    return source->trace.ncpus > 1 && !source->trace.mapped && !source->request->writer->native
           && source->request->map != DECODE_MAP_NATIVE;
}

/* Make a second source of the same input, and start it. 0, or -1 after trace_fail(). */
static int start(struct decode_source *second, const struct decode_source *source)
{
    struct trace *trace = &second->trace;
    decode_source_repeat(second, source, source->request);
    if (decode_source_start(second) != 0)
        return -1;
    return decode_map_collect(second->map) ? 0 : trace_fail(trace, "%s: no memory for tasks", trace->input_name);
}

/* Bring the CPU's lane to its next event that means something: 1, 0 at the end, -1 after trace_fail(). */
static int seek(struct decode_source *source, unsigned cpu)
{
    struct decode_lane *lane = &source->lanes[cpu];
    int got = 1;
    while (got > 0) {
        lane->at = decode_map_seek(source->map, cpu, &lane->in, lane->at);
        if (decode_lane_has_event(lane))
            break;
        got = decode_source_fill(source, cpu);
    }
    return got;
}

/* Follow the first CPU's event, and go to its next one. 0, or -1 after trace_fail(). */
static int follow_first(struct decode_source *source, struct decode_waiting *waiting)
{
    unsigned cpu = waiting->at[0].cpu;
    struct decode_lane *lane = &source->lanes[cpu];
    int got;
    decode_map_follow(source->map, cpu, &lane->in.event[lane->at], &source->lanes[0].out);
    lane->at++;
    got = seek(source, cpu);
    if (got > 0)
        decode_waiting_sink(waiting, 0, (struct decode_waiter){decode_lane_time(lane), cpu});
    else
        decode_waiting_drop(waiting);
    return got < 0 || source->trace.failed ? -1 : 0;
}

/* Follow all events. 0, or -1 after trace_fail(). */
static int follow_all(struct decode_source *source, struct decode_waiting *waiting)
{
    for (unsigned cpu = 0; cpu < source->trace.ncpus; cpu++) {
        int got = seek(source, cpu);
        if (got < 0)
            return -1;
        if (got > 0)
            waiting->at[waiting->n++] = (struct decode_waiter){decode_lane_time(&source->lanes[cpu]), cpu};
    }
    decode_waiting_sort(waiting);
    while (waiting->n > 0) {
        if (follow_first(source, waiting) != 0)
            return -1;
    }
    return 0;
}

int decode_collect(struct decode_source *source)
{
    struct decode_source *second = calloc(1, sizeof *second);
    struct decode_waiting waiting = {calloc(source->trace.ncpus, sizeof *waiting.at), 0};
    int result = -1;
    if (second == NULL || waiting.at == NULL) {
        free(second);
        free(waiting.at);
        return trace_fail(&source->trace, "no memory for %u CPUs", source->trace.ncpus);
    }
    if (start(second, source) == 0 && follow_all(second, &waiting) == 0) {
        decode_map_take_news(source->map, second->map);
        result = 0;
    } else {
        trace_fail(&source->trace, "%s", second->trace.failed ? second->trace.error : "cannot be read twice");
    }
    free(waiting.at);
    decode_source_release_repeated(second);
    free(second);
    return result;
}
