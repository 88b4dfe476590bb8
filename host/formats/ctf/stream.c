/* stream.c - see stream.h. metadata.c describes the headers to readers. */
#include "formats/ctf/stream.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PACKET_BYTES 65536u /* of a packet, unless an event is longer */
#define HEADER_BYTES 32u    /* magic, uuid, stream, its number */
#define CONTEXT_AT   HEADER_BYTES
#define FIRST_EVENT  (HEADER_BYTES + 52u)
#define ID_EXTENDED  65535u /* instead of an event's number, which follows with its whole time */
#define EVENT_HEADER 14u    /* number and time, the longest form */
#define NAME_BYTES   32u
#define STATEDUMP    (UINT64_C(1) << 32) /* number of that stream: above all CPUs */

void ctf_stream_init(struct ctf_stream *stream, struct trace *trace, int directory)
{
    *stream = (struct ctf_stream){.trace = trace, .directory = directory, .first = UINT64_MAX, .fd = -1};
}

int ctf_stream_open(struct ctf_stream *stream, const char *name, unsigned cpu)
{
    char path[NAME_BYTES];
    snprintf(path, sizeof path, "%s%u", name, cpu);
    stream->cpu = cpu;
    stream->number = strcmp(name, CTF_STATEDUMP) == 0 ? STATEDUMP : cpu;
    stream->sequence = stream->lost = stream->last = stream->begin = stream->at = 0;
    stream->fd = os_create_in(stream->directory, path);
    return stream->fd >= 0 ? 0 : trace_fail(stream->trace, "%s: %s", path, strerror(errno));
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Make the trace's uuid of the bytes of its first packet, so that the same input gets the same uuid. It has the form of
 * version 8 (RFC 9562, 5.8). */
static void make_uuid(struct ctf_stream *stream)
{
    uint64_t hash[2] = {UINT64_C(0xCBF29CE484222325), UINT64_C(0x9E3779B97F4A7C15)};
    for (size_t i = CONTEXT_AT; i < stream->at; i++) {
        hash[0] = (hash[0] ^ stream->bytes[i]) * UINT64_C(0x100000001B3);
        hash[1] = (hash[1] + stream->bytes[i]) * UINT64_C(0xD6E8FEB86659FD93);
    }
    put_le64(stream->uuid, hash[0] ^ hash[0] >> 29);
    put_le64(stream->uuid + 8, hash[1] ^ hash[1] >> 31);
    stream->uuid[6] = (unsigned char)((stream->uuid[6] & 0x0Fu) | 0x80u);
    stream->uuid[8] = (unsigned char)((stream->uuid[8] & 0x3Fu) | 0x80u);
    stream->has_uuid = true;
}

/* Fill in what stands before the events. */
static void put_headers(struct ctf_stream *stream)
{
    unsigned char *context = stream->bytes + CONTEXT_AT;
    put_le64(context, stream->begin);
    put_le64(context + 8, stream->last);
    put_le64(context + 16, 8u * (uint64_t)stream->at); /* of its content, and of all of it, in bits */
    put_le64(context + 24, 8u * (uint64_t)stream->at);
    put_le64(context + 32, stream->sequence);
    put_le64(context + 40, stream->lost);
    put_le32(context + 48, stream->cpu);
    if (!stream->has_uuid)
        make_uuid(stream);
    put_le32(stream->bytes, CTF_MAGIC);
    memcpy(stream->bytes + 4, stream->uuid, CTF_UUID_BYTES);
    put_le32(stream->bytes + 20, 0);
    put_le64(stream->bytes + 24, stream->number);
}

/* Make room for so many bytes. 0, or -1 after trace_fail(). */
static int make_room(struct ctf_stream *stream, size_t size)
{
    size_t room = size > PACKET_BYTES ? size : PACKET_BYTES;
    unsigned char *bytes = room > stream->room ? heap_realloc(stream->bytes, room) : stream->bytes;
    if (bytes == NULL)
        return trace_fail(stream->trace, "no memory for a packet of %zu bytes", room);
    stream->bytes = bytes;
    stream->room = room > stream->room ? room : stream->room;
    return 0;
}

int ctf_stream_cut(struct ctf_stream *stream)
{
    int error;
    if (make_room(stream, FIRST_EVENT) != 0)
        return -1;
    if (stream->at == 0) {
        stream->begin = stream->last;
        stream->at = FIRST_EVENT;
    }
    put_headers(stream);
    error = os_write(stream->fd, stream->bytes, stream->at);
    if (error != 0)
        return trace_fail(stream->trace, "cannot write: %s", strerror(error));
    stream->sequence++;
    stream->at = 0;
    return 0;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Make room for an event of so many bytes in the packet, or in the next one. 0, or -1 after trace_fail(). */
static int reserve(struct ctf_stream *stream, uint64_t time, size_t size)
{
    if (stream->at > 0 && stream->at + size > PACKET_BYTES && ctf_stream_cut(stream) != 0)
        return -1;
    if (stream->at > 0)
        return 0;
    if (make_room(stream, FIRST_EVENT + size) != 0)
        return -1;
    stream->at = FIRST_EVENT;
    stream->begin = stream->last = time;
    return 0;
}

/* The time of the next event: never before the last one. */
static uint64_t next_time(struct ctf_stream *stream, uint64_t time)
{
    bool is_first = stream->sequence == 0 && stream->at == 0;
    uint64_t next = !is_first && time < stream->last ? stream->last : time;
    if (next < stream->first)
        stream->first = next;
    return next;
}

unsigned char *ctf_stream_begin(struct ctf_stream *stream, unsigned id, uint64_t time, size_t size)
{
    unsigned char *to;
    uint64_t next = next_time(stream, time);
    if (reserve(stream, next, EVENT_HEADER + size) != 0)
        return NULL;
    to = stream->bytes + stream->at;
    if (next - stream->last <= UINT32_MAX) { /* readers count one turn of 32 bits on from the event before */
        stream->last = next;
        put_le16(to, (uint16_t)id);
        put_le32(to + 2, (uint32_t)next);
        return to + 6;
    }
    stream->last = next;
    put_le16(to, ID_EXTENDED);
    put_le32(to + 2, id);
    put_le64(to + 6, next);
    return to + EVENT_HEADER;
}

int ctf_stream_lose(struct ctf_stream *stream, uint64_t time, uint64_t count)
{
    uint64_t next = next_time(stream, time);
    if (stream->at == 0 && stream->sequence == 0) /* what is lost is the difference to the packet before */
        stream->last = next;
    if ((stream->at > 0 || stream->sequence == 0) && ctf_stream_cut(stream) != 0)
        return -1;
    stream->last = next;
    stream->lost = count > UINT64_MAX - stream->lost ? UINT64_MAX : stream->lost + count;
    return 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

int ctf_stream_close(struct ctf_stream *stream)
{
    int fd = stream->fd;
    if (fd < 0)
        return 0;
    if ((stream->at > 0 || stream->sequence == 0) && ctf_stream_cut(stream) != 0)
        return -1;
    stream->fd = -1;
    return os_close(fd) ? 0 : trace_fail(stream->trace, "cannot write: %s", strerror(errno));
}

void ctf_stream_drop(struct ctf_stream *stream)
{
    if (stream->fd >= 0)
        os_close(stream->fd);
    heap_free(stream->bytes);
    stream->bytes = NULL;
    stream->fd = -1;
}
