/* events.c - see events.h. */
#include "formats/vcd/events.h"

#include "formats/vcd/states.h"

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

/* The value of the counter that the event tells of. */
static void put_counter(struct vcd *vcd, unsigned cpu, const struct counter *counter, const struct trace_event *event)
{
    char text[DIGITS_MOST];
    uint64_t value = vcd_value(event, counter->field);
    char *end = counter->field->kind == TRACE_SIGNED ? put_signed(text, value) : put_unsigned(text, value);
    struct vcd_thing *thing = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_COUNTER, 0, counter->number), 1);
    if (thing != NULL && vcd_has(event, counter->field))
        vcd_real(vcd, thing->first, text, (size_t)(end - text));
}

void vcd_event(struct vcd *vcd, unsigned cpu, const struct vcd_shape *shape, const struct trace_event *event)
{
    struct vcd_thing *thing;
    if (shape->counter.field != NULL)
        put_counter(vcd, cpu, &shape->counter, event);
    if (shape->form == VCD_FORM_COUNTER)
        return;
    thing = vcd_thing(vcd, vcd_key(vcd_board(vcd, cpu), VCD_EVENT, 0, event->type), EVENT_FIELDS + shape->ids);
    if (thing == NULL)
        return;
    vcd_happen(vcd, thing->first + EVENT_HAPPENS);
    put_task(vcd, thing, event->task);
    vcd_fields(vcd, shape, event, thing->first + EVENT_FIELDS);
}
