/* decode_harness.c - a reader is given any bytes: see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "io/input.h"
#include "cli/formats.h"
#include "model/module.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Stop unless the condition holds. */
static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* ---- what a reader may give out ---------------------------------------------------------------------------------- */

/* Whether a text field, as the payload tells where its text is, is inside of the payload and ends in a NUL. */
static bool is_text_inside(const struct tlog_event *event, const struct tlog_type *type, uint16_t field)
{
    size_t offset = event->data[field] | (size_t)event->data[field + 1u] << 8;
    size_t length = event->data[field + 2u] | (size_t)event->data[field + 3u] << 8;
    return length == 0
           || (offset >= type->size && offset + length <= event->size && event->data[offset + length - 1u] == '\0');
}

/* Whether an event has the fixed part of its type, and behind it only what a field tells. */
static bool is_of_type(const struct tlog_event *event, const struct tlog_type *type)
{
    bool grows = false;
    if (event->size < type->size)
        return false;
    for (uint16_t i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        if (field->offset + field->size > type->size)
            return false;
        grows = grows || field->kind == TLOG_KIND_STRING || field->kind == TLOG_KIND_WORDS;
        if (field->kind == TLOG_KIND_STRING && !is_text_inside(event, type, field->offset))
            return false;
    }
    return grows || event->size == type->size;
}

static void check_event(const struct trace *trace, const struct trace_batch *batch, const struct tlog_event *event,
                        bool types_are_ours)
{
    check(event->type < trace->ntypes, "an event without a type");
    check(!types_are_ours || is_of_type(event, trace->types[event->type]), "malformed event");
    check(event->data >= batch->room && event->data + event->size <= batch->room + batch->used, "payload is outside");
}

static void read_cpu(const struct trace_reader *module, struct trace *trace, void *reader, unsigned cpu)
{
    static struct trace_batch batch;
    bool as_is = module == &reader_tracedat;
    uint64_t before = 0;
    while (module->read(reader, cpu, &batch) > 0) {
        check(batch.n > 0 && batch.n <= TRACE_BATCH_EVENTS && batch.used <= sizeof batch.room, "batch too full");
        for (size_t i = 0; i < batch.n; i++) {
            check(batch.event[i].time >= before || as_is, "time goes back");
            check_event(trace, &batch, &batch.event[i], !as_is);
            before = batch.event[i].time;
        }
        batch.n = batch.used = 0;
    }
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* A file in memory with these bytes; it stays open. */
static int memory_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    if (file < 0)
        file = memfd_create("dump", 0);
    check(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "no memory file");
    return file;
}

/* The files of a trace; which of them are there depends on its version. */
static const char *const lttng_files[] = {"control/facilities_0",
                                          "control/interrupts_0",
                                          "control/modules_0",
                                          "control/processes_0",
                                          "metadata_0",
                                          "cpu_0",
                                          "kernel_0",
                                          "user_0",
                                          "flight-cpu_1",
                                          "flight-kernel_1",
                                          "cpu_1"};
#define LTTNG_FILES (sizeof lttng_files / sizeof lttng_files[0])
#define PAGE        4096u

/* Append a piece to a file. */
static void put_piece(int directory, const char *path, const uint8_t *data, size_t size)
{
    int file = openat(directory, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    off_t end;
    check(file >= 0 && write(file, data, size) == (ssize_t)size, "no file for LTTng");
    end = lseek(file, 0, SEEK_END);
    check(ftruncate(file, (end + (off_t)PAGE - 1) / (off_t)PAGE * (off_t)PAGE) == 0, "no file for LTTng");
    close(file);
}

/* A directory in memory with these pieces. */
static const char *lttng_directory(const uint8_t *data, size_t size)
{
    static char path[] = "/dev/shm/tlog-fuzz-XXXXXX";
    static int directory = -1;
    if (directory < 0) {
        check(mkdtemp(path) != NULL, "no directory");
        directory = open(path, O_RDONLY | O_DIRECTORY);
        check(directory >= 0 && mkdirat(directory, "control", 0700) == 0, "no directory");
    }
    for (size_t i = 0; i < LTTNG_FILES; i++)
        unlinkat(directory, lttng_files[i], 0);
    for (size_t at = 0, n; at + 3u <= size; at += 3u + n) {
        n = (size_t)data[at + 1u] | (size_t)data[at + 2u] << 8;
        n = n < size - at - 3u ? n : size - at - 3u;
        put_piece(directory, lttng_files[data[at] % LTTNG_FILES], data + at + 3u, n);
    }
    return path;
}

static struct input *open_input(struct trace *trace, const struct trace_reader *module, const uint8_t *data,
                                size_t size)
{
    if (module == &reader_lttng)
        return input_open(trace, lttng_directory(data, size), NULL);
    return input_adopt(trace, "fuzz", dup(memory_file(data, size)));
}

/* ---- one decoding ------------------------------------------------------------------------------------------------ */

static void decode(const struct trace_reader *module, const uint8_t *data, size_t size)
{
    static struct trace trace;
    struct input *in;
    void *reader;
    trace_init(&trace, "fuzz");
    trace.quiet = true;
    in = open_input(&trace, module, data, size);
    check(in != NULL, "cannot open the input");
    module->probe(in);
    reader = module->open(&trace, in);
    check((reader == NULL) == trace.failed, "open and its error differ");
    for (unsigned cpu = 0; reader != NULL && cpu < trace.ncpus; cpu++)
        read_cpu(module, &trace, reader, cpu);
    if (reader != NULL)
        module->close(reader);
    input_close(in);
    trace_free(&trace);
}

void fuzz_decode(const struct trace_reader *module, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1u);
    check(copy != NULL, "no memory");
    if (size > 0) {
        memcpy(copy, data + 1, size - 1u);
        if (module == &reader_native)
            fuzz_shape_native(copy, size - 1u, data[0]);
        decode(module, copy, size - 1u);
    }
    free(copy);
}
