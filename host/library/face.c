/* face.c - the calls of the library: see tlog_decode.h. */
#include "base/heap.h"
#include "base/text.h"
#include "decode/filter.h"
#include "io/temp_file.h"
#include "io/tree.h"
#include "library/decoder.h"
#include "library/readers.h"
#include "model/display.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifndef TLOG_VERSION
#define TLOG_VERSION "(version unknown)"
#endif

/* Enough memory for any input: so much, and so many times its bytes, which the readers see to (man tlog-decode); and
 * what two sources keep for each CPU, of which hostile inputs may have thousands. */
#define MEMORY_BASE   ((uint64_t)64u << 20)
#define MEMORY_FACTOR 4u

enum state { UNUSED, PUSHED, OPEN, ENDED };

/* A decoder that a program has made: the decoder comes first, so that a pointer to one is a pointer to the other. */
struct user {
    struct tlog_decoder decoder;
    struct decode_request request;
    struct trace_writer writer; /* it is never opened: it says which events are wanted */
    struct tlog_sink sink;
    struct heap_account account; /* for all that it takes but the struct */
    enum state state;
    bool read_once;
    int spool; /* the temporary file of what was pushed, or -1 */
    uint64_t spooled;
    struct tlog_error error;
    char *from, *elf, *elf_folders, *filter, *name; /* copies of what the caller gave; NULL = not given */
};

static struct trace *trace_of(struct user *user)
{
    return &user->decoder.source.trace;
}

/* ---- making, freeing --------------------------------------------------------------------------------------------- */

/* Copy a text, if there is one. False: no memory. */
static bool copy(char **to, const char *from)
{
    *to = from != NULL ? text_copy(from) : NULL;
    return from == NULL || *to != NULL;
}

/* Make the request of options. */
static void make_request(struct user *user, const struct tlog_options *options)
{
    user->writer = (struct trace_writer){.name = "events", .merged = !options->by_cpu};
    user->sink = options->sink;
    user->request = (struct decode_request){.ninputs = 1,
                                            .readers = library_readers,
                                            .writer = &user->writer,
                                            .elf_folders = {user->elf_folders, NULL},
                                            .filter = user->filter,
                                            .map = options->map,
                                            .run = options->run,
                                            .has_base = options->has_base,
                                            .base = options->base,
                                            .clock_hz = options->clock_hz,
                                            .unpack_most = options->spool_most,
                                            .spool_most = options->spool_most,
                                            .sink = &user->sink};
}

/* Refuse options that are wrong: trace_fail(). */
static void check_options(struct user *user)
{
    struct decode_filter_error wrong;
    struct decode_filter *filter = NULL;
    if (user->from != NULL && (user->request.reader = library_reader_named(user->from)) == NULL)
        trace_fail(trace_of(user), "options.from: there is no format %.80s", user->from);
    if (user->filter != NULL && (filter = decode_filter_new(user->filter, NULL, &wrong)) == NULL)
        trace_fail(trace_of(user), "options.filter: column %zu: %s", wrong.why != NULL ? wrong.column : 0,
                   wrong.why != NULL ? wrong.why : "no memory");
    decode_filter_free(filter);
}

struct tlog_decoder *tlog_decoder_new(const struct tlog_options *options, size_t size)
{
    struct user *user = heap_calloc(1, sizeof *user);
    struct tlog_options given = {0};
    if (user == NULL)
        return NULL;
    if (options != NULL)
        memcpy(&given, options, size < sizeof given ? size : sizeof given);
    user->spool = -1;
    user->account.most = given.memory_most;
    user->read_once = given.read_once;
    user->error.text = trace_of(user)->error;
    if (!copy(&user->from, given.from) || !copy(&user->elf, given.elf) || !copy(&user->elf_folders, given.elf_folders)
        || !copy(&user->filter, given.filter)) {
        tlog_decoder_free(&user->decoder);
        return NULL;
    }
    make_request(user, &given);
    decode_source_init(&user->decoder.source, &user->request, "", user->elf);
    check_options(user);
    return &user->decoder;
}

