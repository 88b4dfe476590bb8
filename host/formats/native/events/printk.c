/* printk.c - format strings and their arguments to text: see printk.h.
 *
 * Each conversion is parsed and its arguments are fetched. Then the C library formats that one value by a conversion
 * made anew from what was parsed. No part of the target's format string reaches the library itself.
 */
#include "formats/native/events/printk.h"

#include "base/cursor.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NONE           (-1) /* a width or a precision that a conversion does not have */
#define FROM_ARGUMENTS (-2) /* one that is an argument: '*' */
#define KERNEL_LONGEST 24u  /* bytes of a conversion that libtraceevent keeps whole */
#define WORD_BYTES     4u   /* an int of the target, the unit of its arguments */

/* The length modifier of a conversion: none, hh, h, l, ll, j, z or t, L. */
enum length {
    LENGTH_INT,
    LENGTH_CHAR,
    LENGTH_SHORT,
    LENGTH_LONG,
    LENGTH_LONG_LONG,
    LENGTH_INTMAX,
    LENGTH_WORD,
    LENGTH_LONG_DOUBLE
};

struct conversion {
    char flags[6];        /* each once */
    int width, precision; /* 0 to PRINTK_WIDTH_MAX, NONE or FROM_ARGUMENTS */
    enum length length;
    char letter;  /* the conversion specifier, or '\0': none that C has */
    size_t bytes; /* in the format string, with the '%' */
};

/* The text that is made. */
struct text {
    char *bytes;
    size_t size; /* room in bytes */
    size_t used; /* length of the whole text, which may be more than there is room for */
};

