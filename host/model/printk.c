/* printk.c - formats and their arguments to text: see printk.h.
 *
 * Each conversion is taken apart, its arguments are fetched, and the C library formats the one value by a conversion
 * put together anew. Nothing of the format reaches the library unread.
 */
#include "model/printk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NONE           (-1)
#define FROM_ARGUMENTS (-2)
#define KERNEL_LONGEST 24u /* bytes of a conversion that libtraceevent keeps whole */

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
    int width, precision; /* or NONE, or FROM_ARGUMENTS */
    enum length length;
    char letter;  /* '\0': none that C knows */
    size_t bytes; /* of it in the format, with the '%' */
};

struct text {
    char *bytes;
    size_t size, used;
};

struct arguments {
    const unsigned char *at;
    size_t left;
    bool big_endian;
    bool missing; /* a conversion found none, or a string without its end */
    bool unknown; /* a conversion may have had some, and none can say how many */
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

static size_t room(const struct text *text)
{
    return text->used < text->size ? text->size - text->used : 0;
}

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

/* What snprintf() returned for the room there was. */
static void added(struct text *text, int n)
{
    text->used += n > 0 ? (size_t)n : 0;
}

static char *next(const struct text *text)
{
    return room(text) > 0 ? text->bytes + text->used : NULL;
}

static size_t finish(struct text *text)
{
    if (text->size > 0)
        text->bytes[text->used < text->size ? text->used : text->size - 1u] = '\0';
    return text->used;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* The next word; once one is missing, all further ones are. */
static bool take_word(struct arguments *from, uint32_t *word)
{
    const unsigned char *at = from->at;

    if (from->left < 4u) {
        from->left = 0;
        from->missing = true;
        return false;
    }
    *word = from->big_endian ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
                             : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
    from->at += 4;
    from->left -= 4u;
    return true;
}

static bool take_words(struct arguments *from, uint64_t *value)
{
    uint32_t low, high;

    if (!take_word(from, &low) || !take_word(from, &high))
        return false;
    *value = (uint64_t)high << 32 | low;
    return true;
}

/* The next string, and its length without its NUL, which must be there. NULL: none. */
static const char *take_string(struct arguments *from, size_t *length)
{
    const char *string = (const char *)from->at;
    size_t bytes;

    *length = strnlen(string, from->left);
    if (*length == from->left) {
        from->left = 0;
        from->missing = true;
        return NULL;
    }
    bytes = (*length + 1u + 3u) & ~(size_t)3;
    bytes = bytes < from->left ? bytes : from->left;
    from->at += bytes;
    from->left -= bytes;
    return string;
}

/* Whether the conversions took what there is: events have whole slots of two words, so a word of 0 may be left. */
static bool agree(const struct arguments *from)
{
    static const unsigned char padding[4];

    if (from->missing || from->unknown)
        return !from->missing;
    return from->left <= sizeof padding && memcmp(from->at, padding, from->left) == 0;
}

/* ---- taking a conversion apart ----------------------------------------------------------------------------------- */

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

/* format is at a '%'. */
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

static void add_string(struct text *text, const struct conversion *how, const char *string, size_t length)
{
    int precision = how->precision >= 0 && (size_t)how->precision < length ? how->precision : (int)length;
    bool left = strchr(how->flags, '-') != NULL;

    added(text, snprintf(next(text), room(text), left ? "%-*.*s" : "%*.*s", how->width < 0 ? 0 : how->width, precision,
                         string));
}

static void string_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    size_t length;
    const char *string = take_string(from, &length);

    if (string != NULL)
        add_string(text, how, string, length < INT32_MAX ? length : INT32_MAX);
}

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

/* The value as an argument of that length has it. */
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

static void word_argument(struct text *text, const struct conversion *how, struct arguments *from)
{
    uint32_t word;

    if (take_word(from, &word) && how->letter != 'n')
        short_argument(text, how, word);
}

static int limited(int32_t number)
{
    return number > PRINTK_WIDTH_MAX ? PRINTK_WIDTH_MAX : number;
}

/* Fetch width and precision. A negative width is a flag and a width; a negative precision is none. */
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

/* Returns the bytes of the format that were used up. What is missing is noted in from, and leaves nothing. */
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
    struct arguments from = {args, nargs, big_endian, false, false};

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
    struct arguments from = {args, nargs, big_endian, false, false};
    uint32_t word;

    added(&text, snprintf(next(&text), room(&text), "printk format 0x%" PRIx64 " args", address));
    while (take_word(&from, &word))
        added(&text, snprintf(next(&text), room(&text), " 0x%" PRIx32, word));
    add_word(&text, remark);
    return finish(&text);
}

/* libtraceevent's scanner of arguments knows only digits, '.', 'l' and these letters; '*' goes wrong for negative
 * numbers, 'z' for what is not an int. */
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

static void pack_number(struct text *out, uint64_t value, size_t bytes)
{
    char number[8];

    for (size_t i = 0; i < bytes; i++)
        number[i] = (char)(value >> 8u * i);
    add(out, "\0\0\0", (0u - out->used) % 4u);
    add(out, number, bytes);
}

static bool pack_string(struct text *out, struct arguments *from)
{
    size_t length;
    const char *string = take_string(from, &length);

    if (string == NULL)
        return false;
    add(out, string, length + 1u);
    return true;
}

/* For conversions that kernel_can_convert(). */
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
    struct arguments from = {args, nargs, big_endian, false, false};
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
