/* interns.c - see interns.h. */
#include "formats/perfetto/interns.h"

#include "formats/perfetto/fields.h"
#include "formats/perfetto/proto.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SIZE = 256,
    TEXTS_MOST = 1 << 16, /* so that memory is bounded, however many names the trace has */
    PENDING_FIRST = 4096,
    OVERHEAD = 32, /* bytes of a text's message besides the text, at most */
};

struct intern {
    char *text; /* NULL: the place is free */
    uint32_t length;
    uint32_t kind;
    uint64_t iid;
};

void perfetto_interns_init(struct perfetto_interns *interns, struct trace *trace)
{
    *interns = (struct perfetto_interns){.trace = trace};
}

void perfetto_interns_free(struct perfetto_interns *interns)
{
    for (size_t i = 0; i < interns->size; i++)
        free(interns->table[i].text);
    free(interns->table);
    free(interns->pending);
    *interns = (struct perfetto_interns){0};
}

/* ---- pending texts ----------------------------------------------------------------------------------------------- */

/* Make room for n more pending bytes. False after trace_fail(). */
static bool make_room(struct perfetto_interns *interns, size_t n)
{
    size_t room = interns->room > 0 ? interns->room : PENDING_FIRST;
    unsigned char *pending;
    if (interns->used + n <= interns->room)
        return true;
    while (room < interns->used + n)
        room *= 2;
    pending = realloc(interns->pending, room);
    if (pending == NULL)
        return trace_fail(interns->trace, "no memory for names") == 0;
    interns->pending = pending;
    interns->room = room;
    return true;
}

uint64_t perfetto_intern_once(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    unsigned char *to, *message;
    if (!make_room(interns, n + OVERHEAD))
        return 0;
    to = interns->pending + interns->used;
    message = proto_begin(to, kind);
    to = proto_number(message, INTERNED_IID, ++interns->last[kind]);
    to = proto_end(message, proto_chars(to, INTERNED_TEXT, text, n));
    interns->used = (size_t)(to - interns->pending);
    return interns->last[kind];
}

size_t perfetto_interns_room(const struct perfetto_interns *interns)
{
    return interns->used + PROTO_NUMBER;
}

unsigned char *perfetto_interns_put(struct perfetto_interns *interns, unsigned char *to)
{
    if (interns->used == 0)
        return to;
    to = proto_bytes(to, PACKET_INTERNED_DATA, interns->pending, interns->used);
    interns->used = 0;
    return to;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* FNV-1a. */
static size_t hash(unsigned kind, const char *text, size_t n)
{
    uint64_t value = 0xCBF29CE484222325u ^ kind;
    for (size_t i = 0; i < n; i++)
        value = (value ^ (unsigned char)text[i]) * 0x100000001B3u;
    return (size_t)(value ^ value >> 32);
}

/* Where the text is, or the free place where it would be. */
static struct intern *find(const struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    size_t at = hash(kind, text, n) & (interns->size - 1u);
    struct intern *intern = &interns->table[at];
    while (intern->text != NULL
           && (intern->kind != kind || intern->length != n || memcmp(intern->text, text, n) != 0)) {
        at = (at + 1u) & (interns->size - 1u);
        intern = &interns->table[at];
    }
    return intern;
}

/* Double the table. False after trace_fail(). */
static bool grow(struct perfetto_interns *interns)
{
    struct perfetto_interns old = *interns;
    interns->size = old.size > 0 ? 2 * old.size : FIRST_SIZE;
    interns->table = calloc(interns->size, sizeof *interns->table);
    if (interns->table == NULL) {
        *interns = old;
        return trace_fail(interns->trace, "no memory for names") == 0;
    }
    for (size_t i = 0; i < old.size; i++) {
        if (old.table[i].text != NULL)
            *find(interns, old.table[i].kind, old.table[i].text, old.table[i].length) = old.table[i];
    }
    free(old.table);
    return true;
}

/* Remember a text that is new at its place. Returns its number; 0 after trace_fail(). */
static uint64_t remember(struct perfetto_interns *interns, struct intern *at, unsigned kind, const char *text, size_t n)
{
    at->text = malloc(n + 1u);
    if (at->text == NULL) {
        trace_fail(interns->trace, "no memory for names");
        return 0;
    }
    memcpy(at->text, text, n);
    at->length = (uint32_t)n;
    at->kind = kind;
    at->iid = perfetto_intern_once(interns, kind, text, n);
    interns->n++;
    return at->iid;
}

uint64_t perfetto_intern(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    struct intern *intern;
    if (2 * interns->n >= interns->size && !grow(interns))
        return 0;
    intern = find(interns, kind, text, n);
    if (intern->text != NULL)
        return intern->iid;
    return interns->n < TEXTS_MOST ? remember(interns, intern, kind, text, n) : 0;
}