struct arguments {
    struct cursor bytes; /* bad: a conversion found too few, or a string without its NUL */
    bool unknown;        /* a conversion is none that C has: how many arguments it took is not known */
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Bytes that still fit. */
static size_t room(const struct text *text)
{
    return text->used < text->size ? text->size - text->used : 0;
}

/* Add n bytes to the text. */
static void add(struct text *text, const char *bytes, size_t n)
{
    size_t fits = room(text);
    if (fits > 0)
        memcpy(text->bytes + text->used, bytes, n < fits ? n : fits);
    text->used += n;
}

static void add_word(struct text *text, const char *word)
{
    add(text, word, strlen(word));
}

/* Note that snprintf() has written to next() and returned n: the length, whether it fitted or not. */
static void added(struct text *text, int n)
{
    text->used += n > 0 ? (size_t)n : 0;
}

/* Where snprintf() writes on, with room() bytes; NULL without room. */
static char *next(const struct text *text)
{
    return room(text) > 0 ? text->bytes + text->used : NULL;
}

/* End the text with a NUL. Returns the length of the whole text. */
static size_t finish(struct text *text)
{
    if (text->size > 0)
        text->bytes[text->used < text->size ? text->used : text->size - 1u] = '\0';
    return text->used;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static struct arguments arguments_of(const unsigned char *bytes, size_t size, bool big_endian)
{
    return (struct arguments){cursor_in_memory(bytes, size, big_endian), false};
}

/* The next word. Once one is missing, all further ones are. */
static bool take_word(struct arguments *from, uint32_t *word)
{
    *word = cursor_32(&from->bytes);
    return !from->bytes.bad;
}

/* The next two words, the low one first in either byte order. */
static bool take_words(struct arguments *from, uint64_t *value)
{
    uint32_t low, high;
    if (!take_word(from, &low) || !take_word(from, &high))
        return false;
    *value = (uint64_t)high << 32 | low;
    return true;
}

/* The next string, and its length without its NUL, which must be there. NULL: none. The padding of the last string may
 * be cut off. */
static const char *take_string(struct arguments *from, size_t *length)
{
    size_t left = (size_t)cursor_left(&from->bytes), bytes;
    const char *string = (const char *)cursor_view(&from->bytes, 0);
    *length = string != NULL ? text_length(string, left) : left;
    if (*length == left) {
        from->bytes.bad = true;
        return NULL;
    }
    bytes = (*length + WORD_BYTES) & ~(size_t)(WORD_BYTES - 1u);
    cursor_skip(&from->bytes, bytes < left ? bytes : left);
    return string;
}

/* Whether the conversions took all arguments. A word of 0 may be left: events have whole slots of two words. */
static bool agree(struct arguments *from)
{
    size_t left = (size_t)cursor_left(&from->bytes);
    if (from->bytes.bad || from->unknown)
        return !from->bytes.bad;
    return left <= WORD_BYTES && cursor_number(&from->bytes, (unsigned)left) == 0;
}

/* ---- parsing a conversion ---------------------------------------------------------------------------------------- */

/* The functions parse_...() parse a part of a conversion, which may be empty, and return what follows it. */

static const char *parse_flags(const char *at, char *flags)
{
    size_t n = 0;
    for (; *at != '\0' && strchr("-+ #0", *at) != NULL; at++) {
        if (memchr(flags, *at, n) == NULL)
            flags[n++] = *at;
    }
    flags[n] = '\0';
    return at;
}

/* A width or a precision. *number: what it is if there are no digits. */
static const char *parse_number(const char *at, int *number)
{
    if (*at == '*') {
        *number = FROM_ARGUMENTS;
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        int digit = *at - '0';
        *number = *number == NONE ? digit : *number * 10 + digit;
        if (*number > PRINTK_WIDTH_MAX)
            *number = PRINTK_WIDTH_MAX;
    }
    return at;
}

static const char *parse_length(const char *at, enum length *length)
{
    static const struct {
        const char *text;
        enum length length;
    } lengths[] = {{"hh", LENGTH_CHAR},  {"h", LENGTH_SHORT}, {"ll", LENGTH_LONG_LONG}, {"l", LENGTH_LONG},
                   {"j", LENGTH_INTMAX}, {"z", LENGTH_WORD},  {"t", LENGTH_WORD},       {"L", LENGTH_LONG_DOUBLE}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t bytes = strlen(lengths[i].text);
        if (strncmp(at, lengths[i].text, bytes) == 0) {
            *length = lengths[i].length;
            return at + bytes;
        }
    }
    *length = LENGTH_INT;
    return at;
}

/* Whether C has such a conversion. */
static bool is_valid(const struct conversion *conversion)
{
    char letter = conversion->letter;
    enum length length = conversion->length;
    if (letter == '\0')
        return false;
    if (letter == '%')
        return conversion->bytes == 2u;
    if (strchr("diuxXon", letter) != NULL)
        return length != LENGTH_LONG_DOUBLE;
    if (strchr("fFeEgGaA", letter) != NULL)
        return length == LENGTH_INT || length == LENGTH_LONG || length == LENGTH_LONG_DOUBLE;
    return strchr("csp", letter) != NULL && length == LENGTH_INT;
}

/* Parse the conversion that begins with the '%' at format. */
static void parse(const char *format, struct conversion *conversion)
{
    const char *at = parse_flags(format + 1, conversion->flags);
    conversion->width = conversion->precision = NONE;
    at = parse_number(at, &conversion->width);
    if (*at == '.') {
        conversion->precision = 0;
        at = parse_number(at + 1, &conversion->precision);
    }
    at = parse_length(at, &conversion->length);
    conversion->letter = *at;
    conversion->bytes = (size_t)(at - format) + (*at != '\0');
    if (!is_valid(conversion))
        conversion->letter = '\0';
}

/* ---- single conversions ------------------------------------------------------------------------------------------ */

/* Add the first length bytes of a string, none of which is a NUL, as %s does. */
static void add_string(struct text *text, const struct conversion *how, const char *string, size_t length)
{
    int precision = how->precision >= 0 && (size_t)how->precision < length ? how->precision : (int)length;
    bool left = strchr(how->flags, '-') != NULL;
    added(text, snprintf(next(text), room(text), left ? "%-*.*s" : "%*.*s", how->width < 0 ? 0 : how->width, precision,
                         string));
}

/* The functions ..._argument() add the text of a conversion, or nothing if its argument is missing. This one: %s. */
static void string_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    size_t length;
    const char *string = take_string(from, &length);
    if (string != NULL)
        add_string(text, how, string, length < INT32_MAX ? length : INT32_MAX);
}

/* %c and %p. newlib, the C library of most firmware, prints a pointer as 0x and digits, and ignores a precision. */
static void short_argument(struct text *text, const struct conversion *how, uint32_t word)
{
    struct conversion plain = *how;
    char string[16];
    plain.precision = NONE;
    if (how->letter == 'c')
        snprintf(string, sizeof string, "%c", (char)word);
    else
        snprintf(string, sizeof string, "0x%" PRIx32, word);
    add_string(text, &plain, string, strlen(string));
}

/* A word as hh, h or no length modifier cut it, extended to 64 bits as the conversion says. */
static uint64_t shortened(const struct conversion *how, uint32_t word)
{
    bool is_signed = how->letter == 'd' || how->letter == 'i';
    switch (how->length) {
    case LENGTH_CHAR:
        return is_signed ? (uint64_t)(int64_t)(int8_t)word : (uint8_t)word;
    case LENGTH_SHORT:
        return is_signed ? (uint64_t)(int64_t)(int16_t)word : (uint16_t)word;
    default:
        return is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
    }
}

/* %d, %i, %u, %x, %X and %o: the library gets the value as a long long. */
static void number_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    char format[24];
    bool wide = how->length == LENGTH_LONG_LONG || how->length == LENGTH_INTMAX;
    uint64_t value = 0;
    uint32_t word = 0;
    if (wide ? !take_words(from, &value) : !take_word(from, &word))
        return;
    if (!wide)
        value = shortened(how, word);
    snprintf(format, sizeof format, "%%%s*.*ll%c", how->flags, how->letter);
    added(text, snprintf(next(text), room(text), format, how->width < 0 ? 0 : how->width, how->precision, value));
}

