/* file.c - puts the file together: the head, the arrays, and the JSON that tells where each is. */
#include "answer/answer.h"
#include "base/bytes.h"
#include "base/heap.h"
#include "formats/columns/rows.h"
#include "io/output.h"
#include "io/temp_file.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { HEAD_BYTES = 24, VERSION = 1, BUFFER_BYTES = 65536, VALUES_MOST = 512 };

#define EXACT_MOST ((uint64_t)1 << 53)

static const char *const type_names[] = {"f64", "f64", "u32", "u16", "u8"};

struct file {
    struct columns_state *state;
    uint64_t at; /* where the next array begins; while it is written, bytes that were written */
    enum column_type type;
    size_t used;
    unsigned char buffer[BUFFER_BYTES];
};

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 7u) & ~(uint64_t)7;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_array(struct file *file, struct json *json, const char *name, enum column_type type, uint64_t n)
{
    json_open_flat(json, name, '[');
    json_text(json, NULL, type_names[type]);
    json_number(json, NULL, file->at);
    json_number(json, NULL, n);
    json_close(json, ']');
    file->at += padded(n * column_width(type));
}

static void put_arrays(struct file *file, struct json *json, const struct columns_store *store)
{
    json_number(json, "n", store->n);
    json_open_flat(json, "arrays", '{');
    for (unsigned i = 0; i < store->layout->n; i++)
        put_array(file, json, store->layout->name[i], store->layout->type[i], store->n);
    json_close(json, '}');
}

static void put_store(struct file *file, struct json *json, const char *name, const struct columns_store *store)
{
    json_open_flat(json, name, '{');
    put_arrays(file, json, store);
    json_close(json, '}');
}

/* A number; as a text where a double has it not exactly. */
static void put_number(struct json *json, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    if (value <= EXACT_MOST)
        json_number(json, name, value);
    else
        json_text(json, name, text);
}

static void put_row(struct file *file, struct json *json, const struct columns_row *row)
{
    static const char *const kinds[] = {"cpu", "task", "irq", "mutex", "counter", "span", "log"};
    const struct stat_task *task = row->kind == COLUMNS_TASK ? row->of : NULL;
    char room[COLUMNS_NAME_BYTES];
    json_open_flat(json, NULL, '{');
    json_text(json, "kind", kinds[row->kind]);
    json_text(json, "name", columns_row_name(file->state, row, room));
    json_signed(json, "cpu", row->cpu);
    put_number(json, "number", row->number);
    if (task != NULL && task->has_priority)
        json_signed(json, "priority", task->priority);
    else
        json_null(json, "priority");
    json_signed(json, "parent", row->parent != COLUMNS_NO_ROW ? (int64_t)row->parent : -1);
    put_arrays(file, json, &row->store);
    json_close(json, '}');
}

static void put_counts(struct json *json, const struct trace_counts *counts)
{
    json_open_flat(json, "counts", '{');
    json_number(json, "events", counts->events - counts->left_out);
    json_number(json, "derived", counts->derived - counts->derived_left_out);
    json_number(json, "lost", counts->dropped + counts->overwritten);
    json_number(json, "damaged", counts->damaged);
    json_number(json, "leftOut", counts->left_out);
    json_number(json, "pauses", counts->pauses);
    json_number(json, "paused", counts->paused);
    json_close(json, '}');
}

static void put_trace(struct file *file, struct json *json)
{
    const struct columns_state *state = file->state;
    const struct trace *trace = state->trace;
    uint64_t span = stat_elapsed(state->stat->first, state->stat->last);
    char start[24];
    snprintf(start, sizeof start, "%" PRIu64, state->stat->first);
    json_text(json, "unit", trace->clock_hz > 0 ? "ns" : "ticks");
    json_text(json, "start", start);
    json_number(json, "span", span);
    json_number(json, "cpus", trace->ncpus);
    if (trace->target != NULL)
        json_text(json, "target", trace->target);
    else
        json_null(json, "target");
    json_number(json, "clockHz", trace->clock_hz);
    json_text(json, "priorityOrder", answer_priority_order(stat_priority_order_of(state->stat)));
    json_bool(json, "exact", span <= EXACT_MOST && state->inexact == 0);
    json_bool(json, "complete", stat_is_complete(state->stat) && state->rows_missed == 0);
    put_counts(json, &trace->counts);
}