void tlog_decoder_free(struct tlog_decoder *decoder)
{
    struct user *user = (struct user *)decoder;
    if (user == NULL)
        return;
    library_release(decoder);
    if (user->spool >= 0)
        os_close(user->spool);
    heap_free(user->from);
    heap_free(user->elf);
    heap_free(user->elf_folders);
    heap_free(user->filter);
    heap_free(user->name);
    heap_free(user);
}

/* ---- the input --------------------------------------------------------------------------------------------------- */

/* Bytes of the input, as far as it is open, and of the firmware's ELF file. */
static uint64_t bytes_of(const struct decode_source *source)
{
    const char *elf = source->found != NULL ? source->found : source->elf_path;
    struct tree_list files = {0};
    struct os_status status;
    uint64_t bytes = elf != NULL && os_status(elf, &status) ? status.size : 0;
    for (const struct input *in = source->input; in != NULL; in = input_next(in)) {
        bytes += input_size(in);
        if (input_directory(in) >= 0 && tree_list_read(&files, input_directory(in)))
            bytes += tree_list_bytes(&files);
        tree_list_free(&files);
    }
    return bytes;
}

/* The memory was too small: that is the error, whatever else came of it. */
static void tell_bound(struct user *user)
{
    struct trace *trace = trace_of(user);
    unsigned ncpus = user->decoder.source.ncpus > trace->ncpus ? user->decoder.source.ncpus : trace->ncpus;
    uint64_t enough = MEMORY_BASE + MEMORY_FACTOR * bytes_of(&user->decoder.source)
                      + 2u * sizeof(struct decode_lane) * (uint64_t)ncpus;
    trace->failed = trace->has_error_offset = false;
    trace_fail(trace, "%s: options.memory_most: %" PRIu64 " bytes of memory are too few; %" PRIu64 " would do",
               trace->input_name, user->account.most, enough);
    user->account.most = 0;
    user->account.refused = false;
}

/* The end of a call, which began with heap_use(): keep its error. Returns 0 or -1. */
static int end(struct user *user, int result, struct heap_account *before)
{
    struct trace *trace = trace_of(user);
    heap_use(before);
    if (user->account.refused)
        tell_bound(user);
    else if (result != 0)
        trace_fail(trace, "%s: failed", trace->input_name);
    user->error.has_offset = trace->has_error_offset;
    user->error.offset = trace->error_offset;
    return trace->failed ? -1 : 0;
}

/* Whether an input may be opened now; it has that name. False after trace_fail(). */
static bool may_open(struct user *user, enum state expected, const char *name)
{
    struct trace *trace = trace_of(user);
    if (trace->failed)
        return false;
    if (user->state != expected)
        trace_fail(trace, "%s: the decoder has an input already", name);
    else if (user->name == NULL && !copy(&user->name, name))
        trace_fail(trace, "%.80s: no memory", name);
    if (!trace->failed)
        trace->input_name = user->decoder.source.path = user->name;
    return !trace->failed;
}

/* Choose a reader for the input, which may be NULL after trace_fail(), and get ready for the first event. 0, or -1
 * after trace_fail(). */
static int begin(struct user *user, struct input *input)
{
    user->state = OPEN;
    user->decoder.source.input = input;
    if (input == NULL || decode_source_prepare(&user->decoder.source) != 0)
        return -1;
    user->decoder.source.knows_lives = user->read_once || user->request.map == TLOG_MAP_NATIVE;
    if (!user->decoder.source.knows_lives && decode_lives_find(&user->decoder.source) != 0)
        return -1;
    return library_start(&user->decoder);
}

int tlog_decoder_open(struct tlog_decoder *decoder, const char *path)
{
    struct user *user = (struct user *)decoder;
    struct heap_account *before;
    if (user == NULL)
        return -1;
    before = heap_use(&user->account);
    if (!may_open(user, UNUSED, path))
        return end(user, -1, before);
    return end(user, begin(user, input_open_path(trace_of(user), user->name)), before);
}