/* Floating point. long double is double on 32-bit ARM. */
static void double_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    char format[24];
    uint64_t bits;
    double value;
    if (!take_words(from, &bits))
        return;
    _Static_assert(sizeof value == sizeof bits, "double");
    memcpy(&value, &bits, sizeof value);
    snprintf(format, sizeof format, "%%%s*.*%c", how->flags, how->letter);
    added(text, snprintf(next(text), room(text), format, how->width < 0 ? 0 : how->width, how->precision, value));
}

/* %c, %p, and %n, which takes its argument and prints nothing. */
static void word_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    uint32_t word;
    if (take_word(from, &word) && how->letter != 'n')
        short_argument(text, how, word);
}

/* A width or precision from the arguments, not above the limit. */
static int limited(int32_t number)
{
    return number > PRINTK_WIDTH_MAX ? PRINTK_WIDTH_MAX : number;
}

/* Fetch the width and the precision if they are arguments. A negative width is the flag '-' and a width; a negative
 * precision is none. The lowest int has no positive one. False: they are missing. */
static bool take_sizes(struct conversion *how, struct arguments *from)
{
    uint32_t word = 0;
    if (how->width == FROM_ARGUMENTS) {
        if (!take_word(from, &word))
            return false;
        how->width = limited((int32_t)word < 0 && word != 0x80000000u ? -(int32_t)word : (int32_t)word);
        if ((int32_t)word < 0 && strchr(how->flags, '-') == NULL)
            strcat(how->flags, "-");
        if (word == 0x80000000u)
            how->width = PRINTK_WIDTH_MAX;
    }
    if (how->precision == FROM_ARGUMENTS) {
        if (!take_word(from, &word))
            return false;
        how->precision = (int32_t)word < 0 ? NONE : limited((int32_t)word);
    }
    return true;
}

/* Add the text of the conversion at format. Returns the bytes it has in the format string. A conversion whose arguments
 * are missing has no text, and from is bad after it. */
static size_t convert(struct text *text, const char *format, struct arguments *from)
{
    struct conversion how;
    parse(format, &how);
    if (how.letter == '\0') {
        add_word(text, "<");
        add(text, format, how.bytes);
        add_word(text, "?>");
        from->unknown = true;
    } else if (!take_sizes(&how, from)) {
        return how.bytes;
    } else if (how.letter == '%') {
        add_word(text, "%");
    } else if (how.letter == 's') {
        string_argument(text, &how, from);
    } else if (strchr("cpn", how.letter) != NULL) {
        word_argument(text, &how, from);
    } else if (strchr("diuxXo", how.letter) != NULL) {
        number_argument(text, &how, from);
    } else {
        double_argument(text, &how, from);
    }
    return how.bytes;
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

bool printk_render(char *out, size_t size, size_t *length, const char *format, const unsigned char *args, size_t nargs,
                   bool big_endian)
{
    struct text text = {out, size, 0};
    struct arguments from = arguments_of(args, nargs, big_endian);
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        add(&text, format, plain);
        format += plain;
        if (*format == '%')
            format += convert(&text, format, &from);
    }
    *length = finish(&text);
    return agree(&from);
}

