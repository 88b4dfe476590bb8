/* print.c - see print.h.
 *
 * A print format is parsed once, by print_format.c. Conversions with widths and zeros are left to snprintf(), so that
 * they are as in C; plain ones are not, since snprintf() takes many times as long.
 */
#include "text/print.h"

#include "base/digits.h"
#include "base/heap.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/display.h"
#include "text/print_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCHED_FIELDS_MOST = 32, /* of a type that is taken for one of the scheduler's: its fields are looked up by name */
    SCHED_USED = 7,
};

struct print_type {
    const struct trace *trace;
    const struct tlog_type *type;
    unsigned naming;                       /* trace.naming when named was set */
    bool named[TLOG_KIND_OBJECT_LAST + 1]; /* kinds of fields that are shown by name; only those of this type are set */
    char *own;                             /* texts of pieces, or NULL */
    bool is_switch, is_wakeup;
    const struct tlog_field *sched[SCHED_USED]; /* of these: the fields that are shown */
    struct print_format pieces;
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Put a number in decimal, as %llu or %lld, or in hexadecimal, as %llx. */
static void out_plain(struct out *out, char letter, uint64_t value)
{
    char text[DIGITS_MOST];
    char *end = letter == 'u'   ? put_unsigned(text, value)
                : letter == 'd' ? put_signed(text, value)
                                : put_hex(text, value);
    const char *from = letter == 'x' ? text + 2 : text; /* without 0x */
    out_bytes(out, from, (size_t)(end - from));
}

/* The letter of a conversion that is nothing but %llu, %lld or %llx; else 0. */
static char plain_letter(const char *conversion)
{
    static const char *const plain[] = {"%llu", "%lld", "%llx"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(conversion, plain[i]) == 0)
            return plain[i][3];
    }
    return '\0';
}

