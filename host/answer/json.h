/* json.h - writes JSON (RFC 8259), with two blanks for each level, and short objects in one line. */
#ifndef ANSWER_JSON_H
#define ANSWER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

/* What is being written. All 0 at the beginning, but for to. */
struct json {
    FILE *to;
    unsigned depth;        /* objects and arrays that are open */
    bool has[JSON_DEPTH];  /* by depth: something stands in it already */
    bool flat[JSON_DEPTH]; /* by depth: it is written in one line */
};

/* In the calls below key is the name of a member of an object. It is NULL for an element of an array, and at the top.
 */

/* Begin an object or an array: bracket is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);

/* The same, and write all of it in one line. */
void json_open_flat(struct json *json, const char *key, char bracket);

/* End it: '}' or ']'. */
void json_close(struct json *json, char bracket);

void json_number(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A part of a whole, with six decimals. */
void json_share(struct json *json, const char *key, double value);

/* A text up to its NUL. It may have any bytes: what is no UTF-8 becomes U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);

#endif
