/* events.c - see events.h. */
#include "vcd/events.h"

#include "vcd/states.h"

/* The task or interrupt an event was of, if it is another one than that of the event before. */
static void put_task(struct vcd *vcd, struct vcd_thing *thing, uint32_t task)
{
    char name[VCD_NAME_BYTES];
    if (thing->task == task && thing->naming == vcd->trace->naming + 1u)
        return;
    thing->task = task;
    thing->naming = vcd->trace->naming + 1u;
    vcd_task_name(vcd, vcd_board_of(thing), task, "", name);
    vcd_text(vcd, thing->first + EVENT_TASK, name, strlen(name));
}

static void put_counter(struct vcd *vcd, uint32_t id, const struct trace_field *field, const struct trace_event *event)
{
    char text[DIGITS_MOST];
    uint64_t value = vcd_value(event, field);
    char *end = field->kind == TRACE_SIGNED ? put_signed(text, value) : put_unsigned(text, value);
    if (vcd_has(event, field))
        vcd_real(vcd, id, text, (size_t)(end - text));
}

void vcd_event(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    bool is_counter = shape->form == VCD_FORM_COUNTER;
    enum vcd_kind kind = is_counter ? VCD_COUNTER : VCD_EVENT;
    unsigned ids = is_counter ? 1u : EVENT_FIELDS + shape->ids;
    struct vcd_thing *thing = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), kind, 0, event->type), ids);
    if (thing == NULL)
        return;
    if (is_counter) {
        put_counter(vcd, thing->first, shape->place[0], event);
        return;
    }
    vcd_happen(vcd, thing->first + EVENT_HAPPENS);
    put_task(vcd, thing, event->task);
    vcd_fields(vcd, shape, event, thing->first + EVENT_FIELDS);
}
