/* text.h - texts: what C's own library lacks. Letters are those of ASCII, whatever the locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a, 64 bits, of the characters before the NUL. */
static inline uint64_t text_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    while (*text != '\0')
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001B3);
    return hash;
}

/* Characters before the NUL; `most` if there is no NUL among so many. */
static inline size_t text_length(const char *text, size_t most)
{
    const char *end = memchr(text, '\0', most);
    return end != NULL ? (size_t)(end - text) : most;
}

/* A copy of a text, or of its first length characters, all of which are there. The caller frees it. NULL: no memory. */
char *text_copy(const char *text);
char *text_part(const char *text, size_t length);

/* Whether the text begins with the word, or is the word; a and A are the same. */
bool text_begins(const char *text, const char *word);
bool text_is(const char *text, const char *word);

/* The first place from `from` on where the word stands, whole and before the end. NULL: there is none. */
const char *text_find(const char *from, const char *end, const char *word);

/* Whether the pattern, as of a shell, fits all of the text: * stands for any characters, ? for one, [a-c], [!a-c] and
 * [[:digit:]] for one of a set; what follows \ stands for itself. */
bool text_fits(const char *pattern, const char *text);

/* A text that grows. All 0 is an empty one. */
struct growing_text {
    char *bytes; /* n of them and a NUL; NULL: there is no text yet, or there was no memory. The user frees them */
    size_t n, room;
    bool failed; /* there was no memory: nothing is added any more */
};

/* Add what printf() would print. */
void text_add(struct growing_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list of texts that grows. All 0 is an empty one. */
struct text_list {
    char **text; /* n of them */
    size_t n, room;
};

/* Add a text, which is the list's from now on; NULL: there was no memory for it. False: no memory, and it is freed. */
bool text_list_add(struct text_list *list, char *text);

/* Free the list with its texts. */
void text_list_free(struct text_list *list);

/* The ending of a noun after the number n: "s", or "" if n is 1. Example: 1 event, 2 events. */
static inline const char *text_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* strtold() with a decimal point, where the program's locale may have a comma: of at most 300 characters, without
 * blanks ahead; of more it reads none. And give the number that "%f" or "%g" has written a point; returns the text's
 * length. */
long double text_to_real(const char *text, char **end);
size_t text_point(char *text);

#endif
