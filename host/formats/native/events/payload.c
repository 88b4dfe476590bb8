/* payload.c - the types and payloads of a dump's events: see payload.h. For the words of traceevents that tlog has
 * added see target/FORMAT.md, 1.2.
 */
#include "formats/native/events/payload.h"

#include "base/bytes.h"
#include "events/nesting.h"
#include "formats/native/events/printk.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Pids that threads of QNX get, the contexts of events/qnx_threads.h. Lower ones belong to tasks of records and to the
 * task "main", higher ones to the task that is not known and to interrupts. */
#define CONTEXT_FIRST 65537u
#define CONTEXT_LAST  69998u

#define QNX_RELEASE 6u /* the release of QNX whose event numbers the firmware uses */

/* Records of a loss take part in the count of losses, and those of an event that the firmware defines have its type:
 * stream.c makes events of them. */
static void set_records(struct native_types *types)
{
    memcpy(types->record, types->shark.record, sizeof types->record);
    types->record[TLOG_RECORD_LOSS] = SHARK_TYPE_NONE;
    types->record[OWN_RECORD] = SHARK_TYPE_NONE;
    if (types->priorities)
        types->record[FTrace_EVT_set_priority] = SHARK_TYPE_NONE;
}

void native_types_declare(struct native_types *types, struct trace *trace)
{
    shark_types_declare(&types->shark, trace);
    types->own = own_types_new(trace);
    memset(types->own_record, 0xFF, sizeof types->own_record);
    if (types->own == NULL)
        trace_fail(trace, "%s: no memory", trace->input_name);
    rtos_types_start(&types->rtos, trace);
    qnx_types_start(&types->qnx, trace, QNX_RELEASE, CONTEXT_FIRST, CONTEXT_LAST);
    types->user_text = SHARK_TYPE_NONE;
    for (uint32_t i = 0; i <= QNX_WORDS_SLOTS; i++)
        types->user_words[i] = SHARK_TYPE_NONE;
    set_records(types);
}

void native_types_name(struct native_types *types, struct trace *trace)
{
    shark_types_name(&types->shark, trace);
    set_records(types);
}

/* Remember the type of a user's event of so many slots. */
static void learn_user(struct native_types *types, uint32_t slots, uint16_t type)
{
    if (types->qnx.layout == QNX_EVENT_TEXT)
        types->user_text = type;
    else if (slots <= QNX_WORDS_SLOTS)
        types->user_words[slots] = type;
}

/* Remember the type of an event of another class, and the size of its payload. */
static void learn_event(struct native_types *types, const struct qnx_event *event, uint16_t type, uint16_t size)
{
    uint32_t number = event->class * _TRACE_MAX_EVENT_NUM + event->event;
    enum qnx_layout layout = types->qnx.layout;
    if (event->slots == 1u)
        types->traceevent[number] = (struct native_simple){type, (uint16_t)layout};
    else if (layout >= QNX_MORE_WORDS && event->slots <= QNX_WORDS_SLOTS && size <= event->slots * NATIVE_WIDE_BYTES)
        types->wide[event->slots][number] = (struct native_wide){type, size, (uint16_t)layout};
}

/* The payload of an event that the firmware defines. 0: nothing is known of it. One whose payload is its data is
 * learned as an event that is words. */
static uint16_t own_payload(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                            uint16_t *type)
{
    struct own_data words = {event->data, 2u * (event->slots < QNX_SLOTS_MAX ? event->slots : QNX_SLOTS_MAX)};
    bool is_plain;
    uint16_t size =
        own_types_payload(types->own, event->class - OWN_CLASS_FIRST, event->event, words, data, type, &is_plain);
    types->qnx.layout = !is_plain ? QNX_OTHER : event->slots == 1u ? QNX_WORDS : QNX_MORE_WORDS;
    return size;
}

