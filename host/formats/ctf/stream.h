/* stream.h - a file of a CTF trace: the packets of a CPU. Only the packet that is being filled is in memory.
 *
 * Source: the Common Trace Format 1.8.3 (diamon.org/ctf/v1.8.3). Headers look like those of LTTng's kernel tracer,
 * since viewers know them and read them quickly. All numbers are little-endian, and aligned to bytes only.
 *
 * Every packet tells how many events its CPU has lost up to the packet's end. So packets end before and behind a loss:
 * then readers see exactly between which events it was.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "model/trace.h"

#define CTF_MAGIC      0xC1FC1FC1u
#define CTF_CHANNEL    "channel0_"  /* the stream of a CPU, with its number behind */
#define CTF_STATEDUMP  "statedump_" /* the stream of what is known of tasks, with 0 behind */
#define CTF_UUID_BYTES 16u

struct ctf_stream {
    struct trace *trace;
    int directory;
    unsigned char uuid[CTF_UUID_BYTES]; /* of the trace, made of its first packet */
    bool has_uuid;
    uint64_t first; /* the earliest time of all files; UINT64_MAX: none yet */
    /* the file */
    int fd; /* -1 = not open */
    unsigned cpu;
    uint64_t number;   /* of the stream, another one for each file */
    uint64_t sequence; /* packets that are written */
    uint64_t lost;     /* events */
    uint64_t last;     /* time of the last event or loss */
    /* the packet */
    uint64_t begin; /* time of its first event */
    size_t at;      /* bytes that are filled, headers included; 0 = it has no event */
    size_t room;    /* of bytes */
    unsigned char *bytes;
};

/* Prepare a stream, without a file. */
void ctf_stream_init(struct ctf_stream *stream, struct trace *trace, int directory);

/* Create the file of a CPU; its name is `name` and the CPU's number. 0, or -1 after trace_fail(). */
int ctf_stream_open(struct ctf_stream *stream, const char *name, unsigned cpu);

/* Begin an event with its number and time: put its header. Returns where its fields go, at most size bytes, or NULL
 * after trace_fail(). A time before that of the last event becomes that time. */
unsigned char *ctf_stream_begin(struct ctf_stream *stream, unsigned id, uint64_t time, size_t size);

/* End the event behind its last byte. */
static inline void ctf_stream_end(struct ctf_stream *stream, const unsigned char *end)
{
    stream->at = (size_t)(end - stream->bytes);
}

/* Events were lost between the last event and this time: end the packet, and begin one for the loss. The caller may put
 * an event of that time into it, and ends it with ctf_stream_cut(). 0, or -1 after trace_fail(). */
int ctf_stream_lose(struct ctf_stream *stream, uint64_t time, uint64_t count);

/* Write the packet, also if it has no event. 0, or -1 after trace_fail(). */
int ctf_stream_cut(struct ctf_stream *stream);

/* Write what is left and close the file, which has one packet at least. Does nothing if none is open. 0, or -1 after
 * trace_fail(). */
int ctf_stream_close(struct ctf_stream *stream);

/* Free everything, without writing. */
void ctf_stream_drop(struct ctf_stream *stream);

#endif
