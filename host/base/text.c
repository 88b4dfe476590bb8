/* text.c - see text.h. */
#include "base/text.h"

#include "base/heap.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *text_copy(const char *text)
{
    return text_part(text, strlen(text));
}

char *text_part(const char *text, size_t length)
{
    char *copy = heap_alloc(length + 1u);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static int lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

bool text_begins(const char *text, const char *word)
{
    while (*word != '\0' && lower(*text) == lower(*word))
        text++, word++;
    return *word == '\0';
}

bool text_is(const char *text, const char *word)
{
    return strlen(text) == strlen(word) && text_begins(text, word);
}

const char *text_find(const char *from, const char *end, const char *word)
{
    size_t length = strlen(word);
    while (from != NULL && (size_t)(end - from) >= length && memcmp(from, word, length) != 0)
        from = memchr(from + 1, word[0], (size_t)(end - from) - 1u);
    return from != NULL && (size_t)(end - from) >= length ? from : NULL;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

bool text_list_add(struct text_list *list, char *text)
{
    char **more = text != NULL ? heap_grow(list->text, list->n, &list->room, sizeof *more) : NULL;
    if (more == NULL) {
        heap_free(text);
        return false;
    }
    list->text = more;
    more[list->n++] = text;
    return true;
}

void text_list_free(struct text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        heap_free(list->text[i]);
    heap_free(list->text);
    *list = (struct text_list){0};
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* Whether a character is of a class that a set names, such as digit of [[:digit:]]. */
static bool is_of_class(const char *name, size_t length, int c)
{
    static const struct {
        const char *name;
        int (*is)(int c);
    } classes[] = {
        {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
        {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
        {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0)
            return classes[i].is(c) != 0;
    }
    return false;
}

/* The character of a set at *at, which may be behind a \; *at goes behind it. */
static unsigned char take_character(const char **at)
{
    *at += **at == '\\' && (*at)[1] != '\0';
    return (unsigned char)*(*at)++;
}

/* Whether a character is in the set, which begins behind its [. Returns what is behind its ]; NULL if it has none: then
 * the [ is no more than a character. */
static const char *look_in_set(const char *at, unsigned char c, bool *is_in)
{
    bool negated = *at == '!' || *at == '^', found = false;
    const char *first = at += negated, *end;
    while (*at != '\0' && (*at != ']' || at == first)) {
        unsigned char low, high;
        if (at[0] == '[' && at[1] == ':' && (end = strstr(at + 2, ":]")) != NULL) {
            found |= is_of_class(at + 2, (size_t)(end - at) - 2u, c);
            at = end + 2;
            continue;
        }
        low = high = take_character(&at);
        if (at[0] == '-' && at[1] != ']' && at[1] != '\0') {
            at++;
            high = take_character(&at);
        }
        found |= low <= c && c <= high;
    }
    *is_in = found != negated;
    return *at == ']' ? at + 1 : NULL;
}

/* What follows in the pattern after the part that fits one character, which is no *. NULL: it does not fit. */
static const char *fit_one(const char *pattern, char c)
{
    bool is_in = false;
    const char *behind = *pattern == '[' ? look_in_set(pattern + 1, (unsigned char)c, &is_in) : NULL;
    if (behind != NULL)
        return is_in ? behind : NULL;
    if (*pattern == '?')
        return pattern + 1;
    pattern += *pattern == '\\';
    return *pattern == c ? pattern + 1 : NULL;
}

/* A * takes no character at first. Whenever the rest does not fit, the last one takes one more. */
bool text_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *taken = NULL, *next;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            taken = text;
        } else if ((next = fit_one(pattern, *text)) != NULL) {
            pattern = next;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++taken;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

/* Make room for so many more bytes and a NUL. */
static bool grow(struct growing_text *text, size_t more)
{
    size_t room = text->room;
    char *bytes;
    if (text->n + more < room)
        return true;
    while (room <= text->n + more)
        room = room == 0 ? 256 : 2u * room;
    bytes = heap_realloc(text->bytes, room);
    text->failed = bytes == NULL;
    if (text->failed)
        return false;
    text->bytes = bytes;
    text->room = room;
    return true;
}

void text_add(struct growing_text *text, const char *format, ...)
{
    int n = 0;
    while (!text->failed && grow(text, (size_t)n)) {
        va_list arguments;
        size_t room = text->room - text->n;
        va_start(arguments, format);
        n = vsnprintf(text->bytes + text->n, room, format, arguments);
        va_end(arguments);
        text->failed = n < 0;
        if (n >= 0 && (size_t)n < room) {
            text->n += (size_t)n;
            return;
        }
    }
}

#define REAL_MOST  300u
#define POINT_ROOM 8u /* for a locale's decimal point, with its NUL */

static void get_point(char point[POINT_ROOM])
{
    char half[POINT_ROOM + 2u];
    size_t n = (size_t)snprintf(half, sizeof half, "%.1f", 0.5) - 2u;
    n = n < POINT_ROOM ? n : 0;
    memcpy(point, half + 1, n);
    point[n] = '\0';
}

long double text_to_real(const char *text, char **end)
{
    int n = (int)strspn(text, "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    int dot = (int)strcspn(text, "."), whole = dot < n ? dot : n, behind = n - whole - 1;
    char point[POINT_ROOM], copy[REAL_MOST + POINT_ROOM + 1u], *stop;
    long double value;
    get_point(point);
    *end = (char *)text;
    if ((unsigned)n > REAL_MOST)
        return 0;
    snprintf(copy, sizeof copy, "%.*s%s%.*s", whole, text, behind >= 0 ? point : "", behind > 0 ? behind : 0,
             behind > 0 ? text + whole + 1 : "");
    value = strtold(copy, &stop);
    *end += stop - copy - (stop - copy > whole ? (ptrdiff_t)strlen(point) - 1 : 0);
    return value;
}

size_t text_point(char *text)
{
    char point[POINT_ROOM], *at;
    get_point(point);
    at = point[0] != '\0' ? strstr(text, point) : NULL;
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1u);
    }
    return strlen(text);
}
