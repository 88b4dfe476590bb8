/* printk_harness.c - format strings made up with their arguments: see printk_harness.h. */
#define _GNU_SOURCE
#include "printk_harness.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 6 };

static uint64_t random_state = 12345;

uint64_t any(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 29 ^ random_state << 31;
}

unsigned below(unsigned n)
{
    return (unsigned)(any() % n);
}

/* ---- a format, its arguments, and what it must print ------------------------------------------------------------- */

void pack_word(struct job *job, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        job->args[job->nargs++] = (unsigned char)(word >> 8 * (job->big_endian ? 3 - i : i));
}

static void pack_words(struct job *job, uint64_t value)
{
    pack_word(job, (uint32_t)value);
    pack_word(job, (uint32_t)(value >> 32));
}

static void pack_string(struct job *job, const char *string)
{
    size_t n = strlen(string) + 1;
    memcpy(job->args + job->nargs, string, n);
    for (job->nargs += n; job->nargs % 4 != 0;)
        job->args[job->nargs++] = 0xAA; /* padding may be any bytes */
    memcpy(job->kernel + job->nkernel, string, n);
    job->nkernel += n;
}

static void pack_kernel(struct job *job, uint64_t value, size_t bytes)
{
    while (job->nkernel % 4 != 0)
        job->kernel[job->nkernel++] = 0;
    for (size_t i = 0; i < bytes; i++)
        job->kernel[job->nkernel++] = (unsigned char)(value >> 8 * i);
}

static void expect(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 0)));

static void expect(struct job *job, const char *format, ...)
{
    size_t used = strlen(job->expected);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->expected + used, sizeof job->expected - used, format, arguments);
    va_end(arguments);
}

/* A number that is small, at the end of a range, or any. */
static uint64_t any_value(void)
{
    static const uint64_t ends[] = {
        0, 1, UINT64_MAX, INT32_MAX, 0x80000000, UINT32_MAX, INT64_MAX, UINT64_C(1) << 63, 127, 128, 255};
    switch (below(3)) {
    case 0:
        return below(100);
    case 1:
        return ends[below(sizeof ends / sizeof ends[0])];
    default:
        return any();
    }
}

/* A width or a precision that is an argument. The library gets it as a number: a negative precision is none, and a
 * width of 0 would be a flag. */
static void add_star(struct job *job, bool precision, int number, char *theirs, char *ours)
{
    pack_word(job, (uint32_t)number);
    pack_kernel(job, (uint32_t)number, 4);
    strcat(theirs, "*");
    if (precision && number < 0)
        ours[strlen(ours) - 1] = '\0'; /* the '.' */
    else if (precision || number != 0)
        snprintf(ours + strlen(ours), 16, "%d", number);
}

/* A width or a precision in digits, which are not negative; a width of 0 would be a flag. */
static void add_digits(bool precision, int number, char *theirs, char *ours)
{
    char digits[16] = "";
    if (precision)
        number = number < 0 ? 0 : number;
    else
        number = number < 0 ? -number : number;
    if (precision || number != 0)
        snprintf(digits, sizeof digits, "%d", number);
    strcat(theirs, digits);
    strcat(ours, digits);
}

static void any_size(struct job *job, bool precision, char *theirs, char *ours)
{
    int number = below(8) == 0 ? (int)below(80) - 40 : (int)below(20);
    unsigned how = below(4);
    if (how < 2)
        return;
    strcat(theirs, precision ? "." : "");
    strcat(ours, precision ? "." : "");
    if (how == 2)
        add_star(job, precision, number, theirs, ours);
    else
        add_digits(precision, number, theirs, ours);
}

/* Flags, width and precision: as the format string has them, and as the library gets them, with numbers for '*'. */
static void any_sizes(struct job *job, const char *flags, char *theirs, char *ours)
{
    strcpy(theirs, "%");
    for (unsigned i = below(4); i > 0; i--)
        strncat(theirs, flags + below((unsigned)strlen(flags)), 1);
    strcpy(ours, theirs);
    any_size(job, false, theirs, ours);
    any_size(job, true, theirs, ours);
}

