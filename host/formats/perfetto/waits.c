/* waits.c - see waits.h. */
#include "formats/perfetto/waits.h"

#include "base/digits.h"
#include "model/display.h"
#include "formats/perfetto/proto.h"
#include "formats/perfetto/tracks.h"

#include <string.h>

enum {
    REASON_BYTES = 96,
    WAIT_KEY = 0, /* of the slice of a wait: no span and no function has it */
};

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

/* "mutex bus", with the number of the board in front if there are several. An event that names no object gives its own
 * name. */
static void name_reason(char text[REASON_BYTES], const struct perfetto *state, unsigned cpu,
                        const struct perfetto_shape *shape, const struct trace_field *field, uint32_t number)
{
    unsigned board = perfetto_board(state, cpu);
    char name[DISPLAY_NAME_BYTES];
    if (field == NULL) {
        *put_at_most(text, shape->type->name, 64) = '\0';
        return;
    }
    perfetto_number_name(state->trace, shape, field, number, name);
    if (board > 0)
        text = put_word(put_unsigned(text, board), ":");
    *put_word(put_word(put_at_most(text, field->name, 48), " "), name) = '\0';
}

/* The iid of the text that says why a task waits. 0: there are too many; or after trace_fail(). */
static uint64_t reason_of(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                          const struct trace_event *event)
{
    const struct trace_field *field = trace_object_of(shape->type);
    uint32_t number = field != NULL ? (uint32_t)perfetto_number(event, field) : 0;
    char text[REASON_BYTES];
    if (shape->reason != 0 && shape->reason_number == number && shape->reason_naming == state->trace->naming + 1u
        && shape->reason_board == perfetto_board(state, cpu))
        return shape->reason;
    name_reason(text, state, cpu, shape, field, number);
    shape->reason_board = perfetto_board(state, cpu);
    shape->reason_number = number;
    shape->reason_naming = state->trace->naming + 1u;
    shape->reason = perfetto_intern(&state->kernel, INTERNED_KERNEL_SYMBOLS, text, strlen(text));
    return shape->reason;
}

/* The time is 1 ns after the switch: viewers take events of one time in any order, and would drop a reason in front of
 * its switch. */
int perfetto_wait_put(struct perfetto *state, struct perfetto_bundle *bundle, struct perfetto_task *task, uint64_t time)
{
    struct perfetto_other other = {FTRACE_BLOCKED_REASON, time + 1u, task->pid, task->reason, NULL, 0};
    if (task->reason == 0)
        return 0;
    task->reason = 0;
    return perfetto_bundle_other(state, bundle, &other);
}

/* ---- waits of tasks that are on no CPU --------------------------------------------------------------------------- */

int perfetto_wait_end(struct perfetto *state, struct perfetto_task *task, uint64_t time)
{
    if (!task->has_wait)
        return 0;
    task->has_wait = false;
    if (perfetto_slice_end(state, task, WAIT_KEY, time))
        return perfetto_put_end(state, task->track, time);
    return state->trace->failed ? -1 : 0;
}

/* Begin the slice, with the reason as its name. */
static int begin_wait(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                      const struct trace_event *event, struct perfetto_task *task, uint64_t time)
{
    const struct trace_field *field = trace_object_of(shape->type);
    char text[REASON_BYTES];
    uint64_t track;
    if (perfetto_task_describe(state, task, time) != 0)
        return -1;
    track = perfetto_task_track(state, task, false);
    if (track == 0)
        return -1;
    task->has_wait = perfetto_slice_begin(state, task, cpu, WAIT_KEY);
    if (!task->has_wait)
        return state->trace->failed ? -1 : 0;
    name_reason(text, state, cpu, shape, field, field != NULL ? (uint32_t)perfetto_number(event, field) : 0);
    return perfetto_put_begin(state, track, text, time);
}

int perfetto_wait_note(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                       const struct trace_event *event, struct perfetto_task *task, uint64_t time)
{
    bool is_over = shape->type->class == TRACE_UNBLOCK || shape->type->class == TRACE_END;
    if (task->out != 1u + state->forgotten) {
        task->reason = is_over ? 0 : reason_of(state, cpu, shape, event);
        return state->trace->failed ? -1 : 0;
    }
    if (perfetto_wait_end(state, task, time) != 0)
        return -1;
    return is_over ? 0 : begin_wait(state, cpu, shape, event, task, time);
}