/* Put the payload of a traceevent to data, and its type to *type, and remember what is learned of its kind. */
static uint16_t put_and_learn(struct native_types *types, const struct qnx_event *event, unsigned char *data,
                              uint16_t *type)
{
    bool is_own = event->class >= OWN_CLASS_FIRST && event->class < OWN_CLASS_FIRST + OWN_CLASSES;
    uint16_t size = is_own ? own_payload(types, event, data, type) : 0;
    bool is_untold = is_own && size == 0;
    if (size == 0)
        size = qnx_payload(&types->qnx, event, data, type);
    if (is_untold && own_types_are_known(types->own))
        return size; /* the next one may be as described */
    if (size > 0 && event->class == TLOG_TRACE_USER)
        learn_user(types, event->slots, *type);
    else if (size > 0)
        learn_event(types, event, *type, size);
    return size;
}

void native_types_free(struct native_types *types, const struct trace *trace)
{
    uint64_t cut = types->qnx.cut;
    if (cut > 0)
        trace_note(trace, "%" PRIu64 " event%s of more than %u slots cut there", cut, cut == 1u ? "" : "s",
                   QNX_SLOTS_MAX);
    qnx_types_free(&types->qnx);
    own_types_free(types->own);
    rtos_types_free(&types->rtos);
}

/* ---- traceevents that tlog has added ----------------------------------------------------------------------------- */

#define CUT "<cut>" /* at the end of a text that is too long */

/* An event of class CONTROL that tlog has added. */
struct control {
    const struct qnx_event *event;
    uint32_t address_words; /* words of an address in it: 1 or 2 */
};

/* Address i of the event, which begins with addresses. */
static uint64_t address_at(const struct control *control, uint32_t i)
{
    uint64_t low = qnx_word(control->event, i * control->address_words);
    return control->address_words > 1u ? (uint64_t)qnx_word(control->event, 2u * i + 1u) << 32 | low : low;
}

/* Bytes of a PRINTK's address of its format, ahead of the arguments. */
static size_t format_bytes(const struct control *control)
{
    return (size_t)4u * control->address_words;
}

/* ---- TLOG_PRINTK ------------------------------------------------------------------------------------------------- */

static const struct tlog_field print_fields[] = {{"buf", TLOG_KIND_STRING, 0, 4}};
static const struct tlog_type type_print = {"ftrace", "print",      TLOG_MEANS_PLAIN,        4,
                                            1,        print_fields, "\"%s\", __get_str(buf)"};

/* Bytes of arguments in a PRINTK event, as far as they are kept. */
static size_t argument_bytes(const struct control *control)
{
    uint32_t slots = control->event->slots < QNX_SLOTS_MAX ? control->event->slots : QNX_SLOTS_MAX;
    return (size_t)QNX_SLOT_BYTES * slots - format_bytes(control);
}

/* Warn that the ELF file has no format strings: the firmware was linked without the section for them. */
static void warn_of_no_formats(const struct trace *trace)
{
    if (trace->firmware == NULL || trace->firmware->has_formats)
        return;
    trace_tell(trace, "%s: no section tlog_printk in it: texts of TLOG_PRINTK stay numbers; see linker/tlog.ld",
               trace->firmware->path);
}

/* Put the text of a PRINTK into `size` bytes. Returns its length, without the NUL. */
static size_t render(const struct trace *trace, char *text, size_t size, const struct control *control)
{
    uint64_t address = address_at(control, 0);
    const char *format = trace_printk_at(trace, address);
    const unsigned char *arguments = control->event->data + format_bytes(control);
    size_t bytes = argument_bytes(control), length;
    if (format == NULL)
        length = printk_render_raw(text, size, address, "", arguments, bytes, control->event->big);
    else if (!printk_render(text, size, &length, format, arguments, bytes, control->event->big))
        length = printk_render_raw(text, size, address, PRINTK_CONTRADICTS, arguments, bytes, control->event->big);
    if (length >= size) {
        length = size - 1u;
        memcpy(text + size - sizeof CUT, CUT, sizeof CUT);
    } else if (length > 0 && text[length - 1u] == '\n') {
        text[--length] = '\0';
    }
    return length;
}

