/* pack.c - compress the chunks of a dump, as firmware does with tlog_pack(): pack IN OUT. All other bytes stay. */
#include "tlog_pack.h"
#include "tlog_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long size;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0)
        return NULL;
    bytes = malloc((size_t)size + 1u);
    *n = bytes != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return bytes;
}

/* The size of the image that begins there; 0: none does. */
static size_t image_at(const unsigned char *bytes, size_t n)
{
    struct tlog_chunk header;
    if (n < sizeof header)
        return 0;
    memcpy(&header, bytes, sizeof header);
    return header.magic == TLOG_WIRE_MAGIC && header.tag == TLOG_WIRE_TAG && header.buf_size <= n ? header.buf_size : 0;
}

/* Write the region of an image. Returns whether that went well. */
static bool write_region(const unsigned char *bytes, size_t size, FILE *to)
{
    struct tlog_pack work;
    struct tlog_chunk *chunk = malloc(size);
    unsigned char *region = malloc(2u * size + TLOG_PACK_HEAD_BYTES);
    int32_t packed = -1;
    if (chunk != NULL && region != NULL) {
        memcpy(chunk, bytes, size);
        packed = tlog_pack(chunk, region, (uint32_t)(2u * size + TLOG_PACK_HEAD_BYTES), &work);
    }
    if (packed > 0)
        packed = fwrite(region, 1, (size_t)packed, to) == (size_t)packed ? packed : -1;
    free(chunk);
    free(region);
    return packed > 0;
}

int main(int argc, char **argv)
{
    size_t n = 0, size;
    unsigned char *bytes = argc == 3 ? read_all(argv[1], &n) : NULL;
    FILE *to = bytes != NULL ? fopen(argv[2], "wb") : NULL;
    bool well = to != NULL;
    for (size_t at = 0; at < n && well; at += size > 0 ? size : 1u) {
        size = image_at(bytes + at, n - at);
        well = size > 0 ? write_region(bytes + at, size, to) : fputc(bytes[at], to) != EOF;
    }
    free(bytes);
    return to != NULL && fclose(to) == 0 && well ? 0 : 1;
}