int tlog_decoder_open_bytes(struct tlog_decoder *decoder, const struct tlog_bytes *bytes)
{
    struct user *user = (struct user *)decoder;
    struct tlog_bytes named = *bytes;
    struct heap_account *before;
    if (user == NULL)
        return -1;
    before = heap_use(&user->account);
    if (!may_open(user, UNUSED, bytes->name != NULL ? bytes->name : "bytes"))
        return end(user, -1, before);
    named.name = user->name;
    return end(user, begin(user, input_open_bytes(trace_of(user), &named)), before);
}

/* ---- an input that comes piece by piece -------------------------------------------------------------------------- */

#define PUSHED_NAME "the bytes"

static int spool(struct user *user, const void *bytes, size_t n)
{
    struct trace *trace = trace_of(user);
    uint64_t most = temp_file_most(trace);
    int error;
    if (user->spool < 0 && (user->spool = temp_file_open(trace, user->name)) < 0)
        return -1;
    if (n > most - user->spooled)
        return trace_fail(trace, "%s: there are more than %" PRIu64 " of them, which options.spool_most raises",
                          user->name, most);
    error = os_write(user->spool, bytes, n);
    user->spooled += n;
    return error == 0
               ? 0
               : trace_fail(trace, "%s: cannot spool to %s: %s", user->name, os_temporary_directory(), strerror(error));
}

int tlog_decoder_push(struct tlog_decoder *decoder, const void *bytes, size_t n)
{
    struct user *user = (struct user *)decoder;
    struct heap_account *before;
    if (user == NULL)
        return -1;
    before = heap_use(&user->account);
    if (!may_open(user, user->state == PUSHED ? PUSHED : UNUSED, PUSHED_NAME))
        return end(user, -1, before);
    user->state = PUSHED;
    return end(user, spool(user, bytes, n), before);
}