/* A number by a conversion, which may have text before and behind it; "" is %llu. */
static void out_number(struct out *out, const char *conversion, uint64_t value)
{
    size_t before = strcspn(conversion, "%");
    char letter = conversion[0] != '\0' ? plain_letter(conversion + before) : 'u';
    char text[PIECE_NUMBER_BYTES];
    int n;
    if (letter != '\0') {
        out_bytes(out, conversion, before);
        out_plain(out, letter, value);
        return;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    n = snprintf(text, sizeof text, conversion, (unsigned long long)value);
#pragma GCC diagnostic pop
    out_bytes(out, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1u);
}

/* Viewers take an address to lie in the symbol before it, up to the end of the last one. */
static const struct trace_symbol *symbol_of(const struct trace_firmware *firmware, uint64_t address)
{
    const struct trace_symbol *last =
        firmware != NULL && firmware->nsymbols > 0 ? &firmware->symbols[firmware->nsymbols - 1] : NULL;
    if (last == NULL || address >= last->address + (last->size > 0 ? last->size : 1u))
        return NULL;
    return trace_symbol_before(firmware, address);
}

static void out_symbol(struct out *out, const struct trace_firmware *firmware, uint64_t address, bool with_offset)
{
    const struct trace_symbol *symbol = symbol_of(firmware, address);
    if (symbol == NULL) {
        out_number(out, "0x%llx", address);
        return;
    }
    for (const char *c = symbol->name; *c != '\0'; c++)
        out_bytes(out, *c > ' ' && *c <= '~' ? c : "_", 1);
    if (with_offset && address > symbol->address)
        out_number(out, "+0x%llx", address - symbol->address);
}

/* A text up to its NUL, at most size bytes of it; a newline at the end, which ends the line anyway, is left out. */
static void out_text(struct out *out, const unsigned char *text, size_t size)
{
    size = text_length((const char *)text, size);
    size -= size > 0 && text[size - 1u] == '\n';
    out_printable(out, (const char *)text, size);
}

static void out_string(struct out *out, const struct print_type *print, const struct tlog_event *event,
                       const struct tlog_field *field)
{
    uint32_t place = (uint32_t)tlog_event_number(event, field), offset = place & 0xFFFFu, length = place >> 16;
    char name[DISPLAY_NAME_BYTES], shown[DISPLAY_NAME_BYTES];
    if (field->kind == TLOG_KIND_CHARS) {
        if (tlog_event_has(event, field))
            out_text(out, event->data + field->offset, field->size);
    } else if (field->kind == TLOG_KIND_BYTES) {
        for (size_t i = 0; tlog_event_has(event, field) && i < field->size; i++)
            out_number(out, "%02llx", event->data[field->offset + i]);
    } else if (field->kind == TLOG_KIND_STRING) {
        if (offset <= event->size && length <= event->size - offset)
            out_text(out, event->data + offset, length);
    } else if (!print->named[field->kind]) {
        out_number(out, display_is_handle(field->kind) ? "0x%llx" : "%llu", place);
    } else if (display_name(print->trace, field->kind, place, name)) {
        out_bytes(out, display_print_name(name, shown), strlen(name));
    } else {
        out_number(out, "0x%llx", place);
    }
}

/* ---- types without a print format -------------------------------------------------------------------------------- */

/* The conversion of a number in a form for 64 bits. */
static const char *number_conversion(const struct tlog_field *field)
{
    return field->kind == TLOG_KIND_SIGNED ? "%lld" : field->kind == TLOG_KIND_HEX ? "0x%llx" : "%llu";
}

static enum piece_kind what_of(const struct tlog_type *type, const struct tlog_field *field)
{
    if (tlog_kind_has_names(field->kind))
        return PIECE_STRING;
    switch (field->kind) {
    case TLOG_KIND_CHARS:
    case TLOG_KIND_STRING:
    case TLOG_KIND_BYTES:
        return PIECE_STRING;
    case TLOG_KIND_ADDRESS:
        return PIECE_OFFSET;
    default:
        return display_if_set(type, field) ? PIECE_IF_SET : PIECE_NUMBER;
    }
}

/* "name=value" of each field; the texts are in own. False: no memory. */
static bool make_pieces(struct print_type *print, const struct tlog_type *type)
{
    size_t room = 1;
    char *at;
    for (unsigned i = 0; i < type->nfields; i++)
        room += strlen(display_label(&type->fields[i])) + 3u;
    at = print->own = heap_alloc(room);
    if (at == NULL || !print_format_reserve(&print->pieces, type->nfields))
        return false;
    for (unsigned i = 0; i < type->nfields; i++) {
        struct piece *piece = &print->pieces.piece[print->pieces.n++];
        const struct tlog_field *field = &type->fields[i];
        piece->length = (size_t)sprintf(at, "%s%s=", i > 0 ? " " : "", display_label(field));
        piece->text = at;
        piece->field = field;
        piece->kind = what_of(type, field);
        snprintf(piece->conversion, sizeof piece->conversion, "%s", number_conversion(field));
        at += piece->length + 1u;
    }
    return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Whether the type is one of Linux's scheduler, with the fields that libtraceevent's plugin shows. */
static bool is_sched(const struct tlog_type *type, const char *name, unsigned nfields)
{
    return strcmp(type->system, "sched") == 0 && strcmp(type->name, name) == 0 && type->nfields >= nfields
           && type->nfields <= SCHED_FIELDS_MOST;
}

/* The fields that are shown of a switch and of a wake-up, in the order of out_switch() and out_wakeup(). */
static const char *const sched_names[2][SCHED_USED] = {
    {"prev_comm", "prev_pid", "prev_prio", "next_comm", "next_pid", "next_prio", "prev_state"},
    {"comm", "pid", "prio", "success", "target_cpu", "", ""}};

struct print_type *print_type_new(const struct trace *trace, const struct tlog_type *type)
{
    struct print_type *print = heap_calloc(1, sizeof *print);
    if (print == NULL)
        return NULL;
    print->trace = trace;
    print->type = type;
    print->naming = trace->naming - 1u;
    print->is_switch = is_sched(type, "sched_switch", 7);
    print->is_wakeup = is_sched(type, "sched_wakeup", 4) || is_sched(type, "sched_wakeup_new", 4);
    for (unsigned i = 0; i < SCHED_USED && (print->is_switch || print->is_wakeup); i++)
        print->sched[i] = tlog_field_named(type, sched_names[print->is_wakeup][i]);
    if ((type->print == NULL || !print_format_parse(&print->pieces, type)) && !make_pieces(print, type)) {
        print_type_free(print);
        return NULL;
    }
    for (unsigned i = 0; i < print->pieces.n; i++)
        print->pieces.piece[i].letter = plain_letter(print->pieces.piece[i].conversion);
    return print;
}

void print_type_free(struct print_type *print)
{
    if (print == NULL)
        return;
    heap_free(print->own);
    heap_free(print->pieces.piece);
    heap_free(print);
}

/* ---- the scheduler's events -------------------------------------------------------------------------------------- */

/* The value of one of the fields in sched; 0 if the type has none. */
static uint64_t sched_value(const struct print_type *print, const struct tlog_event *event, unsigned i)
{
    const struct tlog_field *field = print->sched[i];
    return field != NULL ? tlog_event_number(event, field) : 0;
}

/* "name:pid [priority]" of the fields from `first` on. The plugin takes the priority of a wake-up for an unsigned
 * number. */
static void out_task(struct out *out, const struct print_type *print, const struct tlog_event *event, unsigned first)
{
    uint64_t priority = sched_value(print, event, first + 2u);
    if (print->sched[first] != NULL)
        out_string(out, print, event, print->sched[first]);
    out_bytes(out, ":", 1);
    out_plain(out, 'd', sched_value(print, event, first + 1u));
    out_bytes(out, " [", 2);
    out_plain(out, 'd', print->is_wakeup ? (uint32_t)priority : priority);
    out_bytes(out, "]", 1);
}

static void out_state(struct out *out, uint64_t state)
{
    static const char letters[] = "SDTtZXxW";
    bool first = true;
    for (unsigned i = 0; letters[i] != '\0'; i++) {
        if ((state >> i & 1u) == 0)
            continue;
        out_bytes(out, &"|"[first], !first);
        out_bytes(out, &letters[i], 1);
        first = false;
    }
    if (first)
        out_bytes(out, "R", 1);
}

static void out_switch(struct out *out, const struct print_type *print, const struct tlog_event *event)
{
    out_task(out, print, event, 0);
    out_bytes(out, " ", 1);
    out_state(out, sched_value(print, event, 6));
    out_bytes(out, " ==> ", 5);
    out_task(out, print, event, 3);
}

static void out_wakeup(struct out *out, const struct print_type *print, const struct tlog_event *event)
{
    char cpu[DIGITS_MOST];
    out_task(out, print, event, 0);
    if (print->sched[3] != NULL)
        out_number(out, " success=%lld", sched_value(print, event, 3));
    out_bytes(out, " CPU:", 5);
    out_bytes(out, cpu, (size_t)(put_padded(cpu, sched_value(print, event, 4), 3, '0') - cpu));
}

/* ---- ftrace:bprint
 * ------------------------------------------------------------------------------------------------ */

struct bprint {
    struct out *out;
    const unsigned char *args;
    size_t at, size; /* of args */
};

/* The next number of 4 or 8 bytes, which begins at a multiple of 4. Those of 4 bytes keep their sign. */
static long long take_number(struct bprint *bprint, size_t bytes)
{
    uint64_t value = 0;
    bprint->at = (bprint->at + 3u) & ~(size_t)3;
    for (size_t i = 0; i < bytes && bprint->at + i < bprint->size; i++)
        value |= (uint64_t)bprint->args[bprint->at + i] << 8u * i;
    bprint->at += bytes;
    return bytes == 4 ? (int32_t)value : (long long)value;
}

/* The next text, shown by a conversion "%...s". */
static void put_string(struct bprint *bprint, const char *conversion)
{
    const char *text = bprint->at < bprint->size ? (const char *)bprint->args + bprint->at : "";
    size_t room = bprint->at < bprint->size ? bprint->size - bprint->at : 1;
    size_t length = text_length(text, room);
    char shown[4096];
    int n = -1;
    bprint->at += length + 1u;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (length < room)
        n = snprintf(shown, sizeof shown, conversion, text);
#pragma GCC diagnostic pop
    if (n > 0)
        out_printable(bprint->out, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1u);
}

/* The next number, shown by the conversion "%FLAGSLETTER"; bytes: what it has. */
static void put_number(struct bprint *bprint, const char *flags, size_t nflags, char letter, size_t bytes)
{
    char conversion[40], shown[4096];
    long long value = take_number(bprint, bytes);
    int n;
    if (letter != 'd' && letter != 'i' && bytes == 4)
        value = (long long)(uint32_t)value;
    snprintf(conversion, sizeof conversion, "%%%.*sll%c", (int)nflags, flags, letter == 'p' ? 'x' : letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    n = snprintf(shown, sizeof shown, conversion, value);
#pragma GCC diagnostic pop
    if (letter == 'p')
        out_bytes(bprint->out, "0x", 2);
    if (n > 0)
        out_bytes(bprint->out, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1u);
}

/* The conversion behind a percent sign, and its argument. Returns the place behind it. */
static const char *put_conversion(struct bprint *bprint, const char *at)
{
    size_t nflags = strspn(at, "#0123456789.");
    const char *letter = at + nflags + strspn(at + nflags, "lzh");
    size_t lengths = (size_t)(letter - at) - nflags;
    char conversion[40];
    if (*letter == '\0' || nflags > 20u)
        return at + strlen(at);
    if (*letter == '%') {
        out_bytes(bprint->out, "%", 1);
    } else if (*letter == 's') {
        snprintf(conversion, sizeof conversion, "%%%.*ss", (int)nflags, at);
        put_string(bprint, conversion);
    } else {
        put_number(bprint, at, nflags, *letter, lengths > 0 || *letter == 'p' ? 8 : 4);
    }
    return letter + 1;
}

/* Put what the format string makes of the arguments, which are packed as printk_pack() does it. Arguments that are not
 * there are 0, or an empty text. printk_kernel_can() says which conversions there are. */
static void out_bprint(struct out *out, const char *format, const unsigned char *args, size_t size)
{
    struct bprint bprint = {out, args, 0, size};
    while (*format != '\0') {
        size_t n = strcspn(format, "%");
        bool ends = format[n] == '\0';
        size_t newline = ends && n > 0 && format[n - 1u] == '\n';
        out_printable(out, format, n - newline);
        if (ends)
            return;
        format = put_conversion(&bprint, format + n + 1);
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The format string in a field, with the words behind the fixed part of the payload. */
static void out_format(struct out *out, const struct print_type *print, const struct tlog_event *event,
                       const struct tlog_field *field)
{
    size_t fixed = print->type->size < event->size ? print->type->size : event->size;
    const char *format = trace_printk_at(print->trace, tlog_event_number(event, field));
    if (format == NULL)
        out_number(out, "(NO PIECE_FORMAT FOUND at %llx)", tlog_event_number(event, field));
    else
        out_bprint(out, format, event->data + fixed, event->size - fixed);
}

/* Blanks for a text that is shorter than its width; it stands behind from. */
static void out_blanks(struct out *out, const struct piece *piece, char *from)
{
    size_t length = (size_t)(out->at - from), blanks = piece->width > length ? piece->width - length : 0;
    if (blanks == 0 || !out_has_room(out, blanks))
        return;
    if (!piece->left)
        memmove(from + blanks, from, length);
    memset(piece->left ? out->at : from, ' ', blanks);
    out->at += blanks;
}

static bool is_of_sign(const struct piece *piece)
{
    return piece->letter != '\0' ? piece->letter == 'd' : strchr(piece->conversion, 'd') != NULL;
}

static void out_value(struct out *out, const struct piece *piece, uint64_t value)
{
    if (piece->letter != '\0')
        out_plain(out, piece->letter, value);
    else
        out_number(out, piece->conversion, value);
}

static void out_argument(struct out *out, const struct print_type *print, const struct tlog_event *event,
                         const struct piece *piece)
{
    uint64_t value = piece->field != NULL && piece->kind != PIECE_STRING ? tlog_event_number(event, piece->field) : 0;
    char *from = out->at;
    switch (piece->kind) {
    case PIECE_PLAIN:
        break;
    case PIECE_NUMBER:
        if (piece->is_int)
            value = is_of_sign(piece) ? (uint64_t)(int32_t)value : (uint32_t)value;
        out_value(out, piece, value);
        break;
    case PIECE_IF_SET:
        out_value(out, piece, value);
        break;
    case PIECE_SYMBOL:
    case PIECE_FLAGS:
        print_format_names(out, piece, value);
        break;
    case PIECE_STRING:
        out_string(out, print, event, piece->field);
        out_blanks(out, piece, from);
        break;
    case PIECE_FUNCTION:
    case PIECE_OFFSET:
        out_symbol(out, print->trace->firmware, value, piece->kind == PIECE_OFFSET);
        break;
    case PIECE_CHOICE:
        out_bytes(out, piece->choice[value == 0], piece->choice_length[value == 0]);
        out_blanks(out, piece, from);
        break;
    case PIECE_FORMAT:
        out_format(out, print, event, piece->field);
        break;
    }
}

/* Find out which kinds of fields are shown by name, again after a name was given. */
static void learn_names(struct print_type *print)
{
    for (unsigned i = 0; i < print->type->nfields; i++) {
        enum tlog_kind kind = print->type->fields[i].kind;
        if (tlog_kind_has_names(kind))
            print->named[kind] = display_by_name(print->trace, kind);
    }
    print->naming = print->trace->naming;
}

char *print_event(char *to, struct print_type *print, const struct tlog_event *event)
{
    struct out out = {to, to + PRINT_MOST};
    if (print->naming != print->trace->naming)
        learn_names(print);
    if (print->is_switch) {
        out_switch(&out, print, event);
        return out.at;
    }
    if (print->is_wakeup) {
        out_wakeup(&out, print, event);
        return out.at;
    }
    for (unsigned i = 0; i < print->pieces.n; i++) {
        const struct piece *piece = &print->pieces.piece[i];
        if (piece->kind == PIECE_IF_SET && tlog_event_number(event, piece->field) == 0)
            continue;
        out_printable(&out, piece->text, piece->length);
        out_argument(&out, print, event, piece);
    }
    return out.at;
}