/* Put the payload of ftrace:print. Like all put functions below it sets *type and returns the payload's size. */
static uint16_t put_print(struct trace *trace, const struct control *control, unsigned char *data, uint16_t *type)
{
    size_t size = render(trace, (char *)data + 4, QNX_PAYLOAD_MAX - 8u, control) + 1u;
    size_t padded = (size + 3u) & ~(size_t)3;
    unsigned ntypes = trace->ntypes;
    *type = trace_type(trace, &type_print);
    if (trace->ntypes > ntypes) /* the type is new: this is the first text */
        warn_of_no_formats(trace);
    put_le32(data, 4u | (uint32_t)size << 16);
    memset(data + 4 + size, 0, padded - size);
    return (uint16_t)(4u + padded);
}

/* ---- TLOG_PRINTK for viewers that format ------------------------------------------------------------------------- */

static const struct tlog_field bprint_fields[] = {
    {"ip", TLOG_KIND_ADDRESS, 0, 8}, {"fmt", TLOG_KIND_HEX, 8, 8}, {"buf", TLOG_KIND_WORDS, 16, 0}};
static const struct tlog_type type_bprint = {
    "ftrace", "bprint", TLOG_MEANS_PLAIN, 16, 3, bprint_fields, "\"%ps: %s\", (void *)REC->ip, REC->fmt"};

/* Put the payload of ftrace:bprint. Returns 0 if viewers could not format it, so that it has to be a text. */
static uint16_t put_bprint(struct trace *trace, const struct control *control, unsigned char *data, uint16_t *type)
{
    const struct trace_printk *printk = trace_printk_exactly_at(trace, address_at(control, 0));
    size_t used;
    if (printk == NULL || printk->function == 0 || !printk_kernel_can(printk->format)
        || !printk_pack(data + 16, QNX_PAYLOAD_MAX - 16u, &used, printk->format,
                        control->event->data + format_bytes(control), argument_bytes(control), control->event->big))
        return 0;
    *type = trace_type(trace, &type_bprint);
    put_le64(data, printk->function);
    put_le64(data + 8, printk->address);
    return (uint16_t)(16u + used);
}