static void add_integer(struct job *job)
{
    static const char *const lengths[] = {"", "hh", "h", "l", "ll", "j", "z", "t"};
    const char *length = lengths[below(8)];
    char letter = "diuxXo"[below(6)], theirs[64], ours[64];
    uint64_t value = any_value();
    bool wide = length[0] == 'j' || strcmp(length, "ll") == 0, is_signed = letter == 'd' || letter == 'i';
    any_sizes(job, below(2) ? "-+ #0" : "0", theirs, ours);
    snprintf(theirs + strlen(theirs), 8, "%s%c", length, letter);
    snprintf(ours + strlen(ours), 8, "%s%c", wide ? "ll" : length[0] == 'h' ? length : "", letter);
    strcat(job->format, theirs);
    if (wide) {
        pack_words(job, value);
        pack_kernel(job, value, 8);
        expect(job, ours, (long long)value);
        return;
    }
    pack_word(job, (uint32_t)value);
    if (length[0] == 'l')
        pack_kernel(job, is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value, 8);
    else
        pack_kernel(job, (uint32_t)value, 4);
    expect(job, ours, (int)value);
}

static void add_double(struct job *job)
{
    static const double values[] = {0, -0.0, 1, -1.5, 1e300, 1e-300, INFINITY, -INFINITY, NAN, 3.14159, 123456789};
    double value = below(2) ? values[below(11)] : ((double)any() - 9e18) / (double)(any() | 1);
    char theirs[64], ours[64];
    uint64_t bits;
    any_sizes(job, "-+ #0", theirs, ours);
    snprintf(theirs + strlen(theirs), 8, "%s%c", below(2) ? "" : "l", "fFeEgGaA"[below(8)]);
    strncat(ours, theirs + strlen(theirs) - 1, 1);
    strcat(job->format, theirs);
    memcpy(&bits, &value, sizeof bits);
    pack_words(job, bits);
    expect(job, ours, value);
}

static void add_string(struct job *job)
{
    char theirs[64], ours[64], string[40] = "";
    any_sizes(job, "-", theirs, ours);
    for (unsigned i = below(12); i > 0; i--)
        strncat(string, &"abcdefgh:\"\t%"[below(12)], 1);
    strcat(theirs, "s");
    strcat(ours, "s");
    strcat(job->format, theirs);
    pack_string(job, string);
    expect(job, ours, string);
}

/* Flags and a width. A precision may be in the format string, but is ignored. */
static void any_width(struct job *job, char *theirs, char *ours)
{
    any_sizes(job, "-", theirs, ours);
    if (strchr(ours, '.') != NULL)
        *strchr(ours, '.') = '\0';
}

static void add_character(struct job *job)
{
    char theirs[64], ours[64];
    uint32_t word = (uint32_t)any() | 1;
    any_width(job, theirs, ours);
    strcat(theirs, "c");
    strcat(ours, "c");
    strcat(job->format, theirs);
    pack_word(job, word);
    word = (word & 0xFF) == 0 ? 1 : word;
    expect(job, ours, (int)word);
}

/* newlib prints a pointer as %#x, but 0 as 0x0. */
static void add_pointer(struct job *job)
{
    char theirs[64], ours[64], text[16];
    uint32_t word = (uint32_t)any_value();
    any_width(job, theirs, ours);
    strcat(theirs, "p");
    strcat(ours, "s");
    strcat(job->format, theirs);
    pack_word(job, word);
    snprintf(text, sizeof text, "0x%x", (unsigned)word);
    expect(job, ours, text);
}

static void add_plain(struct job *job)
{
    static const char *const plain[] = {"", " ", "%%", "value=", "a:b", "\n", "\"q\"", "100%% "};
    const char *text = plain[below(8)];
    strcat(job->format, text);
    expect(job, text, 0);
}

void make_job(struct job *job, bool big_endian, unsigned kinds)
{
    static void (*const add[])(struct job *) = {add_plain,  add_integer,   add_string,
                                                add_double, add_character, add_pointer};
    memset(job, 0, sizeof *job);
    job->big_endian = big_endian;
    for (unsigned i = below(PIECES) + 1; i > 0; i--)
        add[below(kinds)](job);
}
