/* own_text.c - see own_text.h. The format is put in the words of a descriptor: an int of the target is a field of 4
 * bytes, long long and double have 8, and a text is the last one. So the arguments lie where the fields do. */
#include "events/own_text.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

#define ROOM    1024u /* bytes of a descriptor */
#define HEAD    16u   /* ... and of its words */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The descriptor's text that is being made. */
struct made {
    char text[ROOM];
    size_t used; /* may be more than there is room for */
};

static void put(struct made *made, const char *text, size_t n)
{
    if (made->used + n < ROOM)
        memcpy(made->text + made->used, text, n);
    made->used += n;
}

static void put_word(struct made *made, const char *text)
{
    put(made, text, strlen(text));
}

/* The type of a field that a conversion shows, or NULL. *at: behind its percent sign, and then behind it. */
static const char *take_conversion(const char **at)
{
    const char *length = *at + strspn(*at, "0123456789.+-#"), *letter = length + strspn(length, "hlz");
    bool is_long = letter - length == 2 && strncmp(length, "ll", 2) == 0;
    *at = letter + (*letter != '\0');
    switch (*letter) {
    case 'd':
    case 'i':
        return is_long ? "i64 " : "i32 ";
    case 'u':
        return is_long ? "u64 " : "u32 ";
    case 'x':
    case 'X':
        return is_long ? "hex64 " : "hex32 ";
    case 'p':
        return "ptr ";
    case 'f':
    case 'F':
    case 'g':
    case 'e':
        return "f64 ";
    case 's':
        return "str ";
    default:
        return NULL;
    }
}

/* Put what stands behind a conversion, up to a blank or a comma, as a unit. False: it has another conversion in it. */
static bool put_unit(struct made *made, const char **at)
{
    size_t n = strcspn(*at, " ,\n");
    if (n > 0)
        put_word(made, " \"");
    for (size_t i = 0; i < n; i++) {
        if ((*at)[i] == '%' && (*at)[++i] != '%')
            return false;
        put(made, *at + i, 1);
    }
    if (n > 0)
        put_word(made, "\"");
    *at += n;
    return true;
}

/* Put the field "key=%d" as the line of a descriptor. */
static bool put_field(struct made *made, const char **at)
{
    const char *key = *at, *type;
    size_t n = strspn(key, LETTERS);
    if (n == 0 || key[n] != '=' || key[n + 1u] != '%')
        return false;
    *at += n + 2u;
    type = take_conversion(at);
    if (type == NULL)
        return false;
    put_word(made, type);
    put(made, key, n);
    if (!put_unit(made, at))
        return false;
    put_word(made, ",\n");
    return true;
}

/* Put the whole text of the descriptor. */
static bool put_all(struct made *made, const char *format)
{
    const char *at = format + strspn(format, " ");
    size_t n = strspn(at, LETTERS);
    put_word(made, "text\n");
    put(made, at, n);
    put_word(made, "\nevent\n");
    if (n == 0 || at[n] != ':')
        return false;
    at += n + 1u;
    do {
        at += strspn(at, " ,");
        if (!put_field(made, &at))
            return false;
        at += strspn(at, " ,");
    } while (*at != '\0' && *at != '\n');
    put(made, "", 1);
    return *at == '\0' || at[1] == '\0';
}

struct own_descriptor *own_text_describe(const char *format)
{
    struct made made = {.used = HEAD};
    const char *why;
    if (!put_all(&made, format) || made.used + 4u > ROOM)
        return NULL;
    while (made.used % 4u != 0)
        put(&made, "", 1);
    put_le32(made.text, OWN_MAGIC);
    put_le32(made.text + 4, (uint32_t)made.used);
    put_le32(made.text + 8, OWN_VERSION);
    put_le32(made.text + 12, 0);
    return own_descriptor_parse((const unsigned char *)made.text, made.used, false, &why);
}
