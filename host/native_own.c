/* native_own.c - TLOG_PRINTK and functions as events: see native_own.h. */
#include "native_own.h"

#include "bytes.h"
#include "printk.h"
#include "tlog_wire.h"

#include <string.h>

#define CUT "<cut>"

/* ---- TLOG_PRINTK ------------------------------------------------------------------------------------------------- */

static const struct trace_field print_fields[] = {{"buf", TRACE_STRING, 0, 4}};
static const struct trace_type type_print = {"ftrace", "print", TRACE_PLAIN, 4, 1, print_fields, "\"%s\", __get_str(buf)"};

/* The text in room for size bytes; its length. */
static size_t render(const struct trace *trace, char *text, size_t size, const struct qnx_event *event)
{
    uint32_t slots = event->slots < QNX_SLOTS_MAX ? event->slots : QNX_SLOTS_MAX;
    uint32_t address = qnx_word(event, 0);
    const char *format = trace_printk_at(trace, address);
    size_t nargs = (size_t)8u * slots - 4u, length;

    if (format != NULL)
        length = printk_render(text, size, format, event->data + 4, nargs, event->big);
    else
        length = printk_render_raw(text, size, address, event->data + 4, nargs, event->big);
    if (length >= size) {
        length = size - 1u;
        memcpy(text + size - sizeof CUT, CUT, sizeof CUT);
    } else if (length > 0 && text[length - 1u] == '\n') {
        text[--length] = '\0';
    }
    return length;
}

static uint16_t put_print(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type)
{
    size_t size = render(trace, (char *)data + 4, QNX_PAYLOAD_MAX - 8u, event) + 1u;
    size_t padded = (size + 3u) & ~(size_t)3;

    *type = trace_type(trace, &type_print);
    put_le32(data, 4u | (uint32_t)size << 16);
    memset(data + 4 + size, 0, padded - size);
    return (uint16_t)(4u + padded);
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

uint16_t native_own_payload(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type)
{
    if (event->class == TLOG_CLASS_CONTROL && event->event == TLOG_CONTROL_PRINTK)
        return put_print(trace, event, data, type);
    return 0;
}