size_t printk_render_raw(char *out, size_t size, uint64_t address, const char *remark, const unsigned char *args,
                         size_t nargs, bool big_endian)
{
    struct text text = {out, size, 0};
    struct arguments from = arguments_of(args, nargs, big_endian);
    uint32_t word;
    added(&text, snprintf(next(&text), room(&text), "printk format 0x%" PRIx64 " args", address));
    while (take_word(&from, &word))
        added(&text, snprintf(next(&text), room(&text), " 0x%" PRIx32, word));
    add_word(&text, remark);
    return finish(&text);
}

/* Between '%' and the letter, libtraceevent looks only for digits, '.' and 'l' when it fetches arguments, and it knows
 * only these letters. '*' goes wrong for negative numbers, 'z' for a value that is not an int. */
static bool kernel_can_convert(const struct conversion *how)
{
    if (how->letter == '%')
        return true;
    if (how->letter == '\0' || how->width == FROM_ARGUMENTS || how->precision == FROM_ARGUMENTS
        || how->bytes > KERNEL_LONGEST)
        return false;
    if (how->letter == 's')
        return how->flags[0] == '\0';
    return strchr("diuxXo", how->letter) != NULL && (how->flags[0] == '\0' || strcmp(how->flags, "0") == 0)
           && (how->length == LENGTH_INT || how->length == LENGTH_LONG || how->length == LENGTH_LONG_LONG);
}

bool printk_kernel_can(const char *format)
{
    struct conversion how;
    if (strchr(format, '\\') != NULL)
        return false;
    for (format = strchr(format, '%'); format != NULL; format = strchr(format + how.bytes, '%')) {
        parse(format, &how);
        if (!kernel_can_convert(&how))
            return false;
    }
    return true;
}

/* ---- packed as the kernel does ----------------------------------------------------------------------------------- */

/* Add a number of 4 or 8 bytes, little-endian, at a multiple of 4; or, of 0 bytes, only the padding before it. */
static void pack_number(struct text *out, uint64_t value, size_t bytes)
{
    char number[8];
    for (size_t i = 0; i < bytes; i++)
        number[i] = (char)(value >> 8u * i);
    add(out, "\0\0\0", (0u - out->used) % 4u);
    add(out, number, bytes);
}

/* Add a string with its NUL, not aligned. */
static bool pack_string(struct text *out, struct arguments *from)
{
    size_t length;
    const char *string = take_string(from, &length);
    if (string == NULL)
        return false;
    add(out, string, length + 1u);
    return true;
}

/* Pack what a conversion takes, which kernel_can_convert(). False: it is missing. */
static bool pack_argument(struct text *out, const struct conversion *how, struct arguments *from)
{
    uint64_t value = 0;
    uint32_t word = 0;
    if (how->letter == '%')
        return true;
    if (how->letter == 's')
        return pack_string(out, from);
    if (how->length == LENGTH_LONG_LONG ? !take_words(from, &value) : !take_word(from, &word))
        return false;
    if (how->length != LENGTH_LONG_LONG)
        value = shortened(how, word);
    pack_number(out, value, how->length == LENGTH_INT ? 4u : 8u);
    return true;
}

bool printk_pack(unsigned char *out, size_t size, size_t *used, const char *format, const unsigned char *args,
                 size_t nargs, bool big_endian)
{
    struct text text = {(char *)out, size, 0};
    struct arguments from = arguments_of(args, nargs, big_endian);
    struct conversion how;
    for (format = strchr(format, '%'); format != NULL; format = strchr(format + how.bytes, '%')) {
        parse(format, &how);
        if (!pack_argument(&text, &how, &from))
            return false;
    }
    pack_number(&text, 0, 0);
    *used = text.used;
    return text.used <= size && agree(&from);
}
