/* packet.c - see packet.h. */
#include "formats/perfetto/packet.h"

#include "base/heap.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

enum {
    BUFFER_BYTES = 1 << 20,
    PACKED_BYTES = 1 << 16,
    GZIP_BITS = 15 + 16, /* the largest window, and gzip's header */
    GZIP_MEMORY = 8,     /* zlib's default */
    FIRST_SIZE = 256,
    TEXTS_MOST = 1 << 16, /* so that memory is bounded, however many names the trace has */
    PENDING_FIRST = 4096,
    OVERHEAD = 32, /* bytes of a text's message besides the text, at most */
    KERNEL_SEQUENCE = 1,
    USER_SEQUENCE = 2,
    HEAD_BYTES = 64, /* of a packet: its tag, sequence, flags, time, and the length at the end */
    FIRST_BYTES = 256,
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

struct perfetto_file {
    struct trace *trace;
    int fd;
    bool gzip;
    z_stream stream; /* with gzip */
    unsigned char buffer[BUFFER_BYTES];
    unsigned char packed[PACKED_BYTES];
};

bool perfetto_output_open(struct perfetto_output *output, struct trace *trace, int fd, bool gzip)
{
    struct perfetto_file *file = heap_alloc(sizeof *file);
    if (file == NULL)
        return trace_fail(trace, "no memory for the output buffer") == 0;
    memset(&file->stream, 0, sizeof file->stream);
    /* The fastest level: packets are small already, and the next levels take twice the time to save a tenth. */
    if (gzip
        && deflateInit2(&file->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_BITS, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        heap_free(file);
        return trace_fail(trace, zlibVersion()[0] != '\0' ? "no memory for compressing"
                                                          : "this program was built without zlib")
               == 0;
    }
    file->trace = trace;
    file->fd = fd;
    file->gzip = gzip;
    *output = (struct perfetto_output){file->buffer, file->buffer + BUFFER_BYTES, file};
    return true;
}

/* 0, or -1 after trace_fail(). */
static int write_bytes(struct perfetto_file *file, const unsigned char *from, size_t size)
{
    int error = os_write(file->fd, from, size);
    return error == 0 ? 0 : trace_fail(file->trace, "cannot write: %s", strerror(error));
}

/* Compress the bytes and write the result; with Z_FINISH also what zlib still holds. 0, or -1 after trace_fail(). */
static int write_packed(struct perfetto_file *file, unsigned char *from, size_t size, int how)
{
    z_stream *stream = &file->stream;
    stream->next_in = from;
    stream->avail_in = (uInt)size;
    do {
        stream->next_out = file->packed;
        stream->avail_out = PACKED_BYTES;
        deflate(stream, how);
        if (write_bytes(file, file->packed, PACKED_BYTES - stream->avail_out) != 0)
            return -1;
    } while (stream->avail_out == 0);
    return 0;
}

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
static int write_buffer(struct perfetto_output *output, int how)
{
    struct perfetto_file *file = output->file;
    size_t size = (size_t)(output->at - file->buffer);
    output->at = file->buffer;
    return file->gzip ? write_packed(file, file->buffer, size, how) : write_bytes(file, file->buffer, size);
}

int perfetto_output_flush(struct perfetto_output *output, size_t bytes)
{
    if (write_buffer(output, Z_NO_FLUSH) != 0)
        return -1;
    if (bytes > BUFFER_BYTES)
        return trace_fail(output->file->trace, "an event needs a packet of up to %zu bytes", bytes);
    return 0;
}

int perfetto_output_finish(struct perfetto_output *output)
{
    return write_buffer(output, Z_FINISH);
}

void perfetto_output_free(struct perfetto_output *output)
{
    if (output->file != NULL && output->file->gzip)
        deflateEnd(&output->file->stream);
    heap_free(output->file);
    output->file = NULL;
}

/* ---- interned texts ---------------------------------------------------------------------------------------------- */

struct intern {
    char *text; /* NULL: the place is free */
    uint32_t length;
    uint32_t kind;
    uint64_t iid;
};

void perfetto_interns_init(struct perfetto_interns *interns, struct trace *trace)
{
    *interns = (struct perfetto_interns){.trace = trace};
}

void perfetto_interns_free(struct perfetto_interns *interns)
{
    for (size_t i = 0; i < interns->size; i++)
        heap_free(interns->table[i].text);
    heap_free(interns->table);
    heap_free(interns->pending);
    *interns = (struct perfetto_interns){0};
}

/* ---- interned texts: pending ------------------------------------------------------------------------------------- */

/* Make room for n more pending bytes. False after trace_fail(). */
static bool make_room(struct perfetto_interns *interns, size_t n)
{
    size_t room = interns->room > 0 ? interns->room : PENDING_FIRST;
    unsigned char *pending;
    if (interns->used + n <= interns->room)
        return true;
    while (room < interns->used + n)
        room *= 2;
    pending = heap_realloc(interns->pending, room);
    if (pending == NULL)
        return trace_fail(interns->trace, "no memory for names") == 0;
    interns->pending = pending;
    interns->room = room;
    return true;
}

uint64_t perfetto_intern_once(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    unsigned char *to, *message;
    if (!make_room(interns, n + OVERHEAD))
        return 0;
    to = interns->pending + interns->used;
    message = proto_begin(to, kind);
    to = proto_number(message, INTERNED_IID, ++interns->last[kind]);
    to = proto_end(message, proto_chars(to, INTERNED_TEXT, text, n));
    interns->used = (size_t)(to - interns->pending);
    return interns->last[kind];
}

size_t perfetto_interns_room(const struct perfetto_interns *interns)
{
    return interns->used + PROTO_NUMBER;
}

unsigned char *perfetto_interns_put(struct perfetto_interns *interns, unsigned char *to)
{
    if (interns->used == 0)
        return to;
    to = proto_bytes(to, PACKET_INTERNED_DATA, interns->pending, interns->used);
    interns->used = 0;
    return to;
}

/* ---- interned texts: the table ----------------------------------------------------------------------------------- */

/* FNV-1a. */
static size_t hash(unsigned kind, const char *text, size_t n)
{
    uint64_t value = 0xCBF29CE484222325u ^ kind;
    for (size_t i = 0; i < n; i++)
        value = (value ^ (unsigned char)text[i]) * 0x100000001B3u;
    return (size_t)(value ^ value >> 32);
}

/* The place of the text in the table, or the free place where it belongs. */
static struct intern *find(const struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    size_t at = hash(kind, text, n) & (interns->size - 1u);
    struct intern *intern = &interns->table[at];
    while (intern->text != NULL
           && (intern->kind != kind || intern->length != n || memcmp(intern->text, text, n) != 0)) {
        at = (at + 1u) & (interns->size - 1u);
        intern = &interns->table[at];
    }
    return intern;
}

/* Double the table. False after trace_fail(). */
static bool grow(struct perfetto_interns *interns)
{
    struct perfetto_interns old = *interns;
    interns->size = old.size > 0 ? 2 * old.size : FIRST_SIZE;
    interns->table = heap_calloc(interns->size, sizeof *interns->table);
    if (interns->table == NULL) {
        *interns = old;
        return trace_fail(interns->trace, "no memory for names") == 0;
    }
    for (size_t i = 0; i < old.size; i++) {
        if (old.table[i].text != NULL)
            *find(interns, old.table[i].kind, old.table[i].text, old.table[i].length) = old.table[i];
    }
    heap_free(old.table);
    return true;
}

/* Remember a new text at its place in the table. Returns its number; 0 after trace_fail(). */
static uint64_t remember(struct perfetto_interns *interns, struct intern *at, unsigned kind, const char *text, size_t n)
{
    at->text = heap_alloc(n + 1u);
    if (at->text == NULL) {
        trace_fail(interns->trace, "no memory for names");
        return 0;
    }
    memcpy(at->text, text, n);
    at->length = (uint32_t)n;
    at->kind = kind;
    at->iid = perfetto_intern_once(interns, kind, text, n);
    interns->n++;
    return at->iid;
}

uint64_t perfetto_intern(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n)
{
    struct intern *intern;
    if (2 * interns->n >= interns->size && !grow(interns))
        return 0;
    intern = find(interns, kind, text, n);
    if (intern->text != NULL)
        return intern->iid;
    return interns->n < TEXTS_MOST ? remember(interns, intern, kind, text, n) : 0;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static unsigned char *begin(struct perfetto *state, const struct perfetto_interns *interns, size_t room,
                            unsigned sequence, unsigned flags)
{
    unsigned char *to;
    if (perfetto_output_need(&state->output, room + HEAD_BYTES + perfetto_interns_room(interns)) != 0)
        return NULL;
    to = proto_begin(state->output.at, TRACE_PACKET);
    return proto_number(proto_number(to, PACKET_SEQUENCE_ID, sequence), PACKET_SEQUENCE_FLAGS, flags);
}

/* The place of the fields of the packet that is being written. */
static unsigned char *fields_of(const struct perfetto *state)
{
    return state->output.at + 2;
}

unsigned char *perfetto_kernel_packet(struct perfetto *state, size_t room)
{
    return begin(state, &state->kernel, room, KERNEL_SEQUENCE, FLAG_NEEDS_STATE);
}

unsigned char *perfetto_user_packet(struct perfetto *state, size_t room)
{
    return begin(state, &state->user, room, USER_SEQUENCE, FLAG_NEEDS_STATE);
}

static void end(struct perfetto *state, struct perfetto_interns *interns, unsigned char *to)
{
    to = perfetto_interns_put(interns, to);
    state->output.at = proto_end(fields_of(state), to);
}

void perfetto_kernel_end(struct perfetto *state, unsigned char *to)
{
    end(state, &state->kernel, to);
}

void perfetto_user_end(struct perfetto *state, unsigned char *to)
{
    end(state, &state->user, to);
}

unsigned char *perfetto_put_time(struct perfetto *state, unsigned char *to, uint64_t time)
{
    if (time < state->clock)
        return proto_number(proto_number(to, PACKET_TIMESTAMP, time), PACKET_CLOCK_ID, CLOCK_BOOTTIME);
    to = proto_number(to, PACKET_TIMESTAMP, time - state->clock);
    state->clock = time;
    return to;
}

/* ---- the first packets ------------------------------------------------------------------------------------------- */

static unsigned char *put_clock(unsigned char *to, unsigned id, uint64_t time)
{
    unsigned char *clock = proto_begin(to, SNAPSHOT_CLOCKS);
    to = proto_number(proto_number(clock, CLOCK_ID, id), CLOCK_TIMESTAMP, time);
    if (id == CLOCK_INCREMENTAL)
        to = proto_number(to, CLOCK_IS_INCREMENTAL, 1);
    return proto_end(clock, to);
}

/* Put a snapshot of two clocks at one moment: BOOTTIME, which the times are of, and another one: real time, or the
 * sequence's own. */
static unsigned char *put_snapshot(unsigned char *to, uint64_t time, unsigned other, uint64_t other_time)
{
    unsigned char *snapshot = proto_begin(to, PACKET_CLOCK_SNAPSHOT);
    to = put_clock(snapshot, CLOCK_BOOTTIME, time);
    to = put_clock(to, other, other_time);
    return proto_end(snapshot, proto_number(to, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME));
}

static unsigned char *put_system(const struct perfetto *state, unsigned char *to)
{
    unsigned char *info = proto_begin(to, PACKET_SYSTEM_INFO), *name = proto_begin(info, INFO_UTSNAME);
    to = proto_end(name, proto_text(name, UTSNAME_SYSNAME, "tlog"));
    return proto_end(info, proto_number(to, INFO_NUM_CPUS, state->trace->ncpus));
}

static int begin_kernel(struct perfetto *state, uint64_t time)
{
    uint64_t real = state->has_start ? state->start : time + state->bias;
    unsigned char *to = begin(state, &state->kernel, FIRST_BYTES, KERNEL_SEQUENCE, FLAG_STATE_CLEARED);
    if (to == NULL)
        return -1;
    to = proto_number(to, PACKET_FIRST_ON_SEQUENCE, 1);
    if (state->has_start || state->bias > 0)
        to = put_snapshot(to, time, CLOCK_REALTIME, real);
    perfetto_kernel_end(state, to);
    to = perfetto_kernel_packet(state, FIRST_BYTES);
    if (to == NULL)
        return -1;
    perfetto_kernel_end(state, put_system(state, to));
    return 0;
}

/* Begin the sequence of track events. Its times are differences, each from that of the packet before. */
static int begin_user(struct perfetto *state, uint64_t time)
{
    unsigned char *defaults, *to = begin(state, &state->user, FIRST_BYTES, USER_SEQUENCE, FLAG_STATE_CLEARED);
    if (to == NULL)
        return -1;
    to = put_snapshot(proto_number(to, PACKET_FIRST_ON_SEQUENCE, 1), time, CLOCK_INCREMENTAL, time);
    defaults = proto_begin(to, PACKET_DEFAULTS);
    to = proto_end(defaults, proto_number(defaults, DEFAULTS_CLOCK_ID, CLOCK_INCREMENTAL));
    perfetto_user_end(state, to);
    state->clock = time;
    return 0;
}

/* Describe the firmware as a process. Its track is the parent of all tracks that belong to no task. */
static int put_root(struct perfetto *state)
{
    const char *name = state->trace->clock_hz == 0 ? "firmware (times are ticks, not ns)" : "firmware";
    unsigned char *track, *process, *to = perfetto_user_packet(state, FIRST_BYTES);
    if (to == NULL)
        return -1;
    track = proto_begin(to, PACKET_TRACK_DESCRIPTOR);
    to = proto_number(track, DESCRIPTOR_UUID, PERFETTO_ROOT_TRACK);
    process = proto_begin(to, DESCRIPTOR_PROCESS);
    to = proto_number(process, DESCRIPTOR_PROCESS_PID, PERFETTO_FIRMWARE_PID);
    to = proto_end(process, proto_text(to, DESCRIPTOR_PROCESS_NAME, name));
    perfetto_user_end(state, proto_end(track, to));
    return 0;
}

int perfetto_begin(struct perfetto *state, uint64_t time)
{
    state->begun = true;
    state->bias = state->trace->start_ns < time ? state->trace->start_ns : 0;
    time -= state->bias;
    return begin_kernel(state, time) != 0 || begin_user(state, time) != 0 ? -1 : put_root(state);
}
