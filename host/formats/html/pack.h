/* pack.h - bytes as text in a page: compressed by zlib, if the program has it, and in base64 (RFC 4648). */
#ifndef HTML_PACK_H
#define HTML_PACK_H

#include <stdbool.h>
#include <stddef.h>

struct trace;
struct html_pack;

/* Whether this program compresses. */
bool html_packs(void);

/* Begin a file, whose text is written to fd. NULL after trace_fail(). */
struct html_pack *html_pack_begin(struct trace *trace, int fd);

/* Add bytes; end the file, and free the state. 0, or -1 after trace_fail(). */
int html_pack_add(struct html_pack *pack, const unsigned char *bytes, size_t n);
int html_pack_end(struct html_pack *pack, bool ok);

#endif