static void put_types(struct json *json, const struct trace *trace)
{
    static const char *const means[] = {[TLOG_MEANS_PLAIN] = "plain",
                                        [TLOG_MEANS_SWITCH] = "switch",
                                        [TLOG_MEANS_SWITCH_OF] = "switch",
                                        [TLOG_MEANS_WAKE] = "wake",
                                        [TLOG_MEANS_BLOCK] = "block",
                                        [TLOG_MEANS_LOCK] = "lock",
                                        [TLOG_MEANS_UNBLOCK] = "unblock",
                                        [TLOG_MEANS_IRQ_ENTRY] = "irq_entry",
                                        [TLOG_MEANS_IRQ_EXIT] = "irq_exit",
                                        [TLOG_MEANS_IRQ_LEAVE] = "irq_exit",
                                        [TLOG_MEANS_RESUME] = "resume",
                                        [TLOG_MEANS_RUNNING] = "running",
                                        [TLOG_MEANS_PRIORITY] = "priority",
                                        [TLOG_MEANS_PAUSE] = "pause",
                                        [TLOG_MEANS_NO_SWITCHES] = "no_switches",
                                        [TLOG_MEANS_BLOCK_RUNNING] = "block",
                                        [TLOG_MEANS_LOCK_RUNNING] = "lock",
                                        [TLOG_MEANS_CREATE] = "create",
                                        [TLOG_MEANS_END] = "end",
                                        [TLOG_MEANS_LOSS] = "loss",
                                        [TLOG_MEANS_DAMAGE] = "damage",
                                        [TLOG_MEANS_LEFT_OUT] = "left_out",
                                        [TLOG_MEANS_MARK] = "mark"};
    json_open(json, "types", '[');
    for (unsigned i = 0; i < trace->ntypes; i++) {
        json_open_flat(json, NULL, '{');
        json_text(json, "system", trace->types[i]->system);
        json_text(json, "name", trace->types[i]->name);
        json_text(json, "means", means[trace->types[i]->means]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The texts: where each begins, and one more place, where the last one ends. */
static void put_strings(struct file *file, struct json *json)
{
    const struct columns_strings *strings = &file->state->strings;
    json_open_flat(json, "strings", '{');
    json_number(json, "n", strings->ends.n);
    json_open_flat(json, "arrays", '{');
    put_array(file, json, "offsets", COLUMN_U32, strings->ends.n + 1u);
    put_array(file, json, "bytes", COLUMN_U8, strings->bytes.n);
    json_close(json, '}');
    json_close(json, '}');
}

static void put_json(struct file *file, struct json *json)
{
    const struct columns_state *state = file->state;
    json_open(json, NULL, '{');
    put_trace(file, json);
    put_types(json, state->trace);
    json_open(json, "rows", '[');
    for (uint32_t i = 0; i < state->nrows; i++)
        put_row(file, json, state->row[i]);
    json_close(json, ']');
    put_store(file, json, "events", &state->events);
    put_store(file, json, "gaps", &state->gaps);
    put_store(file, json, "wakes", &state->wakes);
    put_strings(file, json);
    json_close(json, '}');
}

/* Write the JSON to a temporary file. Returns its descriptor, or -1 after trace_fail(); *bytes: of it. */
static int make_json(struct file *file, uint64_t *bytes)
{
    struct trace *trace = file->state->trace;
    int fd = temp_file_open(trace, NULL);
    FILE *to = fd >= 0 ? os_stream(fd, "w") : NULL;
    struct json json = {.to = to};
    int64_t end;
    if (to == NULL) {
        if (fd >= 0)
            os_close(fd);
        return fd >= 0 ? trace_fail(trace, "no memory for columns") : -1;
    }
    put_json(file, &json);
    if (ferror(to) | (fclose(to) != 0)) {
        os_close(fd);
        return trace_fail(trace, "cannot write a temporary file: %s", strerror(errno));
    }
    end = os_seek(fd, 0, SEEK_END);
    os_seek(fd, 0, SEEK_SET);
    *bytes = end > 0 ? (uint64_t)end : 0;
    return fd;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool flush(struct file *file)
{
    size_t used = file->used;
    file->used = 0;
    return output_put(file->state->trace, file->state->fd, file->buffer, used) == 0;
}

static bool put_bytes(struct file *file, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    while (n > 0) {
        size_t part = BUFFER_BYTES - file->used < n ? BUFFER_BYTES - file->used : n;
        memcpy(file->buffer + file->used, from, part);
        file->used += part;
        file->at += part;
        from += part;
        n -= part;
        if (file->used == BUFFER_BYTES && !flush(file))
            return false;
    }
    return true;
}

static bool pad(struct file *file)
{
    static const unsigned char zeros[8];
    return put_bytes(file, zeros, (size_t)(padded(file->at) - file->at));
}

/* A time since the trace's first event. */
static double since_start(const struct stat *stat, uint64_t time)
{
    return (double)stat_elapsed(stat->first, time < stat->last ? time : stat->last);
}

/* Put up to VALUES_MOST values as they are in the file. Returns their bytes. */
static size_t put_values(unsigned char *to, const struct stat *stat, enum column_type type, const unsigned char *from,
                         size_t n)
{
    for (size_t i = 0; type <= COLUMN_REAL && i < n; i++) {
        uint64_t value;
        double time;
        memcpy(&value, from + 8u * i, sizeof value);
        time = since_start(stat, value);
        if (type == COLUMN_TIME)
            memcpy(&value, &time, sizeof value);
        put_le64(to + 8u * i, value);
    }
    for (size_t i = 0; type == COLUMN_U32 && i < n; i++) {
        uint32_t value;
        memcpy(&value, from + 4u * i, sizeof value);
        put_le32(to + 4u * i, value);
    }
    for (size_t i = 0; type == COLUMN_U16 && i < n; i++) {
        uint16_t value;
        memcpy(&value, from + 2u * i, sizeof value);
        put_le16(to + 2u * i, value);
    }
    return n * column_width(type);
}

static bool take_values(void *ctx, const unsigned char *values, size_t n)
{
    struct file *file = ctx;
    unsigned width = column_width(file->type);
    unsigned char part[8u * VALUES_MOST];
    if (file->type == COLUMN_U8)
        return put_bytes(file, values, n);
    for (size_t i = 0; i < n; i += VALUES_MOST) {
        size_t some = n - i < VALUES_MOST ? n - i : VALUES_MOST;
        if (!put_bytes(file, part, put_values(part, file->state->stat, file->type, values + i * width, some)))
            return false;
    }
    return true;
}

static bool write_column(struct file *file, const struct columns_store *store, unsigned column)
{
    file->type = store->layout->type[column];
    return columns_each(store, &file->state->spill, column, take_values, file) && pad(file);
}

static bool write_store(struct file *file, const struct columns_store *store)
{
    for (unsigned i = 0; i < store->layout->n; i++) {
        if (!write_column(file, store, i))
            return false;
    }
    return true;
}

/* All arrays, in the order of put_json(). */
static bool write_arrays(struct file *file)
{
    static const unsigned char zero[4];
    const struct columns_state *state = file->state;
    for (uint32_t i = 0; i < state->nrows; i++) {
        if (!write_store(file, &state->row[i]->store))
            return false;
    }
    return write_store(file, &state->events) && write_store(file, &state->gaps) && write_store(file, &state->wakes)
           && put_bytes(file, zero, sizeof zero) && write_column(file, &state->strings.ends, 0)
           && write_column(file, &state->strings.bytes, 0);
}

static bool write_head(struct file *file, uint64_t json_at, uint64_t json_bytes)
{
    unsigned char head[HEAD_BYTES];
    memcpy(head, "tlogcols", 8);
    put_le32(head + 8, VERSION);
    put_le32(head + 12, (uint32_t)padded(json_bytes));
    put_le64(head + 16, json_at);
    return put_bytes(file, head, sizeof head);
}

/* Copy the JSON, and pad it with blanks. False after trace_fail(). */
static bool copy_json(struct file *file, int json, uint64_t bytes)
{
    unsigned char part[4096];
    for (uint64_t left = bytes; left > 0;) {
        int64_t n = os_read(json, part, sizeof part);
        if (n <= 0)
            return trace_fail(file->state->trace, "cannot read a temporary file: %s", strerror(n < 0 ? errno : EIO))
                   == 0;
        if (!put_bytes(file, part, (size_t)n))
            return false;
        left -= (uint64_t)n <= left ? (uint64_t)n : left;
    }
    return put_bytes(file, "       ", (size_t)(padded(bytes) - bytes)) && flush(file);
}

static void tell_limits(const struct columns_state *state)
{
    uint64_t span = stat_elapsed(state->stat->first, state->stat->last);
    if (state->rows_missed > 0)
        trace_note(state->trace, "columns: %u rows are all that a picture has", COLUMNS_ROWS_MOST);
    if (span > EXACT_MOST || state->inexact > 0)
        trace_note(state->trace, "columns: some numbers above 2^53 are rounded, since they are doubles");
}

int columns_write_file(struct columns_state *state)
{
    struct file *file = heap_alloc(sizeof *file);
    uint64_t bytes = 0, json_at;
    int json;
    bool is_good;
    if (file == NULL)
        return trace_fail(state->trace, "no memory for columns");
    memset(file, 0, offsetof(struct file, buffer));
    file->state = state;
    file->at = HEAD_BYTES;
    json = make_json(file, &bytes);
    json_at = file->at;
    file->at = 0;
    is_good = json >= 0 && write_head(file, json_at, bytes) && write_arrays(file) && copy_json(file, json, bytes);
    if (json >= 0)
        os_close(json);
    heap_free(file);
    tell_limits(state);
    return is_good ? 0 : -1;
}
