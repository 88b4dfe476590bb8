/* utf8.h - characters of UTF-8 in bytes of any kind. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character that begins here, whose first byte is 0x80 or above, among n bytes. 0: it is no character of
 * UTF-8, or a control character (U+0080 to U+009F). */
size_t utf8_bytes(const unsigned char *at, size_t n);

/* Put ? in the place of each byte from 0x80 on that is in no such character. */
void utf8_mend(unsigned char *at, size_t n);

#endif