int tlog_decoder_finish(struct tlog_decoder *decoder)
{
    struct user *user = (struct user *)decoder;
    struct heap_account *before;
    int fd;
    if (tlog_decoder_push(decoder, "", 0) != 0)
        return -1;
    before = heap_use(&user->account);
    fd = user->spool;
    user->spool = -1;
    return end(user, begin(user, input_open_spooled(trace_of(user), user->name, fd)), before);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* All events have come: tell what can be told only now. It is an error if all of the input was damaged. */
static void finish(struct user *user)
{
    struct trace *trace = trace_of(user);
    user->state = ENDED;
    library_tell(&user->decoder);
    if (trace->counts.events == 0 && trace->counts.gaps > 0)
        trace_fail(trace, "%s: nothing decodable, %" PRIu64 " damaged part%s", trace->input_name, trace->counts.gaps,
                   text_plural(trace->counts.gaps));
}

/* Whether events can be read, of a decoder that gets them in the way that is asked for. */
static enum tlog_result check(struct user *user, struct tlog_events *events, bool by_cpu)
{
    *events = (struct tlog_events){0};
    if (user == NULL || trace_of(user)->failed)
        return TLOG_FAILED;
    if (user->state != OPEN)
        return user->state == ENDED ? TLOG_END : TLOG_MORE;
    if (user->writer.merged != by_cpu)
        return TLOG_EVENTS;
    trace_fail(trace_of(user), "%s: options.by_cpu tells how events are read", trace_of(user)->input_name);
    return TLOG_FAILED;
}

/* Read until there are events, or none are left: of all CPUs, or of one. */
static enum tlog_result read_events(struct user *user, unsigned *cpu, struct trace_batch **batch)
{
    struct tlog_decoder *decoder = &user->decoder;
    enum tlog_result got = TLOG_EVENTS;
    uint64_t time;
    while (got == TLOG_EVENTS && (*batch == NULL || (*batch)->n == 0)) {
        if (!user->writer.merged)
            got = library_next_of(decoder, *cpu, batch);
        else if ((got = (enum tlog_result)library_look(decoder, &time)) == TLOG_EVENTS)
            got = library_has_events(decoder) ? library_next(decoder, UINT64_MAX, cpu, batch) : TLOG_END;
    }
    if (got == TLOG_END && (user->writer.merged || *cpu + 1u >= trace_of(user)->ncpus))
        finish(user);
    return got;
}

static enum tlog_result read_and_give(struct user *user, struct tlog_events *events, unsigned cpu)
{
    struct heap_account *before = heap_use(&user->account);
    struct trace_batch *batch = NULL;
    enum tlog_result got = read_events(user, &cpu, &batch);
    if (got == TLOG_EVENTS)
        *events = (struct tlog_events){batch->event, batch->n, 0, cpu, trace_of(user)->types};
    if (end(user, got == TLOG_FAILED ? -1 : 0, before) == 0)
        return got;
    *events = (struct tlog_events){0};
    return TLOG_FAILED;
}

enum tlog_result tlog_decoder_read(struct tlog_decoder *decoder, struct tlog_events *events)
{
    struct user *user = (struct user *)decoder;
    enum tlog_result got = check(user, events, false);
    return got == TLOG_EVENTS ? read_and_give(user, events, 0) : got;
}

enum tlog_result tlog_decoder_read_cpu(struct tlog_decoder *decoder, unsigned cpu, struct tlog_events *events)
{
    struct user *user = (struct user *)decoder;
    enum tlog_result got = check(user, events, true);
    if (got == TLOG_EVENTS && cpu >= trace_of(user)->ncpus)
        return TLOG_END;
    return got == TLOG_EVENTS ? read_and_give(user, events, cpu) : got;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

const struct tlog_error *tlog_decoder_error(const struct tlog_decoder *decoder)
{
    static const struct tlog_error no_memory = {"no memory", 0, false};
    return decoder != NULL ? &((const struct user *)decoder)->error : &no_memory;
}

void tlog_decoder_info(const struct tlog_decoder *decoder, struct tlog_info *info, size_t size)
{
    struct tlog_info all = {0};
    if (decoder != NULL) {
        const struct trace *trace = &decoder->source.trace;
        const struct trace_counts *counts = &trace->counts;
        all = (struct tlog_info){.format = trace->format,
                                 .target = trace->target,
                                 .cpus = trace->ncpus,
                                 .other_firmware = trace->firmware != NULL && trace->firmware->is_wrong,
                                 .clock_hz = trace->clock_hz,
                                 .start_ns = trace->start_ns,
                                 .events = counts->events,
                                 .derived = counts->derived,
                                 .dropped = counts->dropped,
                                 .overwritten = counts->overwritten,
                                 .unfinished = counts->unfinished,
                                 .left_out = counts->left_out,
                                 .damaged = counts->damaged,
                                 .gaps = counts->gaps,
                                 .first = counts->first,
                                 .last = counts->last};
    }
    memset(info, 0, size); /* a program may know members that this library does not */
    memcpy(info, &all, size < sizeof all ? size : sizeof all);
}

bool tlog_decoder_name(const struct tlog_decoder *decoder, enum tlog_kind kind, uint64_t number,
                       char name[TLOG_SHOWN_BYTES])
{
    const struct trace *trace;
    const struct trace_symbol *symbol;
    uint64_t offset;
    if (decoder == NULL)
        return false;
    trace = &decoder->source.trace;
    if (kind != TLOG_KIND_ADDRESS)
        return tlog_kind_has_names(kind) && number <= UINT32_MAX && display_name(trace, kind, (uint32_t)number, name);
    symbol = trace_symbol_at(trace->firmware, number, &offset);
    if (symbol != NULL && offset > 0)
        snprintf(name, TLOG_SHOWN_BYTES, "%.100s+0x%" PRIx64, symbol->name, offset);
    else if (symbol != NULL)
        snprintf(name, TLOG_SHOWN_BYTES, "%.100s", symbol->name);
    return symbol != NULL;
}

const char *tlog_decode_version(void)
{
    return TLOG_VERSION;
}