static uint16_t put_printk(struct trace *trace, const struct control *control, unsigned char *data, uint16_t *type)
{
    uint16_t size = trace->formats ? put_bprint(trace, control, data, type) : 0;
    return size > 0 ? size : put_print(trace, control, data, type);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* An address in the firmware without bit 0, which tells Thumb code. */
static uint64_t code_address(uint64_t address)
{
    return address & ~(uint64_t)1;
}

/* Put an event of a graph of calls. Its depth and times stay 0 until its task is known: see events/nesting.h. */
static uint16_t put_graph(struct trace *trace, const struct control *control, unsigned char *data, uint16_t *type)
{
    bool entry = control->event->event == TLOG_CONTROL_FUNC_ENTER;
    uint16_t size = entry ? FUNCGRAPH_ENTRY_BYTES : FUNCGRAPH_EXIT_BYTES;
    *type = trace_type(trace, entry ? &funcgraph_entry : &funcgraph_exit);
    memset(data, 0, size);
    put_le64(data, code_address(address_at(control, 0)));
    return size;
}

/* Put what trace->functions asks for. Returns 0 if it asks for nothing, or the event is an exit that a list of calls
 * does not have. */
static uint16_t put_function(struct trace *trace, const struct control *control, unsigned char *data, uint16_t *type)
{
    if (trace->functions == TRACE_FUNCTIONS_GRAPH)
        return put_graph(trace, control, data, type);
    if (trace->functions == TRACE_FUNCTIONS_NONE || control->event->event == TLOG_CONTROL_FUNC_EXIT)
        return 0;
    *type = trace_type(trace, &funcgraph_function);
    put_le64(data, code_address(address_at(control, 0)));
    put_le64(data + 8, code_address(address_at(control, 1)));
    return FUNCGRAPH_FUNCTION_BYTES;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

#define FAULT_BYTES 60u /* of the payload, without the cause */
#define CAUSE_BYTES 48u

/* The words of the event in the order of the fields. */
static const unsigned char fault_words[FAULT_BYTES / 4u] = {0, 8, 7, 9, 10, 11, 12, 13, 14, 1, 2, 3, 4, 5, 6};

/* Offsets of fields. */
enum { FAULT_NUMBER = 0, FAULT_LR = 8, FAULT_DFSR = 20, FAULT_IFSR = 24 };

/* Numbers of the vectors of ARMv7-A. */
enum { VECTOR_UNDEFINED = 1, VECTOR_PREFETCH_ABORT = 3, VECTOR_DATA_ABORT = 4 };

/* Bits of the fault status registers DFSR and IFSR (ARM DDI 0406C, B4.1.52 and B4.1.96). */
#define FSR_LONG  (1u << 9)  /* translation tables have long descriptors: the status is bits 5..0, else 10 and 3..0 */
#define FSR_WRITE (1u << 11) /* DFSR only */

/* Fields of both kinds of cores. The parameters are the names of those that differ. */
#define FAULT_FIELDS(number, pc, status, a, b, c, d, other)                                                            \
    {number, TLOG_KIND_UNSIGNED, 0, 4}, {pc, TLOG_KIND_ADDRESS, 4, 4}, {"lr", TLOG_KIND_ADDRESS, 8, 4},                \
        {status, TLOG_KIND_HEX, 12, 4}, {"sp", TLOG_KIND_HEX, 16, 4}, {a, TLOG_KIND_HEX, 20, 4},                       \
        {b, TLOG_KIND_HEX, 24, 4}, {c, TLOG_KIND_HEX, 28, 4}, {d, TLOG_KIND_HEX, 32, 4},                               \
        {other, TLOG_KIND_HEX, 36, 4}, {"r0", TLOG_KIND_HEX, 40, 4}, {"r1", TLOG_KIND_HEX, 44, 4},                     \
        {"r2", TLOG_KIND_HEX, 48, 4}, {"r3", TLOG_KIND_HEX, 52, 4},                                                    \
    {                                                                                                                  \
        "r12", TLOG_KIND_HEX, 56, 4                                                                                    \
    }

static const struct tlog_field fault_m_fields[] = {
    FAULT_FIELDS("exception", "pc", "xpsr", "cfsr", "hfsr", "mmfar", "bfar", "exc_return")};
static const struct tlog_field fault_a_fields[] = {
    FAULT_FIELDS("vector", "pc", "spsr", "dfsr", "ifsr", "dfar", "ifar", "cpsr"),
    {"cause", TLOG_KIND_CHARS, FAULT_BYTES, CAUSE_BYTES}};
static const struct tlog_type type_fault_m = {"tlog", "fault", TLOG_MEANS_PLAIN, FAULT_BYTES, 15, fault_m_fields, NULL};
static const struct tlog_type type_fault_a = {
    "tlog", "fault_a", TLOG_MEANS_PLAIN, FAULT_BYTES + CAUSE_BYTES, 16, fault_a_fields, NULL};

/* What the status of a fault status register means, in a few words. */
static const char *fault_status(uint32_t fsr)
{
    static const char *const of_short[32] = {[0x01] = "alignment",
                                             [0x02] = "debug event",
                                             [0x03] = "access flag",
                                             [0x04] = "cache maintenance",
                                             [0x05] = "translation",
                                             [0x06] = "access flag",
                                             [0x07] = "translation",
                                             [0x08] = "external abort",
                                             [0x09] = "domain",
                                             [0x0B] = "domain",
                                             [0x0C] = "external, walk",
                                             [0x0D] = "permission",
                                             [0x0E] = "external, walk",
                                             [0x0F] = "permission",
                                             [0x10] = "TLB conflict",
                                             [0x16] = "asynchronous",
                                             [0x18] = "asynchronous parity",
                                             [0x19] = "parity",
                                             [0x1C] = "parity, walk",
                                             [0x1E] = "parity, walk"};
    static const char *const of_long[16] = {
        [1] = "translation", [2] = "access flag",  [3] = "permission", [4] = "external abort", [5] = "external, walk",
        [6] = "parity",      [7] = "parity, walk", [8] = "alignment",  [12] = "TLB conflict"}; /* by bits 5..2 */
    bool is_long = (fsr & FSR_LONG) != 0;
    const char *name = is_long ? of_long[fsr >> 2 & 15u] : of_short[(fsr >> 6 & 16u) | (fsr & 15u)];
    if (is_long && ((fsr & 0x3Fu) == 0x11 || (fsr & 0x3Fu) == 0x19))
        name = "asynchronous";
    if (is_long && (fsr & 0x3Fu) == 0x22)
        name = "debug event";
    return name != NULL ? name : "unknown status";
}

/* Put the cause of a fault on ARMv7-A behind its numbers, which are in the payload. */
static void put_cause(unsigned char *data)
{
    char *cause = (char *)data + FAULT_BYTES;
    uint32_t dfsr = get_le32(data + FAULT_DFSR), ifsr = get_le32(data + FAULT_IFSR);
    memset(cause, 0, CAUSE_BYTES);
    switch (get_le32(data + FAULT_NUMBER)) {
    case VECTOR_UNDEFINED:
        snprintf(cause, CAUSE_BYTES, "undefined instruction");
        break;
    case VECTOR_PREFETCH_ABORT:
        snprintf(cause, CAUSE_BYTES, "prefetch abort: %s", fault_status(ifsr));
        break;
    case VECTOR_DATA_ABORT:
        snprintf(cause, CAUSE_BYTES, "data abort: %s, on a %s", fault_status(dfsr),
                 dfsr & FSR_WRITE ? "write" : "read");
        break;
    default:
        break;
    }
}

/* Words that the event lacks are 0. lr is an address, but an EXC_RETURN where a handler has faulted at once: that keeps
 * its bit 0. */
static uint16_t put_fault(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type)
{
    bool is_a = qnx_word(event, 0) >> 16 == TLOG_FAULT_V7A;
    *type = trace_type(trace, is_a ? &type_fault_a : &type_fault_m);
    for (unsigned i = 0; i < FAULT_BYTES / 4u; i++)
        put_le32(data + 4u * i, 2u * event->slots > fault_words[i] ? qnx_word(event, fault_words[i]) : 0);
    put_le32(data + FAULT_NUMBER, get_le32(data + FAULT_NUMBER) & 0xFFFFu);
    if (get_le32(data + FAULT_LR) >> 24 != 0xFF)
        put_le32(data + FAULT_LR, (uint32_t)code_address(get_le32(data + FAULT_LR)));
    if (is_a)
        put_cause(data);
    return is_a ? FAULT_BYTES + CAUSE_BYTES : FAULT_BYTES;
}

/* ---- triggers ---------------------------------------------------------------------------------------------------- */

/* 0xFFFFFFFF: the trigger was taken back. So the field shows -1. */
static const struct tlog_field trigger_fields[] = {{"after", TLOG_KIND_SIGNED, 0, 4}};
static const struct tlog_type type_trigger = {"tlog", "trigger", TLOG_MEANS_MARK, 4, 1, trigger_fields, NULL};

static uint16_t put_trigger(struct trace *trace, const struct qnx_event *event, unsigned char *data, uint16_t *type)
{
    *type = trace_type(trace, &type_trigger);
    put_le32(data, qnx_word(event, 0));
    return 4;
}

/* The payload of a traceevent that tlog has added to QNX's class CONTROL, whose addresses have so many words. False:
 * the event is none of those. A size of 0 means that the user does not want the event. */
static bool put_control(struct trace *trace, const struct qnx_event *event, uint32_t address_words, unsigned char *data,
                        uint16_t *type, uint16_t *size)
{
    const struct control control = {event, address_words};
    if (event->class != TLOG_CLASS_CONTROL)
        return false;
    switch (event->event) {
    case TLOG_CONTROL_PRINTK:
        *size = put_printk(trace, &control, data, type);
        return true;
    case TLOG_CONTROL_FUNC_ENTER:
    case TLOG_CONTROL_FUNC_EXIT:
        *size = put_function(trace, &control, data, type);
        return true;
    case TLOG_CONTROL_TRIGGER:
        *size = put_trigger(trace, event, data, type);
        return true;
    case TLOG_CONTROL_FAULT:
        *size = put_fault(trace, event, data, type);
        return true;
    default:
        return false;
    }
}

/* ---- all traceevents --------------------------------------------------------------------------------------------- */

struct qnx_event native_traceevent(const struct native_lap *lap, uint32_t index, uint32_t n, unsigned char *data)
{
    uint32_t head = native_head(native_lap_slot(lap, index));
    for (uint32_t i = 0; i < n && i < QNX_SLOTS_MAX; i++)
        memcpy(data + (size_t)i * NATIVE_DATA_BYTES, native_lap_slot(lap, index + i) + NATIVE_DATA, NATIVE_DATA_BYTES);
    return (struct qnx_event){.class = native_traceevent_class(head),
                              .event = native_traceevent_number(head),
                              .slots = n,
                              .data = data,
                              .big = false};
}

/* The payload of an event that the firmware defines and logs by the address of its descriptor; 0: it is none. */
static uint16_t portable_payload(const struct native_types *types, const struct qnx_event *event, unsigned char *data,
                                 uint16_t *type)
{
    uint32_t skip = types->address_words, words = 2u * event->slots;
    struct own_data from = {event->data + (size_t)4u * skip, words - skip};
    uint64_t address = qnx_word(event, 0);
    if (event->class != TLOG_CLASS_CONTROL || event->event < OWN_CONTROL_EVENT || event->event > OWN_CONTROL_END
        || event->slots > QNX_SLOTS_MAX)
        return 0;
    if (skip > 1u)
        address |= (uint64_t)qnx_word(event, 1) << 32;
    return own_types_payload_at(types->own, address, (enum own_tag)(event->event - OWN_CONTROL_EVENT), from, data,
                                type);
}

/* The payload of a TLOG_PRINTK as an event with fields; 0: it is none, or the user wants texts. On a target of 64 bits
 * arguments have other sizes. */
static uint16_t text_payload(const struct native_types *types, const struct trace *trace, const struct qnx_event *event,
                             unsigned char *data, uint16_t *type)
{
    struct own_data from = {event->data + 4, 2u * event->slots - 1u};
    if (!trace->typed_text || event->class != TLOG_CLASS_CONTROL || event->event != TLOG_CONTROL_PRINTK
        || types->address_words != 1u || event->slots > QNX_SLOTS_MAX)
        return 0;
    return own_types_payload_of_text(types->own, qnx_word(event, 0), from, data, type);
}

/* Events that tlog has added to QNX's are looked for first: both are in class CONTROL. */
uint16_t native_traceevent_payload(struct native_types *types, struct trace *trace, const struct qnx_event *event,
                                   unsigned char *data, uint16_t *type)
{
    uint16_t size;
    size = text_payload(types, trace, event, data, type);
    if (size > 0)
        return size;
    if (put_control(trace, event, types->address_words, data, type, &size))
        return size;
    size = portable_payload(types, event, data, type);
    return size > 0 ? size : put_and_learn(types, event, data, type);
}
